//! The suite of the embedded hub, unchanged, against real engines.

use std::time::Duration;

use aon_live::store::{Keep, Redis, RedisSettings};
use aon_live::{Hub, Settings};
use aon_tests::engine::{Engine, engines};
use aon_tests::place::say;

use super::hubs::{belongs, hub, read_elsewhere, tickets};
use super::store::{accounting, suite};
use super::support::*;

fn keep(events: u64) -> Keep {
    Keep {
        events: usize::try_from(events).unwrap(),
        bytes: 1 << 20,
        open: Duration::from_secs(600),
        ended: Duration::from_secs(60),
    }
}

/// A store at these engines; every one has keys of its own.
fn store(engines: &[&Engine], replicas: u32, prefix: &str, events: u64) -> Redis {
    Redis::new(settings(engines, replicas, prefix), keep(events))
}

pub fn settings(engines: &[&Engine], replicas: u32, prefix: &str) -> RedisSettings {
    let hosts: Vec<String> = engines
        .iter()
        .map(|engine| format!("127.0.0.1:{}", engine.port))
        .collect();
    let url = format!(
        "redis://{}?replicas={replicas}&prefix={prefix}:",
        hosts.join(",")
    );
    RedisSettings::new(&url).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn engines_keep_the_contract() {
    let mut held = 0;
    for (name, program) in engines("the contract of a store") {
        let primary = Engine::start(&program, None);
        for ring in [3, 5, 8] {
            suite(store(&[&primary], 0, &format!("s{ring}"), ring), ring).await;
            held += 1;
        }
        let replica = Engine::start(&program, Some(primary.port));
        for ring in [4, 7] {
            suite(
                store(&[&replica, &primary], 1, &format!("r{ring}"), ring),
                ring,
            )
            .await;
            held += 1;
        }
        say(&format!("count: contract of a store kept by {name}"));
    }
    say(&format!(
        "count: {held} stores in real engines kept the contract"
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_and_a_writer_lose_nothing_untold() {
    for (_, program) in engines("readers of a store") {
        let primary = Engine::start(&program, None);
        accounting(store(&[&primary], 0, "a", 64), 4000).await;
    }
}

/// Two nodes that share nothing but the engine.
async fn two(
    engines: &[&Engine],
    replicas: u32,
    prefix: &str,
    identified: bool,
) -> (Server, Server) {
    let node = |name: &str| {
        let redis = settings(engines, replicas, prefix);
        let redis = redis.node(name).lease(Duration::from_millis(800));
        hub(Settings::new().redis(redis), identified)
    };
    (serve(node("one")).await, serve(node("two")).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_serve_the_sessions_of_each_other() {
    let mut nodes = 0;
    for (_, program) in engines("two nodes") {
        let primary = Engine::start(&program, None);
        let replica = Engine::start(&program, Some(primary.port));
        let engines = [&replica, &primary];
        let (one, other) = two(&engines, 1, "r", false).await;
        read_elsewhere(one, other, None).await;
        let (one, other) = two(&engines, 1, "b", true).await;
        belongs(one, other).await;
        let (one, other) = two(&engines, 1, "t", true).await;
        tickets(one, other).await;
        nodes += 6;
    }
    say(&format!(
        "count: {nodes} nodes at real engines served each other's sessions"
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_of_a2a_are_served_by_every_node() {
    let mut tasks = 0;
    for (_, program) in engines("tasks of another node") {
        let primary = Engine::start(&program, None);
        let node = |name: &str| {
            let redis = settings(&[&primary], 0, "a2a").node(name);
            let known = |request: &http::request::Parts| {
                let name = request.headers.get("x-user")?.to_str().ok()?;
                Some(aon_live::Caller::new(name).healer())
            };
            Hub::with(Settings::new().redis(redis).identify(known))
        };
        tasks += super::tasks::served_elsewhere(&node("one"), &node("two")).await;
        super::push::pushed_elsewhere(&node("three"), &node("four")).await;
    }
    say(&format!("count: {tasks} tasks of A2A at another node"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_cancelled_from_another_node() {
    for (_, program) in engines("cancelling from another node") {
        let primary = Engine::start(&program, None);
        let (one, other) = two(&[&primary], 0, "c", false).await;
        let mut ndjson = one.post("/hangs", &[NDJSON], "").await;
        let session = ndjson.event().await.unwrap();
        assert_eq!(session["durability"], "memory");
        let url = session["state_url"].as_str().unwrap();
        assert_eq!(other.delete(url).await.status, 202);
        let last = ndjson.events().await.pop().unwrap();
        assert_eq!(
            (&last["type"], &last["code"]),
            (&"error".into(), &"cancelled".into())
        );
        let health = other.get("/aon/health", &[]).await;
        assert_eq!(health.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_engine_glass_boxes_are_refused_and_black_boxes_served() {
    let Some((_, program)) = engines("a node without its engine").into_iter().next() else {
        return;
    };
    let mut primary = Engine::start(&program, None);
    let (one, _other) = two(&[&primary], 0, "x", false).await;
    let reply = one.post("/users", &[NDJSON], r#"{"name":"ann"}"#).await;
    assert_eq!(reply.events().await.last().unwrap()["type"], "result");
    primary.kill();
    // A session that begins before anybody knows waits; nobody is shown what is not stored.
    let _waits = one.post("/gated", &[NDJSON], "").await;
    let mut refused = None;
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        if one.hub.trouble().is_some_and(|why| why.contains("writer")) {
            refused = Some(one.post("/users", &[NDJSON], r#"{"name":"ann"}"#).await);
            break;
        }
    }
    let refused = refused.expect("the engine is known to be gone");
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("2"));
    assert_eq!(refused.json().await["code"], "store_unavailable");
    let black = one.post("/users", &[], r#"{"name":"ann"}"#).await;
    assert_eq!(black.status, 200);
    let health = one.get("/aon/health", &[]).await;
    assert_eq!(health.status, 503);
    let said = health.json().await;
    assert!(
        said["trouble"]
            .as_str()
            .is_some_and(|why| why.contains("writer")),
        "{said}"
    );
}
