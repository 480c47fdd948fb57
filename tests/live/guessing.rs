//! Tickets, ids and cursors that were guessed, stolen or made up: each is answered, and shows nobody anything of others.

use aon_live::{Caller, Hub, Settings};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::support::*;

fn owned() -> Settings {
    Settings::new().identify(|request: &http::request::Parts| {
        let name = request.headers.get("x-user")?.to_str().ok()?;
        Some(Caller::new(name))
    })
}

/// A session of somebody that is open, and its address.
async fn open(server: &Server, user: &str) -> (Reply, String) {
    let user = format!("x-user: {user}");
    let mut reply = server.post("/gated", &[NDJSON, &user], "").await;
    let session = reply.event().await.unwrap();
    (reply, session["state_url"].as_str().unwrap().to_owned())
}

async fn ticket(server: &Server, url: &str, user: &str) -> String {
    let user = format!("x-user: {user}");
    let ticket = server.post(&format!("{url}/tickets"), &[&user], "").await;
    assert_eq!(ticket.status, 201);
    ticket.json().await["ticket"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn tickets_that_were_guessed_or_stolen_open_nothing() {
    let server = serve(Hub::with(owned())).await;
    let (mut ann, hers) = open(&server, "ann").await;
    let (_bob, his) = open(&server, "bob").await;
    let mut runner = TestRunner::deterministic();
    let guess = prop_oneof!["[0-9a-f]{64}", "[0-9a-zA-Z%._~-]{0,80}", "[0-9A-F]{63,65}"];
    let mut refused = 0;
    for _ in 0..200 {
        let guess = guess.new_tree(&mut runner).unwrap().current();
        // Her own credentials do not make a wrong ticket good.
        for who in [vec![], vec!["x-user: ann"]] {
            let reply = server
                .get(&format!("{hers}/events?ticket={guess}"), &who)
                .await;
            assert_eq!(reply.status, 404, "{guess}");
            refused += 1;
        }
    }
    // Of her session, shown for his: it opens neither, and is spent.
    for _ in 0..20 {
        let stolen = ticket(&server, &hers, "ann").await;
        for url in [&his, &hers] {
            let reply = server
                .get(&format!("{url}/events?ticket={stolen}"), &[])
                .await;
            assert_eq!(reply.status, 404);
            refused += 1;
        }
    }
    // Of many who show one ticket at the same time, one is let in.
    let mut winners = 0;
    for _ in 0..10 {
        let one = ticket(&server, &hers, "ann").await;
        let path = format!("{hers}/events?ticket={one}");
        let tries = (0..12).map(|_| request(server.address, "GET", &path, &[], ""));
        let replies = futures_util::future::join_all(tries).await;
        let let_in = replies.iter().filter(|reply| reply.status == 200).count();
        assert_eq!(let_in, 1);
        winners += let_in;
        refused += replies.len() - let_in;
    }
    server.gate.0.notify_waiters();
    while let Some(event) = ann.event().await {
        assert_ne!(event["type"], "gap");
    }
    println!("count: {refused} tickets refused, {winners} races with one winner");
}

#[tokio::test]
async fn ids_that_were_made_up_look_like_ids_that_are_somebody_elses() {
    let server = serve(Hub::with(owned())).await;
    let (_ann, hers) = open(&server, "ann").await;
    let mut runner = TestRunner::deterministic();
    let id = prop_oneof![
        4 => "[0-9a-f]{32}",
        1 => "[0-9A-F]{32}",
        1 => "[0-9a-f]{0,31}",
        1 => "[0-9a-zA-Z%._~-]{1,60}",
    ];
    let strip = |mut problem: Value| {
        for own in ["request_id", "instance"] {
            problem.as_object_mut().unwrap().remove(own);
        }
        problem
    };
    let not_theirs = strip(server.get(&hers, &["x-user: bob"]).await.json().await);
    let mut answered = 0;
    for round in 0..200 {
        let id = id.new_tree(&mut runner).unwrap().current();
        let (method, rest) = [
            ("GET", ""),
            ("GET", "/events"),
            ("POST", "/tickets"),
            ("DELETE", ""),
        ][round % 4];
        let path = format!("/aon/sessions/{id}{rest}");
        let reply = request(server.address, method, &path, &["x-user: bob"], "").await;
        // A path the router cannot read is refused as such.
        if reply.status == 400 {
            answered += 1;
            continue;
        }
        assert_eq!(reply.status, 404, "{method} {path}");
        assert_eq!(strip(reply.json().await), not_theirs, "{method} {path}");
        answered += 1;
    }
    assert_eq!(server.hub.stats().open, 1, "hers goes on");
    println!("count: {answered} ids answered alike");
}

#[tokio::test]
async fn cursors_that_were_made_up_are_answered_by_a_gap_or_exactly() {
    let server = serve(Hub::with(Settings::new().ring_events(8))).await;
    let log = server.stream("/burst", "[30, 0]").await;
    let other = server.stream("/burst", "[30, 0]").await;
    let epoch = |log: &[Value]| {
        log[0]["id"]
            .as_str()
            .unwrap()
            .split('-')
            .next()
            .unwrap()
            .to_owned()
    };
    let (ours, theirs) = (epoch(&log), epoch(&other));
    let url = log[0]["sse_url"].as_str().unwrap();
    let mut runner = TestRunner::deterministic();
    let cursor = prop_oneof![
        3 => (0..40_u64).prop_map(move |seq| format!("{ours}-{seq}")),
        1 => (0..40_u64).prop_map(move |seq| format!("{theirs}-{seq}")),
        1 => any::<u64>().prop_map(|seq| format!("00000000-{seq}")),
        1 => "[0-9a-f]{8}-[0-9]{1,30}",
        1 => "[!-~]{1,90}",
    ];
    let (mut exact, mut gaps, mut over) = (0, 0, 0);
    for round in 0..400 {
        let cursor = cursor.new_tree(&mut runner).unwrap().current();
        let header = format!("last-event-id: {cursor}");
        let reply = if round % 2 == 0
            || cursor.contains([
                '&', '#', '%', '+', '"', '<', '>', '\\', '^', '`', '{', '|', '}',
            ]) {
            server.get(url, &[NDJSON, &header]).await
        } else {
            server
                .get(&format!("{url}?since={cursor}"), &[NDJSON])
                .await
        };
        if reply.status == 204 {
            over += 1;
            continue;
        }
        assert_eq!(reply.status, 200, "{cursor}");
        let view = reply.events().await;
        assert!(
            view.iter()
                .all(|event| event["session_id"] == log[0]["session_id"])
        );
        let numbered: Vec<&Value> = view
            .iter()
            .filter(|event| event.get("seq").is_some())
            .collect();
        let from = log.len() - numbered.len();
        assert_eq!(numbered, log[from..].iter().collect::<Vec<_>>(), "{cursor}");
        if view[0]["type"] == "gap" {
            assert!(
                view[0]["requested"].as_str().unwrap().len() <= 70,
                "{cursor}"
            );
            gaps += 1;
        } else {
            assert!(cursor.ends_with(&format!("-{from}")), "{cursor}");
            exact += 1;
        }
    }
    assert!(
        exact > 10 && gaps > 100 && over > 0,
        "{exact} {gaps} {over}"
    );
    println!("count: {gaps} cursors answered by a gap, {exact} exactly, {over} were past the end");
}
