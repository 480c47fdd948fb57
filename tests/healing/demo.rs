//! The program itself: steps of a script, answers from a script and from a person, and both levels of detail.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::race::patch;
use super::support::{NDJSON, Reply, request};
use super::token::{SECRET, bearer};

struct Demo(Child, std::net::SocketAddr);

impl Demo {
    fn start(more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
            .args(["demo", "--port", "0", "--quiet"])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the demo starts");
        let mut ready = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut ready)
            .unwrap();
        let address = ready
            .split_whitespace()
            .nth(1)
            .unwrap()
            .trim_start_matches("http://")
            .parse()
            .unwrap();
        Self(child, address)
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.1)
    }

    async fn play(&self, payload: &Value, steps: &Value, headers: &[&str]) -> Reply {
        let headers: Vec<&str> = headers.iter().copied().chain([NDJSON]).collect();
        let script = json!({"payload": payload, "steps": steps}).to_string();
        request(self.1, "POST", "/play", &headers, &script).await
    }

    async fn black(&self, payload: &Value, steps: &Value) -> Reply {
        let script = json!({"payload": payload, "steps": steps}).to_string();
        request(
            self.1,
            "POST",
            "/play",
            &["accept: application/json"],
            &script,
        )
        .await
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn until(reply: &mut Reply, kind: &str) -> Value {
    loop {
        let event = reply.event().await.unwrap_or_else(|| panic!("no {kind}"));
        if event["type"] == kind {
            return event;
        }
    }
}

fn needs_you() -> Value {
    json!([{"do": "step", "name": "store_user", "fail": "until_patched", "heal": ["backoff"],
        "ask": {"paths": ["/userId"], "removable": [], "within_ms": 10_000, "type": {"userId": {"pattern": "^u[0-9]+$"}}}}])
}

#[tokio::test]
async fn a_step_fails_as_listed_is_healed_and_gives_the_payload() {
    let demo = Demo::start(&[]);
    let payload = json!({"userid": "u1", "n": 0.5});
    let steps = json!([{"do": "step", "name": "s", "fail": [{"status": 503, "code": "busy"}, {"status": 401, "code": "expired"}, {"status": 422, "code": "bad"}],
        "heal": ["backoff", "refresh", "rename"], "ask": {"paths": ["/userId"], "type": {"userId": {"pattern": "^u[0-9]+$"}}}}]);
    let events = demo.play(&payload, &steps, &[]).await.events().await;
    let actions: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "healing")
        .map(|event| &event["action"])
        .collect();
    assert_eq!(
        actions,
        ["retry_with_backoff", "refresh_token", "rename_member"]
    );
    for event in events.iter().filter(|event| event["type"] == "healing") {
        assert!(
            event["severity"].is_string()
                && event["metadata"]["attempt"] == 1
                && event["metadata"]["outcome"] == "healed",
            "{event}"
        );
        assert!(
            !event.to_string().contains("u1"),
            "changes are told by name: {event}"
        );
    }
    assert_eq!(
        events.last().unwrap()["data"],
        json!({"userId": "u1", "n": 0.5})
    );
    // A problem that points at a member says its name.
    let points = json!([{"do": "step", "fail": [{"status": 422, "code": "missing", "errors": [{"pointer": "#/email"}]}], "heal": ["rename"]}]);
    let renamed = demo.black(&json!({"mail": "a@b.c"}), &points).await;
    assert_eq!(renamed.text().await, r#"{"email":"a@b.c"}"#);
    // The black box heals as quietly as ever; what it cannot heal fails with what was tried.
    let healed = demo.black(&json!({"a": 1}), &json!([{"do": "step", "fail": [{"status": 503, "code": "busy"}], "heal": ["backoff"]}])).await;
    assert_eq!(
        (healed.status, healed.text().await),
        (200, "{\"a\":1}".to_owned())
    );
    let failed = demo.black(&json!({"a": 1}), &json!([{"do": "step", "fail": [{"status": 404, "code": "gone", "detail": "x"}], "heal": ["backoff", "rename"]}])).await;
    assert_eq!(
        (failed.status, failed.json().await["code"].clone()),
        (404, json!("gone"))
    );
    let text =
        r#"{"payload":{"z":0.10,"big":12345678901234567890123},"steps":[{"do":"step","fail":[]}]}"#;
    let untouched = request(demo.1, "POST", "/play", &[], text)
        .await
        .text()
        .await;
    assert_eq!(untouched, r#"{"z":0.10,"big":12345678901234567890123}"#);
    for (step, pointer) in [
        (json!({"do": "step", "fail": "sometimes"}), "#/steps/0/fail"),
        (json!({"do": "step", "fail": [7]}), "#/steps/0/fail/0"),
        (
            json!({"do": "step", "fail": [{"status": 200}]}),
            "#/steps/0/fail/0/status",
        ),
        (
            json!({"do": "step", "heal": ["bakcoff"]}),
            "#/steps/0/heal/0",
        ),
        (
            json!({"do": "step", "ask": {"paths": ["userId"]}}),
            "#/steps/0/ask/paths/0",
        ),
        (
            json!({"do": "step", "ask": {"paths": [""]}}),
            "#/steps/0/ask/paths/0",
        ),
        (
            json!({"do": "step", "ask": {"paths": [], "within_ms": -1}}),
            "#/steps/0/ask/within_ms",
        ),
        (
            json!({"do": "step", "ask": {"paths": [], "type": {"a": {"pattern": "("}}}}),
            "#/steps/0/ask/type/a",
        ),
    ] {
        let refused = demo.black(&Value::Null, &json!([step])).await;
        assert_eq!(refused.status, 422, "{step}");
        assert_eq!(
            refused.json().await["errors"][0]["pointer"],
            pointer,
            "{step}"
        );
    }
}

#[tokio::test]
async fn an_answer_comes_from_a_script() {
    let demo = Demo::start(&[]);
    let payload = json!({"userId": "bad", "password": "hunter2secret"});
    let mut stream = demo.play(&payload, &needs_you(), &[]).await;
    let session = until(&mut stream, "session").await;
    let question = until(&mut stream, "interactive_healing_request").await;
    let url = demo.url(question["patch_url"].as_str().unwrap());
    let heal = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
            .arg("heal")
            .args(args)
            .output()
            .unwrap();
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        (output.status.code().unwrap(), text)
    };
    let (code, shown) = heal(&[&url]);
    assert!(
        code == 0 && shown.contains("\"allowedPatchPaths\"") && !shown.contains("hunter2"),
        "{shown}"
    );
    let (code, refused) = heal(&["--set", "/role=admin", &url]);
    assert!(
        code == 1 && refused.contains("may not be touched"),
        "{refused}"
    );
    let (code, refused) = heal(&["--set", "/userId=zzz", &url]);
    assert!(
        code == 1 && refused.contains("matches ^u[0-9]+$"),
        "{refused}"
    );
    assert_eq!(heal(&["--set", "/userId", &url]).0, 2);
    assert_eq!(heal(&["--patch", "{", &url]).0, 2);
    assert_eq!(heal(&["--deny", "--retry", &url]).0, 2);
    assert_eq!(heal(&["http://127.0.0.1:9/aon/sessions/x"]).0, 3);
    let (code, taken) = heal(&[
        "--set",
        "/userId=u42",
        &demo.url(session["state_url"].as_str().unwrap()),
    ]);
    assert!(code == 0 && taken.contains("accepted"), "{taken}");
    assert_eq!(until(&mut stream, "result").await["data"]["userId"], "u42");
    assert_eq!(heal(&["--set", "/userId=u43", &url]).0, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_answers_in_the_terminal() {
    let demo = Demo::start(&[]);
    let script = json!({"payload": {"userId": "bad"}, "steps": needs_you()}).to_string();
    let url = demo.url("/play");
    for (typed, code, words) in [
        ("\nzzz\nu7\n", 0, "\"userId\": \"u7\""),
        ("!deny\n", 1, "Healing denied"),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
            .args(["tail", "--ask", "-d", &script, &url])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .as_mut()
            .unwrap()
            .write_all(typed.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(
            text.contains("Step store_user needs you") && text.contains(words),
            "{text}"
        );
    }
}

#[tokio::test]
async fn with_a_secret_the_roles_of_a_token_decide() {
    let demo = Demo::start(&["--jwt-secret", SECRET]);
    let steps = json!([{"do": "intent_analysis", "original_intent": "create ann", "detected_issue": "old schema", "decision": "map"},
        {"do": "healing", "severity": "low", "action": "retry", "description": "at db.internal", "metadata": {"attempt": 1}}]);
    let (plain, admin) = (bearer("ann", &["viewer"]), bearer("root", &["admin"]));
    let anonymous = demo.play(&Value::Null, &steps, &[]).await.events().await;
    let plain = demo
        .play(&Value::Null, &steps, &[&plain])
        .await
        .events()
        .await;
    let full = demo
        .play(&Value::Null, &steps, &[&admin])
        .await
        .events()
        .await;
    for reduced in [&anonymous, &plain] {
        let text = format!("{reduced:?}");
        assert!(
            !text.contains("create ann")
                && !text.contains("old schema")
                && !text.contains("db.internal"),
            "{text}"
        );
        assert_eq!(
            (&reduced[1]["decision"], &reduced[2]["action"]),
            (&json!("map"), &json!("retry"))
        );
    }
    let text = format!("{full:?}");
    assert!(text.contains("create ann") && text.contains("db.internal"));
    let numbers = |events: &[Value]| {
        events
            .iter()
            .map(|event| event["seq"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(&plain), numbers(&full));
    let bad = request(
        demo.1,
        "POST",
        "/play",
        &["authorization: Bearer a.b.c", NDJSON],
        "{}",
    )
    .await;
    assert_eq!(bad.status, 401);

    let (ann, healer) = (bearer("ann", &[]), bearer("ann", &["heal"]));
    let mut stream = demo
        .play(&json!({"userId": "bad"}), &needs_you(), &[&ann])
        .await;
    let question = until(&mut stream, "interactive_healing_request").await;
    let url = question["patch_url"].as_str().unwrap();
    let good = r#"[{"op":"replace","path":"/userId","value":"u1"}]"#;
    assert_eq!(patch(demo.1, url, good, &[]).await.status, 404);
    assert_eq!(patch(demo.1, url, good, &[&ann]).await.status, 403);
    assert_eq!(patch(demo.1, url, good, &[&healer]).await.status, 200);
    assert_eq!(until(&mut stream, "result").await["data"]["userId"], "u1");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clauses_of_healing_are_checked() {
    let admin = bearer("ann", &["admin"]);
    for (more, header) in [
        (&[][..], None),
        (&["--ring", "4"], None),
        (&["--jwt-secret", SECRET], None),
        (&["--jwt-secret", SECRET], Some(&*admin)),
    ] {
        let demo = Demo::start(more);
        let output = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
            .args(["check", "--format", "json", "--surface", "live"])
            .arg(demo.url(""))
            .args(header.into_iter().flat_map(|header| ["-H", header]))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let report: Value = serde_json::from_str(&text).unwrap();
        let rows = report["checks"].as_array().unwrap();
        for clause in ["L6", "L7", "L9"] {
            let passed = |row: &Value| row["source"] == clause && row["outcome"] == "pass";
            assert!(rows.iter().any(passed), "{clause}: {text}");
        }
        // L8: without a secret there are no callers to tell apart.
        let outcome = |what: &str| -> Option<&Value> {
            Some(&rows.iter().find(|row| row["what"] == what)?["outcome"])
        };
        let knows = more.contains(&"--jwt-secret");
        let expected = if knows { "pass" } else { "untested" };
        let refused = outcome("a token that is not valid is refused").cloned();
        assert_eq!(refused, Some(json!(expected)), "{text}");
        for what in [
            "a session of a known caller does not exist for a stranger",
            "a role changes what is shown, and not which events there are",
        ] {
            let expected = header.map(|_| json!("pass"));
            assert_eq!(outcome(what).cloned(), expected, "{text}");
        }
    }
}
