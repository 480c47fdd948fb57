//! A call of MCP and a task of A2A are watched like any session: by a subscription, by `aon tail`, and by the page.

use std::io::Read as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::{PROGRAM, Server, demo};
use crate::live_page::browser;
use crate::tasks::{ask, asking, hang, open, open_as, play, read_until, read_words, started};
use crate::token::{SECRET, bearer};
use crate::tools;

/// The messages of a stream that has ended.
fn messages(stream: &mut std::net::TcpStream, mut seen: String) -> Vec<Value> {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("it ends");
    seen.push_str(&String::from_utf8_lossy(&rest));
    let data = seen.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|data| serde_json::from_str(data).ok())
        .collect()
}

fn subscription(ids: &Value) -> Value {
    json!({"notifications": {"taskIds": ids}})
}

const LISTEN: &str = "subscriptions/listen";

#[test]
fn a_subscriber_is_told_what_becomes_of_its_tasks() {
    let server = demo();
    let quick = json!([
        {"do": "sleep", "ms": 300}, {"do": "status", "message": "half way"}, {"do": "sleep", "ms": 300}
    ]);
    let one = started(server, &quick, None);
    let other = started(server, &asking(), None);
    let nobody = "0123456789abcdef0123456789abcdef";
    let wanted = subscription(&json!([one, other, nobody, one]));
    let (mut stream, mut seen) = open_as(server, LISTEN, &wanted, None);
    // The other one asks, is answered, and ends; then the subscription is over.
    let asked = loop {
        let task = ask(server, "tasks/get", &json!({"taskId": other}), None)["result"].clone();
        if task["status"] == "input_required" {
            break task;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    };
    let requests = asked["inputRequests"].as_object().expect("questions");
    let key = requests.keys().next().expect("a question").clone();
    read_words(&mut stream, &mut seen, "input_required");
    let answers = json!({"taskId": other, "inputResponses": {key: {"action": "accept", "content": {"email": "a@b.c"}}}});
    ask(server, "tasks/update", &answers, None);
    let told = messages(&mut stream, seen);
    let acknowledged = &told[0];
    assert_eq!(
        acknowledged["method"], "notifications/subscriptions/acknowledged",
        "{acknowledged}"
    );
    let mut accepted = vec![one.clone(), other.clone()];
    accepted.sort();
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({"taskIds": accepted})
    );
    let states = |id: &str| -> Vec<String> {
        let of = told.iter().filter(|each| each["params"]["taskId"] == id);
        let mut states: Vec<String> = of
            .map(|each| {
                assert_eq!(each["method"], "notifications/tasks", "{each}");
                each["params"]["status"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect();
        states.dedup();
        states
    };
    assert_eq!(states(&one), ["working", "completed"], "{told:?}");
    let second = states(&other);
    assert_eq!(
        second.last().map(String::as_str),
        Some("completed"),
        "{told:?}"
    );
    assert!(second.contains(&"input_required".to_owned()), "{told:?}");
    let words = told
        .iter()
        .any(|each| each["params"]["statusMessage"] == "half way");
    assert!(words, "{told:?}");
    // Each carries the subscription, and is what tasks/get says: the last one has the result.
    let key = "io.modelcontextprotocol/subscriptionId";
    for each in &told[..told.len() - 1] {
        assert_eq!(each["params"]["_meta"][key], 1, "{each}");
    }
    let last = told
        .iter()
        .rfind(|each| each["params"]["taskId"] == json!(other));
    let last = &last.expect("the end")["params"];
    let now = ask(server, "tasks/get", &json!({"taskId": other}), None)["result"].clone();
    assert_eq!(last["result"], now["result"], "{last}");
    let end = told.last().expect("an end");
    assert_eq!(
        (&end["id"], &end["result"]["resultType"]),
        (&json!(1), &json!("complete")),
        "{end}"
    );
    // One that has ended is told at once.
    let again = open_as(server, LISTEN, &subscription(&json!([one])), None);
    let (mut stream, seen) = again;
    let told = messages(&mut stream, seen);
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(told[1]["params"]["status"], "completed");
    place::say("count: subscriptions to tasks, 2");
}

#[test]
fn subscriptions_to_tasks_of_others_and_hostile_ones_tell_nothing() {
    let known = Server::start(&[
        PROGRAM,
        "demo",
        "--port",
        "0",
        "--quiet",
        "--jwt-secret",
        SECRET,
    ]);
    let token = |who: &str| {
        bearer(who, &[])
            .rsplit(' ')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let (ann, bob) = (token("ann"), token("bob"));
    let id = started(&known, &hang(), Some(&ann));
    for stranger in [Some(&*bob), None] {
        let (mut stream, seen) = open_as(&known, LISTEN, &subscription(&json!([id])), stranger);
        let told = messages(&mut stream, seen);
        let accepted = &told[0]["params"]["notifications"]["taskIds"];
        assert_eq!((told.len(), accepted), (2, &json!([])), "{told:?}");
    }
    let mut cases = 2;
    for hostile in [
        json!("all"),
        json!([1]),
        json!({"$ne": null}),
        json!(vec!["x"; 257]),
        json!(null),
    ] {
        let answer = ask(&known, LISTEN, &subscription(&hostile), Some(&ann));
        assert_eq!(answer["error"]["code"], -32602, "{hostile}: {answer}");
        assert!(answer["error"]["data"]["code"].is_string(), "{answer}");
        cases += 1;
    }
    // A client that does not know tasks is told what it lacks, and a server without subscriptions of its own says so.
    let mut unable = subscription(&json!([id]));
    unable["able"] = json!({});
    let answer = ask(&known, LISTEN, &unable, Some(&ann));
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
    let mixed = json!({"notifications": {"taskIds": [id], "toolsListChanged": true}});
    let answer = ask(&known, LISTEN, &mixed, Some(&ann));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let words = answer.to_string();
    assert!(
        words.contains(LISTEN) && !words.contains("aon/tasks"),
        "{words}"
    );
    place::say(&format!(
        "count: hostile subscriptions to tasks, {}",
        cases + 2
    ));
}

#[test]
fn a_subscription_on_standard_input_and_output() {
    let mut server = Command::new(PROGRAM)
        .args(["demo", "--stdio", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut input = server.stdin.take().expect("standard input");
    let mut output = std::io::BufReader::new(server.stdout.take().expect("standard output"));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let mut say = |id: u32, method: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{message}").expect("it reads");
    };
    let mut hear = || -> Value {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut output, &mut line).expect("a line");
        serde_json::from_str(&line).expect("a message")
    };
    say(1, "tools/call", play(&json!([{"do": "sleep", "ms": 400}])));
    let created = hear();
    let id = created["result"]["taskId"]
        .as_str()
        .expect("a task")
        .to_owned();
    say(2, LISTEN, subscription(&json!([id])));
    let told: Vec<Value> = (0..4).map(|_| hear()).collect();
    let methods: Vec<&str> = told
        .iter()
        .filter_map(|each| each["method"].as_str())
        .collect();
    assert_eq!(
        methods,
        [
            "notifications/subscriptions/acknowledged",
            "notifications/tasks",
            "notifications/tasks"
        ],
        "{told:?}"
    );
    assert_eq!(told[2]["params"]["status"], "completed", "{told:?}");
    assert_eq!(told[3]["id"], 2, "{told:?}");
    drop(input);
    let _ended = server.wait();
}

/// What `aon tail` writes about a session, and how it ends.
fn tail(server: &Server, id: &str) -> (i32, String) {
    let url = format!("{}/aon/sessions/{id}/events", server.base);
    let mut tail = Command::new(PROGRAM);
    tail.args(["tail", &url]).env("NO_COLOR", "1");
    let output = tail.output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stdout) + &text(&output.stderr);
    (output.status.code().unwrap_or(-1), said)
}

/// The id of a task of A2A that goes on.
fn rollout(server: &Server, steps: u32, fails: bool) -> String {
    let data =
        json!({"skill": "possibility_rollout", "id": "acme", "steps": steps, "fails": fails});
    let message = json!({"messageId": "w1", "role": "ROLE_USER", "parts": [{"data": data}]});
    let params = json!({"message": message, "configuration": {"returnImmediately": true}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params});
    let headers = [("content-type", "application/json"), ("a2a-version", "1.0")];
    let answer = server
        .send("POST", "/a2a", &headers, body.to_string().as_bytes())
        .json();
    answer["result"]["task"]["id"]
        .as_str()
        .expect("a task")
        .to_owned()
}

fn failing() -> Value {
    json!([
        {"do": "status", "message": "looking"}, {"do": "sleep", "ms": 200},
        {"do": "problem", "problem": {"status": 422, "code": "no_such_color", "detail": "There is no such color."}},
    ])
}

#[test]
fn tail_follows_calls_and_tasks() {
    let server = demo();
    // A task of MCP, by its id.
    let id = started(
        server,
        &json!([{"do": "status", "message": "looking"}, {"do": "sleep", "ms": 300}]),
        None,
    );
    let (code, said) = tail(server, &id);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("looking") && said.contains("result"),
        "{said}"
    );
    // A call of MCP that is no task: its progress names the session, and it is followed while it goes on.
    let mut call = play(&failing());
    call["able"] = json!({});
    call["_meta"] = json!({"progressToken": "p"});
    let (mut stream, mut seen) = open(server, &call);
    let id = read_until(&mut stream, &mut seen, "looking");
    let (code, said) = tail(server, &id);
    assert_eq!(code, 1, "{said}");
    for words in ["looking", "no_such_color", "There is no such color."] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // A task of A2A, whose id is that of its session.
    let id = rollout(server, 3, true);
    let (code, said) = tail(server, &id);
    assert_eq!(code, 1, "{said}");
    for words in ["a2a_task", "Step 3 of 3.", "artifact", "rollout_failed"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    place::say("count: calls and tasks that aon tail follows, 3");
}

#[test]
fn the_page_follows_calls_and_tasks() {
    let suite = "calls and tasks on the live page in a browser";
    let Some(browser) = browser(suite) else {
        return;
    };
    let server = demo();
    let long = json!([
        {"do": "status", "message": "looking"}, {"do": "sleep", "ms": 4000}, {"do": "status", "message": "found"}
    ]);
    let task = started(server, &long, None);
    let mut call = play(&failing());
    call["able"] = json!({});
    call["_meta"] = json!({"progressToken": "p"});
    let (mut stream, mut seen) = open(server, &call);
    let call = read_until(&mut stream, &mut seen, "looking");
    let agent = rollout(server, 12, false);
    let plan = json!({
        "base": server.base, "browser": browser, "shots": std::env::var("AON_SHOTS").ok(),
        "watched": {"task": task, "call": call, "agent": agent},
    });
    let Some(report) = tools::module(suite, "playwright-core", "watch_page.mjs", &plan) else {
        return;
    };
    assert_eq!(report["complaints"], json!([]), "the page has errors");
    for (name, outcome, words) in [
        ("task", "result", &["looking", "found"][..]),
        ("call", "error", &["looking", "no_such_color"]),
        (
            "agent",
            "result",
            &["Step 1 of 12.", "Step 12 of 12.", "acme"],
        ),
    ] {
        let shown = &report[name];
        assert_eq!(
            shown["ndjson"], shown["sse"],
            "{name}: both channels show the same"
        );
        assert_eq!(shown["outcome"], outcome, "{name}: {shown}");
        let all = shown.to_string();
        for words in words {
            assert!(all.contains(words), "{name}: {words}: {all}");
        }
    }
    let gone = report["gone"].as_str().unwrap_or_default();
    assert!(gone.contains("session_not_found"), "{report}");
    place::say("count: calls and tasks on the page, 3");
}
