//! The playground: a script says what happens, and both modes answer the same.

use serde_json::{Value, json};

use crate::demo::Demo;
use crate::http::{Answer, send};

fn play(demo: &Demo, accept: &str, script: &str) -> Answer {
    let headers = [("content-type", "application/json"), ("accept", accept)];
    send(demo.port, "POST", "/play", &headers, script.as_bytes())
}

/// The events of a glass box. The body is chunked, so the lines that are JSON are taken.
fn events(demo: &Demo, script: &str) -> Vec<Value> {
    let answer = play(demo, "application/x-ndjson", script);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let text = answer.text();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(Value::is_object)
        .collect()
}

#[test]
fn every_step_of_the_documentation_does_what_it_says() {
    let demo = Demo::start();
    let script = json!({
        "payload": {"userId": "u1", "role": "viewer"},
        "steps": [
            {"do": "status", "message": "working", "estimated_delay_ms": 200},
            {"do": "intent_analysis", "original_intent": "create_user", "detected_issue": "invalid_schema", "decision": "apply_semantic_mapping"},
            {"do": "healing", "severity": "medium", "action": "refresh_token", "description": "…", "metadata": {"attempt": 1}},
            {"do": "event", "type": "lesson", "data": {"lessonId": "l1"}},
            {"do": "sleep", "ms": 50},
            {"do": "burst", "count": 50, "message": "event {n}"},
            {"do": "log", "message": "hello"},
            {"do": "result", "data": {"id": "usr_123"}},
        ],
    });
    let events = events(&demo, &script.to_string());
    let kinds: Vec<&str> = events
        .iter()
        .filter_map(|event| event["type"].as_str())
        .collect();
    assert_eq!(
        kinds[..5],
        ["session", "status", "intent_analysis", "healing", "lesson"]
    );
    assert_eq!(kinds[kinds.len() - 2..], ["log", "result"]);
    assert_eq!(events.len(), 5 + 50 + 2);
    assert_eq!(events[1]["estimated_delay_ms"], 200);
    assert_eq!(events[2]["detected_issue"], "invalid_schema");
    assert_eq!(events[3]["metadata"]["attempt"], 1);
    assert_eq!(events[4]["data"]["lessonId"], "l1");
    assert_eq!(events[5]["message"], "event 1");
    assert_eq!(events[54]["message"], "event 50");
    assert_eq!(events[55]["data"]["message"], "hello");
    assert_eq!(events[56]["data"], json!({"id": "usr_123"}));
    let black = play(&demo, "application/json", &script.to_string());
    assert_eq!(
        (black.status, black.text().as_str()),
        (200, r#"{"id":"usr_123"}"#)
    );
}

#[test]
fn a_script_without_an_end_answers_with_its_payload() {
    let demo = Demo::start();
    for payload in [
        "0",
        "false",
        "\"\"",
        "null",
        "[]",
        r#"{"n":0.10,"big":12345678901234567890123}"#,
    ] {
        let script = format!("{{\"payload\": {payload}}}");
        let black = play(&demo, "application/json", &script);
        assert_eq!(black.text(), payload);
        let answer = play(&demo, "application/x-ndjson", &script);
        assert!(
            answer.text().contains(&format!("\"data\":{payload}}}")),
            "{payload}: {}",
            answer.text()
        );
    }
    assert_eq!(play(&demo, "application/json", "{}").text(), "null");
}

#[test]
fn every_way_to_fail_is_one_error_in_the_glass_box_and_its_status_in_the_black_box() {
    let demo = Demo::start();
    let cases = [
        (json!({"do": "panic", "message": "password=hunter2"}), 500),
        (json!({"do": "abandon"}), 500),
        (
            json!({"do": "problem", "problem": {"status": 422, "code": "invalid_auth_ux", "detail": "no"}}),
            422,
        ),
        (json!({"do": "problem"}), 500),
    ];
    for (step, status) in cases {
        let script = json!({"steps": [{"do": "status", "message": "x"}, step]}).to_string();
        let black = play(&demo, "application/json", &script);
        assert_eq!(black.status, status, "{step}: {}", black.text());
        assert!(!black.text().contains("hunter2"));
        let events = events(&demo, &script);
        let ends: Vec<&Value> = events
            .iter()
            .filter(|event| event["type"] == "error" || event["type"] == "result")
            .collect();
        assert_eq!(ends.len(), 1, "{step}: {events:?}");
        assert_eq!(ends[0]["status"], status, "{step}");
        assert_eq!(ends[0]["problem"]["code"], black.json()["code"], "{step}");
        assert!(!format!("{events:?}").contains("hunter2"));
    }
}

#[test]
fn a_script_that_is_wrong_is_a_problem_with_its_place_in_both_modes() {
    let demo = Demo::start();
    let cases = [
        (
            r#"{"steps":[{"do":"statuss"}]}"#,
            422,
            "#/steps/0/do",
            "did you mean \\\"status\\\"",
        ),
        (
            r#"{"steps":[{"message":"x"}]}"#,
            422,
            "#/steps/0/do",
            "is missing",
        ),
        (
            r#"{"steps":[{"do":"status"}]}"#,
            422,
            "#/steps/0/message",
            "is missing",
        ),
        (
            r#"{"steps":[{"do":"sleep","ms":-1}]}"#,
            422,
            "#/steps/0/ms",
            "whole number",
        ),
        (
            r#"{"steps":[{"do":"healing","severity":"mild","action":"x"}]}"#,
            422,
            "#/steps/0/severity",
            "critical",
        ),
        (
            r#"{"steps":[{"do":"event","type":"result"}]}"#,
            422,
            "#/steps/0/type",
            "belongs to the protocol",
        ),
        (
            r#"{"steps":[{"do":"problem","problem":{"status":200}}]}"#,
            422,
            "#/steps/0/problem/status",
            "between 400 and 599",
        ),
        (r#"{"steps":{}}"#, 400, "#/steps", "not an array"),
        (r#"{"steps":["x"]}"#, 400, "#/steps/0", "an object"),
        ("{", 400, "", "not valid JSON"),
        ("[]", 400, "", "an object"),
        (
            r#"{"steps":[{"do":"burst","count":1000000}]}"#,
            413,
            "",
            "10000 events",
        ),
        (
            r#"{"steps":[{"do":"sleep","ms":9999999999}]}"#,
            413,
            "",
            "at most 120 s",
        ),
    ];
    for (script, status, pointer, words) in cases {
        for accept in ["application/json", "application/x-ndjson"] {
            let answer = play(&demo, accept, script);
            assert_eq!(answer.status, status, "{script}: {}", answer.text());
            assert_eq!(
                answer.header("content-type"),
                Some("application/problem+json"),
                "{script}"
            );
            assert!(answer.text().contains(words), "{script}: {}", answer.text());
            if !pointer.is_empty() {
                assert_eq!(answer.json()["errors"][0]["pointer"], pointer, "{script}");
            }
        }
    }
    let unknown = play(&demo, "application/json", cases[0].0).json();
    assert_eq!(
        unknown["valid_values"]["do"].as_array().map(Vec::len),
        Some(13),
        "{unknown}"
    );
    let large = format!("{{\"payload\":\"{}\"}}", "x".repeat(2 << 20));
    for accept in ["application/json", "application/x-ndjson"] {
        assert_eq!(play(&demo, accept, &large).status, 413);
    }
}

#[test]
fn the_ready_made_routes_answer_in_both_modes() {
    let demo = Demo::start();
    let body = br#"{"user_name":"Ada"}"#;
    let headers = [("content-type", "application/json")];
    let black = send(demo.port, "POST", "/live/users", &headers, body).json();
    assert_eq!(
        (&black["name"], &black["status"]),
        (&json!("Ada"), &json!("created"))
    );
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/x-ndjson"),
    ];
    let glass = send(demo.port, "POST", "/live/users", &headers, body).text();
    assert!(
        glass.contains("apply_semantic_mapping") && glass.contains("rename_member"),
        "{glass}"
    );
    let wrong = send(
        demo.port,
        "POST",
        "/live/users",
        &headers,
        br#"{"role":"boss"}"#,
    )
    .text();
    assert!(
        wrong.contains("\"code\":\"unknown_role\"")
            && wrong.contains("\"viewer\",\"editor\",\"admin\""),
        "{wrong}"
    );
    let page = send(demo.port, "GET", "/live", &[], b"");
    assert!(page.text().contains("One session, three channels"));
}

#[test]
fn numbers_that_no_machine_type_holds_are_answered_as_they_are_written() {
    let demo = Demo::start();
    let mut compared = 0;
    for data in [
        "1e400",
        "12345678901234567890123.450",
        r#"{"n":-0,"m":1E5}"#,
        "0",
        "null",
    ] {
        for script in [
            format!(r#"{{"steps":[{{"do":"result","data":{data}}}]}}"#),
            format!(r#"{{"payload":{data}}}"#),
        ] {
            let black = play(&demo, "application/json", &script);
            assert_eq!((black.status, &*black.text()), (200, data), "{script}");
            let glass = play(&demo, "application/x-ndjson", &script).text();
            assert!(glass.contains(&format!(r#","data":{data}}}"#)), "{glass}");
            compared += 1;
        }
    }
    assert_eq!(compared, 10);
}

#[test]
fn a_scripted_problem_has_the_type_of_its_code() {
    let demo = Demo::start();
    let script = r#"{"steps":[{"do":"problem","problem":{"status":422,"code":"invalid_auth_ux","detail":"d"}}]}"#;
    let black: Value = play(&demo, "application/json", script).json();
    assert_eq!(black["type"], "pspace://problem/invalid_auth_ux");
    assert_eq!(black["title"], "Unprocessable Content");
    let events = events(&demo, script);
    let told = &events[events.len() - 1]["problem"];
    assert_eq!(
        (&told["type"], &told["title"]),
        (&black["type"], &black["title"])
    );
    let own = r#"{"steps":[{"do":"problem","problem":{"type":"acme://p/late","title":"Late","status":503}}]}"#;
    let own: Value = play(&demo, "application/json", own).json();
    assert_eq!(
        (&own["type"], &own["title"]),
        (&Value::from("acme://p/late"), &Value::from("Late"))
    );
}

#[test]
fn a_script_that_is_not_json_is_refused_like_any_other_body() {
    let demo = Demo::start();
    for (script, detail) in [
        ("{", "The body is not valid JSON: it is not a JSON value."),
        ("", "The body is empty; it must be a script in JSON."),
    ] {
        let answer = play(&demo, "application/json", script);
        let told: Value = serde_json::from_slice(&answer.body).expect("a problem");
        assert_eq!(answer.status, 400, "{told}");
        assert_eq!(told["code"], "invalid_json", "{told}");
        assert_eq!(told["detail"], detail, "{told}");
    }
}
