//! One end, whatever happens.

use std::time::Duration;

use aon_live::{Hub, Settings};
use tokio::time::{Instant, sleep};

use super::support::*;

#[tokio::test]
async fn a_failure_after_the_start_carries_the_problem_whole() {
    let server = serve(Hub::new()).await;
    let black = server
        .post("/users", &[TRACEPARENT], r#"{"name":"nobody"}"#)
        .await;
    assert_eq!(black.status, 503);
    let black = black.json().await;
    let reply = server
        .post("/users", &[NDJSON, TRACEPARENT], r#"{"name":"nobody"}"#)
        .await;
    assert_eq!(reply.status, 200);
    let events = reply.events().await;
    check_stream(&events);
    let end = events.last().unwrap();
    assert_eq!(
        (&end["type"], &end["status"], &end["code"]),
        (&"error".into(), &503.into(), &"db_unreachable".into())
    );
    assert_eq!(end["message"], black["detail"]);
    assert_eq!(end["problem"], black);
}

#[tokio::test]
async fn a_handler_that_fails_at_once_fails_in_the_stream() {
    let server = serve(Hub::new()).await;
    let events = server.stream("/fails", "").await;
    check_stream(&events);
    assert_eq!(kinds(&events), ["session", "error"]);
    assert_eq!(
        (&events[1]["status"], &events[1]["problem"]["id"]),
        (&404.into(), &7.into())
    );
}

#[tokio::test]
async fn a_panic_is_an_end_and_its_words_stay_inside() {
    let server = serve(Hub::new()).await;
    for path in ["/panics", "/panics-late"] {
        let events = server.stream(path, "").await;
        check_stream(&events);
        let end = events.last().unwrap();
        assert_eq!(
            (&end["code"], &end["status"]),
            (&"internal_panic".into(), &500.into())
        );
        assert!(!format!("{events:?}").contains("hunter2secret"));
        let black = server.post(path, &[], "").await;
        assert_eq!(
            (black.status, &black.json().await["code"]),
            (500, &"internal_panic".into())
        );
    }
}

#[tokio::test]
async fn a_handler_without_a_session_streams_at_once() {
    let server = serve(Hub::new()).await;
    let start = Instant::now();
    let mut reply = server.post("/silent", &[NDJSON], "").await;
    let first = reply.event().await.unwrap();
    assert_eq!(first["type"], "session");
    assert!(
        start.elapsed() < Duration::from_millis(300),
        "{:?}",
        start.elapsed()
    );
    let rest = reply.events().await;
    assert_eq!(kinds(&rest), ["result"]);
    assert!(start.elapsed() >= Duration::from_millis(400));
}

#[tokio::test]
async fn a_cancelled_session_ends_with_its_reason() {
    let server = serve(Hub::new()).await;
    let mut reply = server.post("/hangs", &[NDJSON], "").await;
    let session = reply.event().await.unwrap();
    let state_url = session["state_url"].as_str().unwrap();
    let state = server.get(state_url, &[]).await.json().await;
    assert_eq!(
        (&state["state"], &state["outcome"]),
        (&"open".into(), &serde_json::Value::Null)
    );
    assert_eq!(server.delete(state_url).await.status, 202);
    let rest = reply.events().await;
    assert_eq!(rest.last().unwrap()["code"], "cancelled");
    let state = server.get(state_url, &[]).await.json().await;
    assert_eq!(
        (&state["state"], &state["outcome"]["code"]),
        (&"error".into(), &"cancelled".into())
    );
    assert_eq!(
        server.delete(state_url).await.status,
        200,
        "again is no harm"
    );
}

#[tokio::test]
async fn a_caller_that_leaves_ends_a_get_and_not_a_post() {
    let server = serve(Hub::new()).await;
    for (method, headers, state) in [
        ("GET", vec![NDJSON], "error"),
        ("POST", vec![NDJSON], "open"),
        ("POST", vec![NDJSON, "aon-on-disconnect: cancel"], "error"),
        ("GET", vec![NDJSON, "aon-on-disconnect: continue"], "open"),
        (
            "POST",
            vec![NDJSON, "aon-on-disconnect: cancel-if-unwatched"],
            "error",
        ),
    ] {
        let mut reply = request(server.address, method, "/gated", &headers, "").await;
        let session = reply.event().await.unwrap();
        let url = session["state_url"].as_str().unwrap().to_owned();
        drop(reply);
        let mut found = String::new();
        for _ in 0..100 {
            found = server.get(&url, &[]).await.json().await["state"]
                .as_str()
                .unwrap()
                .to_owned();
            if found == "error" {
                break;
            }
            sleep(Duration::from_millis(10)).await;
            if state == "open" {
                sleep(Duration::from_millis(100)).await;
                break;
            }
        }
        assert_eq!(found, state, "{method} {headers:?}");
    }
    // Those that go on come to their end, which can be read.
    server.gate.0.notify_waiters();
    sleep(Duration::from_millis(100)).await;
    assert_eq!(server.hub.stats().open, 0);
}

#[tokio::test]
async fn time_runs_out_in_both_modes() {
    let hub = Hub::new();
    let server = serve_with(hub, |layer| {
        layer
            .deadline(Some(Duration::from_millis(80)))
            .time_limit(Duration::from_millis(80))
    })
    .await;
    let events = server.stream("/hangs", "").await;
    check_stream(&events);
    let end = events.last().unwrap();
    assert_eq!(
        (&end["code"], &end["status"]),
        (&"timed_out".into(), &504.into())
    );

    let black = server.post("/gated", &[], "").await;
    assert_eq!(black.status, 504);
    let session = black.header("aon-session").map(str::to_owned);
    let problem = black.json().await;
    let url = problem["state_url"].as_str().unwrap().to_owned();
    assert_eq!(session.as_deref(), Some(&*url));
    assert!(!problem.to_string().contains("[redacted]"), "{problem}");
    assert_eq!(
        server.get(&url, &[]).await.json().await["state"],
        "open",
        "the work goes on"
    );
    server.gate.0.notify_waiters();
    let events = server
        .get(&format!("{url}/events"), &[NDJSON])
        .await
        .events()
        .await;
    assert_eq!(events.last().unwrap()["data"], "done", "{events:?}");

    let black = request(server.address, "GET", "/gated", &[], "").await;
    assert_eq!(
        (black.status, &black.json().await["state_url"]),
        (504, &serde_json::Value::Null)
    );
}

#[tokio::test]
async fn shutting_down_ends_every_stream_in_bounded_time() {
    let server = serve(Hub::new()).await;
    let mut one = server.post("/hangs", &[NDJSON], "").await;
    let session = one.event().await.unwrap();
    let sse = server.get(session["sse_url"].as_str().unwrap(), &[]).await;
    let start = Instant::now();
    server.hub.shutdown(Duration::from_millis(100)).await;
    let rest = one.events().await;
    let words: Vec<_> = rest
        .iter()
        .map(|event| event["phase"].as_str().unwrap_or_default())
        .collect();
    assert!(words.contains(&"draining"), "{rest:?}");
    assert_eq!(rest.last().unwrap()["code"], "shutting_down");
    assert_eq!(
        sse.all_sse().await.last().unwrap().1["code"],
        "shutting_down"
    );
    assert!(start.elapsed() < Duration::from_secs(2));
    let refused = server.post("/users", &[NDJSON], r#"{"name":"ann"}"#).await;
    assert_eq!(
        (refused.status, &refused.json().await["code"]),
        (503, &"shutting_down".into())
    );
    assert_eq!(
        server.post("/users", &[], r#"{"name":"ann"}"#).await.status,
        200
    );
}

#[tokio::test]
async fn shutting_down_waits_for_black_boxes_and_then_answers_them() {
    let hub = Hub::new();
    let server = serve(hub.clone()).await;
    let start = Instant::now();
    let address = server.address;
    let call = |path: &'static str| {
        tokio::spawn(async move {
            let reply = request(address, "POST", path, &[], "").await;
            let status = reply.status;
            (status, reply.json().await["code"].clone())
        })
    };
    // One is done in time, the other would never be.
    let (silent, hangs) = (call("/silent"), call("/hangs"));
    sleep(Duration::from_millis(100)).await;
    hub.shutdown(Duration::from_millis(900)).await;
    assert_eq!(silent.await.unwrap().0, 200);
    assert_eq!(hangs.await.unwrap(), (503, "shutting_down".into()));
    assert!(start.elapsed() < Duration::from_secs(3));
    // Without anybody at work there is nothing to wait for.
    let idle = Instant::now();
    Hub::new().shutdown(Duration::from_secs(60)).await;
    assert!(idle.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_runtime_that_goes_away_leaves_no_session_without_an_end() {
    let hub = Hub::new();
    let inside = hub.clone();
    // The second runtime is dropped with the handler in it.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let server = serve(inside).await;
            let mut reply = server.post("/hangs", &[NDJSON], "").await;
            assert_eq!(reply.event().await.unwrap()["type"], "session");
        });
        runtime.shutdown_background();
    })
    .join()
    .unwrap();
    for _ in 0..1000 {
        if hub.stats().open == 0 {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("{:?}", hub.stats());
}

#[tokio::test]
async fn heartbeats_come_while_the_handler_is_silent_and_take_no_number() {
    let server = serve(Hub::with(
        Settings::new().heartbeat(Duration::from_millis(40)),
    ))
    .await;
    let events = server.stream("/silent", "").await;
    let beats: Vec<_> = events
        .iter()
        .filter(|event| event["message"] == "heartbeat")
        .collect();
    assert!(beats.len() >= 4, "{events:?}");
    assert!(
        beats
            .iter()
            .all(|beat| beat.get("seq").is_none() && beat["last_seq"] == 1)
    );
    check_stream(&events);
    assert_eq!(events.last().unwrap()["seq"], 2);
}

#[tokio::test]
async fn the_profile_of_each_second_beats_at_once_and_with_its_own_words() {
    let settings = Settings::new()
        .profile(aon_live::Profile::EachSecond)
        .heartbeat(Duration::from_millis(50));
    let server = serve(Hub::with(settings)).await;
    let events = server.stream("/silent", "").await;
    assert_eq!(kinds(&events)[..2], ["session", "heartbeat"]);
    let beats: Vec<_> = events
        .iter()
        .filter(|event| event["type"] == "heartbeat")
        .collect();
    assert!(beats.len() >= 5, "{events:?}");
    assert!(
        beats.iter().all(|beat| beat["ts"].is_u64()
            && beat["uptimeMs"].is_u64()
            && beat.get("seq").is_none())
    );
    check_stream(&events);
}
