//! `aon::axum::serve` on a real port: callers that do not finish, and a server that is asked to stop.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use aon::axum::{Json, ProblemLayer, serve};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::Response;
use axum::routing::{get, post};
use http_body::Frame;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};

const PATIENCE: Duration = Duration::from_millis(300);

/// Says that a body was dropped which never has anything to send.
static LEFT: Notify = Notify::const_new();

struct Endless;

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        LEFT.notify_one();
    }
}

struct Server {
    port: u16,
    stop: oneshot::Sender<()>,
    served: tokio::task::JoinHandle<std::io::Result<()>>,
}

async fn start() -> Server {
    let app = Router::new()
        .route("/own", post(async |Json(body): Json<Value>| Json(body)))
        .route("/axum", post(async |body: String| body))
        .route(
            "/slow",
            get(async || {
                tokio::time::sleep(PATIENCE * 2).await;
                "slow"
            }),
        )
        .route("/endless", get(async || Response::new(Body::new(Endless))));
    let app = ProblemLayer::new()
        .with_door(aon::Door::new().with_body_limit(1000))
        .wrap(app);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (stop, stopped) = oneshot::channel();
    let served = serve(listener, app)
        .with_patience(PATIENCE)
        .with_grace(PATIENCE * 4)
        .with_graceful_shutdown(async {
            let _ = stopped.await;
        });
    Server {
        port,
        stop,
        served: tokio::spawn(served.into_future()),
    }
}

/// Everything the server says until it closes the connection.
async fn until_closed(port: u16, begun: &str) -> (String, Duration) {
    let start = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(begun.as_bytes()).await.unwrap();
    let mut told = String::new();
    let read = stream.read_to_string(&mut told);
    tokio::time::timeout(Duration::from_secs(20), read)
        .await
        .expect("it closes")
        .unwrap();
    (told.to_ascii_lowercase(), start.elapsed())
}

#[tokio::test]
async fn a_caller_that_does_not_finish_is_answered_or_left() {
    let server = start().await;
    for head in ["", "GET /slow HTTP/1.1\r\nHost: a\r\nX-Begun: "] {
        let (told, took) = until_closed(server.port, head).await;
        assert_eq!(told, "");
        assert!(took >= PATIENCE, "{took:?}");
    }
    for path in ["/own", "/axum"] {
        let begun = format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{{\"a"
        );
        let (told, _) = until_closed(server.port, &begun).await;
        assert!(told.starts_with("http/1.1 408"), "{path}: {told}");
        assert!(
            told.contains("\"code\":\"request_timeout\""),
            "{path}: {told}"
        );
        assert!(told.contains("connection: close"), "{path}: {told}");
    }
    let long = "x".repeat(2000);
    let begun = format!(
        "POST /own HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n{long}"
    );
    let (told, _) = until_closed(server.port, &begun).await;
    assert!(
        told.starts_with("http/1.1 413") && told.contains("connection: close"),
        "{told}"
    );
    assert!(told.contains("\"limit\":1000"), "{told}");
}

#[tokio::test]
async fn a_handler_may_take_longer_than_a_caller_and_finishes_when_the_server_stops() {
    let server = start().await;
    let port = server.port;
    let asked =
        tokio::spawn(
            async move { until_closed(port, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await },
        );
    tokio::time::sleep(PATIENCE / 2).await;
    server.stop.send(()).unwrap();
    let (told, _) = asked.await.unwrap();
    assert!(
        told.starts_with("http/1.1 200") && told.ends_with("slow"),
        "{told}"
    );
    server.served.await.unwrap().unwrap();
    assert!(
        TcpStream::connect(("127.0.0.1", port)).await.is_err(),
        "nobody listens any more"
    );
}

#[tokio::test]
async fn a_caller_that_leaves_is_noticed_though_nothing_is_sent() {
    let server = start().await;
    let mut stream = TcpStream::connect(("127.0.0.1", server.port))
        .await
        .unwrap();
    let request = b"GET /endless HTTP/1.1\r\nHost: a\r\n\r\n";
    stream.write_all(request).await.unwrap();
    assert!(stream.read(&mut [0; 1000]).await.unwrap() > 0);
    drop(stream);
    let left = tokio::time::timeout(Duration::from_secs(10), LEFT.notified());
    left.await.expect("the body is dropped");
}

#[tokio::test]
async fn what_a_caller_sends_ahead_is_answered_in_turn() {
    let server = start().await;
    let mut stream = TcpStream::connect(("127.0.0.1", server.port))
        .await
        .unwrap();
    let request = "GET /slow HTTP/1.1\r\nHost: a\r\n";
    stream
        .write_all(format!("{request}\r\n").as_bytes())
        .await
        .unwrap();
    tokio::time::sleep(PATIENCE / 3).await;
    // Byte by byte, while the first one is being worked on.
    for byte in format!("{request}Connection: close\r\n\r\n").as_bytes() {
        stream.write_all(&[*byte]).await.unwrap();
        tokio::task::yield_now().await;
    }
    let mut told = String::new();
    let read = stream.read_to_string(&mut told);
    let read = tokio::time::timeout(Duration::from_secs(10), read).await;
    read.expect("it closes").unwrap();
    assert_eq!(told.matches("HTTP/1.1 200").count(), 2, "{told}");
    assert!(told.ends_with("slow"), "{told}");
}
