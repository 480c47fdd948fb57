//! Secrets where they come from outside: in addresses, and from a server that takes none out.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aon::axum::ProblemLayer;
use aon_live::{GlassBox, Hub, Session};
use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tracing_subscriber::layer::SubscriberExt as _;

use super::canaries::{ENCODINGS, Log, encoded, kinds, percent};
use super::support::{NDJSON, request};

/// A text with a secret in it, and what must not be seen.
type Planted = (String, Vec<String>);

fn planted(encoding: &str) -> Vec<Planted> {
    let all = kinds();
    assert!(all.len() > 90, "{}", all.len());
    // Text that is encoded twice is not looked into: one level is. A short one may stand somewhere by chance.
    all.iter()
        .filter(|(text, secret)| secret.len() >= 8 && (encoding != "base64" || !text.contains('%')))
        .map(|(text, secret)| encoded(encoding, text, secret))
        .collect()
}

/// Without white space: a line that is broken still shows what is on it.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

fn assert_unseen(encoding: &str, place: &str, output: &str, planted: &[Planted]) -> usize {
    let output = dense(output);
    let seen = |(_, unseen): &&Planted| unseen.iter().any(|form| output.contains(&dense(form)));
    let leaks: Vec<&str> = planted
        .iter()
        .filter(seen)
        .map(|(text, _)| &**text)
        .collect();
    assert!(leaks.is_empty(), "{encoding}, {place}: {leaks:#?}");
    planted.len()
}

async fn wait(session: Session) -> &'static str {
    session.status("waiting");
    tokio::time::sleep(Duration::from_secs(60)).await;
    "done"
}

#[tokio::test]
async fn a_secret_in_an_address_is_neither_echoed_nor_logged() {
    let log = Log::default();
    let out = log.clone();
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(move || out.clone());
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(lines));
    let hub = Hub::new();
    let app = Router::new()
        .route("/wait", post(wait))
        .layer(GlassBox::new(&hub))
        .merge(hub.routes())
        .layer(ProblemLayer::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let mut stream = request(address, "POST", "/wait", &[NDJSON], "").await;
    let session = stream.event().await.unwrap();
    let (events, state) = (
        session["sse_url"].as_str().unwrap(),
        session["state_url"].as_str().unwrap(),
    );
    let mut looked = 0;
    for encoding in ENCODINGS {
        let planted = planted(encoding);
        let mut output = String::new();
        for (number, (text, _)) in planted.iter().enumerate() {
            let text = percent(text);
            let targets = [
                ("GET", format!("{events}?ticket={text}")),
                ("GET", format!("{state}?ticket={text}&token={text}")),
                ("POST", format!("{state}/tickets?ticket={text}")),
                ("POST", format!("{state}/healing/{text}")),
            ];
            let path = ("GET", format!("/aon/sessions/{text}/events"));
            for (method, target) in [&targets[number % targets.len()], &path] {
                let refused = request(address, method, target, &[], "").await;
                assert!((400..500).contains(&refused.status), "{method} {target}");
                output.push_str(&refused.text().await);
            }
        }
        looked += assert_unseen(encoding, "answers", &output, &planted);
        let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
        looked += assert_unseen(encoding, "log", &log, &planted);
        // As they stood in the address.
        let raw = |(text, unseen): &Planted| {
            let unseen = unseen.iter().map(|form| percent(form)).collect();
            (text.clone(), unseen)
        };
        let planted: Vec<Planted> = planted.iter().map(raw).collect();
        looked += assert_unseen(encoding, "log of addresses", &log, &planted);
    }
    println!("count: {looked} looks at addresses with a secret, no leak");
}

/// A server that takes nothing out.
async fn raw(
    State(body): State<Arc<Mutex<String>>>,
) -> ([(&'static str, &'static str); 1], String) {
    let body = body.lock().unwrap().clone();
    ([("content-type", "application/x-ndjson")], body)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_careless_server_says_is_shown_without_secrets() {
    let body = Arc::new(Mutex::new(String::new()));
    let app = Router::new()
        .route("/raw", get(raw))
        .with_state(body.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/raw", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let mut looked = 0;
    for encoding in ENCODINGS {
        let planted = planted(encoding);
        let mut events = vec![json!({"type": "session", "session_id": "s1"})];
        for (text, _) in &planted {
            events.push(json!({"type": "status", "message": text}));
            events.push(json!({"type": "intent_analysis", "original_intent": text, "detected_issue": text, "decision": text}));
            events.push(
                json!({"type": "healing", "severity": "low", "action": text, "description": text}),
            );
            events.push(json!({"type": "lesson", "data": {"note": text}}));
            events.push(json!({"type": "lesson", "message": text}));
            events.push(
                json!({"type": "interactive_healing_result", "request_id": "r1", "outcome": text}),
            );
        }
        let texts: Vec<&String> = planted.iter().map(|(text, _)| text).collect();
        let all = texts
            .iter()
            .fold(String::new(), |all, text| all + text + "\n");
        events.push(json!({"type": "error", "status": 503, "code": "planted", "message": all,
            "problem": {"status": 503, "code": "planted", "title": "Planted", "detail": all, "notes": texts}}));
        let mut lines = String::new();
        for (number, mut event) in events.into_iter().enumerate() {
            event["seq"] = Value::from(number + 1);
            lines += &format!("{event}\n");
        }
        *body.lock().unwrap() = lines;
        let output = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
            .args(["tail", "--no-ask", &url])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{encoding}: {output:?}");
        for (place, shown) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let shown = String::from_utf8_lossy(shown);
            assert!(shown.contains("[redacted]"), "{encoding}, {place}: {shown}");
            looked += assert_unseen(encoding, place, &shown, &planted);
        }
    }
    println!("count: {looked} looks at what aon tail shows, no leak");
}
