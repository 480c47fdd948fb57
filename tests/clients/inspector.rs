//! The inspector on the command line: its exit codes, and what it prints.

use std::process::Output;

use aon_tests::place;
use serde_json::Value;

use crate::demo::{PROGRAM, demo};
use crate::plan::REQUEST_ID;
use crate::problem::{assert_envelope, content};
use crate::tools::{limited, node, npm};

/// What the inspector ends with when a tool answers with an error.
const TOOL_FAILED: i32 = 5;

const LAUNCHER: &str =
    "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

#[test]
fn inspector_shows_failures_unchanged() {
    let Some(root) = npm("the inspector", "@modelcontextprotocol/inspector") else {
        return;
    };
    let url = format!("{}/mcp", demo().base);
    let header = format!("X-Request-Id: {REQUEST_ID}");
    let run = |arguments: &[&str]| -> Output {
        limited(&node(&root))
            .arg(LAUNCHER)
            .args(["--cli"])
            .args(arguments)
            .args(["--format", "json"])
            .current_dir(&root)
            .output()
            .expect("the inspector runs")
    };
    let tool = [
        "--method",
        "tools/call",
        "--tool-name",
        "update_possibility_auth",
        "--tool-arg",
        "id=acme",
        "--tool-arg",
    ];
    let mut cases = 0;

    let listed = run(&[&url, "--method", "tools/list", "--strict"]);
    assert_eq!(listed.status.code(), Some(0), "{}", told(&listed));
    assert!(
        json(&listed)
            .to_string()
            .contains("update_possibility_auth")
    );
    cases += 1;

    let failed = run(&[
        &[url.as_str()],
        tool.as_slice(),
        &["auth_ux=Hosted", "--header", &header],
    ]
    .concat());
    assert_eq!(failed.status.code(), Some(TOOL_FAILED), "{}", told(&failed));
    let result = &json(&failed)["result"];
    assert_eq!(result["isError"], true);
    let error = &result["structuredContent"]["error"];
    assert_envelope(error, "mcp");
    assert_eq!(error["corrected_args"]["auth_ux"], "hosted");
    let rest = demo().rest(
        &serde_json::json!({"id": "acme", "auth_ux": "Hosted"}),
        REQUEST_ID,
    );
    assert_eq!(
        content(error),
        content(&rest.json()),
        "the inspector and REST disagree"
    );
    cases += 1;

    let over_stdio = run(&[
        &[PROGRAM, "demo", "--stdio"],
        tool.as_slice(),
        &["auth_ux=Hosted"],
    ]
    .concat());
    assert_eq!(
        over_stdio.status.code(),
        Some(TOOL_FAILED),
        "{}",
        told(&over_stdio)
    );
    assert_eq!(
        json(&over_stdio)["result"]["structuredContent"]["error"]["code"],
        "invalid_auth_ux"
    );
    cases += 1;

    let fine = run(&[&[url.as_str()], tool.as_slice(), &["auth_ux=custom"]].concat());
    assert_eq!(fine.status.code(), Some(0), "{}", told(&fine));
    assert_eq!(
        json(&fine)["result"]["structuredContent"]["auth_ux"],
        "custom"
    );
    cases += 1;

    place::say(&format!("count: the inspector, {cases} runs"));
}

fn told(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", told(output)))
}
