//! Tasks of A2A in bulk and of several callers: bounded exactly, and found by nobody else.

use std::sync::Arc;

use aon_live::a2a::{Agent, Skill};
use aon_live::heal::Ask;
use aon_live::{Caller, Hub, Session, Settings, Severity};
use aon_tests::place;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::hubs::hub;

/// An agent whose tasks wait, and what lets one of them go on.
fn waiting(hub: &Hub) -> (Agent, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let wait = move |session: Session, _: String| {
        let gate = Arc::clone(&held);
        async move {
            session.status("waiting");
            if let Ok(permit) = gate.acquire().await {
                permit.forget();
            }
            Ok::<_, aon::ProblemDetails>("done")
        }
    };
    let skill = Skill::new("wait", "Wait", "Waits.", wait).input_modes(["text/plain"]);
    let agent = Agent::new(hub, "Waiter", "Waits.", "http://127.0.0.1/a2a").fallback(skill);
    (agent.build(), gate)
}

/// Asks the agent in the words of 1.0.
async fn ask(agent: &Agent, method: &str, params: &Value, caller: Option<&str>) -> Value {
    ask_in(agent, "1.0", method, params, caller).await
}

/// Asks the agent in the words of a version.
pub async fn ask_in(
    agent: &Agent,
    version: &str,
    method: &str,
    params: &Value,
    caller: Option<&str>,
) -> Value {
    let mut request = http::Request::post("/a2a")
        .header("content-type", "application/json")
        .header("a2a-version", version);
    if let Some(caller) = caller {
        request = request.header("x-user", caller);
    }
    let (parts, ()) = request.body(()).unwrap().into_parts();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let mut reply = agent.handle(&parts, body.to_string().as_bytes()).await;
    let piece = reply.body_mut().next().await.expect("an answer");
    let text = String::from_utf8_lossy(&piece).into_owned();
    let data = text.lines().find_map(|line| line.strip_prefix("data: "));
    serde_json::from_str(data.unwrap_or(&text)).expect("JSON")
}

fn message(at: usize, context: &str) -> Value {
    json!({
        "message": {"messageId": format!("m{at}"), "contextId": context, "role": "ROLE_USER", "parts": [{"text": "go"}]},
        "configuration": {"returnImmediately": true, "historyLength": 0},
    })
}

