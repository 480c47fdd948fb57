//! Tasks through the official clients, over every binding: they stream, are asked, answer, come back, cancel, list, and read the
//! final problem.

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::demo;
use crate::tools;

const SESSION: &str = "https://possibility.space/a2a/extensions/session/v1";

#[test]
fn python_client() {
    let plan = json!({"base": demo().base});
    let report = tools::python("PyPI a2a-sdk", "a2a", "a2a_tasks.py", &plan);
    report.iter().for_each(assert_walks);
}

#[test]
fn javascript_client() {
    let plan = json!({"base": demo().base});
    let report = tools::module("npm @a2a-js/sdk", "@a2a-js/sdk", "a2a_tasks.mjs", &plan);
    report.iter().for_each(assert_walks);
}

/// A client streamed, was asked, answered, came back, cancelled, listed, and read the problems.
fn assert_walks(report: &Value) {
    let client = report["client"].as_str().expect("the name of the client");
    let walks = report["walks"].as_array().expect("walks");
    assert_eq!(walks.len(), 3, "{client}");
    for walk in walks {
        let place = format!("{client}, {} {}", walk["version"], walk["binding"]);
        let states = |name: &str| -> Vec<String> {
            let events = walk[name]
                .as_array()
                .unwrap_or_else(|| panic!("{place}: {name}: {walk}"));
            assert_eq!(
                events[0]["kind"], "task",
                "{place}: {name} does not begin with the task"
            );
            events
                .iter()
                .filter_map(|event| event["state"].as_str().map(str::to_owned))
                .collect()
        };
        let end = |name: &str| states(name).pop().unwrap_or_default();
        assert_eq!(end("streamed"), "TASK_STATE_FAILED", "{place}");
        let streamed = walk["streamed"].to_string();
        assert!(
            streamed.contains("rollout_failed") && streamed.contains("pspace.a2a.error.v1"),
            "{place}: {streamed}"
        );
        assert!(streamed.contains("step 3 of acme"), "{place}: {streamed}");
        assert_eq!(end("asked"), "TASK_STATE_INPUT_REQUIRED", "{place}");
        assert_eq!(end("answered"), "TASK_STATE_COMPLETED", "{place}");
        assert_eq!(end("resubscribed"), "TASK_STATE_COMPLETED", "{place}");
        assert_eq!(walk["cancelled"], "TASK_STATE_CANCELED", "{place}");
        let id = walk["got"]["id"].as_str().expect("an id");
        assert!(
            walk["got"].to_string().contains(SESSION),
            "{place}: the session is not named"
        );
        if walk["version"] == "1.0" {
            assert_eq!(walk["listed"], json!([id]), "{place}");
        }
        let refused = walk["refused"].to_string();
        assert!(
            refused.contains("sign_in_required") && refused.contains("sign in first"),
            "{place}: {refused}"
        );
    }
    place::say(&format!(
        "count: {client}, {} walks through tasks",
        walks.len()
    ));
}
