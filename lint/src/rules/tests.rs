//! What holds for every rule.

use std::collections::BTreeSet;
use std::path::Path;

use aon_manifest::Document;

use super::{ALL, RETIRED, find};
use crate::finding::Confidence;
use crate::{Settings, lint};

#[test]
fn the_table_equals_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "tests.rs")
        .map(|name| name.trim_end_matches(".rs").replace('_', "-"))
        .collect();
    let table: BTreeSet<String> = ALL.iter().map(|rule| rule.name().to_owned()).collect();
    assert!(table.len() > 5);
    assert_eq!(table, files);
    assert_eq!(table.len(), ALL.len());
}

#[test]
fn every_rule_is_documented_with_examples_on_both_sides() {
    for rule in ALL {
        let examples = rule.examples();
        let name = rule.name();
        assert!(
            examples.iter().any(|example| example.bad),
            "{name} has no bad example"
        );
        assert!(
            examples.iter().any(|example| !example.bad),
            "{name} has no good example"
        );
        assert!(rule.summary().ends_with('.'), "{name}: {}", rule.summary());
        assert!(rule.why().ends_with('.'), "{name} does not say why");
        assert_eq!(
            rule.docs().matches("```").count() % 2,
            0,
            "{name} has an open fence"
        );
    }
}

#[test]
fn bad_examples_yield_exactly_one_finding_and_good_ones_none() {
    let mut run = 0;
    for rule in ALL {
        for (at, example) in rule.examples().iter().enumerate() {
            run += 1;
            let ending = if example.language == "json" {
                "json"
            } else {
                "yaml"
            };
            let native =
                example.text.contains("operations:") || example.text.contains("\"operations\"");
            let file = if native {
                format!("example.aon.{ending}")
            } else {
                format!("example.{ending}")
            };
            let document = Document::from_text(&file, &example.text);
            let settings = Settings::default()
                .with_preview(rule.stage() == crate::Stage::Preview)
                .with_strict(example.strict)
                .with_pedantic(example.pedantic)
                .with_today("2026-01-01".parse().unwrap());
            let mut outcome = lint(&document, &settings);
            if example.strict || rule.code() == "AON704" {
                // A deferral that is refused brings back what it set aside.
                outcome
                    .findings
                    .retain(|finding| finding.rule == rule.name());
            }
            let found: Vec<_> = outcome
                .findings
                .iter()
                .map(|f| format!("{} {} {}: {}", f.code, f.rule, f.pointer, f.message))
                .collect();
            if example.bad {
                assert_eq!(
                    found.len(),
                    1,
                    "{} example {at}: {found:#?}\n{}",
                    rule.name(),
                    example.text
                );
                assert_eq!(outcome.findings[0].rule, rule.name(), "{found:?}");
                assert!(
                    !outcome.findings[0].fix.is_empty(),
                    "{} does not say what to do",
                    rule.name()
                );
                assert!(
                    !outcome.findings[0].label.is_empty(),
                    "{} has no label",
                    rule.name()
                );
            } else {
                assert!(
                    found.is_empty(),
                    "{} example {at}: {found:#?}\n{}",
                    rule.name(),
                    example.text
                );
            }
        }
    }
    assert!(run >= ALL.len() * 2, "only {run} examples were run");
}

#[test]
fn codes_fit_the_family_and_are_never_used_again() {
    let mut codes = BTreeSet::new();
    for rule in ALL {
        let family = format!("AON{}", rule.category().digit());
        assert!(
            rule.code().starts_with(&family) && rule.code().len() == 6,
            "{}",
            rule.code()
        );
        assert!(codes.insert(rule.code()), "{} twice", rule.code());
        assert_eq!(find(rule.code()).unwrap().name(), rule.name());
        assert_eq!(find(rule.name()).unwrap().code(), rule.code());
        assert_eq!(
            rule.severity(Confidence::Certain),
            rule.category().severity()
        );
        assert!(rule.severity(Confidence::Possible) < rule.severity(Confidence::Likely));
    }
    for (code, name, reason) in RETIRED {
        assert!(codes.insert(code), "{code} is in use again");
        assert!(find(name).is_none() && !reason.is_empty());
    }
    let sorted: Vec<_> = ALL.iter().map(|rule| rule.code()).collect();
    assert!(sorted.is_sorted(), "the table is sorted by code");
}

#[test]
fn names_name_the_defect() {
    for rule in ALL {
        let name = rule.name();
        assert!(
            !["no-", "must-", "should-", "invalid-usage"]
                .iter()
                .any(|word| name.starts_with(word)),
            "{name}"
        );
        assert!(
            name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
            "{name}"
        );
        let is_choice = rule.category() == crate::Category::Choices;
        assert_eq!(
            is_choice,
            name.contains("choice"),
            "{name}: R1 has the word `choice` in its names, and nothing else does"
        );
    }
}
