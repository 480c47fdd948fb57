//! What sessions do while their engine is gone, cut off or has come back empty, and events that stay on their node.

use std::time::Duration;

use aon_live::store::WhenGone;
use aon_live::{Hub, Settings};
use aon_tests::engine::{Engine, engines};
use aon_tests::place::say;
use aon_tests::wire::Wire;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::redis::settings;
use super::support::*;

const LEASE: Duration = Duration::from_millis(800);

fn node(name: &str, engines: &[&Engine], replicas: u32) -> Hub {
    let redis = settings(engines, replicas, "o").node(name).lease(LEASE);
    Hub::with(Settings::new().redis(redis))
}

/// Waits until it is so; a time-out is a failure.
async fn until(what: &str, so: impl Fn() -> bool) {
    for _ in 0..400 {
        if so() {
            return;
        }
        sleep(Duration::from_millis(50)).await;
    }
    panic!("{what}: not in time");
}

async fn known_to_be_gone(hub: &Hub) {
    let broken = || {
        hub.trouble()
            .is_some_and(|why| why.contains("writer") || why.contains("calls"))
    };
    until("the engine is known to be gone", broken).await;
}

/// The next event whose type is this, and whose member is that.
async fn event_with(reply: &mut Reply, member: &str, value: &str) -> Value {
    while let Some(event) = reply.event().await {
        if event[member] == value {
            return event;
        }
    }
    panic!("no event with {member} {value}");
}

