//! The maturity score (contract Q): the rubric's examples, its properties, the example corpus and the command.

mod command;
mod corpus;
mod decimals;
mod examples;
mod joining;
mod page;
mod properties;
mod rubric;
mod spelling;

use aon_lint::Settings;
use aon_lint::score::{ApiScore, Dimension, Join, score_documents};
use aon_manifest::Document;

/// Scores texts under their names, joined by slug.
fn scored(files: &[(&str, &str)]) -> Vec<ApiScore> {
    let documents: Vec<Document> = files
        .iter()
        .map(|(name, text)| Document::from_text(name, text))
        .collect();
    score_documents(&documents, &Join::default(), &Settings::default())
}

/// The one API of a text.
fn only(name: &str, text: &str) -> ApiScore {
    let mut all = scored(&[(name, text)]);
    assert_eq!(all.len(), 1, "{name} should be one API");
    all.remove(0)
}

/// The five levels; none is N/A.
fn levels(api: &ApiScore) -> Vec<Option<u8>> {
    Dimension::ALL
        .iter()
        .map(|dimension| api.level(*dimension))
        .collect()
}
