//! The page of the playground in a real browser: two channels, cut and resume, the ring and the gap.

use std::path::Path;

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::{PROGRAM, Server};
use crate::tools;

#[test]
fn a_person_cuts_and_resumes_a_session_and_sees_the_gap() {
    let suite = "the live page in a browser";
    let Some(browser) = browser(suite) else {
        return;
    };
    let demo = Server::start(&[PROGRAM, "demo", "--port", "0", "--ring", "8"]);
    let plan =
        json!({"base": demo.base, "browser": browser, "shots": std::env::var("AON_SHOTS").ok()});
    let Some(report) = tools::module(suite, "playwright-core", "live_page.mjs", &plan) else {
        return;
    };
    assert_eq!(report["complaints"], json!([]), "the page has errors");
    let everything = &report["everything"];
    assert_eq!(
        everything["ndjson"], everything["sse"],
        "both channels show the same"
    );
    assert!(
        everything["ndjson"]
            .as_array()
            .is_some_and(|lines| lines.len() == 7),
        "{everything}"
    );
    assert_eq!(everything["outcome"], "result");
    let resumed = &report["resumed"];
    assert_eq!(resumed["outcome"], "result", "{resumed}");
    let numbers: Vec<u64> = resumed["numbers"]
        .as_array()
        .expect("numbers")
        .iter()
        .filter_map(serde_json::Value::as_u64)
        .collect();
    assert_eq!(
        numbers,
        (1..=numbers.len() as u64).collect::<Vec<_>>(),
        "nothing is lost or shown twice"
    );
    assert!(
        resumed["notes"]
            .as_str()
            .is_some_and(|notes| notes.contains("cut here") && notes.contains("resuming after")),
        "{resumed}"
    );
    let gap = &report["gap"];
    assert!(
        gap["line"]
            .as_str()
            .is_some_and(|line| line.contains("evicted")),
        "{gap}"
    );
    assert!(
        gap["ring"]
            .as_str()
            .is_some_and(|state| state.contains("a reader missed")),
        "{gap}"
    );
    assert!(
        gap["lost"].as_u64() > Some(0) && gap["missed"].as_u64() > Some(0),
        "{gap}"
    );
    assert!(
        report["problem"]
            .as_str()
            .is_some_and(|text| text.contains("What") && text.contains("hosted")),
        "{report}"
    );
}

pub fn browser(suite: &str) -> Option<String> {
    let known = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    let there = known.into_iter().find(|path| Path::new(path).exists());
    let found = std::env::var("AON_BROWSER").ok();
    let found = found.or_else(|| there.map(str::to_owned));
    if found.is_none() {
        place::say(&format!(
            "skipped: {suite}, there is no chromium; .ci/tools installs it"
        ));
    }
    found
}

#[test]
fn a_person_repairs_a_step_declines_and_comes_too_late() {
    let suite = "the form of the live page in a browser";
    let Some(browser) = browser(suite) else {
        return;
    };
    let demo = Server::start(&[PROGRAM, "demo", "--port", "0"]);
    let plan =
        json!({"base": demo.base, "browser": browser, "shots": std::env::var("AON_SHOTS").ok()});
    let Some(report) = tools::module(suite, "playwright-core", "live_heal.mjs", &plan) else {
        return;
    };
    assert_eq!(report["complaints"], json!([]), "the page has errors");
    // Made from the request: what may be changed, as it is now, with its choices.
    let form = &report["form"];
    assert_eq!(
        form["fields"],
        json!([
            {"path": "/userId", "kind": "INPUT", "value": "ann", "label": "/userId", "choices": []},
            {"path": "/plan", "kind": "SELECT", "value": "free", "label": "/plan", "choices": ["free", "team"]},
        ])
    );
    let words = form["words"].as_str().expect("words");
    assert!(words.starts_with("store_user: "), "{words}");
    let all = form["all"].as_str().expect("text");
    assert!(!all.contains("hunter2"), "{all}");
    let seconds = |member: &str| -> u32 {
        let text = report[member].as_str().expect("a countdown");
        let number = text.strip_suffix(" s left");
        number.and_then(|number| number.parse().ok()).expect(text)
    };
    let (early, later) = (seconds("early"), seconds("later"));
    assert!(
        early <= 60 && later < early && later > 40,
        "{early}, {later}"
    );
    // A refusal is told where it was typed, and the question stays.
    let refused = &report["refused"];
    let why = refused["why"].as_str().expect("a reason");
    assert!(
        why.contains("userId") && refused["open"] == true,
        "{refused}"
    );
    let repaired = &report["repaired"];
    let text = repaired["text"].as_str().expect("a result");
    assert_eq!(repaired["kind"], "result", "{repaired}");
    assert!(
        text.contains("\"userId\": \"u7\"") && text.contains("\"plan\": \"team\""),
        "{text}"
    );
    let denied = &report["denied"];
    assert_eq!(denied["kind"], "error", "{denied}");
    let text = denied["text"].as_str().expect("a problem");
    assert!(text.contains("Healing denied"), "{text}");
    let late = &report["late"];
    assert_eq!(
        (&late["kind"], &late["status"]),
        (&json!("error"), &json!(410)),
        "{late}"
    );
    let text = late["text"].as_str().expect("a problem");
    assert!(text.contains("timed out"), "{text}");
    // What was sent: a patch of what was changed and nothing else, against what was seen.
    let sent = report["sent"].as_array().expect("what was sent");
    assert_eq!(sent.len(), 3, "{sent:?}");
    let patch: Value =
        serde_json::from_str(sent[1]["body"].as_str().expect("a body")).expect("JSON");
    assert_eq!(
        patch,
        json!([
            {"op": "replace", "path": "/userId", "value": "u7"},
            {"op": "replace", "path": "/plan", "value": "team"},
        ])
    );
    assert_eq!(sent[1]["type"], "application/json-patch+json");
    assert!(
        sent[1]["base"]
            .as_str()
            .is_some_and(|base| !base.is_empty())
    );
    assert_eq!(sent[2]["body"], r#"{"deny":true}"#);
    place::say(&format!("count: {suite}, {} answers sent", sent.len()));
}
