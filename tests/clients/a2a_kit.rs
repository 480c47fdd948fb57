//! The error cases of the A2A test kit, written by hand: no package registry has the kit
//! (`docs/decisions/a2a-test-kit.md`). Each case sends what the kit sends and demands what it demands.

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::{PROGRAM, Server, demo};
use crate::http::Answer;
use crate::token::{SECRET, bearer};

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
    let push = || json!({"taskId": "t", "id": "c"});
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
            "push for it",
            "CreateTaskPushNotificationConfig",
            json!({"taskId": "t", "url": "https://example.com/hook"}),
            -32001,
            "TASK_NOT_FOUND",
        ),
        case(
            "reading push for it",
            "GetTaskPushNotificationConfig",
            push(),
            -32001,
            "TASK_NOT_FOUND",
        ),
        case(
            "listing push for it",
            "ListTaskPushNotificationConfigs",
            push(),
            -32001,
            "TASK_NOT_FOUND",
        ),
        case(
            "deleting push for it",
            "DeleteTaskPushNotificationConfig",
            push(),
            -32001,
            "TASK_NOT_FOUND",
        ),
        case(
            "push to an address that is nobody's business",
            "CreateTaskPushNotificationConfig",
            json!({"taskId": "t", "url": "http://169.254.169.254/"}),
            -32602,
            "INVALID_PARAMS",
        ),
        case(
            "the extended card",
            "GetExtendedAgentCard",
            json!({}),
            -32004,
            "UNSUPPORTED_OPERATION",
        ),
        case(
            "a message to a task that does not exist",
            "SendMessage",
            json!({"message": {"role": "ROLE_USER", "parts": [{"text": "x"}], "messageId": "kit-2", "taskId": "kit-none"}}),
            -32001,
            "TASK_NOT_FOUND",
        ),
        case(
            "a part of a media type that is not taken",
            "SendMessage",
            json!({"message": {"role": "ROLE_USER", "parts": [{"raw": "dGNr", "mediaType": "application/x-unsupported"}], "messageId": "kit-3"}}),
            -32005,
            "CONTENT_TYPE_NOT_SUPPORTED",
        ),
        case(
            "no messageId",
            "SendMessage",
            json!({"message": {"role": "ROLE_USER", "parts": [{"text": "x"}]}}),
            -32602,
            "INVALID_PARAMS",
        ),
        case(
            "a role that is not a user's",
            "SendMessage",
            json!({"message": {"role": "ROLE_AGENT", "parts": [{"text": "x"}], "messageId": "kit-4"}}),
            -32602,
            "INVALID_PARAMS",
        ),
        case(
            "no parts",
            "SendMessage",
            json!({"message": {"role": "ROLE_USER", "parts": [], "messageId": "kit-5"}}),
            -32602,
            "INVALID_PARAMS",
        ),
        case(
            "a name of 0.3",
            "message/send",
            message(),
            -32601,
            "METHOD_NOT_FOUND",
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
/// What the kit of 0.3 sends and wants, where it found something.
#[test]
fn cases_of_the_kit_for_03() {
    let server = demo();
    let send = |body: &Value| {
        let headers = [("content-type", "application/json")];
        server
            .send("POST", "/a2a", &headers, body.to_string().as_bytes())
            .json()
    };
    let message = |id: &str, part: Value, task: Option<&str>| {
        let mut message =
            json!({"kind": "message", "messageId": id, "role": "user", "parts": [part]});
        if let Some(task) = task {
            message["taskId"] = json!(task);
        }
        json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}})
    };
    let text = || json!({"kind": "text", "text": "hello"});
    // Parts whose kind is missing, unknown, or not what they hold.
    let mut cases = 0;
    for part in [
        json!({"type": "unsupported_type", "text": "x"}),
        json!({"text": "x"}),
        json!({"kind": "video", "text": "x"}),
        json!({"kind": 5, "text": "x"}),
        json!({"kind": "file", "text": "x"}),
        json!({"kind": "text", "data": {}}),
        json!({"kind": "data", "file": {"bytes": "dGNr", "mimeType": "text/plain"}}),
    ] {
        let answer = send(&message("test-part-message-id-1", part.clone(), None));
        assert_eq!(answer["error"]["code"], -32602, "{part}: {answer}");
        cases += 1;
    }
    // A task that goes on is continued, and cancelled.
    let begun = send(&message("text-message-id-1", text(), None));
    let id = begun["result"]["id"].as_str().expect("a task").to_owned();
    assert_eq!(begun["result"]["status"]["state"], "input-required");
    let next = send(&message("continuation-message-id-1", text(), Some(&id)));
    assert_eq!(next["result"]["id"], id, "{next}");
    let begun = send(&message("cancel-test-message-id-1", text(), None));
    let id = begun["result"]["id"].as_str().expect("a task").to_owned();
    let cancel = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/cancel", "params": {"id": id}});
    let cancelled = send(&cancel);
    assert_eq!(
        cancelled["result"]["status"]["state"], "canceled",
        "{cancelled}"
    );
    // What has no id is a notification, and not answered.
    let headers = [("content-type", "application/json")];
    let silent = br#"{"jsonrpc":"2.0","method":"message/ssend","params":{}}"#;
    let silence = server.send("POST", "/a2a", &headers, silent);
    assert_eq!((silence.status, &*silence.text()), (202, ""));
    // The address of the agent shows its card to whoever only looks.
    let card = server.send("GET", "/a2a", &[], b"").json();
    let known = server.send("GET", "/.well-known/agent-card.json", &[], b"");
    assert_eq!(card, known.json());
    place::say(&format!("count: cases of the kit for 0.3, {}", cases + 4));
}

