//! `aon lsp` as the client of pygls meets it.

use std::process::Command;

use aon_tests::place;

use crate::program;

#[test]
fn a_client_we_did_not_write_finds_explains_and_fixes() {
    let Some(tools) = place::tools("aon lsp with pygls", "venv/bin/python") else {
        place::say("skipped: aon lsp with pygls, the tools are not there; run .ci/tools");
        return;
    };
    let output = Command::new(tools.join("venv/bin/python"))
        .arg(place::root().join("tests/editors/lsp_client.py"))
        .arg(program::aon())
        .arg(program::folder("lsp"))
        .output()
        .unwrap();
    let said = program::said(&output);
    assert!(output.status.success(), "{said}");
    let checks: usize = said
        .lines()
        .find_map(|line| line.strip_prefix("checks "))
        .and_then(|count| count.parse().ok())
        .unwrap_or_else(|| panic!("no count: {said}"));
    assert!(checks >= 40, "only {checks} checks ran");
    place::say(&format!("count: aon lsp with pygls: {checks} checks"));
}
