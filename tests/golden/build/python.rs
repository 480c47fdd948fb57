//! The official Python packages: MCP types, A2A types, an OpenAPI validator, mypy and pydantic.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use aon_tests::place;

use super::{all_built, outputs, project, run, write};
use crate::cases;

/// Lays the files of a target out and hands the folder to a part of `check.py`, which counts what it saw.
fn check(target: &str, part: &str) {
    let Some(tools) = place::tools(target, "venv/bin/python") else {
        return;
    };
    let (folder, built) = lay_out(target);
    let out = run(
        Command::new(tools.join("venv/bin/python"))
            .arg("-W")
            .arg("error")
            .arg(cases::golden().join("build/check.py"))
            .arg(part)
            .arg(&folder),
        part,
    );
    println!("golden: {target}: {}", out.trim());
    let seen: usize = out.trim().rsplit(' ').next().unwrap().parse().unwrap();
    assert_eq!(seen, built.len(), "check.py did not see every file");
    all_built(target, &built);
}

pub fn lay_out(target: &str) -> (PathBuf, BTreeSet<(String, String)>) {
    let folder = project(target);
    let mut built = BTreeSet::new();
    for output in outputs(target) {
        for (file, text) in &output.files {
            write(&folder.join(&output.case).join(file), text);
            built.insert((output.case.clone(), file.clone()));
        }
    }
    fs::canonicalize(&folder)
        .map(|folder| (folder, built))
        .unwrap()
}

#[test]
fn tool_lists_are_accepted_by_the_mcp_sdk() {
    check("mcp", "mcp");
}

#[test]
fn agent_cards_are_accepted_by_the_a2a_sdk() {
    check("a2a", "a2a");
}

#[test]
fn openapi_documents_pass_a_validator() {
    check("openapi", "openapi");
}

#[test]
fn openapi_3_2_documents_pass_a_validator() {
    check("openapi-3.2", "openapi");
}

#[test]
fn python_passes_mypy_in_strict_mode_and_can_be_imported() {
    check("python", "python");
}

#[test]
fn the_pages_of_the_documentation_are_well_formed_and_their_links_lead_somewhere() {
    check("docs", "docs");
}
