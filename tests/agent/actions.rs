//! Programs that do the actions of a daemon, and what the model and its readers learn of them.

use aon_agent::daemon::{ActionKind, Program};
use serde_json::{Value, json};

use crate::daemon::{post, with_script};
use crate::support::Folder;

fn program(folder: &Folder, text: &str) -> Program {
    let path = folder.path().join("program.sh");
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("its mode");
    Program::new(path)
}

async fn told(script: &'static str, kind: ActionKind, text: &str, iterations: u32) -> Vec<Value> {
    let folder = Folder::new();
    let program = program(&folder, text);
    let running = with_script(script, |daemon| {
        daemon
            .handled_by(kind, program)
            .limits(|limits| limits.iterations = iterations)
    })
    .await;
    post(&running, "/agent/generate", r#"{"prompt":"x"}"#)
        .await
        .events()
}

fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events
        .iter()
        .filter(|event| event["type"] == kind)
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_has_what_the_program_wrote() {
    let script = "{\"type\":\"shell\",\"command\":\"uname\"}\n";
    let text = "printf 'Linux'; echo careful >&2; exit 4";
    let events = told(script, ActionKind::Shell, text, 1).await;
    assert_eq!(
        of(&events, "done")[0]["result"],
        json!({ "exit_code": 4, "stdout": "Linux", "stderr": "careful\n" })
    );
    // The beginning of what is too long, and the word that it is.
    let text = "echo first; head -c 200000 /dev/zero | tr '\\0' x";
    let events = told(script, ActionKind::Shell, text, 1).await;
    let result = &of(&events, "done")[0]["result"];
    let kept = result["stdout"].as_str().unwrap();
    assert!(
        kept.starts_with("first\n") && kept.len() <= 64 * 1024,
        "{}",
        kept.len()
    );
    assert_eq!(result["truncated"], true);
    let chunks = of(&events, "exec_log");
    let heard: usize = chunks
        .iter()
        .map(|event| event["chunk"].as_str().unwrap().len())
        .sum();
    assert_eq!(heard, 200_006, "all of it is told");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_leaves_another_behind_ends_its_action() {
    let script = "{\"type\":\"shell\",\"command\":\"x\"}\n";
    let begun = std::time::Instant::now();
    let events = told(script, ActionKind::Shell, "sleep 60 & echo begun", 1).await;
    assert_eq!(of(&events, "done")[0]["result"]["stdout"], "begun\n");
    assert!(begun.elapsed() < std::time::Duration::from_secs(20));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_research_finds_is_an_event() {
    let script = "{\"type\":\"research\",\"query\":\"rings\"}\n";
    let docs = json!([{ "title": "Rings", "url": "https://example.com/rings" }]);
    for text in [
        format!("echo '{{\"docs\":{docs}}}'"),
        format!("echo '{docs}'"),
    ] {
        let events = told(script, ActionKind::Research, &text, 1).await;
        let found = of(&events, "research_result");
        assert_eq!(found.len(), 1, "{events:?}");
        assert_eq!(found[0]["docs"], docs);
    }
    // Prose is not a list of documents, and another action does not find any.
    let events = told(script, ActionKind::Research, "echo nothing", 1).await;
    assert!(of(&events, "research_result").is_empty());
    let script = "{\"type\":\"use_tool\",\"name\":\"x\"}\n";
    let events = told(script, ActionKind::UseTool, "echo '[]'", 1).await;
    assert!(of(&events, "research_result").is_empty());
    // A worker that looked something up itself says so.
    let script = "{\"type\":\"research_result\",\"docs\":[{\"title\":\"t\",\"url\":\"u\"}]}\n";
    let events = told(script, ActionKind::Research, "exit 1", 1).await;
    assert_eq!(of(&events, "research_result")[0]["docs"][0]["title"], "t");
}
