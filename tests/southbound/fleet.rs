//! Two programs with one ledger: the same action goes to both.

use std::path::PathBuf;
use std::time::Duration;

use aon_agent::south::client::HttpClient;
use aon_tests::engine::{Engine, engines};
use aon_tests::place::say;

use crate::support::{Folder, Server, code, config, exec, rotate};

/// A configuration with the ledger in an engine.
pub fn shared(folder: &Folder, url: &str, node: Option<&str>) -> PathBuf {
    let own = format!("path = \"{}\"", folder.text("state/ledger.redb"));
    let node_line = node.map_or_else(String::new, |node| format!("\nnode = \"{node}\""));
    let text = config(folder, "").replace(&own, &format!("redis = \"{url}\"{node_line}"));
    folder.write(&format!("{}.toml", node.unwrap_or("agent")), &text)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_machines_do_one_action_once() {
    for (name, program) in engines("southbound fleet of programs") {
        let engine = Engine::start(&program, None);
        let url = format!("redis://127.0.0.1:{}?lease_ms=1500", engine.port);
        let folder = Folder::new();
        let log = folder.text("effects");
        folder.script("append.sh", &format!("printf '%s\\n' \"$1\" >> '{log}'"));
        let append = folder.text("append.sh");
        let key = rotate(&folder, "ops-1");
        let one = Server::start(&shared(&folder, &url, Some("one")));
        let two = Server::start(&shared(&folder, &url, Some("two")));
        let client = |server: &Server| {
            HttpClient::new(&server.http, "ops-1", &key.0, &key.1).expect("a client")
        };
        let (first, second) = (client(&one), client(&two));
        let mut calls = tokio::task::JoinSet::new();
        for number in 0..20 {
            let text = exec(&format!("a-{number}"), &append, &[&format!("e-{number}")]).to_string();
            for client in [first.clone(), second.clone()] {
                let text = text.clone();
                calls.spawn(async move { client.call(&text).await.expect("an answer") });
            }
        }
        for answer in calls.join_all().await {
            assert!(
                answer.status == 200 || code(&answer) == "action_running",
                "{}",
                answer.text()
            );
        }
        let mut effects: Vec<String> = std::fs::read_to_string(&log)
            .expect("effects")
            .lines()
            .map(str::to_owned)
            .collect();
        effects.sort();
        effects.dedup();
        assert_eq!(effects.len(), 20, "{name}");
        let whole = std::fs::read_to_string(&log).expect("effects");
        assert_eq!(whole.lines().count(), 20, "{name}: {whole}");
        // The answer of one machine is that of the other, later.
        let text = exec("a-0", &append, &["e-0"]).to_string();
        let answers = [first.call(&text).await, second.call(&text).await];
        for answer in answers {
            assert_eq!(answer.expect("an answer").body["replayed"], true, "{name}");
        }
        // CVE-2022-22936: a request that was heard on its way to one machine is not done by another one.
        let signed = first
            .sign("POST", "/southbound", text.as_bytes())
            .expect("signed");
        let (status, ..) = first.send(signed.clone()).await.expect("an answer");
        assert_eq!(status, 200);
        let (status, _, body) = second.send(signed).await.expect("an answer");
        let body = String::from_utf8_lossy(&body).into_owned();
        assert!(
            status == 401 && body.contains("nonce_replayed"),
            "{name}: {body}"
        );
        // A machine dies while it acts: the others say that nobody knows, and nobody does it again.
        let slow = exec("slow", "/bin/sleep", &["20"]).to_string();
        let asked = {
            let (first, slow) = (first.clone(), slow.clone());
            tokio::spawn(async move { first.call(&slow).await })
        };
        tokio::time::sleep(Duration::from_millis(600)).await;
        let running = second.call(&slow).await.expect("an answer");
        assert_eq!(code(&running), "action_running", "{name}");
        let cancel = r#"{"method":"action.cancel","action_id":"slow"}"#;
        let elsewhere = second.call(cancel).await.expect("an answer");
        assert_eq!(code(&elsewhere), "action_elsewhere", "{name}");
        one.kill();
        assert!(asked.await.expect("joined").is_err());
        tokio::time::sleep(Duration::from_millis(2000)).await;
        let unknown = second.call(&slow).await.expect("an answer");
        assert_eq!(code(&unknown), "outcome_unknown", "{name}");
        // Without the engine nothing is done.
        let mut engine = engine;
        engine.kill();
        let refused = second
            .call(&exec("late", &append, &["late"]).to_string())
            .await;
        let words = refused
            .map(|answer| answer.text())
            .unwrap_or_else(|fault| fault.to_string());
        assert!(words.contains("ledger"), "{name}: {words}");
        let whole = std::fs::read_to_string(&log).expect("effects");
        assert_eq!(whole.lines().count(), 20, "{name}: {whole}");
        say(&format!(
            "count: 40 calls to two machines with {name}, 20 effects"
        ));
    }
}
