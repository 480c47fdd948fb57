//! Secrets of many kinds, planted through every new path and in five encodings: not one byte comes out (L9).
//!
//! The kinds are those of the suite of problems, which was written before these paths were.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aon::axum::ProblemLayer;
use aon::{Code, ExtensionName, Failure, ProblemDetails, Status};
use aon_live::event::EventName;
use aon_live::heal::{Ask, AuditRecord};
use aon_live::{Environment, GlassBox, Hub, Session, Settings, Severity};
use axum::routing::post;
use axum::{Json, Router};
use base64::Engine as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tracing_subscriber::layer::SubscriberExt as _;

use super::race::patch;
use super::support::{NDJSON, request};

const KINDS: &str = include_str!("../conformance/secrets.txt");

/// Letters that look drawn at random and are the same on every run.
fn drawn(kind: char, length: usize, salt: usize) -> String {
    let alphabet: &[u8] = match kind {
        'L' => b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'U' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        'H' => b"0123456789abcdef",
        _ => b"123456789",
    };
    let mut state = 0x9e37_79b9_u64 + (salt * 131 + length) as u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % alphabet.len()
    };
    let mut word: Vec<char> = (0..length).map(|_| char::from(alphabet[next()])).collect();
    // Letters alone, as chance gives them once in a while, are not what keys look like.
    if kind == 'L' && length >= 8 && !word.iter().any(char::is_ascii_digit) {
        word[length / 2] = '7';
    }
    word.into_iter().collect()
}

/// A text, and the secret in it.
pub(super) fn kinds() -> Vec<(String, String)> {
    let lines = KINDS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let fill = |(salt, line): (usize, &str)| {
        let mut filled = String::new();
        let mut rest = line;
        while let Some((before, after)) = rest.split_once('{') {
            let (hole, after) = after.split_once('}').expect("a closed hole");
            filled.push_str(before);
            filled.push_str(&drawn(
                hole.chars().next().unwrap(),
                hole[1..].parse().unwrap(),
                salt,
            ));
            rest = after;
        }
        filled.push_str(rest);
        let filled = filled.replace("\\n", "\n").replace("\\r", "\r");
        let parts: Vec<&str> = filled.split('¦').collect();
        match parts.as_slice() {
            [secret] => ((*secret).to_owned(), (*secret).to_owned()),
            [before, secret, rest @ ..] => (
                format!("{before}{secret}{}", rest.concat()),
                (*secret).to_owned(),
            ),
            [] => unreachable!("splitting gives something"),
        }
    };
    lines.enumerate().map(fill).collect()
}

pub(super) fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").unwrap();
        }
        out
    })
}

/// JSON in a string, with an escape in the middle of the secret.
fn split(text: &str, secret: &str) -> String {
    let middle = secret
        .char_indices()
        .map(|(at, _)| at)
        .nth(secret.chars().count() / 2)
        .unwrap();
    let c = secret[middle..].chars().next().unwrap();
    let escaped = format!(
        "{}\\u{:04x}{}",
        quoted(&secret[..middle]),
        u32::from(c),
        quoted(&secret[middle + c.len_utf8()..])
    );
    let (before, after) = text.split_once(secret).unwrap();
    format!(
        "{{\"note\":\"{}{escaped}{}\"}}",
        quoted(before),
        quoted(after)
    )
}

/// The inside of a JSON string.
fn quoted(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    text[1..text.len() - 1].to_owned()
}

pub(super) const ENCODINGS: [&str; 5] = [
    "plain",
    "json in a string",
    "percent",
    "base64",
    "split by an escape",
];

/// The text in an encoding, and what must not be seen.
pub(super) fn encoded(encoding: &str, text: &str, secret: &str) -> (String, Vec<String>) {
    let both = |form: String| vec![quoted(&form), form];
    match encoding {
        "plain" => (text.to_owned(), both(secret.to_owned())),
        "json in a string" => (json!({"note": text}).to_string(), both(secret.to_owned())),
        "percent" => (percent(text), vec![percent(secret), secret.to_owned()]),
        "base64" => {
            let form = base64::engine::general_purpose::STANDARD.encode(text);
            (form.clone(), vec![form, secret.to_owned()])
        }
        _ => {
            let whole = split(text, secret);
            let inside = split(secret, secret);
            let inside = inside[9..inside.len() - 2].to_owned();
            (whole, vec![quoted(&inside), inside, secret.to_owned()])
        }
    }
}

