//! What the weights and the counts are made from. Used by the command that learns them, and by nothing at run time.

use super::names::Words;
use super::{Candidate, best_reading, schema, weigh};

/// The features of a candidate as `kind:word`, as they stand in `weights.tsv`.
pub fn features(candidate: &Candidate<'_>) -> Vec<String> {
    let mut all = Vec::new();
    weigh::features(candidate, &mut |kind, _, words| {
        let words: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
        all.push(format!("{}:{}", char::from(kind), words.join(" ")));
    });
    all
}

/// Whether the prose lists values, so that what the author declared says little about the name.
pub fn is_told(candidate: &Candidate<'_>) -> bool {
    best_reading(candidate).is_some_and(|reading| reading.shape.is_some())
}

/// Whether a set can be looked for at all in a value of this type and format.
pub fn is_candidate(candidate: &Candidate<'_>) -> bool {
    schema::ValueKind::of(candidate).is_some()
}

/// The words of a name in lower case, first to last.
pub fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Words::of(name).map(str::to_ascii_lowercase).collect();
    words.reverse();
    words
}
