//! The inputs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use aon_codegen::{Api, GeneratedFile, Options, lower, targets};
use aon_manifest::{Document, ReadOptions};
use aon_tests::place;

/// An input.
pub struct Case {
    pub name: String,
    pub file: String,
    pub text: String,
}

impl Case {
    pub fn document(&self) -> Document {
        let none = |_: &str| Err::<Vec<u8>, _>(io::Error::from(io::ErrorKind::NotFound));
        Document::open(
            &self.file,
            self.text.clone(),
            &ReadOptions::default(),
            &none,
        )
    }

    pub fn api(&self) -> Api {
        let document = self.document();
        lower(&document.apis(), None, &Options::default()).unwrap_or_else(|error| {
            let issues: Vec<String> = error.issues().iter().map(ToString::to_string).collect();
            panic!("{}: {}", self.name, issues.join("\n"))
        })
    }

    /// Where its golden files are; none for the one that is only kept as hashes.
    pub fn folder(&self) -> PathBuf {
        golden().join(&self.name)
    }
}

/// All cases that are folders.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(golden()).unwrap() {
        let folder = entry.unwrap().path();
        let Some(manifest) = manifest(&folder) else {
            continue;
        };
        cases.push(Case {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            file: manifest.file_name().unwrap().to_string_lossy().into_owned(),
            text: fs::read_to_string(&manifest).unwrap(),
        });
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(cases.len() >= 8, "only {} cases were found", cases.len());
    cases
}

/// 300 operations, made up on the spot. Its output is kept as hashes, because nobody would read it.
pub fn many() -> Case {
    let mut text =
        String::from("slug: many\nversion: 3.0.0\ntitle: Three hundred operations\noperations:\n");
    for number in 0..300 {
        let verb = ["GET", "POST", "PATCH", "DELETE"][number % 4];
        let _ = writeln!(
            text,
            "  - id: operation_{number}
    method: {verb}
    path: /things/{number}/{{id}}
    summary: Operation number {number}
    parameters:
      - {{ name: id, in: path, type: string, required: true }}
      - {{ name: mode, in: query, type: string, enum: [fast, slow, mode_{}] }}
      - {{ name: region, in: query, type: string, choices_endpoint: /regions }}
    responses:
      - {{ status: 200, schema: {{ $ref: '#/schemas/Thing{}' }} }}
    error_responses:
      - {{ status: 422, code: bad_mode_{}, valid_values: {{ mode: [fast, slow] }} }}
      - {{ status: 409, code: still_busy, remediation: wait_for_provisioning }}",
            number % 7,
            number % 50,
            number % 60,
        );
    }
    text.push_str("schemas:\n");
    for number in 0..50 {
        let _ = writeln!(
            text,
            "  Thing{number}: {{ type: object, required: [id], properties: {{ id: {{ type: string }}, next: {{ $ref: '#/schemas/Thing{}' }} }} }}",
            (number + 1) % 50
        );
    }
    Case {
        name: "many".to_owned(),
        file: "many.aon.yaml".to_owned(),
        text,
    }
}

/// What every target writes for an API, by target and path.
pub fn emit(api: &Api) -> BTreeMap<String, Vec<GeneratedFile>> {
    let mut files = BTreeMap::new();
    for target in targets() {
        files.insert(
            target.name().to_owned(),
            target.emit(api, &Options::default()),
        );
    }
    files
}

pub fn golden() -> PathBuf {
    place::root().join("tests/golden")
}

fn manifest(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let mut found = entries.map(|entry| entry.unwrap().path());
    found.find(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("manifest."))
    })
}

/// All files below a folder.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path)
            } else {
                found.push(path)
            }
        }
    }
    found.sort();
    found
}
