//! Real documents through every target. What comes out is compiled by hand now and then (see `docs/contributing.md`); here it must
//! come out at all, be JSON where it is JSON, and be laid out as rustfmt does.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use aon_codegen::{Options, lower, targets};
use aon_manifest::{Document, ReadOptions};
use aon_tests::place;

use crate::build::{project, run, write};
use crate::cases::files_below;

/// A debug build takes too long for larger ones.
const LARGEST: u64 = 2_000_000;

#[test]
fn every_document_of_the_corpus_goes_through_every_target() {
    let Some(root) = place::corpus("golden corpus") else {
        return;
    };
    let folder = project("corpus");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut rust = Vec::new();
    for (number, path) in files_below(&root).iter().enumerate() {
        let Some(document) = open(path) else {
            continue;
        };
        let api = lower(&document.apis(), None, &Options::default())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for target in targets() {
            if !target.refusals(&api).is_empty() {
                continue;
            }
            for file in target.emit(&api, &Options::default()) {
                *counts.entry(target.name().to_owned()).or_default() += 1;
                if file.path().ends_with(".json") {
                    serde_json::from_str::<serde_json::Value>(file.contents())
                        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                }
                if target.name() == "rust" && file.path() != "api.rs" {
                    let place = folder.join(number.to_string()).join(file.path());
                    write(&place, file.contents());
                    rust.push(place);
                }
            }
        }
    }
    for files in rust.chunks(50) {
        run(
            Command::new("rustfmt")
                .args(["--check", "--edition", "2024"])
                .args(files)
                .current_dir(&folder),
            "rustfmt on what was generated from the corpus",
        );
    }
    println!("golden: corpus: {counts:?}");
    assert!(counts.len() == targets().len() && counts.values().all(|count| *count > 100));
}

/// A document that can be generated from: whole, and in one file.
fn open(path: &Path) -> Option<Document> {
    let name = path.to_string_lossy();
    if !name.ends_with(".json") && !name.ends_with(".yaml")
        || fs::metadata(path).ok()?.len() > LARGEST
    {
        return None;
    }
    let none = |_: &str| Err::<Vec<u8>, _>(io::Error::from(io::ErrorKind::NotFound));
    let document = Document::open(&name, fs::read(path).ok()?, &ReadOptions::default(), &none);
    let whole = document.format().is_some() && document.issues().is_empty();
    whole.then_some(document)
}
