//! The report over many APIs: distribution, gaps, patterns, steps, movement, and every form it is written in.

use aon_lint::score::report::{Shown, badge, html, json, markdown, terminal};
use aon_lint::score::{Dimension, Earlier, Report, Unread, compare, explain, next_steps};
use serde_json::Value;

fn bare(slug: &str) -> String {
    format!("slug: {slug}\noperations:\n  - {{ id: read, method: GET, path: /read }}\n")
}

fn listed(slug: &str) -> String {
    bare(slug).replace(
        "path: /read",
        "path: /read, error_responses: [{ status: 404 }]",
    )
}

fn report() -> Report {
    let texts = [
        ("a.yaml", bare("a")),
        ("b.yaml", bare("b")),
        ("c.yaml", listed("c")),
    ];
    let files: Vec<_> = texts
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    Report::new(
        super::scored(&files),
        vec![Unread::new("broken.yaml", "it ends too early")],
    )
}

#[test]
fn the_corpus_counts_levels_and_finds_what_repeats() {
    let report = report();
    let clarity = report.corpus.distribution.get(Dimension::D2);
    assert_eq!(clarity.levels, [2, 1, 0, 0, 0]);
    assert_eq!(
        report.corpus.distribution.get(Dimension::D1).not_applicable,
        3
    );
    assert_eq!(
        (
            report.corpus.apis,
            report.corpus.passed,
            report.corpus.passes
        ),
        (3, 0, false)
    );
    assert!(report.corpus.worst.iter().all(|gap| gap.level < 3));
    let parity = report
        .corpus
        .patterns
        .iter()
        .find(|pattern| pattern.dimension == "D5")
        .expect("all lack parity");
    assert_eq!((parity.apis, parity.level), (3, 1));
    assert!(report.is_under(1) && report.is_under(3) && !report.is_under(0));
}

