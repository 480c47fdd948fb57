//! Accidents: a node or an engine is killed, paused or cut off while sessions run, are read from every node, and are answered.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aon_tests::engine::{Engine, engines};
use aon_tests::wire::Wire;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::history::{History, Verdict, View};
use super::node::{Next, Node, send};

const LEASE_MS: u64 = 900;
pub(super) const LINES: (&str, &str) = ("accept", "application/x-ndjson");

fn rounds() -> usize {
    let said = std::env::var("AON_CLUSTER_ROUNDS").ok();
    said.and_then(|rounds| rounds.parse().ok()).unwrap_or(5)
}

/// Whether this accident is to happen: all unless `AON_CLUSTER_ACCIDENTS` names some, with commas between them.
fn wanted(accident: Accident) -> bool {
    let said = std::env::var("AON_CLUSTER_ACCIDENTS").ok();
    let name = format!("{accident:?}");
    said.is_none_or(|said| said.split(',').any(|wanted| wanted == name))
}

/// The accidents there are.
#[derive(Clone, Copy, Debug)]
enum Accident {
    KillOwner,
    KillReader,
    KillPrimary,
    PauseOwner,
    PauseReader,
    PausePrimary,
    CutOwner,
    CutReader,
}

impl Accident {
    /// Whose wires to the engines are cut: the owner is the first node.
    const fn cuts(self) -> Option<usize> {
        match self {
            Self::CutOwner => Some(0),
            Self::CutReader => Some(1),
            _ => None,
        }
    }
}

struct Cluster {
    nodes: Vec<Node>,
    primary: Engine,
    replica: Engine,
    wires: Vec<Wire>,
}

impl Cluster {
    fn start(program: &Path, accident: Accident) -> Self {
        let primary = Engine::start(program, None);
        let replica = Engine::start(program, Some(primary.port));
        let url = |one: u16, two: u16| {
            format!("redis://127.0.0.1:{one},127.0.0.1:{two}?replicas=1&lease_ms={LEASE_MS}")
        };
        let wires = accident
            .cuts()
            .map(|_| [Wire::to(primary.port), Wire::to(replica.port)]);
        let mut nodes = Vec::new();
        for (at, name) in ["a", "b", "c"].into_iter().enumerate() {
            let url = match &wires {
                Some([one, two]) if accident.cuts() == Some(at) => url(one.port, two.port),
                _ => url(primary.port, replica.port),
            };
            nodes.push(Node::start(name, &url));
        }
        Self {
            nodes,
            primary,
            replica,
            wires: wires.into_iter().flatten().collect(),
        }
    }

    fn ports(&self) -> Vec<u16> {
        self.nodes.iter().map(|node| node.port).collect()
    }

    /// The first node owns the sessions; the second and the third serve readers.
    async fn happen(&mut self, accident: Accident) {
        match accident {
            Accident::KillOwner => self.nodes[0].kill(),
            Accident::KillReader => self.nodes[1].kill(),
            Accident::KillPrimary => {
                self.primary.kill();
                sleep(Duration::from_millis(100)).await;
                self.replica.promote();
                // The old primary comes back as a replica of the new one, as a sentinel would see to.
                self.primary.start_again(Some(self.replica.port));
                std::mem::swap(&mut self.primary, &mut self.replica);
            }
            Accident::PauseOwner | Accident::PauseReader => {
                let node = &self.nodes[usize::from(matches!(accident, Accident::PauseReader))];
                node.signal("STOP");
                sleep(Duration::from_millis(LEASE_MS * 5 / 2)).await;
                node.signal("CONT");
            }
            Accident::CutOwner | Accident::CutReader => {
                self.wires.iter().for_each(Wire::cut);
                sleep(Duration::from_millis(LEASE_MS * 5 / 2)).await;
                self.wires.iter().for_each(Wire::mend);
            }
            Accident::PausePrimary => {
                self.primary.signal("STOP");
                sleep(Duration::from_millis(LEASE_MS)).await;
                self.primary.signal("CONT");
            }
        }
    }

