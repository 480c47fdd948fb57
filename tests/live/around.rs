//! The session that is around: for a handler, for code deep down, and in tasks of one's own.

use std::net::SocketAddr;
use std::time::Duration;

use aon::axum::ProblemLayer;
use aon_live::{GlassBox, Hub, Session};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use http::StatusCode;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::sleep;

use super::support::{NDJSON, check_stream, request};

/// The same session everywhere while one future is polled, on whatever threads: three events.
async fn reports(session: Session) -> Json<Value> {
    session.status("from the extractor");
    deep_down("from deep down").await;
    sleep(Duration::from_millis(2)).await;
    deep_down("after a wait").await;
    Json(json!({ "around": Session::current().id() == session.id() }))
}

async fn deep_down(message: &'static str) {
    tokio::task::yield_now().await;
    Session::current().status(message);
}

/// A task of one's own has no session unless it is given one.
async fn spawns(session: Session) -> Json<Value> {
    let own = session.clone();
    let alone = tokio::spawn(async move {
        Session::current().status("nobody hears this");
        own.status("this was handed on");
    });
    Json(json!({ "ended": alone.await.is_ok() }))
}

async fn panics(session: Session) -> Json<Value> {
    session.status("before the panic");
    panic!("as planned");
}

/// Middleware that moves the handler to a task of its own, and hands the session on.
async fn hands_on(session: Session, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(session);
    let task = tokio::spawn(next.run(request));
    let failed = StatusCode::INTERNAL_SERVER_ERROR;
    task.await.unwrap_or_else(|_| failed.into_response())
}

async fn serve(app: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

fn handlers() -> Router {
    Router::new()
        .route("/reports", post(reports))
        .route("/spawns", post(spawns))
        .route("/panics", post(panics))
}

/// How many events the black box of this path counted.
async fn counted(address: SocketAddr, path: &str) -> Option<String> {
    let asked = ["aon-report: full", "accept: application/json"];
    let reply = request(address, "POST", path, &asked, "").await;
    let report = reply.header("x-aon-report")?;
    let events = report
        .split(", ")
        .find_map(|part| part.strip_prefix("events="));
    events.map(str::to_owned)
}

/// The messages of the glass box of this path.
async fn shown(address: SocketAddr, path: &str) -> Vec<Value> {
    let reply = request(address, "POST", path, &[NDJSON], "").await;
    let events = reply.events().await;
    check_stream(&events);
    let status = |event: &&Value| event["type"] == "status" && event.get("seq").is_some();
    events
        .iter()
        .filter(status)
        .map(|event| event["message"].clone())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_around_is_the_session_of_the_request_in_both_modes() {
    let hub = Hub::new();
    let handed = handlers()
        .layer(from_fn(hands_on))
        .layer(GlassBox::new(&hub));
    let app = Router::new()
        .merge(handlers().layer(GlassBox::new(&hub)))
        .nest("/handed", handed)
        .layer(ProblemLayer::new());
    let address = serve(app).await;
    // Path, events counted by a black box, messages of a glass box.
    let three = ["from the extractor", "from deep down", "after a wait"];
    let cases: [(&str, &str, &[&str]); 5] = [
        ("/reports", "3", &three),
        ("/spawns", "1", &["this was handed on"]),
        ("/panics", "1", &["before the panic"]),
        // A task of its own has what is in the request, and nothing around.
        ("/handed/reports", "1", &["from the extractor"]),
        ("/handed/spawns", "1", &["this was handed on"]),
    ];
    let mut seen = 0;
    for (path, events, messages) in cases {
        assert_eq!(
            counted(address, path).await.as_deref(),
            Some(events),
            "{path}"
        );
        assert_eq!(shown(address, path).await, messages, "{path}");
        seen += 1;
    }
    assert_eq!(seen, 5);
}

#[tokio::test]
async fn outside_a_request_nothing_is_around() {
    Session::current().status("nobody hears this");
    assert_eq!(Session::current().id(), None);
    let app = handlers().layer(ProblemLayer::new());
    let address = serve(app).await;
    let reply = request(address, "POST", "/reports", &[], "").await;
    assert_eq!(reply.status, 200);
    let answer = reply.json().await;
    assert_eq!(answer["around"], true, "both are detached: {answer}");
}
