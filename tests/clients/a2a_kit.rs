//! The error cases of the A2A test kit, written by hand: no package registry has the kit
//! (`docs/decisions/a2a-test-kit.md`). Each case sends what the kit sends and demands what it demands.

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::demo;
use crate::http::Answer;

const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";

/// A situation, the number it must have, and the reason in its ErrorInfo.
struct Case {
    name: &'static str,
    method: &'static str,
    params: Value,
    headers: Vec<(&'static str, &'static str)>,
    number: i64,
    reason: &'static str,
}

fn message() -> Value {
    json!({"message": {"role": "ROLE_USER", "parts": [{"text": "hello"}], "messageId": "kit-1"}})
}

fn cases() -> Vec<Case> {
    let case = |name, method, params, number, reason| Case {
        name,
        method,
        params,
        headers: vec![("content-type", "application/json"), ("a2a-version", "1.0")],
        number,
        reason,
    };
    let unknown = || json!({"id": "kit-nonexistent"});
    let push = || json!({"taskId": "t", "url": "https://example.com/hook"});
    vec![
        case(
            "a task that does not exist",
            "GetTask",
            unknown(),
            -32001,
            "TASK_NOT_FOUND",
        ),
        case(
            "cancelling it",
            "CancelTask",
            unknown(),
            -32001,
            "TASK_NOT_FOUND",
        ),
        case(
            "subscribing to it",
            "SubscribeToTask",
            unknown(),
            -32001,
            "TASK_NOT_FOUND",
        ),
        case(
            "push, not offered",
            "CreateTaskPushNotificationConfig",
            push(),
            -32003,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        case(
            "reading push",
            "GetTaskPushNotificationConfig",
            push(),
            -32003,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        case(
            "listing push",
            "ListTaskPushNotificationConfigs",
            push(),
            -32003,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        case(
            "deleting push",
            "DeleteTaskPushNotificationConfig",
            push(),
            -32003,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        case(
            "streaming, not offered",
            "SendStreamingMessage",
            message(),
            -32004,
            "UNSUPPORTED_OPERATION",
        ),
        case(
            "the extended card",
            "GetExtendedAgentCard",
            json!({}),
            -32007,
            "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
        ),
        case(
            "an unknown method",
            "NonExistentMethod",
            json!({}),
            -32601,
            "METHOD_NOT_FOUND",
        ),
        case(
            "no message",
            "SendMessage",
            json!({}),
            -32602,
            "INVALID_PARAMS",
        ),
        case(
            "params of another type",
            "SendMessage",
            json!([1]),
            -32602,
            "INVALID_PARAMS",
        ),
        case(
            "a task without its id",
            "GetTask",
            json!({}),
            -32602,
            "INVALID_PARAMS",
        ),
        Case {
            headers: vec![("content-type", "text/plain"), ("a2a-version", "1.0")],
            ..case(
                "another media type",
                "SendMessage",
                message(),
                -32005,
                "CONTENT_TYPE_NOT_SUPPORTED",
            )
        },
        Case {
            headers: vec![
                ("content-type", "application/json"),
                ("a2a-version", "99.0"),
            ],
            ..case(
                "an unknown version",
                "SendMessage",
                message(),
                -32009,
                "VERSION_NOT_SUPPORTED",
            )
        },
    ]
}

#[test]
fn error_cases_of_the_kit() {
    let mut count = 0;
    for case in cases() {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": case.method, "params": case.params});
        let answer = demo().send("POST", "/a2a", &case.headers, body.to_string().as_bytes());
        let error = error(&answer, case.name);
        assert_eq!(error["code"], case.number, "{}: {error}", case.name);
        assert_error_info(&error, case.number, case.reason, case.name);
        count += 1;
    }
    for (name, body, number) in [
        ("no JSON", "{\"jsonrpc\"", -32700),
        (
            "no version of JSON-RPC",
            r#"{"id":1,"method":"GetTask"}"#,
            -32600,
        ),
        (
            "a wrong version",
            r#"{"jsonrpc":"1.0","id":1,"method":"GetTask"}"#,
            -32600,
        ),
        ("no method", r#"{"jsonrpc":"2.0","id":1}"#, -32600),
    ] {
        let headers = [("content-type", "application/json"), ("a2a-version", "1.0")];
        let answer = demo().send("POST", "/a2a", &headers, body.as_bytes());
        let error = error(&answer, name);
        assert_eq!(error["code"], number, "{name}: {error}");
        assert_error_info(&error, number, "", name);
        count += 1;
    }
    assert!(count > 0);
    place::say(&format!("count: error cases of the A2A test kit, {count}"));
}

/// The card is served with what the kit looks for: cache headers, and capabilities that match the errors above.
#[test]
fn the_card_agrees_with_the_errors() {
    let answer = demo().send("GET", "/.well-known/agent-card.json", &[], b"");
    assert_eq!(answer.status, 200);
    assert!(
        answer.header("cache-control").is_some(),
        "{:?}",
        answer.headers
    );
    let card = answer.json();
    let capabilities = card["capabilities"].as_object().unwrap();
    for (name, value) in capabilities {
        match name.as_str() {
            "streaming" | "pushNotifications" | "extendedAgentCard" => {
                assert_eq!(value, false, "{name} is claimed and then refused");
            }
            "extensions" => {}
            other => panic!("{other} is not a capability that the specification knows"),
        }
    }
    for said in ["streaming", "pushNotifications"] {
        assert!(capabilities.contains_key(said), "{said} is not said");
    }
    for member in [
        "name",
        "description",
        "version",
        "supportedInterfaces",
        "capabilities",
        "defaultInputModes",
        "defaultOutputModes",
        "skills",
    ] {
        assert!(!card[member].is_null(), "{member} is required");
    }
    let interfaces = card["supportedInterfaces"].as_array().expect("interfaces");
    assert!(
        interfaces
            .iter()
            .any(|each| each["protocolVersion"] == "1.0" && each["protocolBinding"] == "JSONRPC")
    );
    place::say("count: the agent card, 1");
}

fn error(answer: &Answer, place: &str) -> Value {
    let body = answer.json();
    assert_eq!(body["jsonrpc"], "2.0", "{place}: {body}");
    assert!(
        body.get("result").is_none()
            && body
                .as_object()
                .is_some_and(|members| members.contains_key("id")),
        "{place}: {body}"
    );
    assert!(
        body["error"]["message"]
            .as_str()
            .is_some_and(|text| !text.is_empty()),
        "{place}: {body}"
    );
    body["error"].clone()
}

/// The kit reads the first ErrorInfo alone. What A2A itself defines has its domain and its reason.
fn assert_error_info(error: &Value, number: i64, reason: &str, place: &str) {
    let data = error["data"]
        .as_array()
        .unwrap_or_else(|| panic!("{place}: data is not an array: {error}"));
    for detail in data {
        assert!(
            detail["@type"]
                .as_str()
                .is_some_and(|name| name.contains('/')),
            "{place}: {detail}"
        );
    }
    let info = &data[0];
    assert_eq!(info["@type"], ERROR_INFO, "{place}: {error}");
    let own = info["reason"].as_str().expect("a reason");
    assert!(
        own.bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'),
        "{place}: {own}"
    );
    assert!(reason.is_empty() || own == reason, "{place}: {info}");
    let a2a = (-32009..=-32001).contains(&number);
    assert_eq!(info["domain"] == "a2a-protocol.org", a2a, "{place}: {info}");
    let metadata = info["metadata"].as_object().expect("metadata");
    assert!(metadata.values().all(Value::is_string), "{place}: {info}");
}