#[test]
fn json_has_the_published_shape() {
    let report = report();
    let value: Value = serde_json::from_str(&json(&report, None, None).unwrap()).unwrap();
    assert_eq!(value["version"], 1);
    let api = &value["apis"][2];
    assert_eq!(
        (
            api["file"].as_str(),
            api["slug"].as_str(),
            api["passes"].as_bool()
        ),
        (Some("c.yaml"), Some("c"), Some(false))
    );
    for dimension in ["D1", "D2", "D3", "D4", "D5"] {
        let score = api["scores"][dimension]
            .as_object()
            .expect("every dimension is there");
        assert!(
            score.contains_key("level")
                && score.contains_key("evidence")
                && score.contains_key("missing")
        );
    }
    assert!(api["scores"]["D1"]["level"].is_null() && api["scores"]["D1"]["reason"].is_string());
    let missing = &api["scores"]["D2"]["missing"];
    assert_eq!(
        (
            missing["file"].as_str(),
            missing["line"].as_u64(),
            missing["level"].as_u64()
        ),
        (Some("c.yaml"), Some(3), Some(2))
    );
    assert_eq!(missing["pointer"], "/operations/0/error_responses/0/status");
    assert_eq!(value["corpus"]["distribution"]["D2"]["0"], 2);
    assert_eq!(value["unread"][0]["file"], "broken.yaml");
    let next = next_steps(&report.apis);
    let old = Earlier::parse(&value.to_string()).unwrap();
    let whole = json(&report, Some(&compare(&old, &report.apis)), Some(&next)).unwrap();
    let validator = jsonschema::validator_for(&aon_lint::score::report::schema()).unwrap();
    for document in [value, serde_json::from_str(&whole).unwrap()] {
        let wrong: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| error.to_string())
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

#[test]
fn the_cheapest_step_comes_first() {
    let report = report();
    let steps = next_steps(&report.apis);
    assert!(steps.len() >= 4);
    let worth = |at: usize| steps[at].levels as f64 / steps[at].edits as f64;
    assert!((1..steps.len()).all(|at| worth(at - 1) >= worth(at)));
    let clarity = steps
        .iter()
        .find(|step| step.dimension == "D2" && step.level == 1)
        .expect("two APIs list nothing");
    assert_eq!((clarity.apis, clarity.edits), (2, 2));
    // With statuses listed the higher lines fail, so each API gains one level.
    assert_eq!(clarity.levels, 2);
}

#[test]
fn movement_is_found_and_judged() {
    let before = report();
    let old = Earlier::parse(&json(&before, None, None).unwrap()).unwrap();
    let same = compare(&old, &before.apis);
    assert!(same.moved.is_empty() && same.added.is_empty() && same.removed.is_empty());
    let texts = [
        ("a.yaml", listed("a")),
        ("c.yaml", bare("c")),
        ("d.yaml", bare("d")),
    ];
    let files: Vec<_> = texts
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let now = compare(&old, &super::scored(&files));
    let moved: Vec<_> = now
        .moved
        .iter()
        .map(|moved| {
            (
                moved.slug.as_str(),
                moved.dimension,
                moved.before,
                moved.after,
                moved.regression,
            )
        })
        .collect();
    assert_eq!(
        moved,
        [
            ("a", "D2", Some(0), Some(1), false),
            ("c", "D2", Some(1), Some(0), true)
        ]
    );
    assert_eq!(
        (
            now.added.as_slice(),
            now.removed.as_slice(),
            now.regressions
        ),
        (["d".to_owned()].as_slice(), ["b".to_owned()].as_slice(), 1)
    );
    for (text, why) in [
        ("", "EOF"),
        ("{\"version\": 9, \"apis\": []}", "version 9"),
        ("{\"version\": 1, \"apis\": [{}]}", "apis[0]"),
    ] {
        assert!(
            Earlier::parse(text).unwrap_err().to_string().contains(why),
            "{text}"
        );
    }
}

#[test]
fn every_form_tells_the_same_levels() {
    let report = report();
    let next = next_steps(&report.apis);
    let text = terminal(&report, None, Some(&next), Shown::default());
    assert!(
        text.contains(" 1.0 level 1")
            && text.contains("█░░░")
            && text.contains("n/a")
            && text.contains("not read: broken.yaml"),
        "{text}"
    );
    assert!(
        text.contains("c.yaml:3:") && text.contains("0 of 3 APIs pass"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'));
    assert!(
        terminal(&report, None, None, Shown::default().with_colour(true)).contains("\u{1b}[31m")
    );
    let page = markdown(&report, None, Some(&next));
    assert!(
        page.contains("| c | n/a | 1.0 (1) | 0.0 (0) | 0.0 (0) | 0.0 (0) | 0.2 | no |"),
        "{page}"
    );
    let told = explain(Dimension::D2, &report.apis);
    assert!(
        told.contains("for 2: 1 thing missing") && told.contains("typed: error bodies"),
        "{told}"
    );
    let svg = badge(&report);
    assert!(svg.starts_with("<svg") && svg.contains("0 of 3 pass"));
}

#[test]
fn nothing_from_a_document_becomes_markup() {
    let evil = "<img src=x onerror=alert(1)>\\\"'&|`*";
    let text = format!(
        "slug: \"{evil}\"\ntitle: \"{evil}\"\noperations:\n  - {{ id: \"{evil}\", method: GET, path: /x }}\n"
    );
    let report = Report::new(
        super::scored(&[("evil<b>.yaml", &text)]),
        vec![Unread::new("</main><script>", "<script>alert(1)</script>")],
    );
    let page = html(&report, None, Some(&next_steps(&report.apis)));
    assert!(
        !page.contains("<img") && !page.contains("<script") && !page.contains("<b>.yaml"),
        "{page}"
    );
    assert!(!badge(&report).contains("<img"));
    assert!(!markdown(&report, None, None).contains("<img"));
    let hostile = Report::new(Vec::new(), vec![Unread::new("\u{1b}[2Jfile", "x")]);
    assert!(!terminal(&hostile, None, None, Shown::default()).contains('\u{1b}'));
}

#[test]
fn the_page_loads_nothing_from_outside() {
    let page = html(&report(), None, None);
    for door in [
        "src=",
        "@import",
        "url(",
        "<link",
        "<script",
        "<iframe",
        "href=\"http",
    ] {
        assert!(!page.contains(door), "{door} is in the page");
    }
    assert!(
        page.contains("default-src 'none'")
            && page.contains("prefers-color-scheme: dark")
            && page.contains("name=\"viewport\"")
    );
    assert_eq!(page.matches("<svg class=\"radar\"").count(), 3);
}
