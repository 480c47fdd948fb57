//! Which mode a request gets, and what both modes have in common.

use aon_live::{Environment, Hub, Settings};

use super::support::*;

const BODY: &str = r#"{"name":"ann"}"#;

#[tokio::test]
async fn the_canonical_handler_is_a_glass_box_for_those_who_ask() {
    let server = serve(Hub::with(
        Settings::new().environment(Environment::Development),
    ))
    .await;
    let reply = server.post("/users", &[NDJSON, TRACEPARENT], BODY).await;
    assert_eq!(reply.status, 200);
    for (name, value) in [
        ("content-type", "application/x-ndjson"),
        ("aon-mode", "glass-box"),
        ("aon-version", "1"),
        ("cache-control", "no-store, no-transform"),
        ("x-accel-buffering", "no"),
        ("x-content-type-options", "nosniff"),
        ("vary", "accept"),
        ("aon-trace-id", TRACE),
    ] {
        assert_eq!(reply.header(name), Some(value), "{name}");
    }
    assert_eq!(reply.header("content-length"), None);
    let events = reply.events().await;
    check_stream(&events);
    assert_eq!(
        kinds(&events),
        ["session", "intent_analysis", "healing", "status", "result"]
    );
    assert!(events.iter().all(|event| event["trace_id"] == TRACE));
    assert_eq!(events[1]["decision"], "apply_semantic_mapping");
    assert_eq!(events[2]["metadata"]["attempt"], 1);
    assert_eq!(events[3]["estimated_delay_ms"], 200);
    for member in [
        "session_id",
        "sse_url",
        "ws_url",
        "patch_url",
        "state_url",
        "expires_at",
        "version",
        "durability",
    ] {
        assert!(!events[0][member].is_null(), "{member}");
    }
}

#[tokio::test]
async fn the_body_and_the_data_of_the_result_are_the_same_bytes() {
    let server = serve(Hub::new()).await;
    let mut compared = 0;
    for (method, path, body) in [
        ("POST", "/users", BODY),
        ("GET", "/plain", ""),
        ("POST", "/plain", ""),
    ] {
        let black = request(server.address, method, path, &[], body).await;
        assert_eq!(black.header("aon-mode"), Some("black-box"));
        assert_eq!(black.header("vary"), Some("accept"));
        assert_eq!(black.header("aon-version"), Some("1"));
        assert_eq!(black.header("content-type"), Some("application/json"));
        let black = black.text().await;
        let mut glass = request(server.address, method, path, &[NDJSON], body).await;
        let mut last = String::new();
        while let Some(line) = glass.line().await {
            last = line;
        }
        assert!(
            last.ends_with(&format!(",\"data\":{black}}}")),
            "{last}\n{black}"
        );
        let end: serde_json::Value = serde_json::from_str(&last).unwrap();
        let url = format!("/aon/sessions/{}", end["session_id"].as_str().unwrap());
        let state = server.get(&url, &[]).await.text().await;
        assert!(
            state.contains(&last),
            "the state has the end as it was told: {state}"
        );
        compared += 1;
    }
    assert_eq!(compared, 3);
}

#[tokio::test]
async fn accept_decides_on_the_wire_as_in_the_table() {
    let server = serve(Hub::new()).await;
    for (accept, mode) in [
        (None, "black-box"),
        (Some("*/*"), "black-box"),
        (Some("application/json"), "black-box"),
        (Some("application/json, application/x-ndjson"), "black-box"),
        (
            Some("application/json, application/x-ndjson;q=0"),
            "black-box",
        ),
        (Some("application/x-ndjson, */*;q=0.1"), "glass-box"),
        (Some("application/jsonl"), "glass-box"),
    ] {
        let header = accept.map(|accept| format!("accept: {accept}"));
        let headers: Vec<&str> = header.iter().map(String::as_str).collect();
        let reply = server.post("/users", &headers, BODY).await;
        assert_eq!(
            (reply.status, reply.header("aon-mode")),
            (200, Some(mode)),
            "{accept:?}"
        );
        if mode == "glass-box" {
            assert_eq!(reply.header("content-type"), Some("application/x-ndjson"));
        }
    }
    for accept in [
        "text/html;q=0.5, image/png",
        "text/event-stream",
        "*/*, application/json;q=0",
    ] {
        let reply = server
            .post("/users", &[&format!("accept: {accept}")], BODY)
            .await;
        assert_eq!(
            (reply.status, reply.header("vary").is_some()),
            (406, true),
            "{accept}"
        );
        assert_eq!(reply.header("aon-version"), Some("1"));
        if reply.header("content-type") != Some("application/problem+json") {
            continue; // The page for people, which `ProblemLayer` makes of it.
        }
        let problem = reply.json().await;
        assert_eq!(problem["code"], "not_acceptable");
        assert_eq!(problem["valid_values"]["accept"][1], "application/x-ndjson");
    }
    assert_eq!(server.hub.stats().sessions, 2, "a refusal opens no session");
}

