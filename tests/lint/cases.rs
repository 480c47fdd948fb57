//! A folder per rule: bad documents, good ones, and what is found in them.
//!
//! `tests/lint/<rule>/bad*` holds something the rule reports, `good*` nothing of the kind. `expected.txt` lists all findings with
//! their places; `AON_BLESS=1` writes it.

use std::fmt::Write as _;
use std::fs;

use aon_lint::{Settings, Stage, lint, rules};
use aon_manifest::Document;
use aon_tests::{golden, place};

#[test]
fn every_rule_finds_what_is_bad_and_nothing_in_what_is_good() {
    let mut count = 0;
    for rule in rules::ALL {
        let folder = place::root().join("tests/lint").join(rule.name());
        let mut names: Vec<String> = fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .filter(|name| name != "expected.txt")
            .collect();
        names.sort();
        for side in ["bad", "good"] {
            assert!(
                names.iter().any(|name| name.starts_with(side)),
                "{} has no {side} document",
                rule.name()
            );
        }
        let mut text = String::new();
        for name in names {
            count += 1;
            let bytes = fs::read_to_string(folder.join(&name)).expect("UTF-8");
            let settings = Settings::default()
                .with_preview(rule.stage() == Stage::Preview)
                .with_strict(name.contains("strict"))
                .with_pedantic(name.contains("pedantic"))
                .with_today("2026-01-01".parse().expect("a date"));
            let outcome = lint(&Document::from_text(&name, &bytes), &settings);
            let own = outcome
                .findings
                .iter()
                .filter(|f| f.rule == rule.name())
                .count();
            assert_eq!(
                own > 0,
                name.starts_with("bad"),
                "{}/{name}: {:#?}",
                rule.name(),
                outcome.findings
            );
            writeln!(text, "{name}").expect("writing into text");
            for f in &outcome.findings {
                let (severity, confidence) = (f.severity.as_str(), f.confidence.as_str());
                writeln!(
                    text,
                    "  {}:{}-{}:{} {} {} {severity} {confidence} {}\n    {}\n    fix: {}",
                    f.line,
                    f.column,
                    f.end_line,
                    f.end_column,
                    f.code,
                    f.rule,
                    f.pointer,
                    f.message,
                    f.fix
                )
                .expect("writing into text");
            }
        }
        golden::check(&folder.join("expected.txt"), &text);
    }
    assert!(count >= 2 * rules::ALL.len());
    place::say(&format!("count: documents of rules {count}"));
}
