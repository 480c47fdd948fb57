//! The page of several nodes in a real browser: both are shown, one is killed, the other goes on.

use aon_tests::engine::{Engine, engines, free_port};
use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::{PROGRAM, Server};
use crate::live_page::browser;
use crate::tools;

#[test]
fn a_person_kills_a_node_and_the_other_goes_on() {
    let suite = "the page of several nodes in a browser";
    let Some(browser) = browser(suite) else {
        return;
    };
    let Some((_, program)) = engines(suite).into_iter().next() else {
        return;
    };
    let engine = Engine::start(&program, None);
    let url = format!("redis://127.0.0.1:{}?lease_ms=900", engine.port);
    let ports = [free_port(), free_port()];
    let address = |at: usize| format!("http://127.0.0.1:{}", ports[at]);
    let node = |at: usize| {
        let (port, name, peer) = (ports[at].to_string(), format!("n{at}"), address(1 - at));
        let mut command = vec![PROGRAM, "demo", "--port", &port, "--redis", &url];
        command.extend(["--node", &name, "--peer", &peer]);
        Server::start(&command)
    };
    let nodes = [node(0), node(1)];
    // Whoever is not the page itself cannot kill.
    assert_eq!(nodes[1].send("POST", "/cluster/kill", &[], b"").status, 403);
    let plan = json!({"nodes": [address(0), address(1)], "browser": browser, "shots": std::env::var("AON_SHOTS").ok()});
    let Some(report) = tools::module(suite, "playwright-core", "cluster_page.mjs", &plan) else {
        return;
    };
    assert_eq!(report["complaints"], json!([]), "the page has errors");
    let names = report["names"].to_string();
    assert!(names.contains("n0-") && names.contains("n1-"), "{names}");
    assert!(
        report["state"]
            .as_str()
            .is_some_and(|state| state.starts_with("up"))
    );
    let lines = report["second"].as_array().expect("lines");
    let seq = |line: &Value| line["seq"].as_str().and_then(|seq| seq.parse::<u64>().ok());
    let numbers: Vec<u64> = lines.iter().filter_map(seq).collect();
    let all: Vec<u64> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, all, "nothing is lost or shown twice");
    let says = |words: &str| {
        lines.iter().any(|line| {
            line["text"]
                .as_str()
                .is_some_and(|text| text.contains(words))
        })
    };
    assert!(says("another one goes on with it"), "{report}");
    assert_eq!(lines.last().expect("an end")["type"], "result");
    let before = report["first"].as_array().expect("lines");
    assert!(
        before.len() >= 5 && lines.starts_with(before),
        "the killed node showed the same"
    );
    place::say(&format!(
        "count: {} events on the page, {} before the kill",
        lines.len(),
        before.len()
    ));
}