#[tokio::test]
async fn head_never_runs_the_handler() {
    let server = serve(Hub::new()).await;
    for (accept, kind) in [
        ("*/*", "application/json"),
        ("application/x-ndjson", "application/x-ndjson"),
    ] {
        let reply = request(
            server.address,
            "HEAD",
            "/gated",
            &[&format!("accept: {accept}")],
            "",
        )
        .await;
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, Some(kind))
        );
        assert_eq!(reply.header("vary"), Some("accept"));
    }
    let reply = request(server.address, "HEAD", "/gated", &["accept: text/csv"], "").await;
    assert_eq!(reply.status, 406);
    assert_eq!(server.hub.stats().sessions, 0);
}

#[tokio::test]
async fn head_to_a_route_without_get_is_refused_and_runs_nothing() {
    use axum::routing::{any, get, post};
    use std::sync::atomic::{AtomicUsize, Ordering};
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    async fn runs() -> &'static str {
        RUNS.fetch_add(1, Ordering::Relaxed);
        "1"
    }
    let hub = Hub::new();
    let boxes = axum::Router::new()
        .route("/post", post(runs).delete(runs))
        .route("/get", get(runs).post(runs))
        .route("/any", any(runs))
        .nest("/deep", axum::Router::new().route("/{id}/post", post(runs)));
    let app = aon_live::GlassBox::new(&hub)
        .wrap(boxes)
        .merge(hub.routes())
        .layer(aon::axum::ProblemLayer::new());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let mut asked = 0;
    for accept in ["*/*", "application/x-ndjson"] {
        let accept = format!("accept: {accept}");
        for (path, status) in [
            ("/post", 405),
            ("/deep/7/post", 405),
            ("/get", 200),
            ("/any", 200),
        ] {
            let reply = request(address, "HEAD", path, &[&accept], "").await;
            assert_eq!(reply.status, status, "{path} {accept}");
            let allow = reply.header("allow").unwrap_or_default();
            assert_eq!(allow.contains("POST"), status == 405, "{path}: {allow}");
            let kind = reply.header("content-type").unwrap_or_default();
            assert_eq!(
                kind == "application/problem+json",
                status == 405,
                "{path}: {kind}"
            );
            asked += 1;
        }
    }
    assert_eq!((asked, RUNS.load(Ordering::Relaxed)), (8, 0));
    assert_eq!(request(address, "GET", "/get", &[], "").await.status, 200);
    assert_eq!(RUNS.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn what_refuses_the_request_itself_is_plain_http_in_both_modes() {
    let server = serve(Hub::new()).await;
    let mut seen = 0;
    for (method, path, body, kind, status) in [
        ("POST", "/nowhere", BODY, "application/json", 404),
        ("GET", "/users", "", "application/json", 405),
        ("POST", "/users", "{broken", "application/json", 400),
        (
            "POST",
            "/users",
            r#"{"nom":"ann"}"#,
            "application/json",
            422,
        ),
        ("POST", "/users", BODY, "text/csv", 415),
    ] {
        for mode in ["application/json", "application/x-ndjson"] {
            let mut socket = tokio::net::TcpStream::connect(server.address)
                .await
                .unwrap();
            let text = format!(
                "{method} {path} HTTP/1.1\r\nhost: x\r\naccept: {mode}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            tokio::io::AsyncWriteExt::write_all(&mut socket, text.as_bytes())
                .await
                .unwrap();
            let reply = Reply::read(socket, false).await;
            assert_eq!(reply.status, status, "{method} {path} {mode}");
            assert_eq!(
                reply.header("content-type"),
                Some("application/problem+json")
            );
            let problem = reply.json().await;
            assert_eq!(problem["status"], status);
            seen += 1;
        }
    }
    assert_eq!(seen, 10);
    assert_eq!(server.hub.stats().sessions, 0);
}

#[tokio::test]
async fn a_black_box_reports_when_asked_and_never_otherwise() {
    let server = serve(Hub::new()).await;
    let plain = server.post("/users", &[], BODY).await;
    assert_eq!(plain.header("x-aon-report"), None);
    let asked = server.post("/users", &["aon-report: summary"], BODY).await;
    assert_eq!(
        asked.header("x-aon-report"),
        Some(r#"v=1, events=3, healed=1, actions=("refresh_token")"#)
    );
    let failed = server
        .post("/fails-to-heal", &["aon-report: summary"], "")
        .await;
    assert_eq!(
        failed.header("x-aon-report"),
        Some(r#"v=1, events=2, healed=1, actions=("retry_with_backoff")"#),
        "what did not help has not healed"
    );
    let always = serve_with(Hub::new(), aon_live::GlassBox::report).await;
    assert!(
        always
            .post("/users", &[], BODY)
            .await
            .header("x-aon-report")
            .is_some()
    );
}
