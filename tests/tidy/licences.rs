//! Licences and crates that are there twice: what `deny.toml` says, held without a network.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use aon_tests::place;
use serde_json::Value;

#[test]
fn every_dependency_has_a_licence_we_take() {
    let policy = policy();
    let allowed: BTreeSet<&str> = strings(&policy["licenses"]["allow"]);
    let mut seen = 0;
    let mut refused = Vec::new();
    for package in resolved()["packages"].as_array().unwrap() {
        let licence = package["license"].as_str().unwrap_or("none given");
        seen += 1;
        if !is_allowed(licence, &allowed) {
            refused.push(format!("{}: {licence}", package["name"]));
        }
    }
    assert!(seen > 50, "only {seen} packages were found");
    assert!(
        refused.is_empty(),
        "not allowed by deny.toml:\n{}",
        refused.join("\n")
    );
}

#[test]
fn a_licence_expression_is_read_as_spdx_does() {
    let allowed = BTreeSet::from(["MIT", "Apache-2.0", "Unicode-3.0"]);
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}

#[test]
fn no_crate_is_there_twice_without_a_reason() {
    let policy = policy();
    let mut excused: BTreeMap<&str, bool> = policy["bans"]["skip"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skip| {
            assert!(skip["reason"].as_str().is_some_and(|text| !text.is_empty()));
            (skip["crate"].as_str().unwrap(), false)
        })
        .collect();
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, version) in shipped() {
        versions.entry(name).or_default().insert(version);
    }
    let mut unexplained = Vec::new();
    for (name, versions) in &versions {
        let mut left = versions.len();
        for version in versions {
            if let Some(used) = excused.get_mut(format!("{name}@{version}").as_str()) {
                *used = true;
                left -= 1;
            }
        }
        if left > 1 {
            unexplained.push(format!("{name}: {versions:?}"));
        }
    }
    assert!(versions.len() > 50, "only {} crates", versions.len());
    assert!(
        unexplained.is_empty(),
        "twice, without a line in deny.toml:\n{}",
        unexplained.join("\n")
    );
    let stale: Vec<_> = excused.iter().filter(|(_, used)| !**used).collect();
    assert!(
        stale.is_empty(),
        "nobody asks for these any more: {stale:?}"
    );
}

/// `AND` binds tighter than `OR`; a slash is the old way to write `OR`; an exception only adds rights.
fn is_allowed(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    either(&words, &mut at, allowed) && at == words.len()
}

fn either(words: &[&str], at: &mut usize, allowed: &BTreeSet<&str>) -> bool {
    let mut holds = both(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        holds |= both(words, at, allowed);
    }
    holds
}

fn both(words: &[&str], at: &mut usize, allowed: &BTreeSet<&str>) -> bool {
    let mut holds = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        holds &= one(words, at, allowed);
    }
    holds
}

fn one(words: &[&str], at: &mut usize, allowed: &BTreeSet<&str>) -> bool {
    let word = words.get(*at).copied().unwrap_or_default();
    *at += 1;
    if word == "(" {
        let holds = either(words, at, allowed);
        *at += 1;
        return holds;
    }
    if words.get(*at) == Some(&"WITH") {
        *at += 2;
    }
    allowed.contains(word)
}

/// What a program that uses all of ours compiles, with its versions; the suites themselves are left out.
fn shipped() -> BTreeSet<(String, String)> {
    let metadata = resolved();
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["id"].as_str().unwrap(), node))
        .collect();
    let packages: BTreeMap<&str, &Value> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| (package["id"].as_str().unwrap(), package))
        .collect();
    let mut open: Vec<&str> = metadata["workspace_members"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .filter(|id| packages[id]["name"] != "aon-tests")
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            if kinds.iter().any(|kind| kind["kind"] != "dev") {
                open.push(dependency["pkg"].as_str().unwrap());
            }
        }
    }
    seen.iter()
        .map(|id| {
            let text = |member: &str| packages[id][member].as_str().unwrap().to_owned();
            (text("name"), text("version"))
        })
        .collect()
}

fn policy() -> Value {
    let text = fs::read_to_string(place::root().join("deny.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

fn strings(list: &Value) -> BTreeSet<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect()
}

/// Everything that is compiled for this machine, with all features.
fn resolved() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--all-features"])
        .args(["--offline", "--filter-platform", host()])
        .current_dir(place::root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn host() -> &'static str {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "aarch64") => "aarch64-unknown-linux-gnu",
        ("macos", "aarch64") => "aarch64-apple-darwin",
        ("macos", _) => "x86_64-apple-darwin",
        ("windows", _) => "x86_64-pc-windows-msvc",
        _ => "x86_64-unknown-linux-gnu",
    }
}
