//! A2A through the official clients, PyPI `a2a-sdk` and npm `@a2a-js/sdk`, and by hand for what they do not show.

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::{EXTENSION, demo};
use crate::http::Answer;
use crate::plan::{self, Call, REQUEST_ID, Wanted};
use crate::problem::{assert_envelope, content, take_request_id, valid_values};
use crate::tools;

const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";

#[test]
fn python_client() {
    let Some(report) = tools::python("PyPI a2a-sdk", "a2a", "a2a_python.py", &plan()) else {
        return;
    };
    let client = report["client"].as_str().expect("the name of the client");
    assert_card(&report["card"], client);
    let mut cases = 0;
    for session in report["sessions"].as_array().expect("sessions") {
        let version = session["version"].as_str().expect("a version");
        let activated = session["extensions"]
            .as_array()
            .is_some_and(|list| !list.is_empty());
        assert_echo(session, activated, client);
        for call in plan::a2a_calls() {
            let place = format!("{client}, {version}, extension {activated}, {}", call.name);
            let outcome = &session["calls"][call.name];
            if call.wanted == Wanted::Success {
                assert!(outcome["data"].is_object(), "{place}: {outcome}");
            } else {
                let problem = truth(&call);
                assert_python_error(&problem, &outcome["error"], (version, activated), &place);
            }
            cases += 1;
        }
        if !activated {
            for (method, class) in METHODS {
                let error = &session["calls"][method]["error"];
                assert_eq!(
                    error["class"], class,
                    "{client}, {version}, {method}: {error}"
                );
                cases += 1;
            }
        }
    }
    assert!(cases > 0);
    place::say(&format!("count: {client}, {cases} calls"));
}

/// What the client raises for tasks that do not exist.
const METHODS: [(&str, &str); 3] = [
    ("GetTask", "TaskNotFoundError"),
    ("CancelTask", "TaskNotFoundError"),
    ("CreateTaskPushNotificationConfig", "TaskNotFoundError"),
];

/// The client picks a class by the number, and keeps the metadata of the first ErrorInfo in an array; in 0.3, and of an object, it
/// keeps the message alone.
fn assert_python_error(
    problem: &Value,
    error: &Value,
    (version, activated): (&str, bool),
    place: &str,
) {
    let status = problem["status"].as_u64().expect("a status");
    let message = error["message"].as_str().expect("a message");
    assert!(
        error["http"].is_null(),
        "{place}: the status of HTTP costs this client the body: {error}"
    );
    let detail = problem["detail"].as_str().expect("a detail");
    assert!(
        message.contains(detail),
        "{place}: {detail:?} is not in {message:?}"
    );
    if activated {
        return;
    }
    let class = match status {
        404 if problem["code"] == "unknown_operation" => "MethodNotFoundError",
        422 => "InvalidParamsError",
        400..=428 => "InvalidRequestError",
        _ => "InternalError",
    };
    assert_eq!(error["class"], class, "{place}: {error}");
    if version == "0.3" {
        let code = problem["code"].as_str().expect("a code");
        assert!(
            message.contains(code),
            "{place}: {code} is not in {message:?}"
        );
        for value in valid_values(problem) {
            assert!(
                message.contains(&value),
                "{place}: {value} is not in {message:?}"
            );
        }
        return;
    }
    let metadata = &error["data"];
    assert_eq!(metadata["code"], problem["code"], "{place}: {error}");
    assert_eq!(metadata["request_id"], REQUEST_ID, "{place}: {error}");
    let whole = metadata["problem"].as_str().unwrap_or_default();
    let whole: Value = serde_json::from_str(whole).expect("the problem whole");
    assert_envelope(&whole, "a2a");
    if problem.get("type").is_some() {
        let (mut seen, mut wanted) = (content(&whole), content(problem));
        take_request_id(&mut seen);
        take_request_id(&mut wanted);
        assert_eq!(seen, wanted, "{place}: the client lost something");
    }
}

