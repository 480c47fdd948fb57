//! Writes every generated file of the project, or says which are not current.
//!
//! `cargo regen` writes; `cargo regen --check` compares and fails; nothing else is touched.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use aon_tests::{generated, place};

fn main() -> ExitCode {
    let check = match env::args().nth(1).as_deref() {
        None => false,
        Some("--check") => true,
        Some(other) => {
            eprintln!("regen: unknown argument {other}; use --check or nothing");
            return ExitCode::from(2);
        }
    };
    let root = place::root();
    let files = generated::files();
    let mut stale: Vec<String> = files
        .iter()
        .filter(|(path, contents)| {
            fs::read_to_string(root.join(path)).ok().as_ref() != Some(contents)
        })
        .map(|(path, _)| path.clone())
        .collect();
    let left_over = generated::left_over(&root, &files);
    if check {
        stale.extend(
            left_over
                .iter()
                .map(|path| format!("{path} (no longer generated)")),
        );
        if stale.is_empty() {
            println!("regen: {} files are current", files.len());
            return ExitCode::SUCCESS;
        }
        eprintln!(
            "regen: not current, run `cargo regen`:\n  {}",
            stale.join("\n  ")
        );
        return ExitCode::FAILURE;
    }
    for (path, contents) in files.iter().filter(|(path, _)| stale.contains(path)) {
        if let Err(error) = write(&root.join(path), contents) {
            eprintln!("regen: {path}: {error}");
            return ExitCode::FAILURE;
        }
        println!("regen: wrote {path}");
    }
    for path in &left_over {
        if let Err(error) = fs::remove_file(root.join(path)) {
            eprintln!("regen: {path}: {error}");
            return ExitCode::FAILURE;
        }
        println!("regen: removed {path}");
    }
    ExitCode::SUCCESS
}

fn write(path: &Path, contents: &str) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, contents)
}
