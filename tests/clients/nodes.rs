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
        tasks += 3;
    }
    place::say(&format!("count: {tasks} tasks of MCP at another node"));
}
