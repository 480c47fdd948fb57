//! For a program. The shape is versioned and has a JSON Schema.

use serde::Serialize;

use super::{Report, Summary};
use crate::finding::Finding;

/// The version of the shape. It rises when a member changes its meaning or goes away.
pub(super) const VERSION: u32 = 1;

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "aon-lint report"))]
struct Document<'a> {
    /// The version of this shape.
    version: u32,
    /// What was found, by file, place and code.
    findings: &'a [Finding],
    /// The numbers.
    summary: Summary,
}

pub(super) fn render(report: &Report) -> String {
    let document = Document {
        version: VERSION,
        findings: &report.findings,
        summary: report.summary,
    };
    // Only a map with keys that are not strings can fail, and there is none.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// The JSON Schema of `--format json`.
#[cfg(feature = "schema")]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Document<'static>).to_value()
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::super::{ReportFormat, Style};

    #[test]
    fn every_member_is_there() {
        let text = sample().render(ReportFormat::Json, Style::default());
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["version"], 1);
        for finding in value["findings"].as_array().unwrap() {
            for member in [
                "code",
                "rule",
                "severity",
                "confidence",
                "message",
                "why",
                "fix",
                "file",
                "line",
                "column",
                "end_line",
                "end_column",
                "pointer",
            ] {
                assert!(!finding[member].is_null(), "{member} in {finding}");
            }
        }
        assert_eq!(
            value["summary"]["findings"],
            value["findings"].as_array().unwrap().len()
        );
    }

    #[cfg(feature = "schema")]
    #[test]
    fn the_schema_names_every_member() {
        let schema = super::schema().to_string();
        for member in ["end_column", "confidence", "certain", "deferred"] {
            assert!(schema.contains(member), "{member}");
        }
    }
}