/// The official number and the code of a refusal.
pub fn refusal(answer: &Value) -> (i64, String) {
    let data = answer["error"]["data"].as_array().into_iter().flatten();
    let code = data.filter_map(|each| each["code"].as_str()).next();
    (
        answer["error"]["code"].as_i64().unwrap_or_default(),
        code.unwrap_or_default().to_owned(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_of_tasks_stops_exactly_at_the_limit() {
    const LIMIT: usize = 10_000;
    const MORE: usize = 500;
    let hub = hub(Settings::new().sessions(LIMIT), true);
    let (agent, gate) = waiting(&hub);
    let all = (0..LIMIT + MORE).map(|at| {
        let agent = agent.clone();
        tokio::spawn(
            async move { ask(&agent, "SendMessage", &message(at, "burst"), Some("ann")).await },
        )
    });
    let mut tasks = Vec::new();
    let mut refused = 0;
    for answer in futures_util::future::join_all(all).await {
        let answer = answer.unwrap();
        if let Some(id) = answer["result"]["task"]["id"].as_str() {
            tasks.push(id.to_owned());
        } else {
            assert_eq!(
                refusal(&answer),
                (-32603, "too_many_sessions".to_owned()),
                "{answer}"
            );
            refused += 1;
        }
    }
    assert_eq!((tasks.len(), refused), (LIMIT, MORE));
    assert_eq!((hub.stats().sessions, hub.stats().open), (LIMIT, LIMIT));
    // Every one is there, and lists go through them, each once.
    let mut seen = std::collections::BTreeSet::new();
    let mut token = String::new();
    loop {
        let mut params = json!({"contextId": "burst", "pageSize": 100});
        if !token.is_empty() {
            params["pageToken"] = json!(token);
        }
        let page = ask(&agent, "ListTasks", &params, Some("ann")).await;
        assert_eq!(page["result"]["totalSize"], LIMIT, "{page}");
        for task in page["result"]["tasks"].as_array().expect("tasks") {
            assert!(seen.insert(task["id"].to_string()), "twice: {task}");
        }
        token = page["result"]["nextPageToken"]
            .as_str()
            .expect("a token")
            .to_owned();
        if token.is_empty() || seen.len() >= 2_000 {
            break;
        }
    }
    assert_eq!(seen.len(), 2_000);
    // What ends makes room for exactly as many.
    for id in tasks.iter().take(3) {
        let ended = ask(&agent, "CancelTask", &json!({"id": id}), Some("ann")).await;
        assert_eq!(
            ended["result"]["status"]["state"], "TASK_STATE_CANCELED",
            "{ended}"
        );
    }
    let mut began = 0;
    for at in 0..5 {
        let answer = ask(&agent, "SendMessage", &message(at, "later"), Some("ann")).await;
        began += usize::from(answer["result"]["task"]["id"].is_string());
    }
    assert_eq!(began, 3);
    gate.add_permits(2 * LIMIT);
    place::say(&format!(
        "count: tasks of A2A at the limit, {LIMIT} of {}",
        LIMIT + MORE
    ));
}

#[tokio::test]
async fn a_message_that_is_answered_at_once_gives_its_place_back() {
    let hub = hub(Settings::new().sessions(2), false);
    let quick = Skill::new(
        "quick",
        "Quick",
        "Answers.",
        async |_: Session, words: String| {
            if words == "fail" {
                let code = aon::Code::from_static("no_luck");
                return Err(aon::ProblemDetails::new(
                    aon::Status::from_static(422),
                    code,
                ));
            }
            Ok(words)
        },
    );
    let agent = Agent::new(&hub, "Quick", "Answers.", "http://127.0.0.1/a2a")
        .fallback(quick.input_modes(["text/plain"]))
        .build();
    for at in 0..20 {
        let mut sent = message(at, "c");
        sent["configuration"] = json!({});
        if at % 2 == 0 {
            sent["message"]["parts"][0]["text"] = json!("fail");
        }
        let answer = ask(&agent, "SendMessage", &sent, None).await;
        assert_ne!(refusal(&answer).1, "too_many_sessions", "{at}: {answer}");
    }
    assert_eq!(hub.stats().sessions, 0);
}

#[tokio::test]
async fn tasks_of_other_callers_are_not_found() {
    let hub = hub(Settings::new(), true);
    let (agent, gate) = waiting(&hub);
    let begun = ask(&agent, "SendMessage", &message(1, "ours"), Some("ann")).await;
    let id = begun["result"]["task"]["id"]
        .as_str()
        .expect("a task")
        .to_owned();
    let of = json!({"id": id});
    let mut answer = message(2, "ours");
    answer["message"]["taskId"] = json!(id);
    let mut cases = 0;
    for stranger in [Some("bob"), None] {
        for (method, params) in [
            ("GetTask", &of),
            ("CancelTask", &of),
            ("SubscribeToTask", &of),
            ("SendMessage", &answer),
            ("SendStreamingMessage", &answer),
        ] {
            let refused = ask(&agent, method, params, stranger).await;
            assert_eq!(
                refusal(&refused),
                (-32001, "task_not_found".to_owned()),
                "{method} by {stranger:?}: {refused}"
            );
            cases += 1;
        }
        // Not in lists either, also where they know the conversation.
        for params in [json!({}), json!({"contextId": "ours"})] {
            let listed = ask(&agent, "ListTasks", &params, stranger).await;
            assert_eq!(listed["result"]["totalSize"], 0, "{stranger:?}: {listed}");
            cases += 1;
        }
    }
    let own = ask(&agent, "GetTask", &of, Some("ann")).await;
    assert_eq!(
        own["result"]["status"]["state"], "TASK_STATE_WORKING",
        "{own}"
    );
    let listed = ask(&agent, "ListTasks", &json!({}), Some("ann")).await;
    assert_eq!(listed["result"]["totalSize"], 1, "{listed}");
    // What has ended is still theirs alone, and nothing follows it.
    gate.add_permits(1);
    let ended = async {
        loop {
            let task = ask(&agent, "GetTask", &of, Some("ann")).await;
            if task["result"]["status"]["state"] == "TASK_STATE_COMPLETED" {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), ended)
        .await
        .expect("it ends");
    for (caller, method, params, wanted) in [
        ("ann", "SubscribeToTask", &of, (-32004, "task_ended")),
        ("ann", "SendMessage", &answer, (-32004, "task_ended")),
        (
            "ann",
            "SendStreamingMessage",
            &answer,
            (-32004, "task_ended"),
        ),
        ("ann", "CancelTask", &of, (-32002, "task_not_cancelable")),
        ("bob", "SubscribeToTask", &of, (-32001, "task_not_found")),
        ("bob", "CancelTask", &of, (-32001, "task_not_found")),
    ] {
        let refused = ask(&agent, method, params, Some(caller)).await;
        let (number, code) = refusal(&refused);
        assert_eq!((number, &*code), wanted, "{method} by {caller}: {refused}");
        cases += 1;
    }
    place::say(&format!("count: tasks of other callers, {cases} requests"));
}

#[tokio::test]
async fn hostile_filters_of_lists_are_refused() {
    let hub = hub(Settings::new(), true);
    let (agent, _gate) = waiting(&hub);
    ask(&agent, "SendMessage", &message(1, "ours"), Some("ann")).await;
    let encoded = |text: &str| {
        use base64::Engine as _;
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text)
    };
    let mut cases = 0;
    for hostile in [
        json!({"pageToken": encoded("{\"t\":-1,\"i\":\"x\"}")}),
        json!({"pageToken": encoded("{\"t\":1}")}),
        json!({"pageToken": encoded("[[[[[[")}),
        json!({"pageToken": ["a"]}),
        json!({"pageSize": 1e300}),
        json!({"pageSize": "50"}),
        json!({"pageSize": 2.5}),
        json!({"historyLength": 1.5}),
        json!({"historyLength": {"$gt": 0}}),
        json!({"status": {"$ne": null}}),
        json!({"status": "TASK_STATE_WORKING' OR '1'='1"}),
        json!({"contextId": {"$regex": ".*"}}),
        json!({"contextId": ["ours"]}),
        json!({"statusTimestampAfter": "9999-99-99T99:99:99Z"}),
        json!({"statusTimestampAfter": 0}),
        json!({"includeArtifacts": "yes"}),
        json!({"tenant": 5}),
        json!([]),
        json!("all"),
    ] {
        let answer = ask(&agent, "ListTasks", &hostile, Some("ann")).await;
        let (number, code) = refusal(&answer);
        assert_eq!(number, -32602, "{hostile}: {answer}");
        assert!(!code.is_empty(), "{hostile}: {answer}");
        cases += 1;
    }
    // What is odd and allowed finds nothing that it should not.
    for (odd, total) in [
        (json!({"contextId": ".*"}), 0),
        (json!({"contextId": "ours\u{0}"}), 0),
        (
            json!({"pageToken": encoded("{\"t\":18446744073709551615,\"i\":\"\"}")}),
            1,
        ),
        (json!({"statusTimestampAfter": "0001-01-01T00:00:00Z"}), 1),
    ] {
        let answer = ask(&agent, "ListTasks", &odd, Some("ann")).await;
        let number = answer["error"]["code"].as_i64();
        assert!(
            answer["result"]["totalSize"] == total || number == Some(-32602),
            "{odd}: {answer}"
        );
        cases += 1;
    }
    place::say(&format!("count: hostile filters of lists, {cases}"));
}

#[tokio::test]
async fn details_are_for_admins_whichever_way_a_task_is_read() {
    const DETAIL: &str = "the upstream of ann is down";
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let look = move |session: Session, _: String| {
        let gate = Arc::clone(&held);
        async move {
            session.begin();
            session
                .healing(Severity::High, "switch_upstream")
                .description(DETAIL);
            if let Ok(permit) = gate.acquire().await {
                permit.forget();
            }
            Ok::<_, aon::ProblemDetails>("done")
        }
    };
    let known = |request: &http::request::Parts| {
        let name = request.headers.get("x-user")?.to_str().ok()?;
        let caller = Caller::new("ann");
        Some(if name == "admin" {
            caller.admin()
        } else {
            caller
        })
    };
    let hub = Hub::with(Settings::new().identify(known));
    let skill = Skill::new("look", "Look", "Looks.", look).input_modes(["text/plain"]);
    let agent = Agent::new(&hub, "Looker", "Looks.", "http://127.0.0.1/a2a").fallback(skill);
    let agent = agent.build();
    let begun = ask(&agent, "SendMessage", &message(1, "c"), Some("ann")).await;
    let of = json!({"id": begun["result"]["task"]["id"]});
    let mut read = 0;
    for (caller, sees) in [("ann", false), ("admin", true)] {
        for (method, params) in [
            ("GetTask", &of),
            ("ListTasks", &json!({"contextId": "c"})),
            ("SubscribeToTask", &of),
        ] {
            let told = ask(&agent, method, params, Some(caller)).await.to_string();
            assert!(told.contains("switch_upstream"), "{method}: {told}");
            assert_eq!(told.contains(DETAIL), sees, "{caller}, {method}: {told}");
            read += 1;
        }
    }
    let ended = ask(&agent, "CancelTask", &of, Some("ann"))
        .await
        .to_string();
    assert!(!ended.contains(DETAIL), "{ended}");
    gate.add_permits(1);
    place::say(&format!("count: ways to read a task with details, {read}"));
}

/// An agent with a task that asks for a color until it gets `red`.
fn asking(hub: &Hub) -> Agent {
    let paint = async |session: Session, color: String| {
        session.status("mixing");
        session
            .step("mix", json!({"color": color}))
            .ask(Ask::about(["/color"]).rounds(5))
            .run(async |arguments: Value, _| {
                if arguments["color"] == "red" {
                    return Ok(arguments);
                }
                let code = aon::Code::from_static("no_such_color");
                Err(aon::ProblemDetails::new(
                    aon::Status::from_static(422),
                    code,
                ))
            })
            .await
    };
    let skill = Skill::new("paint", "Paint", "Paints.", paint).input_modes(["text/plain"]);
    let agent = Agent::new(hub, "Painter", "Paints.", "http://127.0.0.1/a2a").fallback(skill);
    agent.build()
}

/// A task of one node, asked about, followed, answered and cancelled at another.
pub async fn served_elsewhere(one: &Hub, other: &Hub) -> usize {
    let (here, there) = (asking(one), asking(other));
    let begin = async |agent: &Agent| {
        let mut sent = message(1, "ours");
        sent["configuration"] = json!({});
        let begun = ask(agent, "SendMessage", &sent, Some("ann")).await;
        let task = &begun["result"]["task"];
        assert_eq!(
            task["status"]["state"], "TASK_STATE_INPUT_REQUIRED",
            "{begun}"
        );
        task["id"].as_str().expect("an id").to_owned()
    };
    let id = begin(&here).await;
    let of = json!({"id": id});
    let told = ask(&here, "GetTask", &of, Some("ann")).await;
    assert_eq!(ask(&there, "GetTask", &of, Some("ann")).await, told);
    let stranger = ask(&there, "GetTask", &of, Some("bob")).await;
    assert_eq!(refusal(&stranger).1, "task_not_found", "{stranger}");
    let subscribed = ask(&there, "SubscribeToTask", &of, Some("ann")).await;
    assert_eq!(subscribed["result"]["task"]["id"], id, "{subscribed}");
    let answer = |words: &str| {
        let mut answer = message(2, "ours");
        answer["message"]["taskId"] = json!(id);
        answer["message"]["parts"][0]["text"] = json!(words);
        answer["configuration"] = json!({});
        answer
    };
    // An answer that is not good enough is asked for again, and one that is ends the task, wherever it was given.
    let again = ask(&there, "SendMessage", &answer("blue"), Some("ann")).await;
    assert_eq!(again["result"]["task"]["id"], id, "{again}");
    let ended = async {
        loop {
            let given = ask(&there, "SendMessage", &answer("red"), Some("ann")).await;
            let task = ask(&there, "GetTask", &of, Some("ann")).await["result"].clone();
            if task["status"]["state"] == "TASK_STATE_COMPLETED" {
                return task;
            }
            assert_ne!(refusal(&given).1, "session_elsewhere", "{given}");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    let ended = tokio::time::timeout(std::time::Duration::from_secs(20), ended);
    let ended = ended.await.expect("it ends");
    assert_eq!(
        ended["artifacts"][0]["parts"][0]["data"],
        json!({"color": "red"}),
        "{ended}"
    );
    assert_eq!(
        ask(&here, "GetTask", &of, Some("ann")).await["result"],
        ended
    );
    let late = ask(&there, "SubscribeToTask", &of, Some("ann")).await;
    assert_eq!(refusal(&late).1, "task_ended", "{late}");
    // Cancelling reaches the node that runs it.
    let id = begin(&here).await;
    let cancelled = ask(&there, "CancelTask", &json!({"id": id}), Some("ann")).await;
    assert_eq!(
        cancelled["result"]["status"]["state"], "TASK_STATE_CANCELED",
        "{cancelled}"
    );
    2
}
