//! The daemon: four routes, nine events, one end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aon_agent::daemon::{ActionKind, Daemon, Stream};
use aon_agent::worker::{Ask, Backend, Echo, Tokens};
use aon_live::Hub;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::http::{Answer, finish, open};
use crate::support::{Folder, Serving, serve, soon};

/// Says what its prompt says, or the text it was made with.
#[derive(Clone, Debug)]
struct Script(&'static str);

impl Backend for Script {
    fn name(&self) -> &str {
        "script"
    }

    fn generate(&self, _: Ask) -> Tokens {
        // Cut into small pieces, so that no instruction comes whole.
        let letters: Vec<_> = self
            .0
            .chars()
            .map(|letter| Ok(letter.to_string()))
            .collect();
        Box::pin(stream::iter(letters))
    }
}

pub struct Running {
    address: String,
    hub: Hub,
    _worker: Option<Serving>,
}

async fn start(daemon: Daemon, worker: Option<Serving>) -> Running {
    let hub = Hub::with(Daemon::hub_settings());
    let app = daemon.routes(&hub);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, app).await });
    Running {
        address,
        hub,
        _worker: worker,
    }
}

pub async fn with_script(script: &'static str, change: impl FnOnce(Daemon) -> Daemon) -> Running {
    let worker = serve(Script(script));
    let daemon = change(Daemon::new(&worker.path));
    start(daemon, Some(worker)).await
}

pub async fn post(running: &Running, path: &str, body: &str) -> Answer {
    finish(open(&running.address, "POST", path, "", body).await).await
}

async fn get(running: &Running, path: &str, headers: &str) -> Answer {
    finish(open(&running.address, "GET", path, headers, "").await).await
}

async fn session(running: &Running) -> String {
    let answer = post(running, "/agent/sessions", "{}").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let answer = answer.json();
    assert_eq!(answer["ok"], true);
    answer["session_id"].as_str().unwrap().to_owned()
}

fn types(events: &[Value]) -> Vec<&str> {
    let mut types: Vec<&str> = events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    types.dedup();
    types
}

