//! The provider against a worker in Python, and a client in JavaScript against our worker.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use aon_agent::Fault;
use aon_agent::provider::{Item, Provider};
use aon_agent::worker::Echo;
use aon_tests::place;
use serde_json::{Map, Value};

use crate::support::{Folder, serve, tool};

struct Foreign {
    child: Child,
    path: PathBuf,
    _folder: Folder,
}

impl Drop for Foreign {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn file(name: &str) -> PathBuf {
    place::root().join("tests/agent/foreign").join(name)
}

fn python_worker(suite: &str) -> Option<Foreign> {
    let python = tool(suite, "python3")?;
    let folder = Folder::new();
    let path = folder.path().join("w.sock");
    let mut child = Command::new(python)
        .arg(file("worker.py"))
        .arg(&path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("python starts");
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("its output"));
    out.read_line(&mut line).expect("it says that it is ready");
    assert_eq!(line, "ready\n");
    Some(Foreign {
        child,
        path,
        _folder: folder,
    })
}

async fn all(provider: &Provider, session: &str, prompt: &str) -> (Vec<String>, Option<Fault>) {
    let mut stream = provider.generate(session, prompt).await.expect("a stream");
    let mut tokens = Vec::new();
    loop {
        match stream.item().await {
            Ok(Some(Item::Token(text))) => tokens.push(text),
            Ok(Some(Item::Other(object))) => panic!("{object:?}"),
            Ok(None) => return (tokens, None),
            Err(fault) => return (tokens, Some(fault)),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_provider_reads_a_worker_that_we_did_not_write() {
    let Some(mut worker) = python_worker("provider") else {
        return;
    };
    let provider = Provider::new(&worker.path).times(|times| {
        times.token = Duration::from_millis(800);
        times.connect = Duration::from_millis(300);
    });
    assert!(provider.status().await.unwrap().running);
    let session = provider.create_session(Map::new()).await.unwrap();
    // Text as lines and as events; blanks, characters of four bytes, and text that looks like JSON.
    let words = [
        " olá",
        " 世界 ",
        "😀",
        "\t{\"a\": 1}",
        "{\"type\": \"strange\"}",
        "5",
        " ",
        "end ",
    ];
    let (tokens, fault) = all(&provider, &session, &words.join("|")).await;
    assert!(fault.is_none(), "{fault:?}");
    assert_eq!(tokens, words);
    let (tokens, fault) = all(&provider, &session, "cut").await;
    assert_eq!(tokens, ["one"]);
    assert!(matches!(fault, Some(Fault::StreamCut)), "{fault:?}");
    let (tokens, fault) = all(&provider, &session, "fail").await;
    assert_eq!(tokens, ["one"]);
    assert_eq!(
        fault.unwrap().to_string(),
        "The worker refused: out of memory"
    );
    let (_, fault) = all(&provider, "nobody", "x").await;
    assert_eq!(
        fault.unwrap().to_string(),
        "The worker refused: no such session"
    );
    let (_, fault) = all(&provider, &session, "silence").await;
    assert!(matches!(fault, Some(Fault::TimedOut { .. })), "{fault:?}");
    // An abort goes over another connection.
    let mut stream = provider.generate(&session, "forever").await.unwrap();
    assert_eq!(stream.next().await.unwrap().as_deref(), Some("word"));
    let asked = Instant::now();
    provider.abort(&session).await.unwrap();
    while stream.next().await.unwrap().is_some() {}
    assert!(
        asked.elapsed() < Duration::from_secs(1),
        "{:?}",
        asked.elapsed()
    );
    assert!(provider.close_session("nobody").await.is_err());
    // A worker that dies in the middle of a line; then there is none, and then there is one again.
    let (tokens, fault) = all(&provider, &session, "die").await;
    assert!(tokens.is_empty(), "{tokens:?}");
    assert!(matches!(fault, Some(Fault::StreamCut)), "{fault:?}");
    let _ = worker.child.wait();
    let gone = provider.status().await.unwrap_err();
    assert!(matches!(gone, Fault::WorkerUnavailable { .. }), "{gone}");
    let patient = provider
        .clone()
        .times(|times| times.connect = Duration::from_secs(10));
    let waiting = tokio::spawn(async move { patient.status().await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    std::fs::remove_file(&worker.path).unwrap();
    let socket = aon_agent::worker::Worker::new(Echo)
        .bind(&worker.path)
        .unwrap();
    tokio::spawn(socket.serve(std::future::pending()));
    assert!(waiting.await.unwrap().unwrap().running, "it came back");
    place::say("count: 10 conversations with a worker in Python");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_behaves_like_the_earlier_one_is_served() {
    let Some(node) = tool("earlier client", "node") else {
        return;
    };
    let worker = serve(Echo);
    let path = worker.path.clone();
    let run = move || {
        Command::new(node)
            .arg(file("provider.mjs"))
            .env("FAZAI_GEMMA_SOCK", path)
            .output()
            .expect("node starts")
    };
    let started = Instant::now();
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "it waited for something"
    );
    let said = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(
        (&report["exists"], &report["status"]["ok"]),
        (&true.into(), &true.into())
    );
    assert_eq!(report["status"]["status"], "running");
    let stream = report["stream"].as_array().unwrap();
    assert_eq!(crate::support::text(stream), " olá 世界");
    assert_eq!(stream.last().unwrap()["type"], "stop");
    let aborted = report["aborted"].as_array().unwrap();
    assert!(aborted.len() < 50, "{} events", aborted.len());
    assert_eq!(aborted.last().unwrap()["type"], "stop");
    assert_eq!(report["closed"]["ok"], true);
    assert_eq!(report["unknown"][0]["type"], "error");
    place::say("count: 1 client in JavaScript");
}
