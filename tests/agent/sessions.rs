//! Requests and answers: both shapes, what is refused and how, sessions that end.

use std::time::Duration;

use aon_agent::worker::{Echo, Worker};
use serde_json::Value;

use crate::support::{Client, refused, serve, serve_with, text};

#[tokio::test]
async fn the_five_operations_answer_as_the_specification_says() {
    let worker = serve(Echo);
    let mut client = worker.client().await;
    let status = client.ask(r#"{"type":"status"}"#).await;
    assert_eq!(
        (&status["ok"], &status["status"]),
        (&true.into(), &"running".into())
    );
    assert_eq!(status["backend"], "echo");
    let session = client.session("{}").await;
    client
        .send(&format!(
            r#"{{"type":"generate","session_id":"{session}","prompt":" two  words","stream":true}}"#
        ))
        .await;
    let lines = client.rest().await;
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[0].to_string(), r#"{"text":" two","type":"token"}"#);
    assert_eq!(lines[2].to_string(), r#"{"type":"stop"}"#);
    assert_eq!(text(&lines), " two  words");
    // The connection was closed after `stop`; another one goes on with the session.
    let mut client = worker.client().await;
    let abort = client
        .ask(&format!(r#"{{"type":"abort","session_id":"{session}"}}"#))
        .await;
    assert_eq!(
        (&abort["ok"], &abort["aborted"]),
        (&true.into(), &false.into())
    );
    let closed = client
        .ask(&format!(
            r#"{{"type":"close_session","session_id":"{session}"}}"#
        ))
        .await;
    assert_eq!(closed["ok"], true);
    let again = client
        .ask(&format!(
            r#"{{"type":"close_session","session_id":"{session}"}}"#
        ))
        .await;
    refused(&again, "session_not_found");
}

#[tokio::test]
async fn the_later_shape_is_understood_and_its_id_comes_back() {
    let worker = serve(Echo);
    let mut client = worker.client().await;
    let created = client
        .ask(r#"{"id":"a-1","method":"create_session","params":{},"timestamp":"2026-01-01T00:00:00Z"}"#)
        .await;
    assert_eq!(
        (&created["ok"], &created["id"]),
        (&true.into(), &"a-1".into())
    );
    let session = created["session_id"].as_str().unwrap();
    client
        .send(&format!(
            r#"{{"id":2,"method":"generate","params":{{"session_id":"{session}","prompt":"hi"}},"timestamp":"2026-01-01T00:00:00Z"}}"#
        ))
        .await;
    let lines = client.rest().await;
    assert_eq!(text(&lines), "hi");
    assert!(lines.iter().all(|line| line["id"] == 2), "{lines:?}");
    let mut client = worker.client().await;
    let unknown = client
        .ask(r#"{"id":3,"method":"abort","params":{"session_id":"x"}}"#)
        .await;
    refused(&unknown, "session_not_found");
    assert_eq!(unknown["id"], 3);
}

#[tokio::test]
async fn without_a_stream_the_text_is_one_answer() {
    let worker = serve(Echo);
    let mut client = worker.client().await;
    let session = client.session(r#"{"repeat":3}"#).await;
    let asked =
        format!(r#"{{"type":"generate","session_id":"{session}","prompt":"olá ","stream":false}}"#);
    let answer = client.ask(&asked).await;
    assert_eq!(
        (&answer["ok"], &answer["text"]),
        (&true.into(), &"olá olá olá ".into())
    );
    // Nothing has to be closed after it.
    assert_eq!(client.ask(r#"{"type":"status"}"#).await["ok"], true);
}

#[tokio::test]
async fn bad_lines_are_refused_one_by_one_and_the_connection_goes_on() {
    let worker = serve(Echo);
    let mut client = worker.client().await;
    let mut count = 0;
    for (line, code) in [
        (&b"nonsense"[..], "invalid_json"),
        (b"[]", "invalid_json"),
        (b"{\"type\":\"status\"", "invalid_json"),
        (b"{\"type\":\"status\"}\0", "invalid_json"),
        (b"{\"type\":\"status\xff\"}", "invalid_utf8"),
        (b"{}", "missing_field"),
        (br#"{"type":"dance"}"#, "unknown_operation"),
        (br#"{"action":"generate","input":"x"}"#, "missing_field"),
        (br#"{"type":"create_session"}"#, "missing_field"),
        (
            br#"{"type":"create_session","params":"x"}"#,
            "invalid_value",
        ),
        (br#"{"type":"abort"}"#, "missing_field"),
        (
            br#"{"type":"abort","session_id":"nobody"}"#,
            "session_not_found",
        ),
        (
            br#"{"type":"close_session","session_id":7}"#,
            "invalid_value",
        ),
    ] {
        client.send_bytes(line).await;
        client.send_bytes(b"\n").await;
        let answer = client.line().await.expect("an answer");
        refused(&answer, code);
        assert!(answer.get("type").is_none(), "{answer}");
        count += 1;
    }
    let misspelt = client.ask(r#"{"type":"create_sesion","params":{}}"#).await;
    assert_eq!(misspelt["problem"]["suggestion"], "create_session");
    assert!(misspelt["problem"]["valid_values"]["operation"].is_array());
    assert_eq!(client.ask(r#"{"type":"status"}"#).await["ok"], true);
    aon_tests::place::say(&format!("count: {count} bad lines"));
}

#[tokio::test]
async fn a_stream_that_is_refused_ends_like_a_stream() {
    let worker = serve(Echo);
    for asked in [
        r#"{"type":"generate","session_id":"nobody","prompt":"x","stream":true}"#,
        r#"{"type":"generate","session_id":"nobody"}"#,
        r#"{"method":"generate","prompt":"x"}"#,
    ] {
        let mut client = worker.client().await;
        client.send(asked).await;
        let lines = client.rest().await;
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!(lines[0]["type"], "error");
        assert_eq!(lines[0]["message"], lines[0]["error"]);
        let code = lines[0]["problem"]["code"].as_str().unwrap();
        refused(&lines[0], code);
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_and_ends_the_connection() {
    let worker = serve_with(Worker::new(Echo).limits(|limits| limits.line = 1000));
    let mut client = worker.client().await;
    client.send_bytes(&[b'x'; 5000]).await;
    refused(&client.line().await.unwrap(), "too_large");
    assert!(client.line().await.is_none());
    // A megabyte is not too long where nobody says otherwise.
    let worker = serve(Echo);
    let mut client = worker.client().await;
    let session = client.session("{}").await;
    let long = "x".repeat(1_000_000);
    client
        .send(&format!(
            r#"{{"type":"generate","session_id":"{session}","prompt":"{long}"}}"#
        ))
        .await;
    assert_eq!(text(&client.rest().await), long);
}

#[tokio::test]
async fn a_request_that_trickles_in_has_a_time_limit() {
    let worker = serve_with(Worker::new(Echo).limits(|limits| {
        limits.transfer = Duration::from_millis(150);
        limits.idle = Duration::from_millis(400);
    }));
    let mut slow = worker.client().await;
    slow.send_bytes(b"{\"type\":").await;
    refused(&slow.line().await.unwrap(), "timed_out");
    assert!(slow.line().await.is_none());
    let mut silent = worker.client().await;
    assert!(silent.line().await.is_none());
}

#[tokio::test]
async fn sessions_are_bounded_expire_and_make_room() {
    let worker = serve_with(Worker::new(Echo).limits(|limits| {
        limits.sessions = 2;
        limits.session = Duration::from_millis(300);
    }));
    let mut client = worker.client().await;
    let first = client.session("{}").await;
    let second = client.session("{}").await;
    assert_ne!(first, second);
    let third = client.ask(r#"{"type":"create_session","params":{}}"#).await;
    refused(&third, "too_many_sessions");
    assert_eq!(client.ask(r#"{"type":"status"}"#).await["sessions"], 2);
    tokio::time::sleep(Duration::from_millis(350)).await;
    client.session("{}").await;
    let gone = client
        .ask(&format!(r#"{{"type":"abort","session_id":"{first}"}}"#))
        .await;
    refused(&gone, "session_not_found");
}

#[tokio::test]
async fn requests_are_whole_wherever_they_are_split() {
    let worker = serve(Echo);
    let mut client = worker.client().await;
    let session = client.session("{}").await;
    let asked = format!(
        "{{\"type\":\"generate\",\"session_id\":\"{session}\",\"prompt\":\" olá 世界 😀 \"}}\n"
    );
    for byte in asked.as_bytes().chunks(1) {
        client.send_bytes(byte).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(text(&client.rest().await), " olá 世界 😀 ");
}

#[tokio::test]
async fn what_is_written_fits_the_published_schema() {
    let schema = aon_agent::schema::worker();
    let validator = |name: &str| {
        let mut whole = schema.clone();
        let at = format!("#/$defs/{name}");
        whole["$ref"] = at.into();
        whole.as_object_mut().unwrap().remove("anyOf");
        jsonschema::validator_for(&whole).expect("a schema")
    };
    let (answer, event) = (validator("Answer"), validator("Event"));
    let worker = serve(Echo);
    let mut client = worker.client().await;
    let mut seen: Vec<Value> = Vec::new();
    for line in [
        r#"{"type":"status"}"#,
        "x",
        r#"{"type":"create_session","params":{}}"#,
    ] {
        seen.push(client.ask(line).await);
    }
    for line in &seen {
        assert!(answer.is_valid(line), "{line}");
    }
    let session = seen[2]["session_id"].as_str().unwrap().to_owned();
    client
        .send(&format!(
            r#"{{"type":"generate","session_id":"{session}","prompt":"a b"}}"#
        ))
        .await;
    let mut lines = client.rest().await;
    let mut client = Client::connect(&worker.path).await;
    client
        .send(r#"{"type":"generate","session_id":"x","prompt":"a b"}"#)
        .await;
    lines.extend(client.rest().await);
    assert_eq!(lines.len(), 4);
    for line in &lines {
        assert!(event.is_valid(line), "{line}");
    }
    assert!(!event.is_valid(&serde_json::json!({"type": "token"})));
}
