//! Tasks, questions and cancelling on MCP by hand: what the official clients do not do wrong.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::{PROGRAM, Server, demo};
use crate::token::{SECRET, bearer};

/// A request of 2026-07-28 from a client that knows tasks and shows forms.
pub fn ask(server: &Server, method: &str, params: &Value, token: Option<&str>) -> Value {
    let (headers, body) = request(method, params, token);
    let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let answer = server.send("POST", "/mcp", &headers, body.as_bytes());
    if answer
        .header("content-type")
        .is_some_and(|media| media.contains("event-stream"))
    {
        let text = answer.text();
        let last = text
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .next_back();
        return serde_json::from_str(last.expect("an event")).expect("a message");
    }
    answer.json()
}

pub fn request(
    method: &str,
    params: &Value,
    token: Option<&str>,
) -> (Vec<(&'static str, String)>, String) {
    let mut params = params.clone();
    let able =
        json!({"elicitation": {"form": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
    let able = params.get("able").cloned().unwrap_or(able);
    let mut meta = params["_meta"].as_object().cloned().unwrap_or_default();
    meta.insert(
        "io.modelcontextprotocol/protocolVersion".to_owned(),
        json!("2026-07-28"),
    );
    meta.insert(
        "io.modelcontextprotocol/clientCapabilities".to_owned(),
        able,
    );
    params["_meta"] = Value::Object(meta);
    let name = params["name"].as_str().or(params["taskId"].as_str());
    let mut headers = vec![
        ("content-type", "application/json".to_owned()),
        ("accept", "application/json, text/event-stream".to_owned()),
        ("mcp-protocol-version", "2026-07-28".to_owned()),
        ("mcp-method", method.to_owned()),
        ("mcp-name", name.unwrap_or_default().to_owned()),
    ];
    headers.extend(token.map(|token| ("authorization", format!("Bearer {token}"))));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    (headers, body.to_string())
}

pub fn play(steps: &Value) -> Value {
    json!({"name": "play", "arguments": {"payload": {"email": "bad"}, "steps": steps}})
}

/// The task of a script; it has to take long enough.
pub fn started(server: &Server, steps: &Value, token: Option<&str>) -> String {
    let answer = ask(server, "tools/call", &play(steps), token);
    assert_eq!(answer["result"]["resultType"], "task", "{answer}");
    answer["result"]["taskId"]
        .as_str()
        .expect("an id")
        .to_owned()
}

pub fn task(server: &Server, id: &str, token: Option<&str>) -> Value {
    ask(server, "tasks/get", &json!({"taskId": id}), token)
}

/// The task once it has this status, or any that is the last.
fn until(server: &Server, id: &str, status: &str) -> Value {
    for _ in 0..200 {
        let task = task(server, id, None)["result"].clone();
        let now = task["status"].as_str().unwrap_or_default();
        if now == status || ["completed", "failed", "cancelled"].contains(&now) {
            return task;
        }
        sleep(Duration::from_millis(25));
    }
    panic!("task {id} was never {status}");
}

pub fn hang() -> Value {
    json!([{"do": "status", "message": "hanging"}, {"do": "hang"}])
}

pub fn asking() -> Value {
    json!([{"do": "sleep", "ms": 40}, {"do": "step", "name": "store", "fail": "until_patched", "ask": {"paths": ["/email"]}}])
}

#[test]
fn a_task_is_a_session() {
    let demo = demo();
    let id = started(
        demo,
        &json!([{"do": "status", "message": "one"}, {"do": "sleep", "ms": 200}, {"do": "result", "data": 7}]),
        None,
    );
    let working = task(demo, &id, None)["result"].clone();
    assert_eq!(
        (&working["status"], &working["statusMessage"]),
        (&json!("working"), &json!("one")),
        "{working}"
    );
    assert!(
        working["ttlMs"].as_u64().is_some_and(|ttl| ttl > 0),
        "{working}"
    );
    let done = until(demo, &id, "completed");
    assert_eq!(done["result"]["structuredContent"]["data"], 7, "{done}");
    let state = demo
        .send("GET", &format!("/aon/sessions/{id}"), &[], b"")
        .json();
    assert_eq!(
        (&state["state"], &state["session_id"]),
        (&json!("result"), &json!(id)),
        "{state}"
    );
    let events = demo.send(
        "GET",
        &format!("/aon/sessions/{id}/events"),
        &[("accept", "application/x-ndjson")],
        b"",
    );
    assert!(
        events.text().contains(r#""message":"one""#),
        "{}",
        events.text()
    );

    let failed = started(
        demo,
        &json!([{"do": "sleep", "ms": 60}, {"do": "problem", "problem": {"status": 409, "code": "taken"}}]),
        None,
    );
    let failed = until(demo, &failed, "completed");
    let error = &failed["result"]["structuredContent"]["error"];
    assert_eq!(
        (&failed["status"], &error["code"]),
        (&json!("completed"), &json!("taken")),
        "{failed}"
    );
    place::say("count: tasks as sessions, 2 tasks to their end");
}

#[test]
fn a_question_of_a_task_is_answered_once_and_refusals_say_why() {
    let demo = demo();
    let id = started(demo, &asking(), None);
    let open = until(demo, &id, "input_required");
    let key = open["inputRequests"]
        .as_object()
        .and_then(|all| all.keys().next().cloned())
        .expect("a key");
    let update = |answers: Value| {
        ask(
            demo,
            "tasks/update",
            &json!({"taskId": id, "inputResponses": answers}),
            None,
        )
    };
    assert_eq!(
        update(json!({"nobody-asked": {"action": "accept"}}))["result"]["resultType"],
        "complete"
    );
    assert_eq!(
        update(json!({&key: {"action": "accept", "content": {"email": 7}}}))["result"]["resultType"],
        "complete"
    );
    let again = task(demo, &id, None)["result"].clone();
    let second = again["inputRequests"]
        .as_object()
        .and_then(|all| all.keys().next().cloned())
        .expect("a key");
    assert_ne!(key, second, "a key is used once: {again}");
    let message = again["inputRequests"][&second]["params"]["message"]
        .as_str()
        .expect("words");
    assert!(message.starts_with("email must be a string."), "{message}");
    update(json!({&second: {"action": "accept", "content": {"email": "ann@example.com"}}}));
    let done = until(demo, &id, "completed");
    assert_eq!(
        done["result"]["structuredContent"]["data"]["email"], "ann@example.com",
        "{done}"
    );
    let late = update(json!({&second: {"action": "decline"}}));
    assert_eq!(
        late["result"]["resultType"], "complete",
        "an answer to a question that is gone is passed over: {late}"
    );
}

#[test]
fn cancelling_works_both_ways() {
    let demo = demo();
    let id = started(demo, &hang(), None);
    let ack = ask(demo, "tasks/cancel", &json!({"taskId": id}), None);
    assert_eq!(ack["result"], json!({"resultType": "complete"}), "{ack}");
    assert_eq!(until(demo, &id, "cancelled")["status"], "cancelled");
    let state = demo
        .send("GET", &format!("/aon/sessions/{id}"), &[], b"")
        .json();
    assert_eq!(state["outcome"]["code"], "cancelled", "{state}");

    // A call that is cancelled from elsewhere ends with the problem.
    let mut params = play(&hang());
    params["able"] = json!({});
    params["_meta"] = json!({"progressToken": 5});
    let (mut stream, mut seen) = open(demo, &params);
    let id = read_until(&mut stream, &mut seen, "hanging");
    let answer = demo.send("DELETE", &format!("/aon/sessions/{id}"), &[], b"");
    assert_eq!(answer.status, 202, "{}", answer.text());
    let _ = stream.read_to_string(&mut seen);
    assert!(
        seen.contains(r#""isError":true"#) && seen.contains(r#""code":"cancelled""#),
        "{seen}"
    );

    // A stream that is closed cancels the session.
    let (mut stream, mut seen) = open(demo, &params);
    let id = read_until(&mut stream, &mut seen, "hanging");
    drop(stream);
    let state = (0..200).map(|_| {
        sleep(Duration::from_millis(25));
        demo.send("GET", &format!("/aon/sessions/{id}"), &[], b"")
            .json()
    });
    let state = { state }
        .find(|state| state["state"] != "open")
        .expect("it ends");
    assert_eq!(state["outcome"]["code"], "cancelled", "{state}");
}

/// Sends a request whose answer is a stream.
pub fn open(server: &Server, params: &Value) -> (TcpStream, String) {
    open_as(server, "tools/call", params, None)
}

pub fn open_as(
    server: &Server,
    method: &str,
    params: &Value,
    token: Option<&str>,
) -> (TcpStream, String) {
    let (headers, body) = request(method, params, token);
    let mut head = format!(
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\ncontent-length: {}\r\n",
        server.port,
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("a limit");
    stream
        .write_all(format!("{head}\r\n{body}").as_bytes())
        .expect("it reads");
    (stream, String::new())
}

/// Reads until the words have come; gives the id of the session.
pub fn read_until(stream: &mut TcpStream, seen: &mut String, words: &str) -> String {
    read_words(stream, seen, words);
    let (_, rest) = seen
        .split_once(r#""session_id":""#)
        .expect("the id of the session");
    rest[..32].to_owned()
}

pub fn read_words(stream: &mut TcpStream, seen: &mut String, words: &str) {
    let mut chunk = [0; 4096];
    while !seen.contains(words) {
        let count = stream.read(&mut chunk).expect("more");
        assert!(count > 0, "it ended: {seen}");
        seen.push_str(&String::from_utf8_lossy(&chunk[..count]));
    }
}

#[test]
fn what_is_gone_or_of_somebody_else_is_not_found() {
    let plain = demo();
    let mut cases = 0;
    let direct = ask(
        plain,
        "tools/call",
        &play(&json!([{"do": "status", "message": "x"}])),
        None,
    );
    let direct = direct["result"]["_meta"]["space.possibility/session"]["session_id"].clone();
    assert!(direct.is_string());
    for id in [
        json!("nothing"),
        json!(""),
        json!("0123456789abcdef0123456789abcdef"),
        direct,
    ] {
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let answer = ask(
                plain,
                method,
                &json!({"taskId": id, "inputResponses": {}}),
                None,
            );
            assert_eq!(answer["error"]["code"], -32602, "{method} {id}: {answer}");
            assert_eq!(
                answer["error"]["data"]["code"], "task_not_found",
                "{method} {id}: {answer}"
            );
            cases += 1;
        }
    }
    let mut gone = play(&asking());
    gone["requestState"] = json!("aon-session:0123456789abcdef0123456789abcdef");
    gone["inputResponses"] = json!({"x": {"action": "accept", "content": {}}});
    let answer = ask(plain, "tools/call", &gone, None);
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"]["code"]),
        (&json!(-32602), &json!("question_gone")),
        "{answer}"
    );

    // A question that is answered elsewhere: the retry gets the outcome.
    let mut first = play(&asking());
    first["able"] = json!({"elicitation": {}});
    let question = ask(plain, "tools/call", &first, None);
    let state = question["result"]["requestState"]
        .as_str()
        .expect("a state")
        .to_owned();
    let id = state.strip_prefix("aon-session:").expect("the session");
    let json_type = [("content-type", "application/json")];
    let denied = plain.send(
        "POST",
        &format!("/aon/sessions/{id}/healing"),
        &json_type,
        br#"{"deny":true}"#,
    );
    first["requestState"] = json!(state);
    first["inputResponses"] = json!({"late": {"action": "accept", "content": {"email": "x"}}});
    let answer = ask(plain, "tools/call", &first, None);
    let code = &answer["result"]["structuredContent"]["error"]["code"];
    assert_eq!(
        code,
        "healing_denied",
        "{answer} after {} {}",
        denied.status,
        denied.text()
    );
    // The same state with other arguments is another call.
    let mut other = play(&hang());
    other["requestState"] = json!(state);
    assert_eq!(
        ask(plain, "tools/call", &other, None)["error"]["data"]["code"],
        "question_gone"
    );

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
    for stranger in [Some(bob.as_str()), None, Some("a.b.c")] {
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let answer = ask(
                &known,
                method,
                &json!({"taskId": id, "inputResponses": {}}),
                stranger,
            );
            assert_eq!(
                answer["error"]["code"], -32602,
                "{method} {stranger:?}: {answer}"
            );
            cases += 1;
        }
    }
    assert_eq!(task(&known, &id, Some(&ann))["result"]["status"], "working");
    place::say(&format!(
        "count: tasks that are gone or of somebody else, {cases} requests"
    ));
}

#[test]
fn odd_parameters_are_named_and_the_method_is_not_called_unknown() {
    let mut cases = 0;
    for (method, params, pointer) in [
        ("tasks/get", json!({}), "#/taskId"),
        ("tasks/get", json!({"taskId": 7}), "#/taskId"),
        ("tasks/update", json!({"inputResponses": {}}), "#/taskId"),
        (
            "tasks/update",
            json!({"taskId": "t", "inputResponses": "x"}),
            "#/inputResponses",
        ),
        ("tasks/cancel", json!({"taskId": {}}), "#/taskId"),
        ("subscriptions/listen", json!({}), "#/notifications"),
        (
            "subscriptions/listen",
            json!({"notifications": 5}),
            "#/notifications",
        ),
    ] {
        let answer = ask(demo(), method, &params, None);
        assert_eq!(
            answer["error"]["code"], -32602,
            "{method} {params}: {answer}"
        );
        let problem = &answer["error"]["data"];
        assert_eq!(
            problem["errors"][0]["pointer"], pointer,
            "{method} {params}: {answer}"
        );
        cases += 1;
    }
    place::say(&format!("count: odd parameters of tasks on MCP, {cases}"));
}

#[test]
fn a_full_hub_refuses_tasks_and_serves_calls() {
    let server = Server::start(&[env!("CARGO_BIN_EXE_mcp-everything"), "4"]);
    let slow = |seconds: u64| json!({"name": "slow_compute", "arguments": {"seconds": seconds, "label": "x"}});
    let tasks: Vec<Value> = (0..4)
        .map(|_| ask(&server, "tools/call", &slow(60), None)["result"]["taskId"].clone())
        .collect();
    assert!(tasks.iter().all(Value::is_string), "{tasks:?}");
    let refused = ask(&server, "tools/call", &slow(60), None);
    let error = &refused["result"]["structuredContent"]["error"];
    assert_eq!(
        (&error["code"], &error["status"]),
        (&json!("too_many_sessions"), &json!(503)),
        "{refused}"
    );
    let mut direct = slow(0);
    direct["able"] = json!({});
    let served = ask(&server, "tools/call", &direct, None);
    assert_eq!(
        served["result"]["content"][0]["text"], "computed x",
        "{served}"
    );
    ask(&server, "tasks/cancel", &json!({"taskId": tasks[0]}), None);
    sleep(Duration::from_millis(200));
    let again = ask(&server, "tools/call", &slow(60), None);
    assert_eq!(again["result"]["resultType"], "task", "{again}");
    let gone = task(&server, tasks[0].as_str().expect("an id"), None);
    assert_eq!(
        gone["error"]["code"], -32602,
        "the one that ended made room: {gone}"
    );
    assert_eq!(
        until(&server, tasks[1].as_str().expect("an id"), "working")["status"],
        "working"
    );
    place::say("count: a full hub, 4 tasks of 4, 1 refused, 1 made room");
}

#[test]
fn a_burst_of_tasks_stops_exactly_at_the_limit() {
    let server = Server::start(&[env!("CARGO_BIN_EXE_mcp-everything"), "40"]);
    let slow = json!({"name": "slow_compute", "arguments": {"seconds": 60, "label": "x"}});
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..120)
            .map(|_| scope.spawn(|| ask(&server, "tools/call", &slow, None)))
            .collect();
        all.into_iter()
            .map(|each| each.join().expect("an answer"))
            .collect()
    });
    let tasks = answers
        .iter()
        .filter(|answer| answer["result"]["resultType"] == "task");
    let full = |answer: &&Value| {
        answer["result"]["structuredContent"]["error"]["code"] == "too_many_sessions"
    };
    let counts = (tasks.count(), answers.iter().filter(full).count());
    assert_eq!(counts, (40, 80), "{answers:?}");
    place::say("count: tasks of MCP at the limit, 40 of 120");
}
