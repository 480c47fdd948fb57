//! The programs of the README are the examples, and what they say they need is what they need.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use aon_tests::place;
use toml::{Table, Value};

/// The documentation at the top of a program, and its code.
fn split(text: &str) -> (String, String) {
    let head: Vec<&str> = text
        .lines()
        .take_while(|line| line.starts_with("//!"))
        .collect();
    let code = text.lines().skip(head.len()).collect::<Vec<_>>().join("\n");
    let head = head
        .iter()
        .map(|line| line.trim_start_matches("//!").trim_start_matches(' '));
    (head.collect::<Vec<_>>().join("\n"), code.trim().to_owned())
}

/// The dependencies in a text, between its fences.
fn dependencies(text: &str) -> Table {
    let (_, rest) = text.split_once("```toml\n").expect("lines for Cargo.toml");
    let (lines, _) = rest.split_once("\n```").expect("an end");
    let table: Table = toml::from_str(lines).expect("valid TOML");
    table["dependencies"]
        .as_table()
        .expect("dependencies")
        .clone()
}

fn programs() -> BTreeMap<PathBuf, (String, String)> {
    let folder = place::root().join("examples");
    let manifest: Table =
        toml::from_str(&fs::read_to_string(folder.join("Cargo.toml")).unwrap()).unwrap();
    let programs: BTreeMap<PathBuf, (String, String)> = manifest["bin"]
        .as_array()
        .unwrap()
        .iter()
        .map(|program| {
            let path = folder.join(program["path"].as_str().unwrap());
            let (head, mut code) = split(&fs::read_to_string(&path).unwrap());
            let modules: Vec<String> = code
                .lines()
                .filter_map(|line| Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_owned()))
                .collect();
            for module in modules {
                let text = fs::read_to_string(path.with_file_name(format!("{module}.rs"))).unwrap();
                code.push_str(&text);
            }
            (path, (head, code))
        })
        .collect();
    assert!(programs.len() >= 8, "only {} examples", programs.len());
    programs
}

#[test]
fn the_programs_of_the_readme_are_the_examples() {
    let readme = fs::read_to_string(place::root().join("README.md")).unwrap();
    let programs = programs();
    let mut shown = 0;
    for part in readme.split("<!-- examples/").skip(1) {
        let (path, rest) = part
            .split_once(" -->\n```rust,no_run\n")
            .expect("a program below its name");
        let (code, _) = rest.split_once("\n```").expect("an end");
        let path = place::root().join("examples").join(path);
        let (_, file) = &programs[&path];
        assert_eq!(code.trim(), file, "README.md and {} differ", path.display());
        shown += 1;
    }
    assert!(shown >= 2, "only {shown} programs are shown");
    let axum = &programs[&place::root().join("examples/axum/main.rs")].0;
    assert_eq!(
        dependencies(&readme),
        dependencies(axum),
        "the lines to install it differ"
    );
}

#[test]
fn an_example_names_every_crate_it_uses_in_the_version_of_the_workspace() {
    let root = place::root();
    let workspace: Table =
        toml::from_str(&fs::read_to_string(root.join("Cargo.toml")).unwrap()).unwrap();
    let versions = workspace["workspace"]["dependencies"].as_table().unwrap();
    let mut checked = 0;
    for (path, (head, code)) in programs() {
        let own = dependencies(&head);
        for (name, dependency) in &own {
            checked += 1;
            let used = code.contains(&format!("{}::", name.replace('-', "_")));
            assert!(
                used || name == "serde_json",
                "{}: {name} is not used",
                path.display()
            );
            if name == "aon" {
                assert_eq!(
                    dependency["package"].as_str(),
                    Some("aon-rs"),
                    "{}",
                    path.display()
                );
                continue;
            }
            if name == "aon-live" {
                // It comes from where `aon` comes from.
                assert_eq!(dependency["git"], own["aon"]["git"], "{}", path.display());
                continue;
            }
            let version = |value: &Value| -> String {
                let version = value.get("version").unwrap_or(value);
                version.as_str().unwrap().to_owned()
            };
            assert_eq!(
                version(dependency),
                version(&versions[name]),
                "{}: {name}",
                path.display()
            );
        }
        for crate_name in [
            "axum",
            "rmcp",
            "jsonrpsee",
            "tokio",
            "tower",
            "tower_http",
            "thiserror",
            "tracing_subscriber",
        ] {
            // Not `aon::axum`, which is a module of ours.
            let used = code.lines().any(|line| {
                let line = line.trim_start().trim_start_matches("use ");
                line.starts_with(&format!("{crate_name}::"))
                    || line.contains(&format!(" {crate_name}::"))
                    || line.contains(&format!("[{crate_name}::"))
            });
            let named = own.contains_key(&crate_name.replace('_', "-"));
            assert!(
                !used || named,
                "{}: {crate_name} is used and not named",
                path.display()
            );
        }
    }
    assert!(checked > 30, "only {checked} lines");
}
