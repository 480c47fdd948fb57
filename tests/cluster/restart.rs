//! A route that may be run twice goes on elsewhere when its node is killed.

use std::time::{Duration, Instant};

use aon_tests::engine::{Engine, engines};
use aon_tests::place::say;
use serde_json::json;

use super::kills::{LINES, numbers};
use super::node::{Next, Node, send};

const LEASE_MS: u64 = 900;

#[tokio::test(flavor = "multi_thread")]
async fn an_orphan_goes_on_elsewhere_where_its_route_says_so() {
    let mut restarted = 0;
    for (name, program) in engines("going on elsewhere") {
        let primary = Engine::start(&program, None);
        let url = format!("redis://127.0.0.1:{}?lease_ms={LEASE_MS}", primary.port);
        let mut owner = Node::start("a", &url);
        let other = Node::start("b", &url);
        let headers = [LINES, ("aon-on-disconnect", "continue")];
        let path = "/live/count?to=12&ms=100";
        let mut reply = send(owner.port, "GET", path, &headers, "")
            .await
            .expect("an answer");
        let opened = reply.opened().await.expect("a first event");
        let path = opened["sse_url"].as_str().expect("its address").to_owned();
        let mut reader = send(other.port, "GET", &path, &[LINES], "")
            .await
            .expect("a reader");
        let mut events = Vec::new();
        let mut killed = None;
        let mut waited = Duration::ZERO;
        while let Next::Event(event) = reader.next(Duration::from_secs(8)).await {
            if event["message"] == "counted to 4" && killed.is_none() {
                owner.kill();
                killed = Some(Instant::now());
            }
            if event["phase"] == "restarted" {
                waited = killed.expect("it was killed first").elapsed();
            }
            let over = matches!(event["type"].as_str(), Some("result" | "error"));
            events.push(event);
            if over {
                break;
            }
        }
        let all = numbers(&events);
        assert_eq!(
            all,
            (1..=all.len() as u64).collect::<Vec<_>>(),
            "no hole, none twice"
        );
        let count = |what: &str| {
            events
                .iter()
                .filter(|event| event["message"] == what)
                .count()
        };
        assert_eq!(
            (count("counted to 1"), count("counted to 12")),
            (2, 1),
            "from the beginning"
        );
        let end = events.last().expect("an end");
        assert_eq!(
            (&end["type"], &end["data"]),
            (&json!("result"), &json!({"counted": 12}))
        );
        assert!(
            waited > Duration::ZERO && waited < Duration::from_millis(LEASE_MS * 2 + 1000),
            "it went on after {waited:?}"
        );
        say(&format!(
            "count: with {name} it went on {waited:?} after the kill"
        ));
        restarted += 1;
    }
    say(&format!(
        "count: {restarted} sessions were run again on another node"
    ));
}
