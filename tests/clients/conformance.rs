//! The protocol's own conformance suite, in both eras, against the server in `tests/everything` and against the demo.
//!
//! What fails is listed in `conformance-gaps.txt`, and for the demo, which does not have the tools that the suite calls by name, in
//! `conformance-demo.txt`. Each list is strict in both directions: a failure that is not listed
//! fails the test, and so does a line that is no longer needed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use aon_tests::place;
use serde_json::Value;

use crate::demo::{PROGRAM, Server, demo};
use crate::tools::{limited, node, npm};

const SUITE: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

#[test]
fn conformance_2025_11_25() {
    run("2025-11-25", 30, None, false);
}

#[test]
fn conformance_2026_07_28() {
    run("2026-07-28", 37, None, false);
}

#[test]
fn conformance_of_the_demo_2025_11_25() {
    run("2025-11-25", 30, Some(demo()), false);
}

#[test]
fn conformance_of_the_demo_2026_07_28() {
    run("2026-07-28", 37, Some(demo()), false);
}

/// The verdicts are the same: the list of gaps is strict in both directions.
#[test]
fn conformance_behind_the_proxy_2025_11_25() {
    run("2025-11-25", 30, None, true);
}

#[test]
fn conformance_behind_the_proxy_2026_07_28() {
    run("2026-07-28", 37, None, true);
}

/// Runs what a revision requires. `least` is the number of scenarios it has, so that a run that stops early is noticed.
fn run(era: &str, least: usize, own: Option<&'static Server>, behind: bool) {
    let (of, list) = match own {
        Some(_) => (", aon demo", "conformance-demo.txt"),
        None if behind => (", behind the proxy", "conformance-gaps.txt"),
        None => ("", "conformance-gaps.txt"),
    };
    let suite = format!("the MCP conformance suite, {era}{of}");
    let Some(root) = npm(&suite, "@modelcontextprotocol/conformance") else {
        return;
    };
    let started;
    let server = if let Some(own) = own {
        own
    } else {
        started = Server::start(&[env!("CARGO_BIN_EXE_mcp-everything")]);
        &started
    };
    let url = format!("{}/mcp", server.base);
    let proxy = behind.then(|| Server::start(&[PROGRAM, "proxy", "--port", "0", "--mcp", &url]));
    let url = proxy.as_ref().map_or(url, |proxy| proxy.base.clone());
    let folder = Folder::new(&format!("{era}{}", of.replace([',', ' '], "-")));
    let output = limited(&node(&root))
        .args([SUITE, "server", "--requirements", era, "--url", &url, "-o"])
        .arg(&folder.0)
        .current_dir(&root)
        .output()
        .expect("the suite runs");
    let told = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let results = results(&folder.0);
    assert!(
        results.len() >= least,
        "{suite}: {} of {least} scenarios ran:\n{told}",
        results.len()
    );

    let mut counts = BTreeMap::<&str, usize>::new();
    let mut failed = BTreeMap::<(String, String), String>::new();
    for (scenario, checks) in &results {
        for check in checks {
            let status = check["status"].as_str().expect("a status");
            *counts.entry(status).or_default() += 1;
            if status == "FAILURE" {
                let id = check["id"].as_str().expect("an id").to_owned();
                failed.insert((scenario.clone(), id), check["errorMessage"].to_string());
            }
        }
    }
    let listed = gaps(era, list);
    let mut needed = BTreeSet::new();
    let mut new = Vec::new();
    for ((scenario, check), message) in &failed {
        let line = [
            (scenario.clone(), check.clone()),
            (scenario.clone(), "*".to_owned()),
        ]
        .into_iter()
        .find(|line| listed.contains(line));
        match line {
            Some(line) => drop(needed.insert(line)),
            None => new.push(format!("{era} {scenario} {check}: {message}")),
        }
    }
    assert!(
        new.is_empty(),
        "{suite}: failures that are not in {list}:\n{}",
        new.join("\n")
    );
    let stale: Vec<_> = listed.difference(&needed).collect();
    assert!(
        stale.is_empty(),
        "{suite}: lines of {list} that are no longer needed: {stale:?}"
    );
    let passed = counts.get("SUCCESS").copied().unwrap_or_default();
    assert!(passed > 0, "{suite}: no check passed");
    place::say(&format!(
        "count: {suite}, {} scenarios, {passed} checks passed, {} in the list of gaps, {} warnings",
        results.len(),
        failed.len(),
        counts.get("WARNING").copied().unwrap_or_default(),
    ));
}

/// The checks of every scenario, read from what the suite wrote.
fn results(folder: &Path) -> BTreeMap<String, Vec<Value>> {
    let mut results = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // `server-<scenario>-<year>-<month>-<day>T<time>`.
        let scenario = name
            .strip_prefix("server-")
            .and_then(|rest| rest.rsplitn(7, '-').nth(6))
            .unwrap_or(&name)
            .to_owned();
        let text = fs::read_to_string(entry.path().join("checks.json"))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let checks: Vec<Value> = serde_json::from_str(&text).expect("a list of checks");
        results.insert(scenario, checks);
    }
    results
}

/// The lines of the list that are about this era: scenario and check, where `*` is any check.
fn gaps(era: &str, list: &str) -> BTreeSet<(String, String)> {
    let text = fs::read_to_string(place::root().join("tests/clients").join(list))
        .expect("the list of gaps");
    let mut gaps = BTreeSet::new();
    for line in text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let (entry, reason) = line
            .split_once(" # ")
            .unwrap_or_else(|| panic!("no reason: {line}"));
        assert!(!reason.trim().is_empty(), "no reason: {line}");
        let words: Vec<&str> = entry.split_whitespace().collect();
        let [own, scenario, check] = words[..] else {
            panic!("an entry is an era, a scenario and a check: {line}");
        };
        if own == era {
            assert!(
                gaps.insert((scenario.to_owned(), check.to_owned())),
                "twice: {line}"
            );
        }
    }
    gaps
}

/// A folder of its own, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("aon-conformance-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
