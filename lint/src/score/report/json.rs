//! For programs.

use serde::Serialize;

use crate::score::{ApiScore, Comparison, Corpus, NextStep, Report, Unread};

/// Writes the report as JSON, with what was asked for beside it.
///
/// # Errors
///
/// When the report cannot be serialised, which does not happen with the values a run makes.
pub fn json(
    report: &Report,
    comparison: Option<&Comparison>,
    next: Option<&[NextStep]>,
) -> Result<String, serde_json::Error> {
    let whole = Whole {
        version: report.version,
        apis: &report.apis,
        corpus: &report.corpus,
        unread: &report.unread,
        comparison,
        next,
    };
    let mut text = serde_json::to_string_pretty(&whole)?;
    text.push('\n');
    Ok(text)
}

/// The JSON Schema of the report.
#[cfg(feature = "schema")]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Whole<'static>).to_value()
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "aon score report"))]
struct Whole<'a> {
    /// The version of this shape.
    version: u32,
    /// The APIs, by file and slug.
    apis: &'a [ApiScore],
    /// What they have in common.
    corpus: &'a Corpus,
    /// Files that could not be scored.
    unread: &'a [Unread],
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Comparison>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a [NextStep]>,
}
