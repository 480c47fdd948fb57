//! Push notifications of A2A: told in order, tried again, and only where the operator allows.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aon_live::a2a::{Agent, Artifact, Deliver, Delivering, Made, Notification, Part, Push, Skill};
use aon_live::{Hub, Session, Settings};
use aon_tests::place;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::hubs::hub;
use super::tasks::{ask_in, refusal};

/// An address that keeps what it is told, and answers what it is made to.
#[derive(Clone, Default)]
struct Kept {
    told: Arc<Mutex<Vec<Notification>>>,
    answers: Arc<Mutex<Vec<u16>>>,
}

impl Deliver for Kept {
    fn deliver<'a>(&'a self, notification: &'a Notification) -> Delivering<'a> {
        self.told.lock().unwrap().push(notification.clone());
        let status = self.answers.lock().unwrap().pop();
        Box::pin(async move { Ok(status.unwrap_or(204)) })
    }
}

impl Kept {
    fn bodies(&self) -> Vec<Value> {
        let told = self.told.lock().unwrap();
        let read = |one: &Notification| serde_json::from_slice(&one.body).expect("JSON");
        told.iter().map(read).collect()
    }

    /// Waits until that many came.
    async fn after(&self, count: usize) -> Vec<Value> {
        for _ in 0..500 {
            if self.bodies().len() >= count {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // Whatever is too much had its time too.
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.bodies()
    }
}

/// An agent whose tasks say what they are at, wait, make something, and end.
fn agent(hub: &Hub, kept: &Kept) -> (Agent, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let work = move |session: Session, _: String| {
        let gate = Arc::clone(&held);
        async move {
            session.status("one");
            gate.acquire().await.expect("it stays open").forget();
            session.status("two");
            session.emit(&Made::new(Artifact::new(
                "paper",
                vec![Part::text("words")],
            )));
            Ok::<_, aon::ProblemDetails>("done")
        }
    };
    let skill = Skill::new("work", "Work", "Works.", work).input_modes(["text/plain"]);
    let push = Push::through(
        kept.clone(),
        ["https://hooks.example", "http://127.0.0.1:*"],
    );
    let agent = Agent::new(hub, "Worker", "Works.", "http://127.0.0.1/a2a");
    (agent.fallback(skill).push(push).build(), gate)
}

const HOOK: &str = "https://hooks.example/told?of=it";

async fn ask(agent: &Agent, method: &str, params: &Value) -> Value {
    let version = if method.contains('/') { "0.3" } else { "1.0" };
    ask_in(agent, version, method, params, Some("ann")).await
}

/// Begins a task, and gives its id.
async fn begin(agent: &Agent, configuration: Value) -> String {
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "go"}]});
    let mut params = json!({"message": message, "configuration": configuration});
    params["configuration"]["returnImmediately"] = json!(true);
    let begun = ask(agent, "SendMessage", &params).await;
    let id = begun["result"]["task"]["id"].as_str();
    id.unwrap_or_else(|| panic!("{begun}")).to_owned()
}

fn hook(id: &str, task: &str) -> Value {
    json!({
        "taskId": task, "id": id, "url": HOOK, "token": "known-by-this",
        "authentication": {"scheme": "Bearer", "credentials": "let-me-in"},
    })
}

/// What each body tells: the state, or the artifact.
fn told(bodies: &[Value]) -> Vec<String> {
    let each = bodies.iter().map(|body| {
        let members = body.as_object().expect("an object");
        if let Some(kind) = body["kind"].as_str() {
            return format!("{kind} {}", body["status"]["state"].as_str().unwrap_or("?"));
        }
        assert_eq!(members.len(), 1, "{body}");
        let update = &body["statusUpdate"]["status"];
        match (
            update["state"].as_str(),
            body["artifactUpdate"]["artifact"]["artifactId"].as_str(),
        ) {
            (Some(state), _) => {
                let words = update["message"]["parts"][0]["text"].as_str();
                format!("{state} {}", words.unwrap_or_default())
                    .trim()
                    .to_owned()
            }
            (None, Some(id)) => format!("artifact {id}"),
            (None, None) => body.to_string(),
        }
    });
    each.collect()
}