#[test]
fn javascript_client() {
    let Some(report) = tools::module("npm @a2a-js/sdk", "@a2a-js/sdk", "a2a_js.mjs", &plan())
    else {
        return;
    };
    let client = report["client"].as_str().expect("the name of the client");
    assert_card(&report["card"], client);
    let mut cases = 0;
    for session in report["sessions"].as_array().expect("sessions") {
        let version = session["version"].as_str().expect("a version");
        let activated = session["extensions"]
            .as_array()
            .is_some_and(|list| !list.is_empty());
        assert_echo(session, activated, client);
        for call in plan::a2a_calls() {
            let place = format!("{client}, {version}, extension {activated}, {}", call.name);
            let outcome = &session["calls"][call.name];
            if call.wanted == Wanted::Success {
                assert!(outcome["data"].is_object(), "{place}: {outcome}");
            } else {
                let profile = if activated { "pspace" } else { version };
                let error = &outcome["error"];
                assert_data(&call, error, profile, &place);
            }
            cases += 1;
        }
        if !activated {
            let class = session["calls"]["GetTask"]["error"]["class"]
                .as_str()
                .unwrap_or_default();
            assert!(
                class.contains("TaskNotFound"),
                "{client}, {version}: {class}"
            );
            cases += 1;
        }
    }
    assert!(cases > 0);
    place::say(&format!("count: {client}, {cases} calls"));
}

#[test]
fn every_profile_by_hand() {
    let mut cases = 0;
    for call in plan::a2a_calls() {
        for (profile, headers) in [
            ("pspace", vec![("a2a-extensions", EXTENSION)]),
            ("0.3", vec![]),
            (
                "pspace",
                vec![("a2a-version", "1.0"), ("a2a-extensions", EXTENSION)],
            ),
            (
                "pspace",
                vec![("a2a-version", "0.3"), ("x-a2a-extensions", EXTENSION)],
            ),
            ("1.0", vec![("a2a-version", "1.0")]),
            (
                "1.0",
                vec![
                    ("a2a-version", "1.0"),
                    ("a2a-extensions", "https://example.com/unknown"),
                ],
            ),
            ("0.3", vec![("a2a-version", "0.3")]),
        ] {
            let place = format!("{}, {headers:?}", call.name);
            let answer = send(&call, &headers);
            for name in ["a2a-extensions", "x-a2a-extensions"] {
                let sent = headers.contains(&(name, EXTENSION));
                assert_eq!(answer.header(name), sent.then_some(EXTENSION), "{place}");
            }
            let body = answer.json();
            assert_eq!(
                (&body["jsonrpc"], &body["id"]),
                (&json!("2.0"), &json!("case 1")),
                "{place}"
            );
            if call.wanted == Wanted::Success {
                assert!(
                    body["result"].is_object() && body.get("error").is_none(),
                    "{place}: {body}"
                );
            } else {
                assert!(body.get("result").is_none(), "{place}: {body}");
                assert_data(&call, &body["error"], profile, &place);
                assert_eq!(answer.status, 200, "{place}");
                if truth(&call)["status"] == 401 {
                    assert!(answer.header("www-authenticate").is_some(), "{place}");
                }
            }
            cases += 1;
        }
    }
    assert!(cases > 0);
    place::say(&format!("count: A2A by hand, {cases} calls"));
}

fn send(call: &Call, headers: &[(&str, &str)]) -> Answer {
    let mut data = json!({"skill": call.skill});
    for (name, value) in call.arguments.as_object().expect("an object") {
        data[name] = value.clone();
    }
    let body = json!({
        "jsonrpc": "2.0",
        "id": "case 1",
        "method": "SendMessage",
        "params": {"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": data}]}},
    });
    let mut all = vec![
        ("content-type", "application/json"),
        ("x-request-id", REQUEST_ID),
    ];
    all.extend_from_slice(headers);
    demo().send("POST", "/a2a", &all, body.to_string().as_bytes())
}