    /// Starts what was killed, for the next round.
    fn mend(&mut self, accident: Accident) {
        match accident {
            Accident::KillOwner => self.nodes[0].start_again(),
            Accident::KillReader => self.nodes[1].start_again(),
            Accident::KillPrimary
            | Accident::PauseOwner
            | Accident::PauseReader
            | Accident::PausePrimary
            | Accident::CutOwner
            | Accident::CutReader => {}
        }
    }
}

/// A script that says a number of things, and another that asks somebody before it goes on.
fn scripts() -> [Value; 2] {
    let mut steps: Vec<Value> = Vec::new();
    for n in 0..40 {
        steps.push(json!({"do": "status", "message": format!("step {n}")}));
        steps.push(json!({"do": "sleep", "ms": 50}));
    }
    let mut asks = steps[..20].to_vec();
    asks.push(json!({
        "do": "step", "name": "store_user", "fail": "until_patched", "heal": [],
        "ask": {"paths": ["/userId"], "within_ms": 20_000, "type": {"userId": {"pattern": "^u[0-9]+$"}}}
    }));
    asks.extend_from_slice(&steps[..10]);
    [
        json!({"payload": "done", "steps": steps}),
        json!({"payload": {"userId": "ann"}, "steps": asks}),
    ]
}

/// Reads a stream into a view until its end or until it breaks. Whether it ended.
async fn read(
    reply: &mut super::node::Reply,
    view: &mut View,
    on: &mut (dyn FnMut(&Value) + Send),
) -> bool {
    loop {
        match reply.next(Duration::from_secs(6)).await {
            Next::Over => return false,
            Next::Event(event) => {
                if event["seq"].is_null() {
                    continue;
                }
                on(&event);
                let terminal = matches!(event["type"].as_str(), Some("result" | "error"));
                view.events.push(event);
                if terminal {
                    view.ended = true;
                    return true;
                }
            }
        }
    }
}

/// Follows a session from these nodes in turns, resuming after what it saw last, until its end.
async fn follow(
    ports: Vec<u16>,
    first: usize,
    path: String,
    mut view: View,
    history: History,
    until: Instant,
) {
    let mut at = first;
    while Instant::now() < until && !view.ended {
        let last = view
            .events
            .last()
            .and_then(|event| event["id"].as_str())
            .map(str::to_owned);
        let mut headers = vec![LINES];
        if let Some(last) = &last {
            headers.push(("last-event-id", last));
        }
        let reply = send(ports[at % ports.len()], "GET", &path, &headers, "").await;
        match reply {
            Some(mut reply) if reply.status == 200 => {
                if read(&mut reply, &mut view, &mut |_| {}).await {
                    break;
                }
            }
            // 204 says that the end was seen already.
            Some(_) | None => sleep(Duration::from_millis(100)).await,
        }
        at += 1;
    }
    history.saw(view);
}

/// Answers a question from two nodes at once, with different answers: one is taken.
async fn answer(
    ports: Vec<u16>,
    session: String,
    question: String,
    path: String,
    history: History,
) {
    let body = |n: usize| {
        json!([{"op": "replace", "path": "/userId", "value": format!("u{n}")}]).to_string()
    };
    let headers = [("content-type", "application/json-patch+json")];
    let (body_1, body_2) = (body(1), body(2));
    let (one, two) = tokio::join!(
        send(ports[1], "POST", &path, &headers, &body_1),
        send(ports[2], "POST", &path, &headers, &body_2),
    );
    let taken = [one, two]
        .into_iter()
        .flatten()
        .filter(|reply| reply.status == 200)
        .count();
    assert!(taken <= 1, "both of two different answers were taken");
    if taken == 1 {
        history.accepted(&session, &question);
    }
}

