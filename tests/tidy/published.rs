//! What a published crate shows: on its page of the registry, and in its documentation.

use std::fs;
use std::path::{Path, PathBuf};

use aon_tests::place;
use toml::{Table, Value};

/// The folders of the crates that are published, each with its manifest.
fn published() -> Vec<(PathBuf, Table)> {
    let root = place::root();
    let read = |path: PathBuf| -> Table {
        toml::from_str(&fs::read_to_string(path).unwrap()).expect("a manifest")
    };
    let workspace = read(root.join("Cargo.toml"));
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let all = members.iter().map(|member| {
        let folder = root.join(member.as_str().unwrap());
        let manifest = read(folder.join("Cargo.toml"));
        (folder, manifest)
    });
    let is_published = |manifest: &Table| manifest["package"].get("publish").is_none();
    all.filter(|(_, manifest)| is_published(manifest)).collect()
}

#[test]
fn a_published_crate_says_what_it_is_and_shows_every_feature() {
    let mut covered = 0;
    for (folder, manifest) in published() {
        let package = manifest["package"].as_table().unwrap();
        for member in [
            "description",
            "license",
            "repository",
            "readme",
            "keywords",
            "categories",
        ] {
            assert!(
                package.contains_key(member),
                "{}: no {member}",
                folder.display()
            );
        }
        let docs = package
            .get("metadata")
            .and_then(|metadata| metadata.get("docs")?.get("rs"));
        let docs = docs.unwrap_or_else(|| panic!("{}: nothing for docs.rs", folder.display()));
        assert_eq!(docs["all-features"], Value::Boolean(true));
        assert_eq!(docs["rustdoc-args"][1].as_str(), Some("docsrs"));
        covered += 1;
    }
    assert!(covered >= 10, "{covered}");
}

#[test]
fn the_page_of_a_library_names_each_of_its_features() {
    let mut covered = 0;
    for name in ["aon", "live", "observe", "agent"] {
        let folder = place::root().join("crates").join(name);
        let page = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        let book = fs::read_to_string(place::root().join("docs/features.md")).unwrap();
        let manifest: Table =
            toml::from_str(&fs::read_to_string(folder.join("Cargo.toml")).unwrap()).unwrap();
        let features = manifest["features"].as_table().unwrap();
        for feature in features.keys().filter(|feature| *feature != "default") {
            for (place, text) in [("lib.rs", &page), ("docs/features.md", &book)] {
                let row = format!("| `{feature}`");
                assert!(text.contains(&row), "{name}: {place} has no `{feature}`");
            }
            covered += 1;
        }
        assert!(page.contains("# Elsewhere"), "{name}: no links");
        assert!(page.contains("feature(doc_cfg)"), "{name}: no labels");
    }
    assert!(covered > 15, "{covered}");
}

/// The clauses in a line of documentation that are not a link: `(S5)` rather than `([S5])`.
fn bare(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, part) in line.split('`').enumerate() {
        if at % 2 == 1 {
            continue;
        }
        let words = part.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '[');
        for word in words {
            let mut letters = word.chars();
            let first = letters
                .next()
                .is_some_and(|first| "PSDMRQGLVWO".contains(first));
            let number = letters.as_str();
            if first
                && (1..=2).contains(&number.len())
                && number.bytes().all(|b| b.is_ascii_digit())
            {
                found.push(word.to_owned());
            }
        }
    }
    found
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn a_clause_that_rustdoc_cites_is_a_link() {
    assert_eq!(bare("/// As S5 says, not ([S6]) and not `S7`."), ["S5"]);
    let (mut linked, mut wrong) = (0, Vec::new());
    for name in ["aon", "core", "live", "observe", "agent"] {
        let mut files = Vec::new();
        sources(
            &place::root().join("crates").join(name).join("src"),
            &mut files,
        );
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            // Their documentation becomes descriptions in JSON Schema, which are plain text.
            if text.contains("JsonSchema") {
                continue;
            }
            let mut fence = false;
            for (at, line) in text.lines().enumerate() {
                let line = line.trim_start();
                let Some(said) = line.strip_prefix("//!").or(line.strip_prefix("///")) else {
                    fence = false;
                    continue;
                };
                fence ^= said.trim_start().starts_with("```");
                if said.contains("/docs/contract.md#") {
                    linked += 1;
                } else if !fence && !bare(said).is_empty() {
                    wrong.push(format!("{}:{}: {said}", file.display(), at + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "not links:\n{}", wrong.join("\n"));
    assert!(linked > 100, "{linked}");
    println!("count: clauses {linked} links");
}
