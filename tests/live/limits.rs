//! What bounds a hub, and what is told at the bound.

use std::time::Duration;

use aon_live::{Hub, Settings};

use super::support::*;

#[tokio::test]
async fn ended_sessions_make_room_and_open_ones_do_not() {
    let server = serve(Hub::with(Settings::new().sessions(3))).await;
    for _ in 0..10 {
        server.stream("/users", r#"{"name":"ann"}"#).await;
        assert!(server.hub.stats().sessions <= 3);
    }
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(server.post("/gated", &[NDJSON], "").await);
    }
    let refused = server.post("/users", &[NDJSON], r#"{"name":"ann"}"#).await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (503, Some("1"))
    );
    assert_eq!(refused.json().await["code"], "too_many_sessions");
    assert_eq!(
        server.post("/users", &[], r#"{"name":"ann"}"#).await.status,
        200,
        "a black box is served"
    );
    server.gate.0.notify_waiters();
    for reply in open {
        assert_eq!(reply.events().await.last().unwrap()["type"], "result");
    }
}

#[tokio::test]
async fn a_session_is_forgotten_some_time_after_its_end() {
    let server = serve(Hub::with(
        Settings::new().retention(Duration::from_millis(50)),
    ))
    .await;
    let log = server.stream("/users", r#"{"name":"ann"}"#).await;
    let url = log[0]["state_url"].as_str().unwrap();
    tokio::time::sleep(Duration::from_millis(120)).await;
    assert_eq!(server.get(url, &[]).await.status, 404);
    assert_eq!(server.hub.stats().bytes, 0, "nothing is left of it");
}

#[tokio::test]
async fn a_session_that_is_open_for_too_long_is_ended() {
    let server = serve(Hub::with(
        Settings::new().lifetime(Duration::from_millis(100)),
    ))
    .await;
    let log = server.stream("/hangs", "").await;
    check_stream(&log);
    assert_eq!(log.last().unwrap()["code"], "session_expired");
}

#[tokio::test]
async fn readers_are_counted_and_the_rest_is_told_to_come_later() {
    let server = serve(Hub::with(Settings::new().readers(3, 2))).await;
    let mut one = server.post("/gated", &[NDJSON], "").await;
    let mut two = server.post("/gated", &[NDJSON], "").await;
    let url = |session: &serde_json::Value| session["sse_url"].as_str().unwrap().to_owned();
    let (one_url, two_url) = (
        url(&one.event().await.unwrap()),
        url(&two.event().await.unwrap()),
    );
    let first = server.get(&one_url, &[]).await;
    let _second = server.get(&one_url, &[]).await;
    assert_eq!(
        server.get(&one_url, &[]).await.json().await["code"],
        "too_many_readers"
    );
    let _third = server.get(&two_url, &[]).await;
    assert_eq!(server.get(&two_url, &[]).await.status, 503);
    drop(first);
    server.gate.0.notify_waiters();
    drop((one.events().await, two.events().await));
    for _ in 0..100 {
        if server.hub.stats().readers <= 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{:?}", server.hub.stats());
}

#[tokio::test]
async fn too_many_events_are_left_out_and_counted() {
    let server = serve(Hub::with(Settings::new().events(10))).await;
    let log = server.stream("/burst", "[50, 0]").await;
    check_stream(&log);
    assert_eq!(log.len(), 1 + 10 + 1 + 1);
    let told = &log[log.len() - 2];
    assert_eq!(
        (&told["phase"], &told["dropped"]),
        (&"dropped".into(), &40.into())
    );
}

#[tokio::test]
async fn too_many_events_in_a_second_are_left_out_and_counted() {
    let server = serve(Hub::with(Settings::new().events_per_second(10))).await;
    // At once, and spread over some seconds.
    for (body, fewest, most) in [("[50, 0]", 10, 10), ("[50, 30]", 15, 30)] {
        let log = server.stream("/burst", body).await;
        check_stream(&log);
        let shown = log
            .iter()
            .filter(|event| {
                event["message"]
                    .as_str()
                    .is_some_and(|text| text.starts_with("event "))
            })
            .count();
        assert!((fewest..=most).contains(&shown), "{body}: {shown}");
        let told = &log[log.len() - 2];
        assert_eq!(told["dropped"], 50 - shown as u64, "{body}");
    }
    let known = server.get("/.well-known/aon", &[]).await.json().await;
    assert_eq!(known["limits"]["events_per_second"], 10);
}

#[tokio::test]
async fn all_sessions_together_keep_within_the_budget() {
    let budget = 60_000;
    let server = serve(Hub::with(Settings::new().budget(budget))).await;
    let first = server.stream("/burst", "[100, 0]").await;
    for _ in 0..5 {
        let log = server.stream("/burst", "[100, 0]").await;
        // What the response saw is right, with what it missed told.
        assert_eq!(log.last().unwrap()["type"], "result");
        assert!(
            server.hub.stats().bytes <= budget + 2_000,
            "{:?}",
            server.hub.stats()
        );
    }
    let url = first[0]["state_url"].as_str().unwrap();
    assert_eq!(
        server.get(url, &[]).await.status,
        404,
        "the first to end is the first to go"
    );
}

#[tokio::test]
async fn an_event_of_a_megabyte_is_shortened_and_says_so() {
    let hub = Hub::with(Settings::new().environment(aon_live::Environment::Development));
    let app = axum::Router::new()
        .route(
            "/",
            axum::routing::post(async |session: aon_live::Session| {
                let long = "é".repeat(1 << 19);
                session.status(&long);
                session
                    .healing(aon_live::Severity::Low, "x")
                    .metadata("all", &long);
                let name = aon_live::event::EventName::parse("blob").unwrap();
                session.emit_named(&name, &long);
                axum::Json(long)
            }),
        )
        .layer(aon_live::GlassBox::new(&hub));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let log = request(address, "POST", "/", &[NDJSON], "")
        .await
        .events()
        .await;
    check_stream(&log);
    assert_eq!(
        kinds(&log),
        ["session", "status", "healing", "blob", "result"]
    );
    for event in &log[1..4] {
        assert!(event.to_string().len() < 70_000);
    }
    assert!(log[1]["message"].as_str().unwrap().ends_with('…'));
    assert_eq!(log[2]["metadata"]["truncated"], true);
    assert_eq!(log[3]["truncated"], true);
    assert_eq!(
        log[4]["data"].as_str().unwrap().len(),
        1 << 20,
        "the answer is whole"
    );
}

#[tokio::test]
async fn many_tiny_sessions_take_bounded_room() {
    use tower::ServiceExt as _;
    let hub = Hub::with(Settings::new().sessions(500));
    let app: axum::Router = axum::Router::new()
        .route("/", axum::routing::post(async || axum::Json(1)))
        .layer(aon_live::GlassBox::new(&hub));
    // A million takes minutes: `AON_TINY_SESSIONS=1000000`.
    let count = std::env::var("AON_TINY_SESSIONS").ok();
    let count: u32 = count.and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let mut most = 0;
    let mut resident = Vec::new();
    for n in 0..count {
        let request = http::Request::post("/")
            .header("accept", "application/x-ndjson")
            .body(axum::body::Body::empty())
            .unwrap();
        let response = app.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        if n % 1_000 == 0 {
            let body = axum::body::to_bytes(response.into_body(), 1 << 20)
                .await
                .unwrap();
            assert_eq!(body.iter().filter(|byte| **byte == b'\n').count(), 2);
        }
        most = most.max(hub.stats().bytes);
        if n % (count / 10) == 0 {
            resident.push(memory());
        }
    }
    // Of the process: other tests run in it too, so only a leak would show.
    let grown = resident[9].saturating_sub(resident[1]);
    assert!(grown < 64 << 10, "{resident:?} KiB");
    assert!(hub.stats().sessions <= 500);
    assert!(most < 500 * 4096, "{most} bytes");
    println!(
        "count: {count} sessions, at most {most} bytes of events, {grown} KiB more in the process"
    );
}

/// Resident memory in KiB; nothing where the system does not say.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|text| text.parse().ok()).unwrap_or(0)
}