#[tokio::test]
async fn an_address_is_told_everything_in_order_and_knows_who_tells_it() {
    let kept = Kept::default();
    let hub = hub(Settings::new(), true);
    let (agent, gate) = agent(&hub, &kept);
    assert_eq!(agent.card()["capabilities"]["pushNotifications"], true);
    let mut inline = hook("mine", "");
    inline.as_object_mut().unwrap().remove("taskId");
    let id = begin(&agent, json!({"taskPushNotificationConfig": inline})).await;
    let named = json!({"taskId": id, "id": "mine"});
    let shown = ask(&agent, "GetTaskPushNotificationConfig", &named).await["result"].clone();
    let seen =
        json!({"taskId": id, "id": "mine", "url": HOOK, "authentication": {"scheme": "Bearer"}});
    assert_eq!(shown, seen, "what was named, without its secrets");
    gate.add_permits(1);
    let bodies = kept.after(5).await;
    let expected = [
        "TASK_STATE_WORKING one",
        "TASK_STATE_WORKING two",
        "artifact paper",
        "artifact result",
        "TASK_STATE_COMPLETED",
    ];
    assert_eq!(told(&bodies), expected);
    for (body, notification) in bodies.iter().zip(kept.told.lock().unwrap().iter()) {
        let header = |name: &str| {
            notification
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        assert_eq!(notification.url, HOOK);
        assert_eq!(header("authorization"), Some("Bearer let-me-in"));
        assert_eq!(header("x-a2a-notification-token"), Some("known-by-this"));
        assert_eq!(header("a2a-notification-token"), Some("known-by-this"));
        assert_eq!(header("content-type"), Some("application/a2a+json"));
        let inside = body
            .as_object()
            .and_then(|body| body.values().next())
            .unwrap();
        assert_eq!(inside["taskId"], id);
    }
    // Nothing follows the end, and naming an address then is allowed.
    let late = ask(
        &agent,
        "CreateTaskPushNotificationConfig",
        &hook("late", &id),
    )
    .await;
    assert_eq!(late["result"]["id"], "late", "{late}");
    assert_eq!(kept.after(6).await.len(), 5);
}

#[tokio::test]
async fn clients_of_0_3_are_told_whole_tasks() {
    let kept = Kept::default();
    let hub = hub(Settings::new(), true);
    let (agent, gate) = agent(&hub, &kept);
    let id = begin(&agent, json!({})).await;
    let set = |url: &str| json!({"taskId": id, "pushNotificationConfig": {"url": url, "authentication": {"schemes": ["Basic"], "credentials": "eHk6eg=="}}});
    let first = ask(
        &agent,
        "tasks/pushNotificationConfig/set",
        &set("http://127.0.0.1:9/a"),
    )
    .await;
    assert_eq!(
        first["result"]["pushNotificationConfig"]["id"], "default",
        "{first}"
    );
    // Without an id of its own, the second one takes the place of the first.
    ask(
        &agent,
        "tasks/pushNotificationConfig/set",
        &set("http://127.0.0.1:9/b"),
    )
    .await;
    let list = ask(
        &agent,
        "tasks/pushNotificationConfig/list",
        &json!({"id": id}),
    )
    .await;
    let config = json!({"id": "default", "url": "http://127.0.0.1:9/b", "authentication": {"schemes": ["Basic"]}});
    let one = json!({"taskId": id, "pushNotificationConfig": config});
    assert_eq!(list["result"], json!([one]), "{list}");
    let get = ask(
        &agent,
        "tasks/pushNotificationConfig/get",
        &json!({"id": id}),
    )
    .await;
    assert_eq!(get["result"], one, "{get}");
    gate.add_permits(1);
    let bodies = kept.after(2).await;
    assert_eq!(told(&bodies), ["task working", "task completed"]);
    assert_eq!(bodies[1]["id"], id);
    assert_eq!(
        bodies[1]["artifacts"][0]["artifactId"], "paper",
        "{}",
        bodies[1]
    );
    let gone = json!({"id": id, "pushNotificationConfigId": "default"});
    for _ in 0..2 {
        let deleted = ask(&agent, "tasks/pushNotificationConfig/delete", &gone).await;
        assert_eq!(deleted.get("result"), Some(&Value::Null), "{deleted}");
    }
    let get = ask(&agent, "tasks/pushNotificationConfig/get", &gone).await;
    assert_eq!(get["error"]["code"], -32001, "{get}");
}

#[tokio::test]
async fn configurations_are_kept_replaced_deleted_and_nobody_elses() {
    let kept = Kept::default();
    let hub = hub(Settings::new(), true);
    let (agent, gate) = agent(&hub, &kept);
    let id = begin(&agent, json!({})).await;
    let all = json!({"taskId": id});
    for at in 0..10 {
        let made = ask(
            &agent,
            "CreateTaskPushNotificationConfig",
            &hook(&at.to_string(), &id),
        )
        .await;
        assert_eq!(made["result"]["taskId"], id, "{made}");
    }
    let many = ask(&agent, "CreateTaskPushNotificationConfig", &hook("10", &id)).await;
    assert_eq!(
        refusal(&many),
        (-32600, "too_many_push_configs".to_owned()),
        "{many}"
    );
    let again = ask(&agent, "CreateTaskPushNotificationConfig", &hook("9", &id)).await;
    assert_eq!(again["result"]["id"], "9", "one is replaced: {again}");
    let list = ask(&agent, "ListTaskPushNotificationConfigs", &all).await;
    assert_eq!(
        list["result"]["configs"].as_array().map(Vec::len),
        Some(10),
        "{list}"
    );
    for at in 1..10 {
        let gone = json!({"taskId": id, "id": at.to_string()});
        for _ in 0..2 {
            let deleted = ask(&agent, "DeleteTaskPushNotificationConfig", &gone).await;
            assert_eq!(deleted["result"], json!({}), "{deleted}");
        }
        let get = ask(&agent, "GetTaskPushNotificationConfig", &gone).await;
        assert_eq!(
            refusal(&get),
            (-32001, "task_not_found".to_owned()),
            "{get}"
        );
    }
    for (method, params) in [
        ("CreateTaskPushNotificationConfig", hook("x", &id)),
        (
            "GetTaskPushNotificationConfig",
            json!({"taskId": id, "id": "0"}),
        ),
        ("ListTaskPushNotificationConfigs", all),
        (
            "DeleteTaskPushNotificationConfig",
            json!({"taskId": id, "id": "0"}),
        ),
    ] {
        let bob = ask_in(&agent, "1.0", method, &params, Some("bob")).await;
        assert_eq!(
            refusal(&bob),
            (-32001, "task_not_found".to_owned()),
            "{method}: {bob}"
        );
    }
    gate.add_permits(1);
    let bodies = kept.after(4).await;
    assert_eq!(bodies.len(), 4, "one address is left: {bodies:?}");
}

#[tokio::test]
async fn only_what_the_operator_allows_is_called_and_odd_configurations_are_refused() {
    let kept = Kept::default();
    let hub = hub(Settings::new(), true);
    let (agent, gate) = agent(&hub, &kept);
    let id = begin(&agent, json!({})).await;
    let with = |name: &str, value: Value| {
        let mut config = hook("odd", &id);
        config[name] = value;
        config
    };
    let mut cases = vec![
        ("/taskId", with("taskId", json!(7))),
        ("/taskId", with("taskId", json!(""))),
        ("/id", with("id", json!("i".repeat(200)))),
        ("/token", with("token", json!("a\r\nx-evil: 1"))),
        ("/authentication", with("authentication", json!("Bearer x"))),
        (
            "/authentication/scheme",
            with("authentication", json!({"credentials": "x"})),
        ),
        (
            "/authentication/scheme",
            with("authentication", json!({"scheme": "Bearer x\r\nHost: y"})),
        ),
        (
            "/authentication/credentials",
            with(
                "authentication",
                json!({"scheme": "Bearer", "credentials": "x\ny"}),
            ),
        ),
        ("", json!([])),
    ];
    for url in [
        json!(null),
        json!(7),
        json!("x".repeat(3000)),
        json!("http://hooks.example/"),
        json!("https://hooks.example:444/"),
        json!("https://hooks.example@169.254.169.254/"),
        json!("http://127.0.0.1@169.254.169.254/latest"),
        json!("http://169.254.169.254/latest/meta-data"),
        json!("http://localhost/"),
        json!("http://[::ffff:127.0.0.1]/"),
        json!("file:///etc/passwd"),
        json!("https://hooks.example\r\n/"),
    ] {
        cases.push(("/url", with("url", url)));
    }
    let count = cases.len();
    for (pointer, config) in cases {
        let refused = ask(&agent, "CreateTaskPushNotificationConfig", &config).await;
        assert_eq!(refused["error"]["code"], -32602, "{config}: {refused}");
        if !pointer.is_empty() {
            let named = format!("\"#{pointer}\"");
            assert!(refused.to_string().contains(&named), "{pointer}: {refused}");
        }
        assert!(!refused.to_string().contains("let-me-in"), "{refused}");
    }
    // The same beside a message begins nothing.
    let open = hub.stats().open;
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "go"}]});
    let inline = json!({"message": message, "configuration": {"taskPushNotificationConfig": {"url": "http://169.254.169.254/"}}});
    let refused = ask(&agent, "SendMessage", &inline).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert!(
        refused
            .to_string()
            .contains("#/configuration/taskPushNotificationConfig/url"),
        "{refused}"
    );
    assert_eq!(hub.stats().open, open);
    gate.add_permits(1);
    assert_eq!(kept.after(1).await.len(), 0);
    place::say(&format!(
        "count: push notification configurations that are refused, {count}"
    ));
}