fn ends(events: &[Value]) -> usize {
    let end = |event: &&Value| event["type"] == "done" || event["type"] == "error";
    events.iter().filter(end).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_comes_as_tokens_and_ends_once() {
    let worker = serve(Echo);
    let running = start(Daemon::new(&worker.path), Some(worker)).await;
    let session = session(&running).await;
    let mut count = 0;
    for field in ["prompt", "objective"] {
        let body = format!(r#"{{"session_id":"{session}","{field}":" olá  世界"}}"#);
        let answer = post(&running, "/agent/generate", &body).await;
        assert_eq!(answer.status, 200);
        assert!(
            answer.head.contains("content-type: text/event-stream"),
            "{}",
            answer.head
        );
        assert!(!answer.head.contains("access-control-allow-origin"));
        let events = answer.events();
        assert_eq!(types(&events), ["token", "done"]);
        let text: String = events
            .iter()
            .filter_map(|event| event["text"].as_str())
            .collect();
        assert_eq!(text, " olá  世界");
        let last = events.last().unwrap();
        assert_eq!(last["result"], " olá  世界");
        assert_eq!(ends(&events), 1);
        count += events.len();
    }
    // A session of its own where none is named, and JSON alone for a caller that accepts nothing else.
    let events = post(&running, "/agent/generate", r#"{"prompt":"hi"}"#)
        .await
        .events();
    assert_eq!(types(&events), ["token", "done"]);
    let stream = open(
        &running.address,
        "POST",
        "/agent/generate",
        "accept: application/json\r\n",
        r#"{"prompt":"hi"}"#,
    )
    .await;
    assert_eq!(finish(stream).await.json(), "hi");
    let lines = open(
        &running.address,
        "POST",
        "/agent/generate",
        "accept: application/x-ndjson\r\n",
        r#"{"prompt":"hi"}"#,
    )
    .await;
    let lines = finish(lines).await;
    let lines: Vec<Value> = lines
        .body
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(types(&lines), ["session", "token", "done", "result"]);
    aon_tests::place::say(&format!("count: {count} events of text"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused_is_a_problem_in_both_shapes() {
    let worker = serve(Echo);
    let running = start(Daemon::new(&worker.path), Some(worker)).await;
    let mut count = 0;
    for (path, body, status, code) in [
        ("/agent/generate", "{}", 422, "missing_field"),
        ("/agent/generate", r#"{"prompt":""}"#, 422, "missing_field"),
        (
            "/agent/generate",
            r#"{"session_id":"nobody","prompt":"x"}"#,
            404,
            "session_not_found",
        ),
        ("/agent/generate", r#"{"prompt":5}"#, 422, ""),
        ("/agent/generate", "nonsense", 400, ""),
        ("/agent/abort", "{}", 422, "missing_field"),
        (
            "/agent/abort",
            r#"{"session_id":"nobody"}"#,
            404,
            "session_not_found",
        ),
        ("/agent/sessions", r#"{"params":[]}"#, 422, ""),
        ("/agent/dance", "{}", 404, ""),
    ] {
        let answer = post(&running, path, body).await;
        assert_eq!(answer.status, status, "{path} {body}: {}", answer.body);
        assert!(
            answer.head.contains("application/problem+json"),
            "{}",
            answer.head
        );
        let wire = answer.json();
        assert_eq!(wire["ok"], false);
        assert!(
            wire["error"]
                .as_str()
                .is_some_and(|words| !words.is_empty()),
            "{wire}"
        );
        assert_eq!(wire["problem"]["status"], status);
        assert_eq!(wire["problem"]["code"], wire["code"]);
        if !code.is_empty() {
            assert_eq!(wire["code"], code);
        }
        count += 1;
    }
    // A page of another origin can send text unasked, but not JSON.
    let mut stream = TcpStream::connect(&running.address).await.unwrap();
    let body = r#"{"prompt":"x"}"#;
    let request = format!(
        "POST /agent/generate HTTP/1.1\r\nhost: x\r\nconnection: close\r\norigin: https://evil.example\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    assert_eq!(finish(stream).await.status, 415);
    aon_tests::place::say(&format!("count: {count} refusals"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_action_is_done_by_its_handler_and_the_second_effect_is_refused() {
    let acts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&acts);
    let shell = move |daemon: Daemon| {
        daemon.on(ActionKind::Shell, move |call, voice| {
            let acts = Arc::clone(&counted);
            async move {
                acts.fetch_add(1, Ordering::SeqCst);
                voice.exec_log(Stream::Stdout, &format!("ran {}\n", call.member("command")));
                voice.exec_log(Stream::Stderr, "password=hunter2secret\n");
                Ok(json!({ "exit_code": 0 }))
            }
        })
    };
    let one = "I look.\n{\"type\":\"plan\",\"steps\":[\"look\"]}\n{\"type\":\"action\",\"action\":\"shell\",\"command\":\"uname -a\"}\n{\"type\":\"observe\",\"note\":\"fine\"}\n";
    let running = with_script(one, shell.clone()).await;
    let answer = post(&running, "/agent/generate", r#"{"prompt":"x"}"#).await;
    let mut events = answer.events();
    events.retain(|event| event["type"] != "token");
    assert_eq!(
        types(&events),
        ["action", "plan", "action", "exec_log", "observe", "done"]
    );
    assert_eq!(events[1]["steps"], json!(["look"]));
    assert_eq!(
        (&events[2]["action"], &events[2]["command"]),
        (&json!("shell"), &json!("uname -a"))
    );
    assert_eq!(
        (&events[3]["stream"], &events[3]["chunk"]),
        (&json!("stdout"), &json!("ran \"uname -a\"\n"))
    );
    assert_eq!(events[4]["stream"], "stderr");
    assert!(!answer.body.contains("hunter2"));
    assert_eq!(events.last().unwrap()["result"], json!({ "exit_code": 0 }));
    assert_eq!(acts.load(Ordering::SeqCst), 1);
    // A second action with effects, of whichever kind.
    let two = "{\"type\":\"shell\",\"command\":\"a\"}\n{\"type\":\"research\",\"queries\":[\"q\"]}\n{\"type\":\"use_tool\",\"name\":\"b\"}\n{\"type\":\"done\"}\n";
    let running = with_script(two, shell).await;
    let events = post(&running, "/agent/generate", r#"{"prompt":"x"}"#)
        .await
        .events();
    let last = events.last().unwrap();
    assert_eq!(
        (&last["type"], &last["problem"]["code"]),
        (&json!("error"), &json!("effect_limit"))
    );
    assert!(last["message"].as_str().unwrap().contains("use_tool"));
    assert_eq!(ends(&events), 1);
    assert_eq!(acts.load(Ordering::SeqCst), 2);
    let actions: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "action")
        .collect();
    assert_eq!(
        actions.len(),
        2,
        "the second effect was not announced: {actions:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_iteration_may_follow_with_what_came_of_the_last_one() {
    let acts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&acts);
    let running = with_script("{\"type\":\"shell\",\"command\":\"a\"}\n", move |daemon| {
        daemon
            .on(ActionKind::Shell, move |_, _| {
                let acts = Arc::clone(&counted);
                async move { Ok(json!(acts.fetch_add(1, Ordering::SeqCst))) }
            })
            .limits(|limits| limits.iterations = 3)
    })
    .await;
    let events = post(&running, "/agent/generate", r#"{"prompt":"x"}"#)
        .await
        .events();
    assert_eq!(events.last().unwrap()["result"], 2);
    assert_eq!((acts.load(Ordering::SeqCst), ends(&events)), (3, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_is_answered_through_the_healing_channel() {
    let script = "{\"type\":\"ask\",\"question\":\"Which disk?\",\"options\":[\"sda\",\"sdb\"]}\n";
    let running = with_script(script, |daemon| daemon).await;
    let mut stream = open(
        &running.address,
        "POST",
        "/agent/generate",
        "",
        r#"{"prompt":"x"}"#,
    )
    .await;
    let mut seen = String::new();
    let url = loop {
        let mut piece = [0; 4096];
        let length = timeout(Duration::from_secs(10), stream.read(&mut piece))
            .await
            .unwrap()
            .unwrap();
        assert!(length > 0, "{seen}");
        seen += &String::from_utf8_lossy(&piece[..length]);
        if let Some((_, rest)) = seen.split_once("\"answer_url\":\"") {
            break rest.split('"').next().unwrap().to_owned();
        }
    };
    assert!(seen.contains(r#""question":"Which disk?""#), "{seen}");
    let patch = |value: &str| format!(r#"[{{"op":"replace","path":"/answer","value":"{value}"}}]"#);
    let send = async |value: &str| {
        let mut client = TcpStream::connect(&running.address).await.unwrap();
        let body = patch(value);
        let request = format!(
            "POST {url} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json-patch+json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        client.write_all(request.as_bytes()).await.unwrap();
        finish(client).await
    };
    let wrong = send("sdc").await;
    assert_eq!(wrong.status, 422, "{}", wrong.body);
    let right = send("sdb").await;
    assert!(right.status < 300, "{}", right.body);
    let mut rest = Vec::new();
    timeout(Duration::from_secs(10), stream.read_to_end(&mut rest))
        .await
        .unwrap()
        .unwrap();
    seen += &String::from_utf8_lossy(&rest);
    assert!(
        seen.contains(r#""result":{"answer":"sdb","question":"Which disk?"}"#),
        "{seen}"
    );
    assert!(
        !seen.contains("event: healing") && !seen.contains("event: interactive"),
        "{seen}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_abort_ends_the_run_and_the_worker_within_100_ms() {
    let worker = serve(Echo);
    let path = worker.path.clone();
    let running = start(Daemon::new(&worker.path), Some(worker)).await;
    let answer = post(
        &running,
        "/agent/sessions",
        r#"{"params":{"delay_ms":10,"repeat":100000}}"#,
    )
    .await;
    let session = answer.json()["session_id"].as_str().unwrap().to_owned();
    let body = format!(r#"{{"session_id":"{session}","prompt":"word "}}"#);
    let stream = open(&running.address, "POST", "/agent/generate", "", &body).await;
    let mut worker = crate::support::Client::connect(&path).await;
    while worker.ask(r#"{"type":"status"}"#).await["generating"] != 1 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let busy = post(&running, "/agent/generate", &body).await;
    assert_eq!(
        (busy.status, &busy.json()["code"]),
        (409, &json!("session_busy"))
    );
    let asked = Instant::now();
    let aborted = post(
        &running,
        "/agent/abort",
        &format!(r#"{{"session_id":"{session}"}}"#),
    )
    .await;
    assert_eq!(aborted.json(), json!({ "ok": true }));
    let answer = finish(stream).await;
    let took = asked.elapsed();
    assert!(took < Duration::from_millis(100), "{took:?}");
    let events = answer.events();
    let last = events.last().unwrap();
    assert_eq!(
        (&last["type"], &last["problem"]["code"]),
        (&json!("error"), &json!("aborted"))
    );
    assert_eq!(ends(&events), 1);
    let started = Instant::now();
    while worker.ask(r#"{"type":"status"}"#).await["generating"] != 0 {
        assert!(
            started.elapsed() < Duration::from_secs(2),
            "the worker goes on"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_leaves_cancels_or_not_as_it_said_and_can_resume() {
    let worker = serve(Echo);
    let path = worker.path.clone();
    let running = start(Daemon::new(&worker.path), Some(worker)).await;
    for cancels in [false, true] {
        let params = format!(
            r#"{{"params":{{"delay_ms":10,"repeat":{}}}}}"#,
            if cancels { 100_000 } else { 40 }
        );
        let answer = post(&running, "/agent/sessions", &params).await;
        let session = answer.json()["session_id"].as_str().unwrap().to_owned();
        let body = format!(r#"{{"session_id":"{session}","prompt":"word "}}"#);
        let header = if cancels {
            "aon-on-disconnect: cancel\r\n"
        } else {
            ""
        };
        let mut stream = open(&running.address, "POST", "/agent/generate", header, &body).await;
        let mut seen = String::new();
        while seen.matches("event: token").count() < 3 {
            let mut piece = [0; 512];
            let length = stream.read(&mut piece).await.unwrap();
            seen += &String::from_utf8_lossy(&piece[..length]);
        }
        drop(stream);
        let lower = seen.to_ascii_lowercase();
        let address = lower
            .lines()
            .find_map(|line| line.strip_prefix("aon-session: "))
            .unwrap();
        let id = seen
            .lines()
            .filter_map(|line| line.strip_prefix("id: "))
            .nth(1)
            .unwrap();
        let header = format!("last-event-id: {id}\r\n");
        let answer = get(&running, &format!("{}/events", address.trim()), &header).await;
        let rest = answer.body;
        let end = if cancels {
            r#""code":"cancelled""#
        } else {
            "event: done"
        };
        assert!(rest.contains(end), "{rest}");
        if !cancels {
            // Those it had seen are not sent again, and none is missing.
            assert_eq!(rest.matches("event: token").count(), 78, "{rest}");
        }
    }
    let mut worker = crate::support::Client::connect(&path).await;
    let started = Instant::now();
    while worker.ask(r#"{"type":"status"}"#).await["generating"] != 0 {
        assert!(
            started.elapsed() < Duration::from_secs(2),
            "the worker goes on"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(running.hub.stats().open, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_worker_the_fallback_answers_and_status_says_so() {
    let folder = Folder::new();
    let path = folder.path().join("w.sock");
    let running = start(Daemon::new(&path), None).await;
    let status = get(&running, "/agent/status", "").await.json();
    assert_eq!(
        (&status["ok"], &status["answers"]),
        (&json!(true), &json!("nobody"))
    );
    let refused = post(&running, "/agent/sessions", "{}").await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (503, &json!("worker_unavailable"))
    );
    let events = post(&running, "/agent/generate", r#"{"prompt":"hi"}"#)
        .await
        .events();
    assert_eq!(types(&events), ["error"]);
    assert_eq!(events[0]["problem"]["code"], "worker_unavailable");
    let running = start(Daemon::new(&path).fallback(Arc::new(Echo)), None).await;
    let status = get(&running, "/agent/status", "").await.json();
    assert_eq!(
        status["fallback"],
        json!({ "backend": "echo", "active": true })
    );
    assert_eq!(
        (&status["answers"], &status["worker"]["available"]),
        (&json!("fallback"), &json!(false))
    );
    let session = session(&running).await;
    let body = format!(r#"{{"session_id":"{session}","prompt":"hi"}}"#);
    let events = post(&running, "/agent/generate", &body).await.events();
    assert_eq!(types(&events), ["observe", "token", "done"]);
    // A worker that comes is used, and one that was restarted gets a session again.
    for _ in 0..2 {
        let socket = aon_agent::worker::Worker::new(Script("worker"))
            .bind(&path)
            .unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let task = tokio::spawn(socket.serve(async {
            let _ = stopped.await;
        }));
        let events = post(&running, "/agent/generate", &body).await.events();
        assert_eq!(types(&events), ["token", "done"]);
        assert_eq!(events.last().unwrap()["result"], "worker");
        let status = get(&running, "/agent/status", "").await.json();
        assert_eq!(status["answers"], "worker");
        drop(stop);
        task.await.unwrap();
    }
    soon("the socket is gone", || !path.exists()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_token_is_lost_and_events_fit_the_published_schema() {
    let schema = aon_agent::schema::daemon();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let worker = serve(Echo);
    let running = start(Daemon::new(&worker.path), Some(worker)).await;
    let answer = post(&running, "/agent/sessions", r#"{"params":{"repeat":5000}}"#).await;
    let session = answer.json()["session_id"].as_str().unwrap().to_owned();
    let body = format!(r#"{{"session_id":"{session}","prompt":"word "}}"#);
    let events = post(&running, "/agent/generate", &body).await.events();
    // "word" and the blank after it.
    assert_eq!(events.len(), 10_001);
    for event in events.iter().rev().take(100) {
        assert!(validator.is_valid(event), "{event}");
    }
    let script = "{\"type\":\"shell\",\"command\":\"a\"}\n{\"type\":\"research\",\"queries\":[]}\n{\"type\":\"use_tool\"}\n";
    let running = with_script(script, |daemon| daemon).await;
    let events = post(&running, "/agent/generate", r#"{"prompt":"x"}"#)
        .await
        .events();
    for event in &events {
        assert!(validator.is_valid(event), "{event}");
    }
    aon_tests::place::say(&format!(
        "count: {} events fit the schema",
        events.len() + 100
    ));
}
