//! `kill -9` of the acting side at random moments: nothing is done twice, and nothing is lost in silence.
//!
//! `AON_KILLS=1000 cargo test -p aon-tests --test southbound kills` for a long run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use aon_agent::south::client::HttpClient;
use aon_tests::engine::{Engine, engines};
use aon_tests::place::say;

use crate::fleet::shared;
use crate::support::{Folder, Server, config, exec, rotate};

const ACTIONS: usize = 8;

/// After so many microseconds at most the kill comes; an action takes about a tenth of that.
const MOMENT: u64 = 300_000;

fn kills(usual: usize) -> usize {
    let asked = std::env::var("AON_KILLS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Machines that act, and what they did.
struct Run {
    folder: Folder,
    key: (String, String),
    configs: Vec<PathBuf>,
    random: u64,
}

impl Run {
    fn new(configs: impl FnOnce(&Folder) -> Vec<PathBuf>) -> Self {
        let folder = Folder::new();
        let effects = folder.text("effects");
        folder.script(
            "append.sh",
            &format!("printf '%s\\n' \"$1\" >> '{effects}'"),
        );
        Self {
            key: rotate(&folder, "ops-1"),
            configs: configs(&folder),
            folder,
            random: 0x9e37_79b9_7f4a_7c15 ^ u64::from(std::process::id()),
        }
    }

    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Kills one machine in every round, at any moment, while all are asked; what was cut off is asked for again with its id, from
    /// any machine.
    async fn kills(&mut self, kills: usize, name: &str) {
        let append = self.folder.text("append.sh");
        let mut machines: Vec<Option<Server>> = self.configs.iter().map(|_| None).collect();
        let (mut open, mut last) = (Vec::new(), BTreeMap::new());
        let (mut number, mut cut, mut replayed, mut round) = (0, 0, 0, 0);
        // On a quiet machine everything may be done before the kill comes: then the next one comes earlier.
        let mut within = MOMENT;
        while round <= kills || !open.is_empty() {
            assert!(round < kills + 50, "{name}: {open:?} have no end");
            for (machine, config) in machines.iter_mut().zip(&self.configs) {
                machine.get_or_insert_with(|| Server::start(config));
            }
            let mut asked = std::mem::take(&mut open);
            if round < kills {
                asked.extend((0..ACTIONS).map(|_| {
                    number += 1;
                    format!("action-{number}")
                }));
            }
            let mut calls = Vec::new();
            for id in asked {
                let at = usize::try_from(self.next()).unwrap_or(0) % machines.len();
                let url = machines[at].as_ref().map(|machine| machine.http.clone());
                let client =
                    HttpClient::new(&url.expect("it runs"), "ops-1", &self.key.0, &self.key.1);
                let (client, text) = (
                    client.expect("a client"),
                    exec(&id, &append, &[&id]).to_string(),
                );
                calls.push(tokio::spawn(async move { (id, client.call(&text).await) }));
            }
            if round < kills {
                let moment = Duration::from_micros(self.next() % within);
                tokio::time::sleep(moment).await;
                let at = usize::try_from(self.next()).unwrap_or(0) % machines.len();
                machines[at].take().expect("it runs").kill();
            }
            let before = cut;
            for call in calls {
                let (id, answer) = call.await.expect("joined");
                let Ok(answer) = answer else {
                    cut += 1;
                    open.push(id);
                    continue;
                };
                replayed += usize::from(answer.body.contains_key("replayed"));
                let said = match answer.body.get("problem") {
                    None => "done".to_owned(),
                    Some(problem) => problem["code"].as_str().expect("a code").to_owned(),
                };
                // It runs on a machine that may be killed yet.
                if said == "action_running" {
                    open.push(id);
                } else {
                    last.insert(id, said);
                }
            }
            within = if cut == before {
                (within / 2).max(500)
            } else {
                MOMENT
            };
            round += 1;
        }
        assert_eq!(
            last.len(),
            number,
            "{name}: every action has an answer in the end"
        );
        self.count(
            &last,
            &format!("{name}, {kills} kills, {number} actions"),
            &format!("{cut} calls cut, {replayed} replayed"),
        );
        assert!(
            kills == 0 || cut > 0,
            "{name}: no kill came while something was done"
        );
    }

    /// Holds what was said against what happened.
    fn count(&self, last: &BTreeMap<String, String>, before: &str, after: &str) {
        let written = std::fs::read_to_string(self.folder.path("effects")).unwrap_or_default();
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for line in written.lines() {
            *times.entry(line).or_default() += 1;
        }
        let (mut done, mut unknown, mut happened) = (0, 0, 0);
        for (id, said) in last {
            let count = times.remove(id.as_str()).unwrap_or(0);
            match said.as_str() {
                "done" => {
                    done += 1;
                    assert_eq!(count, 1, "{id} was said to be done");
                }
                "outcome_unknown" => {
                    unknown += 1;
                    happened += count;
                    assert!(count <= 1, "{id} was done {count} times");
                }
                other => panic!("{id}: {other}"),
            }
        }
        assert!(times.is_empty(), "nobody asked for {times:?}");
        assert!(done > 0);
        say(&format!(
            "count: {before}: {done} done once, {unknown} unknown (of which {happened} took effect), 0 twice, 0 lost unsaid; {after}"
        ));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_at_random_moments_do_nothing_twice() {
    let mut run = Run::new(|folder| vec![folder.write("agent.toml", &config(folder, ""))]);
    run.kills(kills(20), "file").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_of_the_machines_of_a_fleet_do_nothing_twice() {
    for (name, program) in engines("southbound kills of a fleet") {
        let engine = Engine::start(&program, None);
        let url = format!("redis://127.0.0.1:{}", engine.port);
        let mut run = Run::new(|folder| {
            let machine = |name| shared(folder, &url, Some(name));
            vec![machine("one"), machine("two")]
        });
        run.kills(kills(10), name).await;
    }
}
