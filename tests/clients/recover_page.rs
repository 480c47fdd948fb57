//! The page of the demo where a careless call recovers step by step, in a real browser.

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::demo;
use crate::{live_page, tools};

/// What each mistake on the page comes to, and a decision on the way.
const ENDS: [(&str, bool, &str); 7] = [
    ("A slip in a value", true, "/auth_ux = \"hosted\""),
    (
        "A misspelled argument",
        true,
        "the call that was meant is clear",
    ),
    (
        "A tool that does not exist",
        true,
        "the operation has another name",
    ),
    ("Three at once", true, "the operation has another name"),
    ("Too early", false, "wait "),
    ("No clear winner", false, "choose one of"),
    ("Gone for good", false, "give up"),
];

#[test]
fn a_person_sees_a_careless_call_recover() {
    let suite = "the page of recovery in a browser";
    let Some(browser) = live_page::browser(suite) else {
        return;
    };
    let plan =
        json!({"base": demo().base, "browser": browser, "shots": std::env::var("AON_SHOTS").ok()});
    let Some(report) = tools::module(suite, "playwright-core", "recover_page.mjs", &plan) else {
        return;
    };
    assert_eq!(report["complaints"], json!([]), "the page has errors");
    assert_eq!(
        report["outside"],
        json!([]),
        "the page loads from elsewhere"
    );
    assert_eq!(report["wide"], false, "the page fits a phone");
    let picks = report["picks"].as_object().expect("picks");
    assert_eq!(picks.len(), ENDS.len(), "{picks:?}");
    let texts = |steps: &Value| -> Vec<String> {
        let steps = steps.as_array().expect("steps").iter();
        steps
            .map(|step| step["text"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    for (name, recovers, decision) in ENDS {
        let steps = &picks[name];
        let shown = texts(steps);
        let end = if recovers {
            "Recovered."
        } else {
            "Given up, without harm."
        };
        assert_eq!(
            shown.last().map(String::as_str),
            Some(end),
            "{name}: {shown:#?}"
        );
        assert!(
            shown.iter().any(|text| text.contains(decision)),
            "{name}: {shown:#?}"
        );
        // The first call fails, with its envelope to look at.
        assert_eq!(steps[0]["kind"], "bad", "{name}");
        let answer = steps[0]["answer"].as_str().unwrap_or_default();
        assert!(answer.contains("\"code\""), "{name}: {answer}");
    }
    let typed = &report["typed"];
    assert_eq!(
        texts(&typed["form"]).last().map(String::as_str),
        Some("Given up, without harm."),
        "{typed}"
    );
    for name in ["nothing", "text"] {
        let shown = texts(&typed[name]);
        assert!(
            shown.len() == 1 && !shown[0].is_empty(),
            "{name}: {shown:?}"
        );
    }
    place::say(&format!(
        "count: {suite}, {} mistakes picked, 3 calls typed",
        picks.len()
    ));
}
