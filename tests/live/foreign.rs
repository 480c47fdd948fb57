//! What clients that were written elsewhere send, and what they look at: headers, queries and methods of every kind.

use aon_live::{BadCredentials, Caller, GlassBox, Hub, Identify, Settings};
use serde_json::Value;

use super::support::*;

const BODY: &str = r#"{"name":"ann"}"#;

/// `x-user` names a caller; `bad` is one whose credentials are not good.
struct Users;

impl Identify for Users {
    fn identify(&self, request: &http::request::Parts) -> Option<Caller> {
        let name = request.headers.get("x-user")?.to_str().ok()?;
        Some(Caller::new(name))
    }

    fn admit(&self, request: &http::request::Parts) -> Result<Option<Caller>, BadCredentials> {
        match self.identify(request) {
            Some(caller) if caller == Caller::new("bad") => Err(BadCredentials::new()),
            caller => Ok(caller),
        }
    }
}

fn url(event: &Value, name: &str) -> String {
    event[name].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn head_has_the_headers_of_a_get_and_asks_for_credentials_too() {
    let server = serve(Hub::with(Settings::new().identify(Users))).await;
    let head =
        |headers: Vec<&'static str>| request(server.address, "HEAD", "/gated", leak(headers), "");
    let stream = head(vec![NDJSON]).await;
    for (name, value) in [
        ("content-type", "application/x-ndjson"),
        ("cache-control", "no-store, no-transform"),
        ("x-accel-buffering", "no"),
        ("aon-mode", "glass-box"),
    ] {
        assert_eq!(stream.header(name), Some(value), "{name}");
    }
    assert_eq!(head(vec!["x-user: ann"]).await.status, 200);
    let refused = head(vec!["x-user: bad", NDJSON]).await;
    assert_eq!(
        (refused.status, refused.header("aon-mode")),
        (401, Some("black-box"))
    );
    assert_eq!(server.hub.stats().sessions, 0);
}

fn leak(headers: Vec<&'static str>) -> &'static [&'static str] {
    Box::leak(headers.into_boxed_slice())
}

#[tokio::test]
async fn options_lists_the_methods_of_a_route() {
    use axum::routing::{get, options, post};
    let hub = Hub::new();
    let boxes = axum::Router::new()
        .route("/post", post(async || "1").delete(async || "1"))
        .route("/get", get(async || "1"))
        .route("/own", post(async || "1").merge(options(async || "mine")));
    let app = GlassBox::new(&hub)
        .wrap(boxes)
        .merge(hub.routes())
        .layer(aon::axum::ProblemLayer::new());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let mut asked = 0;
    for (path, status, allow, body) in [
        ("/post", 204, Some("POST"), Some("application/json")),
        ("/get", 204, Some("GET"), None),
        ("/own", 200, None, None),
        ("/nowhere", 404, None, None),
    ] {
        let reply = request(address, "OPTIONS", path, &[NDJSON], "").await;
        assert_eq!(reply.status, status, "{path}");
        let methods = reply.header("allow");
        assert_eq!(methods.is_some(), allow.is_some(), "{path}: {methods:?}");
        assert!(
            methods
                .unwrap_or_default()
                .contains(allow.unwrap_or_default())
        );
        assert_eq!(reply.header("accept-post"), body, "{path}");
        asked += 1;
    }
    assert_eq!(asked, 4);
    // As an ordinary layer it knows the methods from the router alone.
    let server = serve(Hub::new()).await;
    let reply = request(server.address, "OPTIONS", "/users", &[], "").await;
    assert_eq!((reply.status, reply.header("allow")), (204, Some("POST")));
}

#[tokio::test]
async fn who_brings_a_request_id_gets_it_back_in_both_modes() {
    let server = serve(Hub::new()).await;
    for mode in ["accept: application/json", NDJSON] {
        let reply = server
            .post("/users", &[mode, "x-request-id: req_abc123"], BODY)
            .await;
        assert_eq!(reply.header("x-request-id"), Some("req_abc123"), "{mode}");
        let reply = server
            .post("/users", &[mode, "x-request-id: a b\u{7f}"], BODY)
            .await;
        assert_ne!(reply.header("x-request-id"), Some("a b\u{7f}"), "{mode}");
    }
}

#[tokio::test]
async fn a_cursor_is_understood_however_it_is_written() {
    let server = serve(Hub::new()).await;
    let log = server.stream("/users", BODY).await;
    let (sse, last) = (url(&log[0], "sse_url"), url(&log[4], "id"));
    let epoch = &last[..8];
    let mut asked = 0;
    for cursor in [&last, &last.replace('-', "%2D"), &format!("%20{last}")] {
        for name in ["since", "last_event_id"] {
            let reply = server.get(&format!("{sse}?{name}={cursor}"), &[]).await;
            assert_eq!(reply.status, 204, "{name}={cursor}");
            assert_eq!(reply.header("vary"), Some("accept"));
            asked += 1;
        }
    }
    for (cursor, reason) in [
        (format!("{epoch}-{}", "9".repeat(30)), "ahead"),
        (format!("{epoch}-6"), "ahead"),
        ("ünïcode".to_owned(), "epoch"),
        ("deadbeef-2".to_owned(), "epoch"),
    ] {
        let reply = server
            .get(&sse, &[&format!("last-event-id: {cursor}")])
            .await;
        let events = reply.all_sse().await;
        assert_eq!((&*events[0].0, &events[0].2), ("gap", &None), "{cursor}");
        assert_eq!(events[0].1["reason"], reason, "{cursor}");
        assert_eq!(events.len(), log.len() + 1, "then everything that is kept");
        asked += 1;
    }
    assert_eq!(asked, 10);
}

#[tokio::test]
async fn head_of_a_stream_says_what_a_get_would_and_uses_nothing_up() {
    let server = serve(Hub::with(Settings::new().identify(Users))).await;
    let reply = server.post("/users", &[NDJSON, "x-user: ann"], BODY).await;
    let log = reply.events().await;
    let (sse, state) = (url(&log[0], "sse_url"), url(&log[0], "state_url"));
    let past = format!("{sse}?since={}", url(&log[4], "id"));
    let unknown = format!("/aon/sessions/{TRACE}/events");
    let mut asked = 0;
    for (path, user, status) in [
        (&sse, "ann", 200),
        (&sse, "bob", 404),
        (&sse, "bad", 401),
        (&unknown, "ann", 404),
        (&unknown, "bad", 401),
        (&past, "ann", 204),
    ] {
        for method in ["HEAD", "GET"] {
            let user = format!("x-user: {user}");
            let reply = request(server.address, method, path, &[&user], "").await;
            assert_eq!(reply.status, status, "{method} {path} {user}");
            assert_eq!(reply.header("vary"), Some("accept"), "{method} {path}");
            if status == 200 {
                assert_eq!(reply.header("content-type"), Some("text/event-stream"));
            }
            asked += 1;
        }
    }
    assert_eq!(asked, 12);
    let tickets = format!("{state}/tickets");
    let ticket = server
        .post(&tickets, &["x-user: ann"], "")
        .await
        .json()
        .await;
    let address = url(&ticket, "sse_url");
    for _ in 0..2 {
        let peeked = request(server.address, "HEAD", &address, &["x-user: ann"], "").await;
        assert_eq!(peeked.status, 200);
    }
    assert_eq!(server.get(&address, &[]).await.status, 200, "not spent");
    assert_eq!(server.get(&address, &[]).await.status, 404, "spent");
}

#[tokio::test]
async fn bad_credentials_say_nothing_about_which_sessions_there_are() {
    let server = serve(Hub::with(Settings::new().identify(Users))).await;
    let reply = server.post("/users", &[NDJSON, "x-user: ann"], BODY).await;
    let log = reply.events().await;
    let state = url(&log[0], "state_url");
    let mut asked = 0;
    for base in [
        &*state,
        &format!("/aon/sessions/{TRACE}"),
        "/aon/sessions/x",
    ] {
        for (method, rest) in [
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/events"),
            ("POST", "/tickets"),
            ("GET", "/healing"),
        ] {
            let path = format!("{base}{rest}");
            let reply = request(server.address, method, &path, &["x-user: bad"], "").await;
            assert_eq!(reply.status, 401, "{method} {path}");
            assert!(reply.header("www-authenticate").is_some());
            asked += 1;
        }
    }
    assert_eq!(asked, 15);
}

#[tokio::test]
async fn a_ticket_that_a_page_got_is_good_for_pages_of_that_origin() {
    let server = serve(Hub::with(Settings::new().identify(Users))).await;
    let reply = server.post("/users", &[NDJSON, "x-user: ann"], BODY).await;
    let log = reply.events().await;
    let tickets = format!("{}/tickets", url(&log[0], "state_url"));
    let own = "origin: https://app.example";
    for (issued, used, status) in [
        (own, own, 200),
        (own, "origin: https://evil.example", 404),
        (
            own,
            "x: no origin, as in a GET of the page's own server",
            200,
        ),
        ("x: a program", own, 200),
    ] {
        let ticket = server.post(&tickets, &["x-user: ann", issued], "").await;
        let address = url(&ticket.json().await, "sse_url");
        let reply = server.get(&address, &[used]).await;
        assert_eq!(reply.status, status, "{issued}; {used}");
        if status == 404 {
            assert_eq!(server.get(&address, &[own]).await.status, 404, "spent");
        }
    }
}

#[tokio::test]
async fn who_does_not_speak_websocket_is_told_what_is_spoken() {
    let server = serve(Hub::new()).await;
    let log = server.stream("/users", BODY).await;
    let ws = url(&log[0], "ws_url");
    let handshake = [
        "connection: upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 8",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    for headers in [&[][..], &handshake] {
        let reply = server.get(&ws, headers).await;
        assert_eq!(reply.status, 426);
        assert_eq!(reply.header("upgrade"), Some("websocket"));
        assert_eq!(reply.header("sec-websocket-version"), Some("13"));
        assert_eq!(reply.json().await["code"], "upgrade_required");
    }
}