/// One session: its own response, and a reader on each of the other nodes.
async fn session(ports: Vec<u16>, script: Value, history: History, until: Instant) {
    let script = script.to_string();
    let sent = send(
        ports[0],
        "POST",
        "/play",
        &[
            LINES,
            ("content-type", "application/json"),
            ("aon-on-disconnect", "continue"),
        ],
        &script,
    );
    let Some(mut reply) = sent.await else { return };
    if reply.status != 200 {
        return;
    }
    let mut view = View::default();
    // Without the first event nobody was shown anything.
    let Some(opened) = reply.opened().await else {
        return;
    };
    assert_eq!(
        (&opened["type"], &opened["durability"]),
        (&json!("session"), &json!("replicated"))
    );
    let name = opened["session_id"].as_str().unwrap().to_owned();
    let path = opened["sse_url"].as_str().unwrap().to_owned();
    let healing = opened["patch_url"].as_str().unwrap().to_owned();
    name.clone_into(&mut view.session);
    view.events.push(opened);
    let mut readers = Vec::new();
    for first in [1, 2] {
        let view = View {
            session: name.clone(),
            ..View::default()
        };
        let ports = ports.clone();
        readers.push(tokio::spawn(follow(
            ports,
            first,
            path.clone(),
            view,
            history.clone(),
            until,
        )));
    }
    let mut answers = Vec::new();
    let ended = read(&mut reply, &mut view, &mut |event| {
        if event["type"] == "interactive_healing_request" {
            let question = event["request_id"].as_str().unwrap_or_default().to_owned();
            let address = format!("{healing}/{question}");
            let answering = answer(
                ports.clone(),
                name.clone(),
                question,
                address,
                history.clone(),
            );
            answers.push(tokio::spawn(answering));
        }
    })
    .await;
    if ended {
        history.saw(view);
    } else {
        // Its node is gone or silent: it goes on elsewhere where it was.
        follow(ports.clone(), 2, path, view, history.clone(), until).await;
    }
    for task in readers.into_iter().chain(answers) {
        task.await.unwrap();
    }
}

/// The numbers of events that have one.
pub(super) fn numbers(events: &[Value]) -> Vec<u64> {
    events
        .iter()
        .filter_map(|event| event["seq"].as_u64())
        .collect()
}

/// The log of a session as a node that serves it reads it, from the first event on.
pub(super) async fn log(ports: &[u16], session: &str) -> Vec<Value> {
    for attempt in 0..20 {
        let path = format!("/aon/sessions/{session}/events");
        let port = ports[attempt % ports.len()];
        if let Some(mut reply) = send(port, "GET", &path, &[LINES], "").await
            && reply.status == 200
        {
            let mut view = View::default();
            if read(&mut reply, &mut view, &mut |_| {}).await {
                return view.events;
            }
            if attempt > 3 {
                return view.events;
            }
        }
        sleep(Duration::from_millis(100)).await;
    }
    Vec::new()
}

async fn accident(program: &Path, accident: Accident) -> Verdict {
    let history = History::default();
    let mut cluster = Cluster::start(program, accident);
    let rounds = rounds();
    for round in 0..rounds {
        // A node that is refused by its engine opens nothing, and the round would show nothing.
        for node in &cluster.nodes {
            node.health(200).await;
        }
        let ports = cluster.ports();
        let until = Instant::now() + Duration::from_secs(25);
        let running: Vec<_> = (0..3)
            .flat_map(|_| scripts())
            .map(|script| tokio::spawn(session(ports.clone(), script, history.clone(), until)))
            .collect();
        // At another moment each time.
        let moment = 350 + (round as u64 * 197) % 1500;
        sleep(Duration::from_millis(moment)).await;
        cluster.happen(accident).await;
        for one in running {
            one.await.unwrap();
        }
        for name in history.sessions() {
            history.log(&name, log(&ports[1..], &name).await);
        }
        cluster.mend(accident);
        sleep(Duration::from_millis(300)).await;
    }
    history.check(&format!("{accident:?}"), rounds)
}

/// All accidents with one engine, side by side as far as the machine goes.
async fn all(name: &str) {
    let found = engines("killing nodes and engines")
        .into_iter()
        .find(|(engine, _)| *engine == name);
    let Some((_, program)) = found else { return };
    let program: Arc<Path> = program.into();
    let all = [
        Accident::KillOwner,
        Accident::KillReader,
        Accident::KillPrimary,
        Accident::PauseOwner,
        Accident::PauseReader,
        Accident::PausePrimary,
        Accident::CutOwner,
        Accident::CutReader,
    ];
    for which in all.into_iter().filter(|which| wanted(*which)) {
        assert_eq!(
            accident(&program, which).await,
            Verdict::default(),
            "{name}: {which:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_was_shown_is_lost_with_redis() {
    all("redis").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_was_shown_is_lost_with_valkey() {
    all("valkey").await;
}
