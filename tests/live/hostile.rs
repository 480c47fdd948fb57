//! Requests no honest client sends.

use std::time::Duration;

use aon_live::Hub;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::support::*;

#[tokio::test]
async fn strange_headers_are_answered_and_nobody_else_notices() {
    let server = serve(Hub::new()).await;
    let mut runner = TestRunner::deterministic();
    let value = prop::collection::vec(
        prop_oneof![4 => 0x20..0x7f_u8, 1 => 0x80..=0xff_u8, 1 => Just(b'\t')],
        0..80,
    );
    let names = [
        "accept",
        "traceparent",
        "last-event-id",
        "x-request-id",
        "aon-report",
        "aon-on-disconnect",
    ];
    let mut answered = 0;
    for round in 0..300 {
        let mut socket = TcpStream::connect(server.address).await.unwrap();
        let mut text = b"POST /users HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 14\r\n".to_vec();
        if round % 2 == 0 {
            text.extend_from_slice(b"accept: application/x-ndjson\r\n");
        }
        for name in names {
            text.extend_from_slice(name.as_bytes());
            text.extend_from_slice(b": ");
            text.extend_from_slice(&value.new_tree(&mut runner).unwrap().current());
            text.extend_from_slice(b"\r\n");
        }
        text.extend_from_slice(b"\r\n{\"name\":\"ann\"}");
        socket.write_all(&text).await.unwrap();
        let mut answer = Vec::new();
        tokio::time::timeout(PATIENCE, socket.read_to_end(&mut answer))
            .await
            .expect("an answer in time")
            .unwrap();
        let head = String::from_utf8_lossy(&answer);
        let status = head.split(' ').nth(1).unwrap_or_default();
        assert!(["200", "400", "406"].contains(&status), "{head}");
        answered += 1;
    }
    assert_eq!(answered, 300);
    println!("count: {answered} requests with strange headers were answered");
    let log = server.stream("/users", r#"{"name":"ann"}"#).await;
    check_stream(&log);
}

#[tokio::test]
async fn half_requests_and_sudden_ends_leave_nothing_open() {
    let server = serve(Hub::new()).await;
    let whole = "POST /users HTTP/1.1\r\nhost: x\r\naccept: application/x-ndjson\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n{\"name\":\"ann\"}";
    let mut halves = 0;
    for end in (1..whole.len()).step_by(3) {
        halves += 1;
        let mut socket = TcpStream::connect(server.address).await.unwrap();
        socket.write_all(&whole.as_bytes()[..end]).await.unwrap();
        drop(socket);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(server.hub.stats().open, 0);
    println!("count: {halves} half requests left nothing open");
    // A body that comes slowly and is wrong is refused plainly: the stream has not started.
    let mut socket = TcpStream::connect(server.address).await.unwrap();
    let head = whole.replace("content-length: 14", "content-length: 7");
    let head = head.split("{").next().unwrap();
    socket.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(150)).await;
    socket.write_all(b"{broken").await.unwrap();
    let reply = Reply::read(socket, false).await;
    assert_eq!(reply.status, 400);
}

#[tokio::test]
async fn a_web_socket_that_talks_nonsense_hurts_only_itself() {
    use futures_util::{SinkExt as _, StreamExt as _};
    use tokio_tungstenite::tungstenite::Message;
    let server = serve(Hub::new()).await;
    let mut ndjson = server.post("/gated", &[NDJSON], "").await;
    let session = ndjson.event().await.unwrap();
    let url = format!(
        "ws://{}{}",
        server.address,
        session["ws_url"].as_str().unwrap()
    );
    for words in [
        "",
        "{",
        "[]",
        r#"{"type":"resume"}"#,
        r#"{"type":"resume","since":5}"#,
        r#"{"type":"other"}"#,
    ] {
        let (mut socket, _) = tokio_tungstenite::connect_async(&url).await.unwrap();
        socket.send(Message::text(words)).await.unwrap();
        let first = tokio::time::timeout(PATIENCE, socket.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        assert!(first.to_text().unwrap().contains("\"session\""), "{words}");
    }
    let (mut socket, _) = tokio_tungstenite::connect_async(&url).await.unwrap();
    // Either the send fails or the server hangs up.
    let sent = socket.send(Message::text("x".repeat(1 << 20))).await;
    let mut closed = sent.is_err();
    while !closed {
        match tokio::time::timeout(PATIENCE, socket.next())
            .await
            .expect("an end in time")
        {
            Some(Ok(Message::Close(_)) | Err(_)) | None => closed = true,
            Some(Ok(_)) => {}
        }
    }
    server.gate.0.notify_waiters();
    let rest = ndjson.events().await;
    assert_eq!(rest.last().unwrap()["data"], "done");
}