/// The error of a stream is an event for the clients of 0.3 itself, which name no version and read nothing else where they expect a
/// stream; whoever names a version, or takes JSON, gets it as a response.
#[test]
fn the_error_of_a_stream_is_what_its_client_reads() {
    let ask = |method: &str, params: &Value, accept: &str, version: Option<&str>| {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let mut headers = vec![("content-type", "application/json"), ("accept", accept)];
        headers.extend(version.map(|version| ("a2a-version", version)));
        let answer = demo().send("POST", "/a2a", &headers, body.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        let media = answer.header("content-type").unwrap_or_default().to_owned();
        let text = answer.text();
        let event = text
            .strip_prefix("data: ")
            .and_then(|text| text.strip_suffix("\n\n"));
        let error: Value = serde_json::from_str(event.unwrap_or(&text)).expect("JSON");
        assert_eq!(error["id"], 7, "{error}");
        (event.is_some(), media, error["error"].clone())
    };
    let unknown = json!({"id": "nobody-began-this"});
    let private = json!({"message": {"kind": "message", "messageId": "m", "role": "user", "parts": [
        {"kind": "data", "data": {"skill": "possibility_auth_configuration", "id": "private", "auth_ux": "custom"}},
    ]}});
    let events = "text/event-stream";
    let both = "application/json, text/event-stream";
    let mut cases = 0;
    for (method, params, number, code) in [
        ("tasks/resubscribe", &unknown, -32001, "task_not_found"),
        ("message/stream", &private, -32600, "sign_in_required"),
    ] {
        for (accept, version, is_event) in [
            (events, None, true),
            (events, Some(""), true),
            (events, Some("0.3"), false),
            (both, None, false),
            ("*/*", None, false),
        ] {
            let (event, media, error) = ask(method, params, accept, version);
            let place = format!("{method}, {accept}, {version:?}: {media} {error}");
            assert_eq!(event, is_event, "{place}");
            assert_eq!(media.starts_with(events), is_event, "{place}");
            assert_eq!(error["code"], number, "{place}");
            assert!(error.to_string().contains(code), "{place}");
            cases += 1;
        }
    }
    let (event, _, error) = ask("SubscribeToTask", &unknown, events, Some("1.0"));
    assert!(!event && error["code"] == -32001, "{error}");
    // What is asked for whole is answered whole.
    let (event, _, error) = ask("tasks/get", &unknown, events, None);
    assert!(!event && error["code"] == -32001, "{error}");
    place::say(&format!("count: errors of streams, {}", cases + 2));
}

/// A wrong method is refused with the list of the right ones, as HTTP demands.
#[test]
fn a_wrong_method_is_told_the_right_ones() {
    for (verb, path, allowed) in [
        ("DELETE", "/a2a/tasks/some", "GET"),
        ("GET", "/a2a/message:send", "POST"),
        ("DELETE", "/a2a/tasks/some:subscribe", "GET, POST"),
    ] {
        let answer = demo().send(verb, path, &[("a2a-version", "1.0")], b"");
        let place = format!("{verb} {path}: {}", answer.text());
        assert_eq!(answer.status, 405, "{place}");
        assert_eq!(answer.header("allow"), Some(allowed), "{place}");
        assert!(!answer.text().contains("HEAD"), "{place}");
    }
}

/// The type of a body that is not JSON is HTTP's own matter, with the error of A2A beside it.
#[test]
fn a_foreign_content_type_is_415_over_http_json() {
    let body = message().to_string();
    let headers = [("content-type", "text/plain"), ("a2a-version", "1.0")];
    let answer = demo().send("POST", "/a2a/message:send", &headers, body.as_bytes());
    let error = answer.json()["error"].clone();
    assert_eq!((answer.status, &error["code"]), (415, &json!(415)));
    assert_eq!(
        error["details"][0]["reason"], "CONTENT_TYPE_NOT_SUPPORTED",
        "{error}"
    );
    let mut part = message();
    part["message"]["parts"] = json!([{"raw": "dGNr", "mediaType": "application/x-odd"}]);
    let headers = [("content-type", "application/json"), ("a2a-version", "1.0")];
    let body = part.to_string();
    let answer = demo().send("POST", "/a2a/message:send", &headers, body.as_bytes());
    assert_eq!(answer.status, 400, "{}", answer.text());
    place::say("count: content types over HTTP+JSON, 2");
}

#[test]
fn the_card_agrees_with_the_errors() {
    let answer = demo().send("GET", "/.well-known/agent-card.json", &[], b"");
    assert_eq!(answer.status, 200);
    assert!(
        answer.header("cache-control").is_some(),
        "{:?}",
        answer.headers
    );
    let tag = answer.header("etag").expect("an ETag").to_owned();
    assert!(answer.header("last-modified").is_some());
    let known = [("if-none-match", &*tag)];
    let again = demo().send("GET", "/.well-known/agent-card.json", &known, b"");
    assert_eq!((again.status, again.text().len()), (304, 0));
    let card = answer.json();
    let capabilities = card["capabilities"].as_object().unwrap();
    for (name, value) in capabilities {
        match name.as_str() {
            "streaming" | "pushNotifications" => {
                assert_eq!(value, true, "{name} is offered and not claimed");
            }
            "extendedAgentCard" => assert_eq!(value, false, "{name} is claimed and then refused"),
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

/// The kit asks for it as well; without `--jwt-secret` there is nobody to show it to.
#[test]
fn the_extended_card_is_for_callers_that_are_known() {
    let server = Server::start(&[PROGRAM, "demo", "--port", "0", "--jwt-secret", SECRET]);
    let card = server
        .send("GET", "/.well-known/agent-card.json", &[], b"")
        .json();
    assert_eq!(card["capabilities"]["extendedAgentCard"], true, "{card}");
    assert_eq!(card["supportsAuthenticatedExtendedCard"], true, "{card}");
    let scheme = &card["securitySchemes"]["bearer"];
    assert_eq!(
        scheme["httpAuthSecurityScheme"]["scheme"], "Bearer",
        "{card}"
    );
    assert_eq!(
        (&scheme["type"], &scheme["scheme"]),
        (&json!("http"), &json!("bearer"))
    );
    let ann = bearer("ann", &["operator"]);
    let ann = ann.strip_prefix("authorization: ").expect("a header");
    let ask = |method: Option<&str>, token: Option<&str>| {
        let version = if method.is_some_and(|method| method.contains('/')) {
            "0.3"
        } else {
            "1.0"
        };
        let mut headers = vec![
            ("content-type", "application/json"),
            ("a2a-version", version),
        ];
        headers.extend(token.map(|token| ("authorization", token)));
        match method {
            None => server.send("GET", "/a2a/extendedAgentCard", &headers, b""),
            Some(method) => {
                let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}});
                server.send("POST", "/a2a", &headers, body.to_string().as_bytes())
            }
        }
    };
    for method in [
        None,
        Some("GetExtendedAgentCard"),
        Some("agent/getAuthenticatedExtendedCard"),
    ] {
        let answer = ask(method, Some(ann)).json();
        let extended = if method.is_some() {
            &answer["result"]
        } else {
            &answer
        };
        let said = extended["description"].as_str().unwrap_or_default();
        assert!(
            said.contains("You are known as ann"),
            "{method:?}: {answer}"
        );
        assert_eq!(extended["skills"], card["skills"], "{method:?}: {answer}");
        let refused = ask(method, None);
        assert!(
            refused.text().contains("authentication_required"),
            "{}",
            refused.text()
        );
        assert_eq!(
            refused.header("www-authenticate"),
            Some("Bearer"),
            "{method:?}"
        );
        if method.is_none() {
            assert_eq!(refused.status, 401, "{}", refused.text());
        }
        let forged = ask(method, Some("Bearer a.b.c"));
        assert_eq!(forged.status, 401, "{method:?}: {}", forged.text());
    }
    place::say("count: the extended card, 3 ways to ask for it");
}
