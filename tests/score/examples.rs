//! The example corpus is held to its recorded scores, and shows a tier before and after.

use std::fs;

use aon_lint::Settings;
use aon_lint::score::{ApiScore, Dimension, Join, score_documents};
use aon_manifest::Document;
use aon_tests::{golden, place};

fn corpus() -> Vec<ApiScore> {
    let folder = place::root().join("manifests/examples");
    let mut names: Vec<_> = fs::read_dir(&folder)
        .expect("manifests/examples")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .filter(|name| !name.ends_with(".md"))
        .collect();
    names.sort();
    let documents: Vec<Document> = names
        .iter()
        .map(|name| {
            let text = fs::read_to_string(folder.join(name)).expect("an example");
            Document::from_text(name, &text)
        })
        .collect();
    let mut scores = score_documents(&documents, &Join::default(), &Settings::default());
    scores.sort_by(|a, b| a.file.cmp(&b.file));
    scores
}

#[test]
fn the_example_corpus_keeps_its_recorded_scores() {
    let scores = corpus();
    assert!(
        scores.len() >= 8,
        "only {} examples were scored",
        scores.len()
    );
    let mut table = String::new();
    for api in &scores {
        let shown: Vec<String> = api
            .scores
            .iter()
            .map(|(dimension, score)| match score.level {
                Some(level) => format!("{dimension} {} level {level}", score.shown_decimal()),
                None => format!("{dimension} n/a"),
            })
            .collect();
        table.push_str(&format!(
            "{}: {} ({} of 4.0, {})\n",
            api.file,
            shown.join(", "),
            api.decimal,
            if api.passes {
                "passes"
            } else {
                "does not pass"
            }
        ));
        for (dimension, score) in api.scores.iter() {
            if let Some(missing) = &score.missing {
                table.push_str(&format!(
                    "    {dimension} → {} {}:{} {} [{}]\n",
                    missing.level, missing.line, missing.column, missing.what, missing.rule
                ));
            }
            if let Some(reason) = &score.reason {
                table.push_str(&format!("    {dimension} n/a {reason}\n"));
            }
        }
    }
    golden::check(
        &place::root().join("tests/score/golden/examples.txt"),
        &table,
    );
}

#[test]
fn every_repaired_example_is_at_least_as_good_everywhere_and_passes() {
    let scores = corpus();
    let mut pairs = 0;
    for before in scores.iter().filter(|api| api.file.contains(".before.")) {
        let name = before.file.replace(".before.", ".after.");
        let after = scores
            .iter()
            .find(|api| api.file == name)
            .expect("an after for each before");
        pairs += 1;
        assert!(!before.passes, "{} should not pass", before.file);
        assert!(
            after.passes,
            "{} should pass: {:?}",
            after.file,
            super::levels(after)
        );
        for dimension in Dimension::ALL {
            let (old, new) = (before.level(*dimension), after.level(*dimension));
            assert!(
                new.is_none() || new >= old,
                "{name} {dimension}: {old:?} to {new:?}"
            );
        }
        assert!(
            after.points >= before.points + 30,
            "{name} gained too little"
        );
    }
    place::say(&format!("count: score of {pairs} tiers before and after"));
    assert!(pairs >= 2);
}
