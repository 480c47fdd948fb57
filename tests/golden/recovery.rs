//! The shared vectors of recovery: generated TypeScript and Python decide as `aon::recovery` does.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use aon_tests::place;

use crate::build::{node, project, run, write};
use crate::cases;

fn vectors() -> PathBuf {
    place::root().join("crates/aon/src/recovery/vectors.json")
}

/// How many decisions they ask for.
fn count() -> usize {
    let text = fs::read_to_string(vectors()).unwrap();
    let all: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let events = all
        .iter()
        .map(|vector| vector["events"].as_array().unwrap().len());
    let count = events.sum();
    assert!(count >= 80, "only {count} decisions");
    count
}

#[test]
fn generated_typescript_decides_by_the_table() {
    let Some(tools) = place::tools("typescript", "node/node_modules/typescript") else {
        return;
    };
    let folder = project("recovery-typescript");
    let file = cases::golden().join("auth/typescript/recovery.ts");
    write(
        &folder.join("recovery.ts"),
        &fs::read_to_string(file).unwrap(),
    );
    node::settle(&folder, &tools);
    run(&mut node::tsc(&tools, &folder, false), "tsc");
    let out = run(
        Command::new("node")
            .arg(cases::golden().join("build/recovery.mjs"))
            .arg(folder.join("out"))
            .arg(vectors()),
        "the TypeScript client",
    );
    assert_eq!(out.trim(), format!("decisions {}", count()));
}

#[test]
fn generated_python_decides_by_the_table() {
    let Some(tools) = place::tools("python", "venv/bin/python") else {
        return;
    };
    let out = run(
        Command::new(tools.join("venv/bin/python"))
            .arg(cases::golden().join("build/recovery.py"))
            .arg(cases::golden().join("auth/python"))
            .arg(vectors()),
        "the Python client",
    );
    assert_eq!(out.trim(), format!("decisions {}", count()));
}
