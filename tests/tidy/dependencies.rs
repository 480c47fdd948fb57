//! Who may depend on whom, read from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use aon_tests::place;
use serde_json::Value;

/// Each package with its line: a package may use only packages of lines above its own.
const LINES: &[(&str, u8)] = &[
    ("aon-core", 0),
    ("aon-derive", 1),
    ("aon-manifest", 1),
    ("aon-rs", 2),
    ("aon-codegen", 2),
    ("aon-lint", 3),
    ("aon-live", 3),
    ("aon-agent", 4),
    ("aon-observe", 4),
    ("aon-cli", 5),
    ("aon-examples", 4),
    ("aon-example-tutor", 5),
    ("aon-tests", 6),
];

#[test]
fn packages_use_only_what_stands_above_them() {
    let lines: BTreeMap<&str, u8> = LINES.iter().copied().collect();
    let mut edges = 0;
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let line = lines
            .get(name)
            .unwrap_or_else(|| panic!("{name} has no line in this table"));
        for dependency in package["dependencies"].as_array().unwrap() {
            let other = dependency["name"].as_str().unwrap();
            let (Some(above), true) = (lines.get(other), dependency["kind"].is_null()) else {
                continue;
            };
            edges += 1;
            assert!(
                above < line,
                "{name} (line {line}) must not use {other} (line {above})"
            );
        }
    }
    assert!(edges > 0, "no dependency between our packages was found");
}

#[test]
fn the_core_brings_only_serde() {
    let allowed = ["serde", "serde_json", "schemars"];
    let core = packages()
        .into_iter()
        .find(|package| package["name"] == "aon-core")
        .unwrap();
    let mut seen = 0;
    for dependency in core["dependencies"].as_array().unwrap() {
        if dependency["kind"].is_null() {
            seen += 1;
            let name = dependency["name"].as_str().unwrap();
            assert!(allowed.contains(&name), "aon-core must not use {name}");
        }
    }
    assert!(seen >= 2);
}

#[test]
fn every_feature_brings_a_dependency() {
    let mut features = 0;
    for package in packages() {
        for (feature, brings) in package["features"].as_object().unwrap() {
            let brings = brings.as_array().unwrap();
            if feature == "default" {
                continue;
            }
            features += 1;
            let dependency = brings
                .iter()
                .filter_map(Value::as_str)
                .any(|item| item.starts_with("dep:") || item.contains('/'));
            assert!(
                dependency,
                "{}: feature {feature} brings no dependency",
                package["name"]
            );
        }
    }
    assert!(features > 0);
}

#[test]
fn every_dependency_has_its_reason_once() {
    let root = place::root();
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let manifest: Value = toml::from_str(&manifest).unwrap();
    let page = std::fs::read_to_string(root.join("docs/decisions/dependencies.md")).unwrap();
    let mut said: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split(" | ").next())
        .flat_map(|cell| cell.split(", "))
        .map(|name| name.trim_matches(['`', ' ']))
        .collect();
    said.sort_unstable();
    let mut used: Vec<&str> = manifest["workspace"]["dependencies"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .filter(|name| *name != "aon" && !name.starts_with("aon-"))
        .collect();
    used.sort_unstable();
    assert!(used.len() > 30, "only {} dependencies", used.len());
    assert_eq!(
        said, used,
        "docs/decisions/dependencies.md and Cargo.toml differ"
    );
}

/// `tests/schedules` compiles the hub a second time, from a manifest of its own.
#[test]
fn the_build_that_orders_locks_has_what_the_hub_needs() {
    let read = |path: &str| -> Value {
        toml::from_str(&std::fs::read_to_string(place::root().join(path)).unwrap()).unwrap()
    };
    let keys = |table: &Value| -> BTreeSet<String> {
        table.as_object().unwrap().keys().cloned().collect()
    };
    let hub = read("crates/live/Cargo.toml");
    let schedules = read("tests/schedules/Cargo.toml");
    assert_eq!(
        keys(&schedules["features"]),
        keys(&hub["features"]),
        "tests/schedules/Cargo.toml names other features than the hub"
    );
    let needed: BTreeSet<String> = hub["dependencies"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, dependency)| dependency["optional"] != true)
        .map(|(name, _)| name.clone())
        .collect();
    assert!(needed.len() > 10, "only {} dependencies", needed.len());
    let missing: Vec<&String> = needed
        .iter()
        .filter(|name| schedules["dependencies"].get(name.as_str()).is_none())
        .collect();
    assert!(
        missing.is_empty(),
        "tests/schedules/Cargo.toml lacks {missing:?}"
    );
}

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(place::root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}
