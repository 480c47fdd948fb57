//! Sentinels replace a primary that is stopped, and a primary that is killed: the nodes notice, do not trust the one that wakes up, and
//! lose nothing. Health is red while a subscription is dead.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use aon_tests::engine::{Engine, engines, free_port};
use aon_tests::place::say;
use serde_json::Value;
use tokio::time::sleep;

use super::kills::{LINES, log, numbers};
use super::node::{Next, Node, send};

/// Three sentinels.
struct Sentinels {
    children: Vec<Child>,
    ports: Vec<u16>,
    folder: PathBuf,
}

impl Sentinels {
    fn start(program: &Path, primary: u16) -> Self {
        let folder = std::env::temp_dir().join(format!("aon-sentinels-{primary}"));
        let mut this = Self {
            children: Vec::new(),
            ports: Vec::new(),
            folder,
        };
        for _ in 0..3 {
            let port = free_port();
            let folder = this.folder.join(port.to_string());
            std::fs::create_dir_all(&folder).expect("a folder");
            let settings = format!(
                "port {port}\nbind 127.0.0.1\ndir {}\nsentinel monitor aon 127.0.0.1 {primary} 2\n\
                 sentinel down-after-milliseconds aon 700\nsentinel failover-timeout aon 3000\n",
                folder.display()
            );
            let file = folder.join("conf");
            std::fs::write(&file, settings).expect("its settings");
            let child = Command::new(program)
                .arg(&file)
                .arg("--sentinel")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            this.children.push(child.expect("a sentinel"));
            this.ports.push(port);
        }
        this
    }

    fn url(&self) -> String {
        let hosts: Vec<String> = self
            .ports
            .iter()
            .map(|port| format!("127.0.0.1:{port}"))
            .collect();
        format!(
            "redis://{}?sentinel=aon&replicas=1&lease_ms=3000",
            hosts.join(",")
        )
    }
}

impl Drop for Sentinels {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _: std::io::Result<()> = child.kill();
            let _: std::io::Result<_> = child.wait();
        }
        let _: std::io::Result<()> = std::fs::remove_dir_all(&self.folder);
    }
}

/// Follows a session on a node to its end; what was seen.
async fn follow(port: u16, path: String) -> Vec<Value> {
    let mut seen: Vec<Value> = Vec::new();
    let until = Instant::now() + Duration::from_secs(60);
    while Instant::now() < until {
        let last = seen
            .last()
            .and_then(|event| event["id"].as_str())
            .map(str::to_owned);
        let mut headers = vec![LINES];
        if let Some(last) = &last {
            headers.push(("last-event-id", last));
        }
        if let Some(mut reply) = send(port, "GET", &path, &headers, "").await
            && reply.status == 200
        {
            while let Next::Event(event) = reply.next(Duration::from_secs(8)).await {
                assert_ne!(event["type"], "gap", "{event}");
                let over = matches!(event["type"].as_str(), Some("result" | "error"));
                if !event["seq"].is_null() {
                    seen.push(event);
                }
                if over {
                    return seen;
                }
            }
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("no end");
}

async fn failover(program: &Path, stopped: bool) -> Duration {
    let mut primary = Engine::start(program, None);
    let replicas = [0, 1].map(|_| Engine::start(program, Some(primary.port)));
    let sentinels = Sentinels::start(program, primary.port);
    // They have to know the replicas and each other first.
    sleep(Duration::from_millis(3500)).await;
    let nodes = ["a", "b"].map(|name| Node::start(name, &sentinels.url()));
    nodes[0].health(200).await;
    let headers = [LINES, ("aon-on-disconnect", "continue")];
    let path = "/live/count?to=60&ms=120";
    let mut reply = send(nodes[0].port, "GET", path, &headers, "")
        .await
        .expect("an answer");
    let opened = reply.opened().await.expect("a first event");
    assert_eq!(opened["durability"], "replicated");
    let path = opened["sse_url"].as_str().expect("its address").to_owned();
    let readers = [0, 1].map(|n| tokio::spawn(follow(nodes[n].port, path.clone())));
    sleep(Duration::from_millis(800)).await;
    let start = Instant::now();
    if stopped {
        primary.signal("STOP");
    } else {
        primary.kill();
    }
    nodes[0].health(503).await;
    nodes[0].health(200).await;
    let took = start.elapsed();
    if stopped {
        // It still takes itself for the primary; nobody may believe it.
        primary.signal("CONT");
    }
    let mut views = Vec::new();
    for reader in readers {
        views.push(reader.await.expect("a reader"));
    }
    let id = opened["session_id"].as_str().expect("its id");
    let kept = log(&[nodes[1].port], id).await;
    for view in &views {
        let all = numbers(view);
        assert_eq!(
            all,
            (1..=62).collect::<Vec<_>>(),
            "none lost, none twice, in order"
        );
        assert_eq!(*view, kept, "what was shown is what is kept");
        assert_eq!(view.last().expect("an end")["type"], "result");
    }
    let new = replicas.iter().find(|engine| {
        engine
            .ask("INFO replication")
            .is_some_and(|said| said.contains("role:master"))
    });
    let new = new.expect("a replica was promoted");
    // A subscription that is refused: everything else works, and health says so.
    let count = "/live/count?to=1&ms=1";
    assert_eq!(
        new.ask("ACL SETUSER default resetchannels").as_deref(),
        Some("+OK")
    );
    let said = nodes[1].health(503).await;
    assert!(said.to_string().contains("subscription"), "{said}");
    assert_eq!(
        new.ask("ACL SETUSER default allchannels").as_deref(),
        Some("+OK")
    );
    nodes[1].health(200).await;
    let after = send(nodes[1].port, "GET", count, &[LINES], "")
        .await
        .expect("an answer");
    assert_eq!(after.status, 200);
    took
}

#[tokio::test(flavor = "multi_thread")]
async fn sentinels_replace_the_primary_and_nodes_follow() {
    let mut ran = 0;
    for (name, program) in engines("failover by sentinels") {
        // A stopped one with one engine, a killed one with the other: together they are both.
        let took = failover(&program, name == "redis").await;
        say(&format!(
            "count: failover by sentinels with {name}: healthy again after {took:?}"
        ));
        ran += 1;
    }
    say(&format!("count: {ran} failovers by sentinels"));
}
