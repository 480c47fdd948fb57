//! Readers that never read: they are ended, what they held is given back, and nobody else notices.

use std::time::{Duration, Instant};

use aon_live::{GlassBox, Hub, Patient, Session, Settings};
use axum::routing::post;
use axum::{Json, Router};
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::Message;

use super::support::*;

const STALLED: Duration = Duration::from_millis(400);

fn settings() -> Settings {
    Settings::new()
        .stalled(STALLED)
        .events(u64::MAX)
        .events_per_second(u64::MAX)
}

/// Says long things until the gate opens.
async fn chatter(gate: Gate, session: Session) -> Json<u64> {
    let words = "word ".repeat(700);
    let mut count = 0;
    let end = gate.0.notified();
    tokio::pin!(end);
    loop {
        for _ in 0..20 {
            session.status(&words);
            count += 1;
        }
        tokio::select! {
            () = &mut end => return Json(count),
            () = tokio::time::sleep(Duration::from_millis(5)) => {}
        }
    }
}

async fn start(settings: Settings, patience: Option<Duration>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    start_on(listener, settings, patience)
}

fn start_on(listener: TcpListener, settings: Settings, patience: Option<Duration>) -> Server {
    let hub = Hub::with(settings);
    let gate = Gate::default();
    let inside = gate.clone();
    let app = Router::new()
        .route("/", post(move |session| chatter(inside.clone(), session)))
        .layer(GlassBox::new(&hub))
        .merge(hub.routes());
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        match patience {
            Some(patience) => axum::serve(Patient::new(listener, patience), app).await,
            None => axum::serve(listener, app).await,
        }
    });
    Server { address, hub, gate }
}

/// Its connections inherit a small buffer: where a busy machine lets the handler say little, the
/// little does not all fit into what the system would keep.
fn narrow_listener() -> TcpListener {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_send_buffer_size(4096).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    socket.listen(64).unwrap()
}

/// A connection with as small a buffer as the system gives, so that it fills up soon.
async fn narrow(server: &Server) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(server.address).await.unwrap()
}

async fn asked(server: &Server, head: &str) -> TcpStream {
    use tokio::io::AsyncWriteExt as _;
    let mut socket = narrow(server).await;
    let text = format!("{head}\r\nhost: {}\r\n\r\n", server.address);
    socket.write_all(text.as_bytes()).await.unwrap();
    socket
}

async fn until(what: &str, holds: impl Fn() -> bool) -> Duration {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    start.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_that_never_read_are_ended_on_every_channel() {
    let server = start(settings(), None).await;
    let mut ndjson = server.post("/", &[NDJSON], "").await;
    let session = ndjson.event().await.unwrap();
    let url = session["sse_url"].as_str().unwrap().to_owned();
    let ws = session["ws_url"].as_str().unwrap().to_owned();
    // One that reads, beside those that do not.
    let mut honest = server.get(&url, &[NDJSON]).await;
    let honest = tokio::spawn(async move {
        let mut kinds = std::collections::BTreeMap::<String, u64>::new();
        while let Some(event) = honest.event().await {
            let kind = event["type"].as_str().unwrap().to_owned();
            *kinds.entry(kind).or_default() += 1;
        }
        kinds
    });
    let response = tokio::spawn(ndjson.events());
    let handshake = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
    let mut stuck = Vec::new();
    for _ in 0..3 {
        for head in [
            format!("GET {url} HTTP/1.1\r\naccept: text/event-stream"),
            format!("GET {url} HTTP/1.1\r\naccept: application/x-ndjson"),
            format!("GET {ws}?since=0 HTTP/1.1\r\n{handshake}"),
        ] {
            stuck.push(asked(&server, &head).await);
        }
    }
    until("all have come", || server.hub.stats().readers == 10).await;
    let took = until("all have been ended", || server.hub.stats().readers == 1).await;
    assert!(took >= STALLED / 2, "{took:?}");
    // Who begins to read finds a stream that was cut, not one that ended.
    let mut ends = 0;
    for mut socket in stuck {
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(PATIENCE, socket.read_to_end(&mut bytes)).await;
        // A reset is an end as well.
        drop(read.expect("an end in time"));
        assert!(!bytes.ends_with(b"0\r\n\r\n"), "a clean end");
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("\"type\":\"result\""));
        ends += 1;
    }
    server.gate.0.notify_waiters();
    let log: Vec<Value> = response.await.unwrap();
    let end = log.last().unwrap();
    assert_eq!(end["type"], "result");
    let kinds = honest.await.unwrap();
    assert_eq!(kinds["result"], 1, "{kinds:?}");
    println!(
        "count: {ends} readers ended after {took:?}, {} events went by",
        end["data"]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_reads_slowly_is_not_taken_for_who_does_not_read() {
    let server = start(settings(), None).await;
    let mut ndjson = server.post("/", &[NDJSON], "").await;
    let session = ndjson.event().await.unwrap();
    let ws = format!(
        "ws://{}{}",
        server.address,
        session["ws_url"].as_str().unwrap()
    );
    let (mut socket, _) = tokio_tungstenite::connect_async(ws).await.unwrap();
    let mut sse = server.get(session["sse_url"].as_str().unwrap(), &[]).await;
    let drained = tokio::spawn(ndjson.events());
    server.gate.0.notify_waiters();
    drained.await.unwrap();
    let start = Instant::now();
    // Nothing new comes, and both wait for longer than the patience with who leaves things unread.
    tokio::time::sleep(STALLED * 2).await;
    let mut seen = 0;
    while let Some((kind, ..)) = sse.sse().await {
        seen += 1;
        if kind == "result" {
            break;
        }
    }
    while let Some(Ok(message)) = socket.next().await {
        seen += usize::from(matches!(message, Message::Text(_)));
    }
    assert!(seen > 10, "{seen}");
    assert!(start.elapsed() >= STALLED * 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_that_is_not_read_waits_and_is_told_its_losses() {
    let server = start_on(narrow_listener(), settings().ring_events(8), None);
    // A narrow one is full soon, also where a busy machine lets the handler say little.
    let head = "POST / HTTP/1.1\r\naccept: application/x-ndjson\r\ncontent-length: 0";
    let mut ndjson = Reply::read(asked(&server, head).await, false).await;
    assert_eq!(ndjson.event().await.unwrap()["type"], "session");
    tokio::time::sleep(STALLED * 4).await;
    assert_eq!(server.hub.stats().open, 1, "its work goes on");
    server.gate.0.notify_waiters();
    let log = ndjson.events().await;
    assert_eq!(
        log.last().unwrap()["type"],
        "result",
        "the end is delivered"
    );
    assert!(log.iter().any(|event| event["type"] == "gap"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_patient_listener_closes_the_connection_itself() {
    let server = start(settings(), Some(STALLED)).await;
    let _stuck = asked(
        &server,
        "POST / HTTP/1.1\r\naccept: application/x-ndjson\r\naon-on-disconnect: cancel\r\ncontent-length: 0",
    )
    .await;
    until("it has begun", || server.hub.stats().open == 1).await;
    // Closing it ends the work, because the caller asked for that.
    until("it was closed", || server.hub.stats().open == 0).await;
}
