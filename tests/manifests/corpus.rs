//! Real documents: every file is read, and what comes out is held against another parser.

use std::fs;
use std::path::{Path, PathBuf};

use aon_manifest::{Document, Format, IssueKind, Kind, ReadOptions, Severity, Syntax};
use aon_tests::place;

use crate::check_tree;

fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_file_of_the_corpus_is_read_without_a_crash() {
    let Some(root) = place::corpus("corpus") else {
        return;
    };
    let mut counts = std::collections::BTreeMap::new();
    let (mut read, mut operations, mut inputs, mut errors) = (0, 0, 0, 0);
    for path in files(&root) {
        let name = path.display().to_string();
        let bytes = fs::read(&path).unwrap();
        read += 1;
        let tree = crate::parse(&name, bytes.clone());
        if tree
            .roots()
            .all(|root| Format::detect(root, &name).is_none())
        {
            // A part of another document: its references are followed from there.
            check_tree(&tree, true);
            continue;
        }
        let options = ReadOptions::default().with_root(root.display().to_string());
        let loader = |path: &str| fs::read(path);
        let document = Document::open(&name, bytes, &options, &loader);
        check_tree(document.entry(), true);
        for issue in document.issues() {
            let broken =
                issue.severity() == Severity::Error && issue.kind() != IssueKind::UnknownFormat;
            // The licence and the list of sources are prose.
            if broken && !name.ends_with("LICENSE") && !name.ends_with(".md") {
                println!("{issue}");
                errors += 1;
            }
        }
        for api in document.apis() {
            *counts.entry(api.format.name()).or_insert(0) += 1;
            operations += api.operations.len();
            inputs += api.inputs().len();
            assert!(!api.slug().is_empty(), "{name}");
            // Some documents have an empty `paths`; any other one has operations that are found.
            let paths = tree.roots().filter_map(|root| root.get("paths"));
            let empty = paths.map(|paths| paths.members().count()).sum::<usize>() == 0;
            if api.format != Format::A2a && api.format != Format::Native {
                assert!(
                    !api.operations.is_empty() || name.contains("mcp") || empty,
                    "{name}"
                );
            }
        }
    }
    println!(
        "corpus: {read} files, {counts:?}, {operations} operations, {inputs} inputs, {errors} mistakes"
    );
    assert!(read > 1_000 && operations > 1_000 && inputs > 5_000);
    assert!(
        counts["openapi"] > 90 && counts["mcp"] > 20 && counts["a2a"] > 5,
        "{counts:?}"
    );
    assert!(
        errors < 10,
        "{errors} mistakes in documents that other tools read"
    );
}

#[test]
fn json_of_the_corpus_equals_what_serde_reads() {
    let Some(root) = place::corpus("differential") else {
        return;
    };
    let mut compared = 0;
    for path in files(&root)
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
    {
        let bytes = fs::read(path).unwrap();
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&bytes) else {
            continue;
        };
        let tree = crate::parse(&path.display().to_string(), bytes);
        assert!(
            tree.issues().is_empty(),
            "{}: {:?}",
            path.display(),
            tree.issues()
        );
        assert!(
            tree.root().unwrap().to_json() == value,
            "{}",
            path.display()
        );
        compared += 1;
    }
    println!("differential: {compared} documents");
    assert!(compared > 50);
}

#[test]
fn spans_of_the_corpus_hold_exactly_their_scalar() {
    let Some(root) = place::corpus("spans") else {
        return;
    };
    let (mut plain, mut quoted) = (0, 0);
    for path in files(&root).iter().filter(|path| {
        path.extension()
            .is_some_and(|ending| ending == "yaml" || ending == "yml")
    }) {
        let tree = crate::parse(&path.display().to_string(), fs::read(path).unwrap());
        if tree.syntax() != Syntax::Yaml {
            continue;
        }
        for index in 0..tree.node_count() {
            let node = tree.node(index).unwrap();
            if node.kind() != Kind::String {
                continue;
            }
            let written = node.source_text();
            match written.chars().next() {
                Some('"' | '\'') if written.len() > 1 => {
                    assert!(written.ends_with(['"', '\'']), "{node:?}: {written}");
                    quoted += 1;
                }
                Some('|' | '>') | None => {}
                Some(_) if !written.contains('\n') => {
                    assert_eq!(written, node.text(), "{node:?}");
                    plain += 1;
                }
                Some(_) => {}
            }
        }
    }
    println!("spans: {plain} plain and {quoted} quoted scalars");
    assert!(plain > 10_000 && quoted > 10_000);
}
