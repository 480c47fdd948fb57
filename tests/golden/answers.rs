//! What servers send when something goes wrong, in every form we know of and in forms nobody should send: the generated parsers in
//! TypeScript and Python find the same in all of them.

use std::fs;
use std::process::Command;

use aon_tests::place;

use crate::build::{node, project, run, write};
use crate::cases;

/// How many answers there are; a table that became empty would prove nothing.
fn count() -> usize {
    let text = fs::read_to_string(cases::golden().join("build/answers.json")).unwrap();
    let all: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert!(all.len() >= 30, "only {} answers", all.len());
    all.len()
}

#[test]
fn every_answer_is_read_by_generated_typescript() {
    let Some(tools) = place::tools("typescript", "node/node_modules/typescript") else {
        return;
    };
    let folder = project("answers-typescript");
    for file in cases::files_below(&cases::golden().join("auth/typescript")) {
        let name = file.file_name().unwrap();
        write(&folder.join(name), &fs::read_to_string(&file).unwrap());
    }
    node::settle(&folder, &tools);
    run(&mut node::tsc(&tools, &folder, false), "tsc");
    let out = run(
        Command::new("node")
            .arg(cases::golden().join("build/answers.mjs"))
            .arg(folder.join("out"))
            .arg(cases::golden().join("build/answers.json")),
        "the TypeScript parser",
    );
    assert_eq!(out.trim(), format!("answers {}", count()));
}

#[test]
fn every_answer_is_read_by_generated_python() {
    let Some(tools) = place::tools("python", "venv/bin/python") else {
        return;
    };
    let out = run(
        Command::new(tools.join("venv/bin/python"))
            .arg(cases::golden().join("build/answers.py"))
            .arg(cases::golden().join("auth/python"))
            .arg(cases::golden().join("build/answers.json")),
        "the Python parser",
    );
    assert_eq!(out.trim(), format!("answers {}", count()));
}
