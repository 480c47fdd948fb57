//! The page of the playground in a real browser: two channels, cut and resume, the ring and the gap.

use std::path::Path;

use aon_tests::place;
use serde_json::json;

use crate::demo::{PROGRAM, Server};
use crate::tools;

#[test]
fn a_person_cuts_and_resumes_a_session_and_sees_the_gap() {
    let suite = "the live page in a browser";
    let known = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    let named = std::env::var("AON_BROWSER").ok();
    let browser = named.or_else(|| {
        known
            .into_iter()
            .find(|path| Path::new(path).exists())
            .map(str::to_owned)
    });
    let Some(browser) = browser else {
        return place::say(&format!(
            "skipped: {suite}, there is no chromium; .ci/tools installs it"
        ));
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
