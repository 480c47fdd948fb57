//! Ten thousand actions at once: all are answered, each is done once, and what does not fit is refused with a time to wait.

use std::collections::BTreeSet;
use std::time::Duration;

use aon_agent::south::client::WsClient;
use aon_tests::place::say;
use serde_json::{Value, json};

use crate::certificates::{open, with_certificates};
use crate::hostile::memory;
use crate::support::Setup;

const CONNECTIONS: usize = 40;
/// As many as one connection has under way at once.
const EACH: usize = 256;

async fn connections(setup: &Setup) -> Vec<WsClient> {
    let mut all = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut client = open(setup, "ops-1").await.expect("connected");
        let welcome = client.hello("ops-1").await.expect("an answer");
        welcome.expect("welcome");
        all.push(client);
    }
    all
}

/// Sends a message for every number, all before any answer is read; then reads all answers.
async fn flood(
    clients: Vec<WsClient>,
    message: fn(usize, &str) -> Value,
    name: &str,
    between: impl AsyncFnOnce(),
) -> (Vec<WsClient>, Vec<Value>) {
    let mut sending = tokio::task::JoinSet::new();
    for (index, mut client) in clients.into_iter().enumerate() {
        let name = name.to_owned();
        sending.spawn(async move {
            for number in 0..EACH {
                let text = message(index * EACH + number, &name).to_string();
                client.say(text).await.expect("sent");
            }
            client
        });
    }
    let clients = sending.join_all().await;
    between().await;
    let mut reading = tokio::task::JoinSet::new();
    for mut client in clients {
        reading.spawn(async move {
            let mut answers = Vec::new();
            for _ in 0..EACH {
                let answer = client.hear(|_| {}).await.expect("an answer");
                answers.push(Value::Object(answer.body));
            }
            (client, answers)
        });
    }
    let (clients, answers): (Vec<_>, Vec<Vec<Value>>) =
        reading.join_all().await.into_iter().unzip();
    (clients, answers.into_iter().flatten().collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_actions_in_flight_are_bounded_and_answered() {
    let most = CONNECTIONS * EACH;
    // So many run, and so many wait; the rest is told to come again.
    let setup = with_certificates("[policy]\nparallel = 16\nwaiting = 84\n");
    let gate = setup.folder.text("gate");
    let log = setup.folder.text("effects");
    setup.folder.script(
        "append.sh",
        &format!("until [ -e '{gate}' ]; do sleep 0.05; done; printf '%s\\n' \"$1\" >> '{log}'"),
    );
    let pid = setup.server.pid();
    let clients = connections(&setup).await;
    let append = setup.folder.text("append.sh");
    let held = memory(pid);
    let open_gate = || std::fs::write(setup.folder.path("gate"), "").expect("written");
    let (clients, answers) = flood(
        clients,
        |number, append| json!({ "method": "command.exec", "action_id": format!("x-{number}"), "command": append, "args": [format!("x-{number}")] }),
        &append,
        async || {
            // Everything is under way: nothing can end before the gate opens.
            tokio::time::sleep(Duration::from_secs(2)).await;
            open_gate();
        },
    )
    .await;
    let peak = memory(pid);
    assert_eq!(answers.len(), most);
    let ids: BTreeSet<&str> = answers
        .iter()
        .filter_map(|answer| answer["action_id"].as_str())
        .collect();
    assert_eq!(ids.len(), most, "every action has its own answer");
    let (good, refused): (Vec<&Value>, Vec<&Value>) =
        answers.iter().partition(|answer| answer["ok"] == true);
    for answer in &refused {
        assert_eq!(answer["problem"]["code"], "too_many_actions", "{answer}");
        assert!(
            answer["problem"]["retry_after"].is_number() || answer.to_string().contains("retry"),
            "{answer}"
        );
    }
    assert!(good.len() >= 100, "{}", good.len());
    let effects = std::fs::read_to_string(&log).expect("effects");
    let once: BTreeSet<&str> = effects.lines().collect();
    assert_eq!(
        (once.len(), effects.lines().count()),
        (good.len(), good.len())
    );
    for answer in &good {
        assert!(once.contains(answer["action_id"].as_str().expect("an id")));
    }
    drop(clients);
    // With the room that is there unless somebody says otherwise, all of them are done.
    let setup = with_certificates("");
    let clients = connections(&setup).await;
    let (_, answers) = flood(
        clients,
        |number, _| json!({ "method": "telemetry.push", "action_id": format!("t-{number}"), "payload": { "n": number } }),
        "",
        async || {},
    )
    .await;
    let done: BTreeSet<&str> = answers
        .iter()
        .filter(|answer| answer["ok"] == true)
        .filter_map(|answer| answer["action_id"].as_str())
        .collect();
    assert_eq!(done.len(), most);
    assert!(peak < held + 200_000, "{held} to {peak} KiB");
    say(&format!(
        "count: {most} commands in flight on {CONNECTIONS} connections: {} done once, {} told to wait, {held} to {peak} KiB; {} of {most} pushes done",
        good.len(),
        refused.len(),
        done.len(),
    ));
}
