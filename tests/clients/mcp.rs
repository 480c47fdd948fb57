//! MCP through the official clients: PyPI `mcp`, npm `@modelcontextprotocol/sdk` and `@modelcontextprotocol/client`.

use std::collections::BTreeSet;

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::{PROGRAM, demo};
use crate::plan::{self, Call, REQUEST_ID, Wanted};
use crate::problem::{assert_envelope, content, take_request_id, valid_values};
use crate::tools;

const OLD: &str = "2025-11-25";
const NEW: &str = "2026-07-28";

#[test]
fn python_client() {
    let suite = "PyPI mcp";
    let Some(report) = tools::python(suite, "mcp", "mcp_python.py", &plan()) else {
        return;
    };
    // Its types allow for nothing but an object, so odd arguments do not leave the client.
    check(
        &report,
        &[("http", OLD), ("stdio", OLD), ("http", NEW), ("stdio", NEW)],
        true,
    );
}

#[test]
fn typescript_client_v1() {
    let suite = "npm @modelcontextprotocol/sdk";
    let Some(report) = tools::module(suite, "@modelcontextprotocol/sdk", "mcp_v1.mjs", &plan())
    else {
        return;
    };
    check(&report, &[("http", OLD), ("stdio", OLD)], false);
}

#[test]
fn typescript_client_v2() {
    let suite = "npm @modelcontextprotocol/client";
    let Some(report) = tools::module(suite, "@modelcontextprotocol/client", "mcp_v2.mjs", &plan())
    else {
        return;
    };
    check(
        &report,
        &[("http", OLD), ("stdio", OLD), ("http", NEW), ("stdio", NEW)],
        false,
    );
}

fn plan() -> Value {
    let calls: Vec<Value> = plan::mcp_calls()
        .iter()
        .map(|call| json!({"name": call.name, "tool": call.tool, "arguments": call.arguments}))
        .collect();
    json!({
        "mcp": format!("{}/mcp", demo().base),
        "command": [PROGRAM, "demo", "--stdio"],
        "request_id": REQUEST_ID,
        "calls": calls,
    })
}

fn check(report: &Value, sessions: &[(&str, &str)], refuses_odd_arguments: bool) {
    let client = report["client"].as_str().expect("the name of the client");
    let reported = report["sessions"].as_array().expect("sessions");
    assert_eq!(reported.len(), sessions.len(), "{client}");
    let (mut cases, mut refused) = (0, 0);
    for (session, (transport, era)) in reported.iter().zip(sessions) {
        let place = format!("{client}, {transport}, {era}");
        assert_eq!(session["transport"], *transport, "{place}");
        assert_eq!(
            session["protocol"], *era,
            "{place}: another version was agreed on"
        );
        let tools = session["tools"].as_array().expect("tools");
        assert_tools(tools, &place);
        for call in plan::mcp_calls() {
            let place = format!("{place}, {}", call.name);
            let outcome = &session["calls"][call.name];
            if outcome.get("refused").is_some() {
                assert!(
                    refuses_odd_arguments && !call.arguments.is_object(),
                    "{place}: {outcome}"
                );
                refused += 1;
                continue;
            }
            let result = outcome
                .get("result")
                .unwrap_or_else(|| panic!("{place}: no result: {outcome}"));
            assert_result(&call, result, tools, *transport == "http", &place);
            let again = &session["calls"][format!("{}, corrected", call.name)];
            assert_eq!(
                call.corrected.is_some(),
                !again.is_null(),
                "{place}: a correction was wanted, or was not"
            );
            if call.corrected.is_some() {
                let result = &again["result"];
                let failed = result["isError"].as_bool().unwrap_or(false);
                assert!(result.is_object() && !failed, "{place}: {again}");
                cases += 1;
            }
            cases += 1;
        }
    }
    assert!(cases > 0, "{client}: no case ran");
    place::say(&format!(
        "count: {client}, {cases} calls in {} sessions ({refused} the client would not send)",
        sessions.len()
    ));
}

/// Every tool is described by schemas that are schemas, and that name the valid values.
fn assert_tools(tools: &[Value], place: &str) {
    let names: BTreeSet<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    for call in plan::calls() {
        assert!(
            names.contains(call.tool),
            "{place}: {} is not listed",
            call.tool
        );
    }
    for tool in tools {
        for schema in ["inputSchema", "outputSchema"] {
            let schema = &tool[schema];
            assert_eq!(schema["type"], "object", "{place}: {tool}");
            assert!(
                jsonschema::draft202012::meta::is_valid(schema),
                "{place}: {tool}"
            );
        }
        assert!(
            tool["description"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{place}: {tool}"
        );
    }
    let update = find(tools, "update_possibility_auth");
    assert_eq!(
        update["inputSchema"]["properties"]["auth_ux"]["enum"],
        json!(["hosted", "custom"]),
        "{place}"
    );
}

fn find<'a>(tools: &'a [Value], name: &str) -> &'a Value {
    tools
        .iter()
        .find(|tool| tool["name"] == name)
        .expect("a listed tool")
}

fn assert_result(call: &Call, result: &Value, tools: &[Value], over_http: bool, place: &str) {
    let structured = &result["structuredContent"];
    if tools.iter().any(|tool| tool["name"] == call.tool) {
        let schema = &find(tools, call.tool)["outputSchema"];
        assert!(
            jsonschema::is_valid(schema, structured),
            "{place}: {structured} against {schema}"
        );
    }
    let failed = result["isError"].as_bool().unwrap_or(false);
    if call.wanted == Wanted::Success {
        assert!(!failed, "{place}: {result}");
        return;
    }
    assert!(failed, "{place}: {result}");
    let error = &structured["error"];
    assert_envelope(error, "mcp");
    assert_eq!(
        error.get("corrected_args"),
        call.corrected.as_ref(),
        "{place}: {error}"
    );
    assert!(error.get("corrected_params").is_none(), "{place}");
    assert_no_a2a_number(result, place);
    let text = result["content"][0]["text"]
        .as_str()
        .expect("text for the model");
    for value in valid_values(error) {
        assert!(text.contains(&value), "{place}: {value} is not in {text:?}");
    }
    let code = error["code"].as_str().expect("a code");
    assert!(text.contains(code), "{place}: {code} is not in {text:?}");
    assert!(
        !result.to_string().contains("hunter2"),
        "{place}: a secret leaked"
    );
    let mut seen = content(error);
    match call.wanted {
        Wanted::SameAsRest(status) => {
            let rest = demo().rest(&call.arguments, REQUEST_ID);
            assert_eq!(rest.status, status, "{place}: {}", rest.text());
            let mut rest = content(&rest.json());
            let ids = (take_request_id(&mut seen), take_request_id(&mut rest));
            if over_http {
                assert_eq!(
                    ids.0, REQUEST_ID,
                    "{place}: the id of the request was not kept"
                );
            }
            assert_eq!(ids.1, REQUEST_ID);
            assert_eq!(seen, rest, "{place}: MCP and REST disagree");
        }
        Wanted::Code(wanted) => {
            take_request_id(&mut seen);
            assert_eq!(code, wanted, "{place}: {error}");
        }
        Wanted::Success => {}
    }
}

/// S5: the numbers of A2A never appear on this surface.
fn assert_no_a2a_number(result: &Value, place: &str) {
    let text = result.to_string();
    for number in 32001..=32099 {
        assert!(
            !text.contains(&format!("-{number}")),
            "{place}: -{number} in {text}"
        );
    }
}