#[tokio::test(start_paused = true)]
async fn what_did_not_arrive_is_sent_again_and_at_last_no_more() {
    let kept = Kept::default();
    let hub = hub(Settings::new(), true);
    let (agent, gate) = agent(&hub, &kept);
    *kept.answers.lock().unwrap() = vec![204, 500, 302];
    let id = begin(&agent, json!({"taskPushNotificationConfig": {"url": HOOK}})).await;
    gate.add_permits(1);
    let bodies = kept.after(7).await;
    assert_eq!(bodies.len(), 7, "{bodies:?}");
    assert!(
        bodies[0] == bodies[1] && bodies[1] == bodies[2],
        "the first one three times"
    );
    let state = ask(&agent, "GetTask", &json!({"id": id})).await;
    assert_eq!(
        state["result"]["status"]["state"], "TASK_STATE_COMPLETED",
        "{state}"
    );
    // One that never takes anything is left alone: five notifications, four attempts each.
    kept.told.lock().unwrap().clear();
    *kept.answers.lock().unwrap() = vec![503; 1000];
    begin(&agent, json!({"taskPushNotificationConfig": {"url": HOOK}})).await;
    gate.add_permits(1);
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(kept.bodies().len(), 20);
}

/// A task of one node whose address is named, listed and taken back at another.
pub async fn pushed_elsewhere(one: &Hub, other: &Hub) {
    let (near, far) = (Kept::default(), Kept::default());
    let (here, gate) = agent(one, &near);
    let (there, _) = agent(other, &far);
    let id = begin(&here, json!({})).await;
    let made = ask(&there, "CreateTaskPushNotificationConfig", &hook("a", &id)).await;
    assert_eq!(made["result"]["id"], "a", "{made}");
    ask(&there, "CreateTaskPushNotificationConfig", &hook("b", &id)).await;
    let gone = json!({"taskId": id, "id": "b"});
    let deleted = ask(&there, "DeleteTaskPushNotificationConfig", &gone).await;
    assert_eq!(deleted["result"], json!({}), "{deleted}");
    for agent in [&here, &there] {
        let list = ask(
            agent,
            "ListTaskPushNotificationConfigs",
            &json!({"taskId": id}),
        )
        .await;
        assert_eq!(
            list["result"]["configs"].as_array().map(Vec::len),
            Some(1),
            "{list}"
        );
        let get = ask(agent, "GetTaskPushNotificationConfig", &gone).await;
        assert_eq!(refusal(&get).0, -32001, "{get}");
    }
    gate.add_permits(1);
    let bodies = near.after(4).await;
    assert_eq!(
        told(&bodies).last().map(String::as_str),
        Some("TASK_STATE_COMPLETED")
    );
    assert_eq!((bodies.len(), far.bodies().len()), (4, 0), "{bodies:?}");
}

#[tokio::test]
async fn without_an_operator_who_allows_something_nothing_is_offered() {
    let hub = hub(Settings::new(), true);
    let skill = Skill::new(
        "echo",
        "Echo",
        "Echoes.",
        async |_: Session, words: String| Ok::<_, aon::ProblemDetails>(words),
    );
    let agent = Agent::new(&hub, "Echo", "Echoes.", "http://127.0.0.1/a2a")
        .fallback(skill)
        .build();
    assert_eq!(agent.card()["capabilities"]["pushNotifications"], false);
    for method in [
        "CreateTaskPushNotificationConfig",
        "GetTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
    ] {
        let refused = ask(&agent, method, &hook("a", "t")).await;
        assert_eq!(
            refusal(&refused),
            (-32003, "push_notification_not_supported".to_owned()),
            "{method}: {refused}"
        );
    }
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "go"}]});
    let inline =
        json!({"message": message, "configuration": {"taskPushNotificationConfig": {"url": HOOK}}});
    let refused = ask(&agent, "SendMessage", &inline).await;
    assert_eq!(refused["error"]["code"], -32003, "{refused}");
}
