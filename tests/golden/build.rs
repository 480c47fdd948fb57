//! Every golden file goes through the compiler or validator of its format, with warnings denied.
//!
//! A builder says which files it has built, and each test compares that with the folder: a golden that nobody builds fails. Tools
//! that are not installed (`.ci/tools`) are named as skipped; they never count as passed.

pub mod node;
mod python;
pub mod rust;
mod schema;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aon_tests::{outside, place};

use crate::cases::{self, emit, files_below};

/// The files of a target for all cases, as they would be committed: path below the case's folder, and contents.
pub struct Output {
    pub case: String,
    pub files: BTreeMap<String, String>,
}

/// What a target wrote for every case. The golden files themselves are taken, so that what is built is what is committed.
pub fn outputs(target: &str) -> Vec<Output> {
    let mut outputs = Vec::new();
    for case in cases::all() {
        let folder = case.folder().join(target);
        let files = files_below(&folder).into_iter().map(|path| {
            let name = path
                .strip_prefix(&folder)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            (name, fs::read_to_string(&path).unwrap())
        });
        outputs.push(Output {
            case: case.name.replace('-', "_"),
            files: files.collect(),
        });
    }
    let many = emit(&cases::many().api())
        .remove(target)
        .unwrap_or_default();
    let files = many
        .iter()
        .map(|file| (file.path().to_owned(), file.contents().to_owned()))
        .collect();
    outputs.push(Output {
        case: "many".to_owned(),
        files,
    });
    assert!(
        outputs.iter().all(|output| !output.files.is_empty()),
        "{target} wrote nothing for a case"
    );
    outputs
}

/// Fails when a file of a target is not among what was built.
pub fn all_built(target: &str, built: &BTreeSet<(String, String)>) {
    let mut count = 0;
    for output in outputs(target) {
        for file in output.files.keys() {
            let known = built.contains(&(output.case.clone(), file.clone()));
            assert!(known, "{}/{target}/{file} is built by nobody", output.case);
            count += 1;
        }
    }
    println!("golden: {target}: {count} files built");
}

#[test]
fn every_folder_of_a_case_is_a_target() {
    let known: BTreeSet<String> = aon_codegen::targets()
        .iter()
        .map(|target| target.name().to_owned())
        .collect();
    let mut seen = 0;
    for case in cases::all() {
        for entry in fs::read_dir(case.folder()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                assert!(
                    known.contains(&name),
                    "{} belongs to no target",
                    path.display()
                );
                seen += 1;
            }
        }
    }
    assert!(seen >= 8 * known.len(), "only {seen} folders were found");
}

/// A clean folder for a project below the build directory.
pub fn project(name: &str) -> PathBuf {
    let folder = place::target().join("golden").join(name);
    if folder.is_dir() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Runs a command and gives its output; fails with what it said.
pub fn run(command: &mut Command, what: &str) -> String {
    let output = outside::output(command, "").unwrap_or_else(|error| panic!("{what}: {error}"));
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{what} failed:\n{out}\n{err}");
    out.into_owned()
}