fn numbers(events: &[Value]) -> Vec<u64> {
    events
        .iter()
        .filter_map(|event| event["seq"].as_u64())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn status_stays_on_its_node_where_the_route_says_so() {
    let Some((_, program)) = engines("status that stays").into_iter().next() else {
        return;
    };
    let engine = Engine::start(&program, None);
    let one = serve_with(node("one", &[&engine], 0), |layer| layer.local_status()).await;
    let other = serve(node("two", &[&engine], 0)).await;
    let mut ndjson = one.post("/burst", &[NDJSON], "[8,40]").await;
    let session = ndjson.event().await.unwrap();
    let path = session["sse_url"].as_str().unwrap();
    sleep(Duration::from_millis(90)).await;
    let (here, there) = (
        one.get(path, &[NDJSON]).await,
        other.get(path, &[NDJSON]).await,
    );
    let (response, here, there) = tokio::join!(ndjson.events(), here.events(), there.events());
    let said = |events: &[Value]| {
        let said = events.iter().filter(|event| event["type"] == "status");
        assert!(
            said.clone()
                .all(|event| event["seq"].is_null() && event["id"].is_null())
        );
        said.map(|event| event["message"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let all: Vec<String> = (1..=8).map(|n| format!("event {n}")).collect();
    assert_eq!(said(&response), all, "in order, and none twice");
    assert_eq!(
        response.last().unwrap()["seq"],
        2,
        "only what is stored is numbered"
    );
    let later = said(&here);
    assert!(!later.is_empty() && all.ends_with(&later), "{later:?}");
    assert_eq!(said(&there), Vec::<String>::new());
    for events in [&here, &there] {
        assert_eq!(numbers(events), [1, 2], "no hole anywhere");
        assert!(events.iter().all(|event| event["type"] != "gap"));
    }
    // Nothing of it is in the log.
    let again = other.get(path, &[NDJSON]).await.events().await;
    assert_eq!(again.len(), 2, "{again:?}");
    say(&format!(
        "count: {} status events stayed on their node",
        all.len()
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_route_goes_on_in_memory_and_says_so() {
    for (_, program) in engines("going on in memory") {
        let mut primary = Engine::start(&program, None);
        let replica = Engine::start(&program, Some(primary.port));
        let hub = node("one", &[&primary, &replica], 1);
        let one = serve_with(hub.clone(), |layer| layer.when_gone(WhenGone::Memory)).await;
        let strict = serve_with(hub, |layer| layer.when_gone(WhenGone::Refuse)).await;
        let other = serve(node("two", &[&primary, &replica], 1)).await;
        let mut open = one.post("/gated", &[NDJSON], "").await;
        let session = open.event().await.unwrap();
        assert_eq!(session["durability"], "replicated");
        event_with(&mut open, "message", "waiting").await;
        primary.kill();
        known_to_be_gone(&one.hub).await;
        let told = event_with(&mut open, "phase", "durability").await;
        assert_eq!(
            (&told["durability"], &told["seq"]),
            (&json!("memory"), &json!(3))
        );
        // A new one is served whole, and says what it is worth; a route that refuses, refuses.
        let new = one.stream("/burst", "[3,0]").await;
        assert_eq!(new[0]["durability"], "memory");
        assert_eq!(numbers(&new), [1, 2, 3, 4, 5]);
        let refused = strict.post("/burst", &[NDJSON], "[1,0]").await;
        assert_eq!(
            (refused.status, refused.header("retry-after")),
            (503, Some("2"))
        );
        assert_eq!(strict.post("/burst", &[], "[1,0]").await.status, 200);
        primary.come_back();
        let told = event_with(&mut open, "phase", "durability").await;
        assert_eq!(
            (&told["durability"], &told["seq"]),
            (&json!("replicated"), &json!(4))
        );
        one.gate.0.notify_waiters();
        let last = open.events().await.pop().unwrap();
        assert_eq!((&last["type"], &last["seq"]), (&json!("result"), &json!(6)));
        // Everything that was shown meanwhile is in the store now.
        for (session, count) in [(&session, 6), (&new[0], 5)] {
            let path = session["sse_url"].as_str().unwrap();
            let read = other.get(path, &[NDJSON]).await.events().await;
            assert_eq!(numbers(&read), (1..=count).collect::<Vec<u64>>());
            assert!(read.iter().all(|event| event["type"] != "gap"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_black_box_goes_on_in_a_session_without_the_engine() {
    let Some((_, program)) = engines("a slow black box").into_iter().next() else {
        return;
    };
    let mut engine = Engine::start(&program, None);
    let short = Some(Duration::from_millis(100));
    let one = serve_with(node("one", &[&engine], 0), |layer| layer.deadline(short)).await;
    assert_eq!(one.post("/plain", &[], "").await.status, 200);
    engine.kill();
    known_to_be_gone(&one.hub).await;
    let late = one.post("/silent", &[], "").await;
    assert_eq!(late.status, 504);
    let late = late.json().await;
    let state = late["state_url"]
        .as_str()
        .expect("its work goes on")
        .to_owned();
    sleep(Duration::from_millis(600)).await;
    let state = one.get(&state, &[]).await.json().await;
    assert_eq!(state["state"], "result", "{state}");
}

/// Waits for what has to come within seconds: a test that waits forever names nothing.
async fn soon<T>(what: &str, comes: impl Future<Output = T>) -> T {
    match tokio::time::timeout(Duration::from_secs(30), comes).await {
        Ok(came) => came,
        Err(_) => panic!("waited 30 s for this: {what}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_shown_from_memory_and_never_stored_is_told_by_a_gap() {
    let Some((_, program)) = engines("a node that is cut off").into_iter().next() else {
        return;
    };
    let engine = Engine::start(&program, None);
    let wire = Wire::to(engine.port);
    let url = format!(
        "redis://127.0.0.1:{}?lease_ms=800&prefix=o:&when_gone=memory",
        wire.port
    );
    let hub = Hub::redis(&url).unwrap();
    let one = serve(hub).await;
    let other = serve(node("two", &[&engine], 0)).await;
    let mut open = one.post("/gated", &[NDJSON], "").await;
    let session = open.event().await.unwrap();
    let path = session["sse_url"].as_str().unwrap();
    event_with(&mut open, "message", "waiting").await;
    wire.cut();
    known_to_be_gone(&one.hub).await;
    let shown = event_with(&mut open, "durability", "memory").await;
    assert_eq!(shown["seq"], 3);
    // Meanwhile the other node ends it, and whoever reads there knows nothing of the third event.
    let there = other.get(path, &[NDJSON]).await;
    let there = soon("the other node ends it", there.events()).await;
    let end = there.last().unwrap();
    assert_eq!(
        (&end["code"], &end["seq"]),
        (&json!("session_orphaned"), &json!(3))
    );
    wire.mend();
    // Its own readers are let go of, and told when they come back, here and there.
    soon("its own readers are let go of", async {
        while open.event().await.is_some() {}
    })
    .await;
    let seen = format!("last-event-id: {}", shown["id"].as_str().unwrap());
    for server in [&one, &other] {
        let mut back = Vec::new();
        for _ in 0..40 {
            let reply = server.get(path, &[NDJSON, &seen]).await;
            // 204: the cursor is the end there. It is not the event that was seen.
            assert_ne!(reply.status, 204, "another event has this number");
            back = soon("a reader that comes back", reply.events()).await;
            if !back.is_empty() {
                break;
            }
            sleep(Duration::from_millis(100)).await;
        }
        assert_eq!(back[0]["type"], "gap", "{back:?}");
        assert_eq!(back.last().unwrap()["code"], "session_orphaned");
    }
}

/// A node may go after it has made a session and before its first event is stored. Whoever reads the end that it gets elsewhere
/// still begins with `session`.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_never_stored_anything_still_begins_with_session() {
    for (_, program) in engines("a node that goes before it has stored anything") {
        let engine = Engine::start(&program, None);
        let wire = Wire::to(engine.port);
        let url = format!("redis://127.0.0.1:{}?lease_ms=800&prefix=o:", wire.port);
        let one = serve(Hub::redis(&url).unwrap()).await;
        let other = serve(node("two", &[&engine], 0)).await;
        let mut open = one.post("/gated", &[NDJSON], "").await;
        let session = open.event().await.unwrap();
        let id = session["session_id"].as_str().unwrap();
        event_with(&mut open, "message", "waiting").await;
        wire.cut();
        // As it would be if the first append had not come through.
        let emptied = engine.ask(&format!("HSET o:{{{id}}}m n 0 f 1 b 0"));
        assert_eq!(emptied.as_deref(), Some(":0"));
        assert_eq!(
            engine.ask(&format!("DEL o:{{{id}}}e")).as_deref(),
            Some(":1")
        );
        let there = other.get(session["sse_url"].as_str().unwrap(), &[NDJSON]);
        let there = soon("the other node ends it", async {
            there.await.events().await
        })
        .await;
        let numbered: Vec<_> = there.iter().filter(|event| event["seq"].is_u64()).collect();
        assert_eq!(numbers(&there), [1, 2], "{there:?}");
        assert_eq!(numbered[0]["type"], "session");
        assert_eq!(numbered[0]["sse_url"], session["sse_url"]);
        assert_eq!(numbered[1]["code"], "session_orphaned");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_comes_back_empty_gets_the_sessions_again() {
    for (_, program) in engines("an engine that comes back empty") {
        let mut engine = Engine::start(&program, None);
        let one = serve(node("one", &[&engine], 0)).await;
        let other = serve(node("two", &[&engine], 0)).await;
        let mut open = one.post("/gated", &[NDJSON], "").await;
        let session = open.event().await.unwrap();
        let path = session["sse_url"].as_str().unwrap();
        let waiting = event_with(&mut open, "message", "waiting").await;
        assert_eq!(one.stream("/burst", "[3,0]").await.len(), 5);
        engine.kill();
        engine.start_again(None);
        // Also a session that says nothing is there again, for readers of every node.
        let seen = format!("last-event-id: {}", waiting["id"].as_str().unwrap());
        let mut back = None;
        for _ in 0..100 {
            let reply = other.get(path, &[NDJSON, &seen]).await;
            if reply.status == 200 {
                back = Some(reply);
                break;
            }
            sleep(Duration::from_millis(50)).await;
        }
        let back = back.expect("it is found again");
        one.gate.0.notify_waiters();
        let (ours, theirs) = tokio::join!(open.events(), back.events());
        assert_eq!(ours.last().unwrap()["type"], "result");
        assert_eq!(numbers(&ours), [3, 4]);
        assert_eq!(numbers(&theirs), [3, 4], "{theirs:?}");
    }
}