#[derive(Clone, Default)]
pub(super) struct Log(pub(super) Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Says the text in every member that can hold it, fails with it, and asks about it.
async fn speak(session: Session, Json(texts): Json<Vec<String>>) -> Result<Json<Value>, Failure> {
    let own = EventName::parse("lesson").unwrap();
    for text in &texts {
        session.status(text).phase(text);
        session.intent(text).issue(text).decision(text);
        session
            .healing(Severity::Low, text)
            .description(text)
            .metadata("note", text)
            .metadata(text, "value")
            .metadata("tree", &json!({"a": [text], text: 1}));
        session.emit_named(&own, &json!({"note": text, "list": [text], text: true}));
    }
    let failing = texts.join("\n");
    session
        .step("speak", json!({"notes": texts, "hidden": texts}))
        .ask(Ask::about(["/notes/*"]).within(Duration::from_millis(400)))
        .run(async |_: Value, _| {
            let problem =
                ProblemDetails::new(Status::from_static(503), Code::from_static("planted"))
                    .with_detail(failing.clone());
            Err::<Json<Value>, _>(
                problem
                    .with_extension(ExtensionName::from_static("note"), &failing)
                    .unwrap(),
            )
        })
        .await
}

#[tokio::test]
async fn no_kind_of_secret_comes_out_of_any_new_path_in_any_encoding() {
    let log = Log::default();
    let (out, sink) = (log.clone(), Arc::new(Mutex::new(Vec::<AuditRecord>::new())));
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(move || out.clone());
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(lines));
    let records = sink.clone();
    let settings = Settings::new()
        .environment(Environment::Development)
        .ring_events(100_000)
        .ring_bytes(1 << 28)
        .events(100_000)
        .audit(move |record: &AuditRecord| records.lock().unwrap().push(record.clone()));
    let hub = Hub::with(settings);
    let app = Router::new()
        .route("/speak", post(speak))
        .layer(GlassBox::new(&hub).report())
        .merge(hub.routes())
        .layer(ProblemLayer::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });

    let kinds = kinds();
    assert!(kinds.len() > 90, "{}", kinds.len());
    let (mut looked, mut leaks) = (0, Vec::new());
    for encoding in ENCODINGS {
        // Text that is encoded twice is not looked into: one level is.
        let once = |text: &str| encoding != "base64" || !text.contains('%');
        let kinds: Vec<&(String, String)> = kinds.iter().filter(|(text, _)| once(text)).collect();
        let forms: Vec<(String, Vec<String>)> = kinds
            .iter()
            .map(|(text, secret)| encoded(encoding, text, secret))
            .collect();
        let texts: Vec<&String> = forms.iter().map(|(text, _)| text).collect();
        let body = json!(texts).to_string();
        let mut reply = request(address, "POST", "/speak", &[NDJSON], &body).await;
        let mut outputs: Vec<(&str, String)> = Vec::new();
        let mut stream = String::new();
        while let Some(line) = reply.line().await {
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["type"] == "interactive_healing_request" {
                // Answers that carry a secret in a path, in a value and in a name.
                let url = event["patch_url"].as_str().unwrap();
                for text in &texts {
                    for attack in [
                        json!([{"op": "replace", "path": format!("/{}", text.replace('~', "~0").replace('/', "~1")), "value": text}]),
                        json!([{"op": "test", "path": "/notes/0", "value": text, *text: 1}]),
                        json!([{"op": text, "path": "/notes/0", "value": text}]),
                    ] {
                        let refused = patch(address, url, &attack.to_string(), &[]).await;
                        outputs.push(("refusal", refused.text().await));
                    }
                }
                let shown = request(address, "GET", url, &[], "").await;
                outputs.push(("question", shown.text().await));
            }
            stream.push_str(&line);
            stream.push('\n');
        }
        outputs.push(("stream", stream));
        let black = request(address, "POST", "/speak", &[], &body).await;
        outputs.push((
            "report",
            black.header("x-aon-report").unwrap_or_default().to_owned(),
        ));
        outputs.push(("problem", black.text().await));
        outputs.push((
            "audit",
            serde_json::to_string(&*sink.lock().unwrap()).unwrap(),
        ));
        outputs.push((
            "log",
            String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned(),
        ));
        for (path, output) in &outputs {
            for ((text, unseen), (_, secret)) in forms.iter().zip(&kinds) {
                looked += 1;
                // A short one may stand in an id by chance.
                if secret.len() >= 8 && unseen.iter().any(|form| output.contains(form.as_str())) {
                    leaks.push(format!("{encoding}, {path}: {text:?}"));
                }
            }
        }
    }
    leaks.sort();
    leaks.dedup();
    assert!(
        leaks.is_empty(),
        "{} leaks:\n{}",
        leaks.len(),
        leaks.join("\n")
    );
    println!(
        "count: {} kinds, {} encodings, {looked} looks, no leak",
        kinds.len(),
        ENCODINGS.len()
    );
}

#[tokio::test]
async fn false_friends_stay_readable() {
    let harmless = [
        "max_tokens=4096",
        "token_count: 17",
        "the password field is required",
        "GET /v1/users?page=2&limit=10",
        "passwordless login",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "550e8400-e29b-41d4-a716-446655440000",
        "https://example.com/reset-password",
        "<your-api-key>",
        "author: ann",
        "secretary of state",
        "key: value",
        "monkey=banana",
        "session 7 of 9",
    ];
    let hub = Hub::with(Settings::new().environment(Environment::Development));
    let app = Router::new()
        .route("/speak", post(speak))
        .layer(GlassBox::new(&hub))
        .merge(hub.routes());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let reply = request(
        address,
        "POST",
        "/speak",
        &[NDJSON],
        &json!(harmless).to_string(),
    )
    .await;
    let events = reply.events().await;
    let spoken = |kind: &'static str| events.iter().filter(move |event| event["type"] == kind);
    for (text, event) in harmless.iter().zip(spoken("status")) {
        assert_eq!(event["message"], *text);
    }
    for (text, event) in harmless.iter().zip(spoken("healing")) {
        assert_eq!(event["metadata"]["note"], *text);
    }
    for (text, event) in harmless.iter().zip(spoken("lesson")) {
        assert_eq!(event["data"]["note"], *text);
    }
    let question = spoken("interactive_healing_request").next().unwrap();
    assert_eq!(question["snapshot"], json!({"notes": harmless}));
    println!("count: {} false friends in four places", harmless.len());
}
