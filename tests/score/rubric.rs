//! Every example of `docs/maturity.md` has exactly the level it is an example of.

use std::collections::BTreeSet;
use std::fs;

use aon_lint::score::{Dimension, RUBRIC};
use aon_tests::place;

struct Example {
    dimension: Dimension,
    level: Option<u8>,
    text: String,
}

fn examples(page: &str) -> Vec<Example> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(tag) = line.strip_prefix("```yaml ") else {
            continue;
        };
        let (dimension, level) = tag.trim().split_once('=').expect("a tag is D1=3");
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        found.push(Example {
            dimension: dimension.parse().expect("a dimension"),
            level: (level != "na").then(|| level.parse().expect("a level")),
            text: text.join("\n") + "\n",
        });
    }
    found
}

fn page() -> String {
    fs::read_to_string(place::root().join("docs/maturity.md")).expect("docs/maturity.md")
}

#[test]
fn every_level_has_an_example_with_exactly_that_level() {
    let examples = examples(&page());
    let mut levels = BTreeSet::new();
    let mut not_applicable = 0;
    let mut wrong = Vec::new();
    for example in &examples {
        let api = super::only("example.yaml", &example.text);
        let actual = api.level(example.dimension);
        if actual != example.level {
            let missing = api.missing(example.dimension).map(|missing| &missing.what);
            wrong.push(format!(
                "{} should be {:?} and is {actual:?}: {missing:?}\n{}",
                example.dimension, example.level, example.text
            ));
        }
        match example.level {
            Some(level) => {
                levels.insert((example.dimension, level));
            }
            None => not_applicable += 1,
        }
    }
    place::say(&format!(
        "count: rubric {} level examples, {not_applicable} not applicable",
        levels.len()
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(levels.len(), 25, "each dimension has levels 0 to 4");
    assert!(not_applicable >= 3);
}

#[test]
fn the_page_states_the_rubric_word_for_word() {
    let page = page();
    for dimension in Dimension::ALL {
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| {dimension} {} |", dimension.title())))
            .unwrap_or_else(|| panic!("the table has a row for {dimension}"));
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells[1], dimension.zero());
        for line in RUBRIC.iter().filter(|line| line.dimension == *dimension) {
            assert_eq!(cells[usize::from(line.level) + 1], line.says);
        }
    }
}

#[test]
fn every_score_says_what_held_and_what_is_missing() {
    let mut checked = 0;
    for example in examples(&page()) {
        let api = super::only("example.yaml", &example.text);
        for (dimension, score) in api.scores.iter() {
            checked += 1;
            let Some(level) = score.level else {
                assert!(
                    score
                        .reason
                        .as_ref()
                        .is_some_and(|reason| !reason.is_empty())
                );
                assert!(score.missing.is_none() && score.evidence.is_empty());
                continue;
            };
            assert!(
                !score.evidence.is_empty(),
                "{dimension} {level} has evidence"
            );
            assert_eq!(score.evidence.last().map(|held| held.level), Some(level));
            assert_eq!(score.missing.is_none(), level == 4, "{dimension} {level}");
            if let Some(missing) = &score.missing {
                assert_eq!(missing.level, level + 1);
                assert!(missing.line >= 1 && missing.column >= 1 && missing.count >= 1);
                assert!(
                    !missing.what.is_empty() && !missing.fix.is_empty() && !missing.file.is_empty()
                );
                let rule = aon_lint::rules::find(&missing.rule);
                assert_eq!(
                    rule.map(|rule| rule.name()),
                    Some(missing.rule_name.as_str())
                );
            }
        }
    }
    assert!(checked > 100, "only {checked} scores were looked at");
}
