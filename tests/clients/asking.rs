//! Remediation that asks: the PyPI client `mcp` with a person behind it, in both protocol eras.

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::Server;
use crate::tools;

/// A call, what the person answers, and the text of the success; no text where the call must fail.
struct Case {
    tool: &'static str,
    arguments: Value,
    action: Option<&'static str>,
    content: Value,
    passes: Option<&'static str>,
}

fn cases() -> Vec<Case> {
    let case = |tool, arguments, action, content, passes| Case {
        tool,
        arguments,
        action,
        content,
        passes,
    };
    let mut cases = Vec::new();
    // The last one has a clear correction, which is the person's to make all the same.
    for arguments in [
        json!({"auth_ux": "branded"}),
        json!({}),
        json!({"auth_ux": "Hosted"}),
    ] {
        let custom = json!({"auth_ux": "custom"});
        cases.push(case(
            "update_auth",
            arguments.clone(),
            Some("accept"),
            custom,
            Some("Custom"),
        ));
        for action in [Some("decline"), Some("cancel"), None] {
            cases.push(case(
                "update_auth",
                arguments.clone(),
                action,
                Value::Null,
                None,
            ));
        }
    }
    let seats = json!({"team": {"seats": 7}});
    let ten = json!({"/team/seats": "10"});
    cases.push(case(
        "set_seats",
        seats.clone(),
        Some("accept"),
        ten,
        Some("10"),
    ));
    cases.push(case("set_seats", seats, Some("decline"), Value::Null, None));
    cases
}

#[test]
fn a_person_behind_the_python_client_decides() {
    let suite = "PyPI mcp, asking";
    let server = Server::start(&[env!("CARGO_BIN_EXE_mcp-everything")]);
    let steps: Vec<Value> = cases()
        .iter()
        .map(|case| {
            json!({"tool": case.tool, "arguments": case.arguments, "action": case.action, "content": case.content})
        })
        .collect();
    let plan = json!({"mcp": format!("{}/asking", server.base), "calls": steps});
    let Some(report) = tools::python(suite, "mcp", "mcp_asking.py", &plan) else {
        return;
    };
    let calls = report["calls"].as_array().expect("calls");
    assert_eq!(calls.len(), 2 * cases().len());
    let all = || cases().into_iter();
    for (at, (case, told)) in all().chain(all()).zip(calls).enumerate() {
        let era = if at < cases().len() {
            "2025-11-25"
        } else {
            "2026-07-28"
        };
        let place = format!(
            "{era}, {} {} {:?}: {told}",
            case.tool, case.arguments, case.action
        );
        assert_eq!(told["era"], era, "{place}");
        let questions = told["questions"].as_array().expect("questions");
        assert_eq!(
            questions.len(),
            usize::from(case.action.is_some()),
            "{place}"
        );
        for question in questions {
            assert_eq!(question["requestedSchema"]["type"], "object", "{place}");
            assert!(
                !question["message"].as_str().unwrap_or_default().is_empty(),
                "{place}"
            );
        }
        let result = &told["result"];
        let failed = result["isError"].as_bool().unwrap_or(false);
        assert_eq!(failed, case.passes.is_none(), "{place}");
        match case.passes {
            Some(text) => assert_eq!(result["content"][0]["text"], text, "{place}"),
            None => {
                let error = &result["structuredContent"]["error"];
                assert_eq!(error["status"], 422, "{place}");
                assert!(error["valid_values"].is_object(), "{place}");
            }
        }
    }
    let client = report["client"].as_str().expect("the name of the client");
    place::say(&format!(
        "count: {client}, {} calls with a person who is asked",
        calls.len()
    ));
}
