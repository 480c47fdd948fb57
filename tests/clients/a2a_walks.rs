//! Tasks through the official clients, over every binding: they stream, are asked, answer, name an address for push notifications,
//! come back, cancel, list, and read the final problem.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::demo;
use crate::tools;

const SESSION: &str = "https://possibility.space/a2a/extensions/session/v1";

#[test]
fn python_client() {
    let hooks = Hooks::listen();
    let plan = json!({"base": demo().base, "hook": hooks.base});
    let report = tools::python("PyPI a2a-sdk", "a2a", "a2a_tasks.py", &plan);
    report
        .iter()
        .for_each(|report| assert_walks(report, &hooks));
}

#[test]
fn javascript_client() {
    let hooks = Hooks::listen();
    let plan = json!({"base": demo().base, "hook": hooks.base});
    let report = tools::module("npm @a2a-js/sdk", "@a2a-js/sdk", "a2a_tasks.mjs", &plan);
    report
        .iter()
        .for_each(|report| assert_walks(report, &hooks));
}

/// An address that is told: what came, as its head and its body.
struct Hooks {
    base: String,
    told: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Hooks {
    fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let told = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&told);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut reader = BufReader::new(stream);
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n")
                    && reader.read_line(&mut head).is_ok_and(|read| read > 0)
                {}
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(": ")?;
                    name.eq_ignore_ascii_case("content-length")
                        .then(|| value.parse().ok())?
                });
                let mut body = vec![0; length.unwrap_or(0)];
                reader.read_exact(&mut body).expect("a body");
                let body = serde_json::from_slice(&body).expect("JSON");
                all.lock().expect("nobody panicked").push((head, body));
                let answer = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
                reader.get_mut().write_all(answer).expect("an answer");
            }
        });
        Self { base, told }
    }

    /// What was told at an address, in its order.
    fn at(&self, path: &str) -> Vec<(String, Value)> {
        let told = self.told.lock().expect("nobody panicked");
        let line = format!("POST {path} ");
        told.iter()
            .filter(|(head, _)| head.starts_with(&line))
            .cloned()
            .collect()
    }
}

/// The address that a client named was told everything that followed, and could know by whom.
fn assert_told(walk: &Value, hooks: &Hooks, place: &str) {
    let (version, binding) = (&walk["version"], &walk["binding"]);
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let path = format!("/{}/{}", word(version), word(binding));
    assert_eq!(
        walk["hook"]["url"],
        format!("{}{path}", hooks.base),
        "{place}"
    );
    assert_eq!(walk["hooks"], json!(["mine"]), "{place}");
    assert!(
        !walk["hook"].to_string().contains("let-me-in"),
        "{place}: {walk}"
    );
    let is_last = |told: &[(String, Value)]| {
        let last = told
            .last()
            .map(|(_, last)| last.to_string())
            .unwrap_or_default();
        last.contains("\"completed\"") || last.contains("TASK_STATE_COMPLETED")
    };
    // The stream of the client may have ended before the last one was on its way.
    let mut told = hooks.at(&path);
    for _ in 0..100 {
        if is_last(&told) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        told = hooks.at(&path);
    }
    assert!(is_last(&told), "{place}: {:?}", told.last());
    for (head, _) in &told {
        for line in [
            "authorization: Bearer let-me-in",
            "x-a2a-notification-token: known-by-this",
        ] {
            assert!(head.contains(line), "{place}: {line} is not in {head}");
        }
    }
    assert!(told.len() > 8, "{place}: {}", told.len());
}

/// A client streamed, was asked, answered, came back, cancelled, listed, and read the problems.
fn assert_walks(report: &Value, hooks: &Hooks) {
    let client = report["client"].as_str().expect("the name of the client");
    let walks = report["walks"].as_array().expect("walks");
    assert_eq!(walks.len(), 3, "{client}");
    for walk in walks {
        let place = format!("{client}, {} {}", walk["version"], walk["binding"]);
        let states = |name: &str| -> Vec<String> {
            let events = walk[name]
                .as_array()
                .unwrap_or_else(|| panic!("{place}: {name}: {walk}"));
            assert_eq!(
                events[0]["kind"], "task",
                "{place}: {name} does not begin with the task"
            );
            events
                .iter()
                .filter_map(|event| event["state"].as_str().map(str::to_owned))
                .collect()
        };
        let end = |name: &str| states(name).pop().unwrap_or_default();
        assert_eq!(end("streamed"), "TASK_STATE_FAILED", "{place}");
        let streamed = walk["streamed"].to_string();
        assert!(
            streamed.contains("rollout_failed") && streamed.contains("pspace.a2a.error.v1"),
            "{place}: {streamed}"
        );
        assert!(streamed.contains("step 3 of acme"), "{place}: {streamed}");
        assert_eq!(end("asked"), "TASK_STATE_INPUT_REQUIRED", "{place}");
        assert_eq!(end("answered"), "TASK_STATE_COMPLETED", "{place}");
        assert_eq!(end("resubscribed"), "TASK_STATE_COMPLETED", "{place}");
        assert_told(walk, hooks, &place);
        assert_eq!(walk["cancelled"], "TASK_STATE_CANCELED", "{place}");
        let id = walk["got"]["id"].as_str().expect("an id");
        assert!(
            walk["got"].to_string().contains(SESSION),
            "{place}: the session is not named"
        );
        if walk["version"] == "1.0" {
            assert_eq!(walk["listed"], json!([id]), "{place}");
        }
        let refused = walk["refused"].to_string();
        assert!(
            refused.contains("sign_in_required") && refused.contains("sign in first"),
            "{place}: {refused}"
        );
    }
    place::say(&format!(
        "count: {client}, {} walks through tasks",
        walks.len()
    ));
}
