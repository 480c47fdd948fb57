//! Readers that join with random cursors, on every channel, are cut and come back, against the full log.

use std::time::Duration;

use aon_live::{Hub, Settings};
use futures_util::StreamExt as _;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use tokio_tungstenite::tungstenite::Message;

use super::support::*;

/// What one reader does.
#[derive(Clone, Debug)]
struct Plan {
    /// 0: server-sent events, 1: NDJSON, 2: WebSocket.
    channel: u8,
    after_ms: u64,
    /// It hangs up after that many events, and comes back with the last id.
    cut_after: usize,
    /// What it claims at first: a number of this numbering, or nothing.
    claim: Option<u64>,
}

fn plan() -> impl Strategy<Value = Plan> {
    (
        0..3_u8,
        0..120_u64,
        1..12_usize,
        prop::option::of(0..40_u64),
    )
        .prop_map(|(channel, after_ms, cut_after, claim)| Plan {
            channel,
            after_ms,
            cut_after,
            claim,
        })
}

/// Reads up to `count` events on one connection; whether the session ended on it.
async fn read(
    server: &Server,
    session: &Value,
    channel: u8,
    cursor: &str,
    count: usize,
) -> (Vec<Value>, bool) {
    let url = session["sse_url"].as_str().unwrap();
    let mut events = Vec::new();
    if channel == 2 {
        let url = format!(
            "ws://{}{}?since={cursor}",
            server.address,
            session["ws_url"].as_str().unwrap()
        );
        let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
        while events.len() < count {
            match tokio::time::timeout(PATIENCE, socket.next())
                .await
                .expect("more in time")
            {
                Some(Ok(Message::Text(text))) => events.push(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return (events, true),
                Some(Ok(_)) => {}
            }
        }
        return (events, false);
    }
    let accept = if channel == 0 {
        "accept: text/event-stream"
    } else {
        NDJSON
    };
    let mut reply = server
        .get(url, &[accept, &format!("last-event-id: {cursor}")])
        .await;
    if reply.status == 204 {
        return (events, true);
    }
    while events.len() < count {
        let next = if channel == 0 {
            reply.sse().await.map(|event| event.1)
        } else {
            reply.event().await
        };
        match next {
            Some(event) => events.push(event),
            None => return (events, true),
        }
    }
    (events, false)
}

/// Follows a session by a plan until it has seen the end, and gives all it was shown, connection by connection.
async fn follow(server: &Server, session: &Value, plan: &Plan) -> Vec<(String, Vec<Value>)> {
    tokio::time::sleep(Duration::from_millis(plan.after_ms)).await;
    let epoch = session["id"]
        .as_str()
        .unwrap()
        .split('-')
        .next()
        .unwrap()
        .to_owned();
    let mut cursor = plan
        .claim
        .map_or_else(|| "0".to_owned(), |seq| format!("{epoch}-{seq}"));
    let mut views = Vec::new();
    // A gap and the sign of being live take room too, so every connection reads a little more.
    for count in plan.cut_after..plan.cut_after + 200 {
        let (events, over) = read(server, session, plan.channel, &cursor, count).await;
        let last = events
            .iter()
            .rev()
            .find_map(|event| event["id"].as_str())
            .map(str::to_owned);
        let ended = events
            .iter()
            .any(|event| matches!(event["type"].as_str(), Some("result" | "error")));
        views.push((cursor.clone(), events));
        cursor = last.unwrap_or(cursor);
        if ended || over {
            return views;
        }
    }
    panic!("it never saw the end: {plan:?}");
}

/// One connection's view is the log from its cursor on, its holes exactly those it was told.
fn check(cursor: &str, view: &[Value], log: &[Value]) -> usize {
    let epoch = log[0]["id"].as_str().unwrap().split('-').next().unwrap();
    let claimed: u64 = cursor
        .strip_prefix(&format!("{epoch}-"))
        .map_or(0, |seq| seq.parse().unwrap());
    let mut next = claimed + 1;
    let mut told = 0;
    for (at, event) in view.iter().enumerate() {
        match event["type"].as_str().unwrap() {
            "gap" => {
                let oldest = event["oldest"].as_u64().unwrap();
                match event["reason"].as_str().unwrap() {
                    "evicted" => assert!(oldest > next, "{event}"),
                    "ahead" => assert_eq!(at, 0, "{event}"),
                    other => panic!("{other}"),
                }
                next = oldest;
                told += 1;
            }
            "replay_complete" => assert!(event["last_seq"].as_u64().unwrap() < next, "{event}"),
            _ => {
                assert_eq!(event["seq"], next, "after {cursor}: {view:?}");
                assert_eq!(*event, log[usize::try_from(next).unwrap() - 1]);
                next += 1;
            }
        }
    }
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_readers_see_the_log_or_are_told_what_they_missed() {
    let mut runner = TestRunner::deterministic();
    let plans = prop::collection::vec(plan(), 12);
    let (mut events, mut gaps, mut connections) = (0, 0, 0);
    for ring in 3..=8 {
        let server = serve(Hub::with(Settings::new().ring_events(ring))).await;
        let mut ndjson = server.post("/burst", &[NDJSON], "[60, 2]").await;
        let session = ndjson.event().await.unwrap();
        let plans = plans.new_tree(&mut runner).unwrap().current();
        let views = futures_util::future::join_all(
            plans.iter().map(|plan| follow(&server, &session, plan)),
        );
        let rest = tokio::spawn(ndjson.events());
        let views = views.await;
        let mut log = vec![session.clone()];
        log.extend(rest.await.unwrap());
        check_stream(&log);
        assert_eq!(log.len(), 62);
        for (cursor, view) in views.iter().flatten() {
            gaps += check(cursor, view, &log);
            events += view.len();
            connections += 1;
        }
    }
    assert!(events > 500 && gaps > 5, "{events} events, {gaps} gaps");
    println!("count: {connections} connections, {events} events, {gaps} gaps told");
}
