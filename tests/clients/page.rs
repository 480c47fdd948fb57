//! The page of the demo in a real browser.

use std::path::Path;

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::demo;
use crate::tools;

#[test]
fn a_person_sees_three_envelopes_side_by_side() {
    let suite = "the page in a browser";
    let Some(browser) = browser() else {
        place::say(&format!(
            "skipped: {suite}, there is no chromium; .ci/tools installs it"
        ));
        return;
    };
    let plan =
        json!({"base": demo().base, "browser": browser, "shots": std::env::var("AON_SHOTS").ok()});
    let Some(report) = tools::module(suite, "playwright-core", "page.mjs", &plan) else {
        return;
    };
    assert_eq!(report["complaints"], json!([]), "the page has errors");
    assert_eq!(
        report["outside"],
        json!([]),
        "the page loads from elsewhere"
    );
    let picks = report["picks"].as_object().expect("picks");
    let mut compared = 0;
    for (name, seen) in picks {
        // What reaches no operation is refused by each surface for its own reason.
        let apart = ["array", "json", "name"].contains(&name.as_str());
        let verdict = seen["verdict"].as_str().expect("a verdict");
        if !apart && name != "fine" {
            assert!(
                verdict.starts_with("All three say the same"),
                "{name}: {verdict}"
            );
            compared += 1;
        }
        for surface in ["rest", "mcp", "a2a"] {
            let shown = &seen["surfaces"][surface];
            let story = &shown["story"];
            assert!(filled(&story["What"]), "{name}, {surface}: {shown}");
            if name == "fine" {
                assert_eq!(story["What"], "It worked.", "{surface}: {shown}");
                continue;
            }
            assert!(filled(&story["Why"]), "{name}, {surface}: {shown}");
            let envelope = shown["envelope"].as_str().unwrap_or_default();
            // A delay says what to do as well.
            let advised = ["\"remediation\"", "\"valid_values\"", "\"retry_after"]
                .iter()
                .any(|member| envelope.contains(member));
            assert!(
                advised || apart || envelope.contains("\"status\": 500"),
                "{name}, {surface}: {shown}"
            );
            assert!(
                filled(&story["Try this"]) || !advised,
                "{name}, {surface}: {shown}"
            );
            assert!(envelope.contains("\"code\""), "{name}, {surface}: {shown}");
            if !apart {
                assert_eq!(shown["differs"], json!([]), "{name}, {surface}");
            }
            assert!(
                !shown.to_string().contains("hunter2"),
                "{name}, {surface}: a secret is shown"
            );
        }
        assert_side_by_side(seen, name);
    }
    assert!(compared >= 7, "{compared} failures were compared");
    let canonical = &picks["invalid"]["surfaces"];
    for surface in ["mcp", "a2a"] {
        assert_eq!(
            canonical[surface]["renamed"],
            json!(["\"documentation_uri\""]),
            "{surface}"
        );
        let advice = canonical[surface]["story"]["Try this"]
            .as_str()
            .expect("advice");
        assert!(
            advice.contains("hosted") && advice.contains("custom"),
            "{advice}"
        );
    }
    let typed = report["typed"].as_object().expect("typed");
    for (name, seen) in typed {
        let verdict = seen["verdict"].as_str().expect("a verdict");
        assert!(verdict.contains("invalid_auth_ux"), "{name}: {verdict}");
        let advice = seen["surfaces"]["mcp"]["story"]["Try this"]
            .as_str()
            .expect("advice");
        assert!(advice.contains(r#""auth_ux":"custom""#), "{name}: {advice}");
    }
    assert_stacked(&report["narrow"]);
    place::say(&format!(
        "count: {suite}, {} failures picked, {} calls typed",
        picks.len(),
        typed.len()
    ));
}

fn filled(text: &Value) -> bool {
    text.as_str().is_some_and(|text| !text.trim().is_empty())
}

fn boxes(seen: &Value) -> Vec<[i64; 4]> {
    ["rest", "mcp", "a2a"]
        .iter()
        .map(|surface| {
            std::array::from_fn(|at| {
                seen["surfaces"][surface]["box"][at]
                    .as_i64()
                    .expect("a box")
            })
        })
        .collect()
}

/// On a wide screen the three start at the same height, one beside the other.
fn assert_side_by_side(seen: &Value, name: &str) {
    let boxes = boxes(seen);
    for pair in boxes.windows(2) {
        assert_eq!(
            pair[0][1], pair[1][1],
            "{name}: not at one height: {boxes:?}"
        );
        assert!(
            pair[0][0] + pair[0][2] <= pair[1][0],
            "{name}: not side by side: {boxes:?}"
        );
    }
    assert!(
        seen["overflow"].as_i64().is_some_and(|wide| wide <= 0),
        "{name}: the page is too wide"
    );
}

/// On a phone they are one below the other, and nothing sticks out.
fn assert_stacked(seen: &Value) {
    let boxes = boxes(seen);
    for pair in boxes.windows(2) {
        assert!(
            pair[0][1] + pair[0][3] <= pair[1][1],
            "not stacked: {boxes:?}"
        );
    }
    assert!(
        seen["overflow"].as_i64().is_some_and(|wide| wide <= 0),
        "the page is wider than a phone: {}",
        seen["overflow"]
    );
}

fn browser() -> Option<&'static str> {
    [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ]
    .into_iter()
    .find(|path| Path::new(path).exists())
}
