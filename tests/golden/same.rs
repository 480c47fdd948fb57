//! The same input gives the same bytes.

use std::collections::BTreeSet;
use std::{env, fs};

use aon_codegen::{Origin, Tree};
use aon_tests::golden;

use crate::cases::{self, Case, emit, files_below};

#[test]
fn output_equals_the_golden_files() {
    let mut compared = 0;
    for case in cases::all() {
        let mut expected = BTreeSet::new();
        for (target, files) in emit(&case.api()) {
            for file in files {
                let path = case.folder().join(&target).join(file.path());
                golden::check(&path, file.contents());
                assert!(expected.insert(path), "{}: written twice", file.path());
                compared += 1;
            }
        }
        for path in files_below(&case.folder()) {
            let is_manifest = path
                .file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("manifest.");
            if is_manifest || expected.contains(&path) {
                continue;
            }
            if env::var_os("AON_BLESS").is_some() {
                fs::remove_file(&path).unwrap();
            } else {
                panic!("{} is written by nobody", path.display());
            }
        }
    }
    assert!(compared > 50, "only {compared} files were compared");
    println!("golden: {compared} files compared");
}

#[test]
fn output_for_many_operations_equals_its_hashes() {
    let mut lines = String::new();
    let mut count = 0;
    for (target, files) in emit(&cases::many().api()) {
        for file in files {
            let hash = file
                .contents()
                .bytes()
                .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                });
            lines.push_str(&format!("{hash:016x} {target}/{}\n", file.path()));
            count += 1;
        }
    }
    assert!(count > 8);
    golden::check(&cases::golden().join("many/hashes.txt"), &lines);
}

#[test]
fn emitting_twice_gives_the_same_bytes() {
    for case in cases::all().into_iter().chain([cases::many()]) {
        assert_eq!(emit(&case.api()), emit(&case.api()), "{}", case.name);
    }
}

#[test]
fn the_order_of_the_input_does_not_matter() {
    let mut shuffled = 0;
    for case in cases::all().into_iter().chain([cases::many()]) {
        let document = case.document();
        let json = Tree::of_node(document.entry().root().unwrap());
        let before = emit(&case.api());
        for turn in [turned(&json, ""), json] {
            let other = Case {
                name: case.name.clone(),
                file: case.file.clone(),
                text: turn.to_compact(),
            };
            for (target, files) in emit(&other.api()) {
                for (a, b) in files.iter().zip(&before[&target]) {
                    assert_eq!(
                        a.contents(),
                        b.contents(),
                        "{}: {target}/{}",
                        case.name,
                        b.path()
                    );
                }
                assert_eq!(files, before[&target], "{}: {target}", case.name);
            }
            shuffled += 1;
        }
    }
    assert!(shuffled > 16);
}

#[test]
fn what_was_generated_is_known_as_such() {
    let mut marked = 0;
    for case in cases::all() {
        for (target, files) in emit(&case.api()) {
            for file in files.iter().filter(|file| !file.contents().is_empty()) {
                let name = format!("{}: {target}/{}", case.name, file.path());
                assert_eq!(Origin::of(file.contents()), Origin::Untouched, "{name}");
                let edited = format!("{}\n", file.contents());
                assert_eq!(Origin::of(&edited), Origin::Edited, "{name}");
                let crlf = file.contents().replace('\n', "\r\n");
                assert_eq!(Origin::of(&crlf), Origin::Untouched, "{name}");
                marked += 1;
            }
        }
    }
    assert!(marked > 50);
}

/// The same document with members and lists the other way round; lists whose order says something stay.
fn turned(json: &Tree, key: &str) -> Tree {
    match json {
        Tree::Object(members) => Tree::Object(
            members
                .iter()
                .rev()
                .map(|(key, value)| (key.clone(), turned(value, key)))
                .collect(),
        ),
        Tree::Array(items) => {
            let free = [
                "operations",
                "parameters",
                "error_responses",
                "responses",
                "tools",
                "required",
                "x-aon-errors",
            ];
            let mut items: Vec<Tree> = items.iter().map(|item| turned(item, "")).collect();
            if free.contains(&key) {
                items.reverse();
            }
            Tree::Array(items)
        }
        other => other.clone(),
    }
}
