//! Two demos that share an engine: each serves the tasks of MCP of the other.

use std::thread::sleep;
use std::time::Duration;

use aon_tests::engine::{Engine, engines};
use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::{PROGRAM, Server};
use crate::tasks::{ask, asking, hang, started, task};

/// Asks until the task has that status.
fn until(server: &Server, id: &str, status: &str) -> Value {
    for _ in 0..200 {
        let now = task(server, id, None)["result"].clone();
        if now["status"] == status {
            return now;
        }
        sleep(Duration::from_millis(25));
    }
    panic!("{id} was never {status}: {}", task(server, id, None));
}

/// A call without a task asks through its result; the same call again may reach any node.
fn answered_elsewhere(one: &Server, other: &Server) {
    let call = |server: &Server, more: Value| {
        let ask_for = json!({"paths": ["/email"], "type": {"email": {"pattern": "^[^@]+@[^@]+$"}}});
        let step = json!({"do": "step", "name": "store", "fail": "until_patched", "ask": ask_for});
        let mut params = crate::tasks::play(&json!([step]));
        params["able"] = json!({"elicitation": {"form": {}}});
        for (name, value) in more.as_object().expect("an object") {
            params[name] = value.clone();
        }
        ask(server, "tools/call", &params, None)["result"].clone()
    };
    let key = |asked: &Value| {
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let requests = asked["inputRequests"].as_object().expect("questions");
        requests.keys().next().expect("a question").clone()
    };
    let again = |asked: &Value, email: &str| {
        let answer = json!({"action": "accept", "content": {"email": email}});
        json!({"requestState": asked["requestState"], "inputResponses": {key(asked): answer}})
    };
    let asked = call(one, json!({}));
    // Without an answer it is asked again, with one that is not good as well.
    let waits = call(other, json!({"requestState": asked["requestState"]}));
    assert_eq!(key(&waits), key(&asked));
    let refused = call(other, again(&asked, "nobody"));
    assert_eq!(key(&refused), key(&asked), "{refused}");
    let done = call(other, again(&refused, "a@b.c"));
    assert_eq!(
        (&done["resultType"], &done["isError"]),
        (&json!("complete"), &json!(false)),
        "{done}"
    );
    assert_eq!(
        done["structuredContent"]["data"]["email"], "a@b.c",
        "{done}"
    );
    // What was never asked there is nobody's.
    let id = started(one, &hang(), None);
    let state = json!({"requestState": format!("aon-session:{id}")});
    let mut forged = crate::tasks::play(&hang());
    forged["requestState"] = state["requestState"].clone();
    let gone = ask(other, "tools/call", &forged, None);
    assert_eq!(gone["error"]["data"]["code"], "question_gone", "{gone}");
    ask(one, "tasks/cancel", &json!({"taskId": id}), None);
}

/// A subscription at one node tells of the tasks of both.
fn watched_elsewhere(one: &Server, other: &Server) {
    let steps = json!([{"do": "status", "message": "at work"}, {"do": "sleep", "ms": 600}]);
    let ids = [started(one, &steps, None), started(other, &steps, None)];
    let (headers, body) = crate::tasks::request(
        "subscriptions/listen",
        &json!({"notifications": {"taskIds": ids}}),
        None,
    );
    let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let told = other.send("POST", "/mcp", &headers, body.as_bytes()).text();
    let told = told.lines().filter_map(|line| line.strip_prefix("data: "));
    let told: Vec<Value> = told
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    for id in &ids {
        let mut statuses = told
            .iter()
            .filter(|each| each["params"]["taskId"] == json!(id));
        let first = statuses.next().map(|each| &each["params"]["status"]);
        let last = statuses.next_back().map(|each| &each["params"]["status"]);
        assert_eq!(
            (first, last),
            (Some(&json!("working")), Some(&json!("completed"))),
            "{told:?}"
        );
    }
    let last = told.last().expect("an answer");
    assert_eq!(last["result"]["resultType"], "complete", "{told:?}");
}

#[test]
fn tasks_of_mcp_are_served_by_every_node() {
    let mut tasks = 0;
    for (_, program) in engines("tasks of MCP at another node") {
        let engine = Engine::start(&program, None);
        let url = format!("redis://127.0.0.1:{}", engine.port);
        let node = |name: &str| {
            let demo = [
                PROGRAM, "demo", "--port", "0", "--quiet", "--redis", &url, "--node", name,
            ];
            Server::start(&demo)
        };
        let (one, other) = (node("one"), node("two"));
        // One that goes on, is seen there as it is here, and ends when it is cancelled there.
        let id = started(&one, &hang(), None);
        let (here, there) = (task(&one, &id, None), task(&other, &id, None));
        assert_eq!(there["result"]["status"], "working", "{there}");
        assert_eq!(here["result"]["createdAt"], there["result"]["createdAt"]);
        let said = until(&other, &id, "working");
        assert_eq!(said["taskId"], json!(id));
        ask(&other, "tasks/cancel", &json!({"taskId": id}), None);
        until(&one, &id, "cancelled");
        until(&other, &id, "cancelled");
        // One that asks is answered there; both nodes have the same result.
        let id = started(&one, &asking(), None);
        let asked = until(&other, &id, "input_required");
        let requests = asked["inputRequests"].as_object().expect("questions");
        let (key, request) = requests.iter().next().expect("a question");
        assert_eq!(request["method"], "elicitation/create", "{asked}");
        let answer = json!({"action": "accept", "content": {"email": "a@b.c"}});
        ask(
            &other,
            "tasks/update",
            &json!({"taskId": id, "inputResponses": {key: answer}}),
            None,
        );
        let ended = until(&other, &id, "completed");
        assert_eq!(
            ended["result"],
            until(&one, &id, "completed")["result"],
            "{ended}"
        );
        // One that fails is a result that says so, with the problem.
        let fails = json!([
            {"do": "sleep", "ms": 100},
            {"do": "problem", "problem": {"status": 422, "code": "no_such_color", "detail": "There is no such color."}},
        ]);
        let id = started(&one, &fails, None);
        let failed = until(&other, &id, "completed");
        let own = until(&one, &id, "completed");
        assert_eq!(failed["result"]["isError"], true, "{failed}");
        let error =
            |task: &Value, name: &str| task["result"]["structuredContent"]["error"][name].clone();
        for name in ["code", "status", "detail", "type", "request_id"] {
            assert_eq!(error(&failed, name), error(&own, name), "{name}: {failed}");
        }
        // A session that is no task is none there either.
        let direct = ask(
            &one,
            "tools/call",
            &crate::tasks::play(&json!([{"do": "status", "message": "x"}])),
            None,
        );
        let direct = &direct["result"]["_meta"]["space.possibility/session"]["session_id"];
        let none = ask(&other, "tasks/get", &json!({"taskId": direct}), None);
        assert_eq!(none["error"]["data"]["code"], "task_not_found", "{none}");
        answered_elsewhere(&one, &other);
        watched_elsewhere(&one, &other);
        tasks += 5;
    }
    place::say(&format!("count: {tasks} tasks of MCP at another node"));
}