/// The number is the profile's, and the data holds the problem whole.
fn assert_data(call: &Call, error: &Value, profile: &str, place: &str) {
    let problem = truth(call);
    let status = problem["status"].as_u64().expect("a status");
    let number = if problem["code"] == "unknown_operation" {
        -32601
    } else if profile == "pspace" {
        pspace(status)
    } else {
        official(status)
    };
    assert_eq!(error["code"], number, "{place}: {error}");
    let data = &error["data"];
    let envelope = if profile == "pspace" {
        data
    } else {
        assert_eq!(data[0]["@type"], ERROR_INFO, "{place}: {error}");
        let infos = data
            .as_array()
            .into_iter()
            .flatten()
            .filter(|detail| detail["@type"] == ERROR_INFO);
        assert_eq!(infos.count(), 1, "{place}: {error}");
        assert_eq!(data[0]["metadata"]["code"], problem["code"], "{place}");
        &data[1]
    };
    assert_envelope(envelope, "a2a");
    let corrected = call.corrected.as_ref().map(|arguments| {
        let mut params = arguments.clone();
        if params.get("skill").is_none() {
            params["skill"] = json!(call.skill);
        }
        params
    });
    assert_eq!(
        envelope.get("corrected_params"),
        corrected.as_ref(),
        "{place}: {envelope}"
    );
    assert!(envelope.get("corrected_args").is_none(), "{place}");
    let (mut seen, mut wanted) = (content(envelope), content(&problem));
    assert_eq!(take_request_id(&mut seen), REQUEST_ID, "{place}");
    if call.arguments.get("id").is_some() {
        take_request_id(&mut wanted);
        assert_eq!(seen, wanted, "{place}: A2A and REST disagree");
    } else {
        assert_eq!(seen["code"], wanted["code"], "{place}");
    }
    assert!(
        !error.to_string().contains("hunter2"),
        "{place}: a secret leaked"
    );
}

/// What REST says to the same call; where REST has no such call, what is known of it.
fn truth(call: &Call) -> Value {
    match call.wanted {
        Wanted::SameAsRest(status) => {
            let answer = demo().rest(&call.arguments, REQUEST_ID);
            assert_eq!(answer.status, status, "{}: {}", call.name, answer.text());
            answer.json()
        }
        Wanted::Code(code) => {
            let status = if code == "unknown_operation" {
                404
            } else {
                422
            };
            json!({"code": code, "status": status, "detail": ""})
        }
        Wanted::Success => Value::Null,
    }
}

/// The numbers of the contract (S6).
fn pspace(status: u64) -> i64 {
    match status {
        422 => -32602,
        401 => -32001,
        403 => -32004,
        409 => -32005,
        415 => -32007,
        429 => -32008,
        501 => -32009,
        503 => -32010,
        400..=499 => -32600,
        _ => -32603,
    }
}

/// The numbers that official clients know.
fn official(status: u64) -> i64 {
    match status {
        422 => -32602,
        429 => -32603,
        400..=499 => -32600,
        _ => -32603,
    }
}

fn plan() -> Value {
    let calls: Vec<Value> = plan::a2a_calls()
        .iter()
        .map(|call| json!({"name": call.name, "skill": call.skill, "arguments": call.arguments}))
        .collect();
    json!({"base": demo().base, "request_id": REQUEST_ID, "extension": EXTENSION, "calls": calls})
}

fn assert_card(card: &Value, client: &str) {
    let skills: Vec<&str> = card["skills"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|skill| skill["id"].as_str())
        .collect();
    for call in plan::calls() {
        assert!(
            skills.contains(&call.skill),
            "{client}: {} is not in {skills:?}",
            call.skill
        );
    }
    let extensions = card["capabilities"]["extensions"]
        .as_array()
        .expect("extensions");
    let ours = extensions
        .iter()
        .find(|extension| extension["uri"] == EXTENSION)
        .expect("our extension");
    assert!(
        !ours["required"].as_bool().unwrap_or(false),
        "{client}: {ours}"
    );
}

/// An activated extension is named in every answer, and only then.
fn assert_echo(session: &Value, activated: bool, client: &str) {
    let answers = session["headers"].as_array().expect("headers");
    assert!(!answers.is_empty(), "{client}: no answer was heard");
    for headers in answers {
        let echoed = ["a2a-extensions", "x-a2a-extensions"]
            .iter()
            .any(|name| headers[*name] == EXTENSION);
        assert_eq!(echoed, activated, "{client}: {headers}");
    }
}
