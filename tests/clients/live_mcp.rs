//! Calls that report, ask and are cancelled, through the official MCP clients, in both protocol eras.

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::{PROGRAM, demo};
use crate::tools;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

#[test]
fn python_client_streams_is_asked_and_cancels() {
    let suite = "PyPI mcp, live";
    let Some(report) = tools::python(suite, "mcp", "mcp_live.py", &plan()) else {
        return;
    };
    check(suite, &report);
}

#[test]
fn typescript_client_streams_is_asked_and_cancels() {
    let suite = "npm @modelcontextprotocol/client, live";
    let package = "@modelcontextprotocol/client";
    let Some(report) = tools::module(suite, package, "mcp_live.mjs", &plan()) else {
        return;
    };
    check(suite, &report);
}

fn plan() -> Value {
    let until = |paths: Value, payload: Value| {
        json!({"payload": payload, "steps": [
            {"do": "status", "message": "storing", "progress": 0.5},
            {"do": "step", "name": "store", "fail": "until_patched", "ask": {"paths": paths, "within_ms": 20_000}},
        ]})
    };
    let asked = until(json!(["/email"]), json!({"email": "bad", "name": "Ann"}));
    json!({
        "mcp": format!("{}/mcp", demo().base),
        "command": [PROGRAM, "demo", "--stdio", "--quiet"],
        "calls": [
            {"name": "progress", "progress": true, "arguments": {"steps": [
                {"do": "status", "message": "one", "progress": 0.25}, {"do": "sleep", "ms": 20},
                {"do": "status", "message": "two"}, {"do": "status", "message": "less", "progress": 0.1},
                {"do": "status", "message": "three", "progress": 1}, {"do": "sleep", "ms": 500}, {"do": "result", "data": 7}]},
                "meta": {"traceparent": format!("00-{TRACE}-00f067aa0ba902b7-01")}},
            {"name": "no token", "arguments": {"steps": [{"do": "status", "message": "one"}, {"do": "result", "data": 7}]}},
            // The npm client forgets who listens to progress when the answer comes in the same chunk; so there is time between them.
            {"name": "problem", "progress": true, "arguments": {"steps": [
                {"do": "status", "message": "one"}, {"do": "sleep", "ms": 500},
                {"do": "problem", "problem": {"status": 409, "code": "taken", "detail": "It is taken."}}]}},
            {"name": "answered", "arguments": asked,
                "answers": [{"action": "accept", "content": {"email": "ann@example.com"}}]},
            {"name": "answered with more than was asked", "arguments": asked,
                "answers": [{"action": "accept", "content": {"email": "ann@example.com", "name": "Eve"}}]},
            {"name": "declined", "arguments": asked, "answers": [{"action": "decline"}]},
            {"name": "dismissed", "arguments": asked, "answers": [{"action": "cancel"}]},
            {"name": "logs", "level": "notice", "meta": {"io.modelcontextprotocol/logLevel": "notice"}, "arguments": {"steps": [
                {"do": "status", "message": "quiet"}, {"do": "healing", "severity": "high", "action": "refresh"},
                {"do": "sleep", "ms": 500}, {"do": "result", "data": 1}]}},
            {"name": "cancelled", "progress": true, "cancel_after": 0.5, "arguments": {"steps": [
                {"do": "status", "message": "one"}, {"do": "hang"}]}},
        ],
    })
}

fn check(suite: &str, report: &Value) {
    let calls = report["calls"].as_array().expect("calls");
    let mut checked = 0;
    for call in calls {
        let name = call["name"].as_str().expect("a name");
        let place = format!(
            "{suite}, {}, {}, {name}: {call}",
            call["transport"], call["mode"]
        );
        assert!(call.get("failed").is_none(), "{place}");
        let era = if call["mode"] == "legacy" {
            "2025-11-25"
        } else {
            "2026-07-28"
        };
        assert_eq!(call["era"], era, "{place}");
        let progress = call["progress"].as_array().expect("progress");
        let numbers: Vec<f64> = progress
            .iter()
            .filter_map(|told| told[0].as_f64())
            .collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "it falls: {place}");
        let messages: Vec<&str> = progress
            .iter()
            .filter_map(|told| told[2].as_str())
            .collect();
        let result = &call["result"];
        let error = &result["structuredContent"]["error"];
        let data = &result["structuredContent"]["data"];
        let session = &result["_meta"]["space.possibility/session"];
        match name {
            "progress" => {
                assert_eq!(messages, ["one", "two", "less", "three"], "{place}");
                let (done, total) = (numbers.get(1), progress[1][1].as_f64());
                assert_eq!((done, total), (Some(&0.25), Some(1.0)), "{place}");
                assert_eq!(data, &json!(7), "{place}");
                assert_eq!(session["trace_id"], TRACE, "{place}");
                if call["transport"] == "http" {
                    assert_kept(session, 7, &place);
                }
            }
            "no token" => {
                assert!(progress.is_empty(), "{place}");
                assert_eq!(data, &json!(7), "{place}");
            }
            "problem" => {
                assert_eq!(messages, ["one"], "{place}");
                assert_eq!(
                    (&result["isError"], &error["code"]),
                    (&json!(true), &json!("taken")),
                    "{place}"
                );
            }
            "answered" | "answered with more than was asked" => {
                let asked = &call["questions"];
                let form = &asked[0]["requestedSchema"];
                assert_eq!(asked.as_array().map(Vec::len), Some(1), "{place}");
                assert_eq!(form["properties"]["email"]["type"], "string", "{place}");
                assert_eq!(
                    form["properties"].as_object().map(serde_json::Map::len),
                    Some(1),
                    "{place}"
                );
                assert_eq!(
                    data,
                    &json!({"email": "ann@example.com", "name": "Ann"}),
                    "{place}"
                );
            }
            "declined" | "dismissed" => {
                assert_eq!(error["code"], "healing_denied", "{place}");
                assert_eq!(error["cause"]["code"], "schema_mismatch", "{place}");
            }
            "logs" => {
                let logs = call["logs"].as_array().expect("logs");
                assert_eq!(logs.len(), 1, "{place}");
                assert_eq!(
                    (&logs[0]["level"], &logs[0]["logger"]),
                    (&json!("warning"), &json!("healing")),
                    "{place}"
                );
                assert_eq!(logs[0]["data"]["action"], "refresh", "{place}");
            }
            "cancelled" => {
                assert_eq!(call["cancelled"], true, "{place}");
                assert_eq!(messages, ["one"], "{place}");
            }
            other => panic!("nobody looks at {other}"),
        }
        checked += 1;
    }
    assert_eq!(checked, 9 * 4, "{suite}: both transports and both eras");
    place::say(&format!(
        "count: {suite}, {checked} calls, both transports and both eras"
    ));
}

/// Whoever has the id finds the session where every session is.
fn assert_kept(session: &Value, data: i64, place: &str) {
    let path = session["state_url"].as_str().expect("an address");
    let state = demo().send("GET", path, &[], b"").json();
    assert_eq!(state["state"], "result", "{place}: {state}");
    assert_eq!(
        state["outcome"]["data"]["structuredContent"]["data"], data,
        "{place}"
    );
    assert_eq!(state["trace_id"], TRACE, "{place}");
}
