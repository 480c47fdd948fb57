//! The deployment of the book, as its script starts it: nginx, two nodes, an engine with a replica, three sentinels.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use aon_tests::engine::{engines, free_port, signal};
use aon_tests::place::{root, say};
use serde_json::json;

use super::kills::{LINES, numbers};
use super::node::{Next, send};

struct Script(Child);

impl Drop for Script {
    fn drop(&mut self) {
        // It stops what it started; without waiting, its ports would be taken for a while.
        signal(self.0.id(), "TERM");
        let _: std::io::Result<_> = self.0.wait();
    }
}

/// A port with as many free ones behind it as the script takes.
fn room() -> u16 {
    for _ in 0..200 {
        let port = free_port();
        let taken = (port..port.saturating_add(13))
            .all(|port| TcpListener::bind(("127.0.0.1", port)).is_ok());
        if taken && port < 60_000 {
            return port;
        }
    }
    panic!("no thirteen free ports in a row");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_script_of_the_book_starts_a_deployment_that_survives_a_kill() {
    let suite = "the deployment of the book";
    let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx"];
    if !nginx.iter().any(|place| Path::new(place).exists()) {
        say(&format!(
            "skipped: {suite}, nginx is not there; .ci/tools installs it"
        ));
        return;
    }
    if !engines(suite).iter().any(|(name, _)| *name == "redis") {
        return;
    }
    let port = room();
    let mut child = Command::new("sh")
        .arg(root().join("docs/operating/run.sh"))
        .arg(port.to_string())
        .env("AON", env!("CARGO_BIN_EXE_aon-under-test"))
        .env("LEASE_MS", "1500")
        .env("REPLICAS", "2")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("sh");
    let mut line = String::new();
    let output = child.stdout.take().expect("its output");
    let script = Script(child);
    BufReader::new(output).read_line(&mut line).expect("a line");
    assert!(line.starts_with("nginx on http://127.0.0.1:"), "{line:?}");

    // A session on the first node, read through nginx on whichever node it picks, and the first node killed.
    let headers = [LINES, ("aon-on-disconnect", "continue")];
    let counted = send(port + 1, "GET", "/live/count?to=20&ms=100", &headers, "").await;
    let mut reply = counted.expect("an answer");
    let opened = reply.opened().await.expect("a first event");
    assert_eq!(opened["durability"], "replicated");
    let path = opened["sse_url"].as_str().expect("its address").to_owned();
    let kill = send(
        port + 1,
        "POST",
        "/cluster/kill",
        &[("x-aon-kill", "yes")],
        "",
    )
    .await;
    assert!(kill.is_none(), "a node that was killed does not answer");
    let mut seen = vec![opened];
    for _ in 0..100 {
        let last = seen
            .last()
            .and_then(|event| event["id"].as_str())
            .unwrap_or_default()
            .to_owned();
        let headers = [LINES, ("last-event-id", &*last)];
        let Some(mut reply) = send(port, "GET", &path, &headers, "").await else {
            continue;
        };
        while let Next::Event(event) = reply.next(Duration::from_secs(6)).await {
            if !event["seq"].is_null() {
                seen.push(event);
            }
        }
        if matches!(
            seen.last().and_then(|event| event["type"].as_str()),
            Some("result" | "error")
        ) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let all = numbers(&seen);
    assert_eq!(all, (1..=all.len() as u64).collect::<Vec<_>>());
    let end = seen.last().expect("an end");
    assert_eq!(
        (&end["type"], &end["data"]),
        (&json!("result"), &json!({"counted": 20})),
        "{end}"
    );
    drop(script);
    assert!(
        TcpListener::bind(("127.0.0.1", port)).is_ok(),
        "nothing is left running"
    );
    say(&format!(
        "count: {} events through the deployment of the book",
        seen.len()
    ));
}
