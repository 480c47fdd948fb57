//! SARIF 2.1.0.

use std::fmt::Write as _;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Report;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::rules;

pub(super) fn render(report: &Report) -> String {
    let index: BTreeMap<&str, usize> = rules::ALL
        .iter()
        .enumerate()
        .map(|(at, rule)| (rule.code(), at))
        .collect();
    let results: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| result(finding, index.get(finding.code).copied()))
        .collect();
    let document = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "aon-lint",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules::ALL.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.code(),
        "name": rule.name(),
        "shortDescription": { "text": rule.summary() },
        "fullDescription": { "text": rule.why() },
        "help": { "text": rule.docs().trim(), "markdown": rule.docs().trim() },
        "defaultConfiguration": { "level": level(rule.category().severity()) },
        "properties": { "tags": [rule.category().name()] },
    })
}

fn result(finding: &Finding, index: Option<usize>) -> Value {
    let mut region = json!({
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    });
    if !finding.excerpt.text.is_empty() {
        region["snippet"] = json!({ "text": finding.excerpt.text });
    }
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(&finding.file) },
            "region": region,
        },
    });
    if !finding.pointer.is_empty() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": finding.pointer }]);
    }
    let mut text = finding.message.clone();
    if !finding.fix.is_empty() {
        text.push_str(". Fix: ");
        text.push_str(&finding.fix);
    }
    let mut result = json!({
        "ruleId": finding.code,
        "level": level(finding.severity),
        "message": { "text": text },
        "locations": [location],
        "partialFingerprints": { "aonFingerprint/v1": crate::baseline::fingerprint(finding) },
        "properties": { "confidence": finding.confidence.as_str() },
    });
    if let Some(index) = index {
        result["ruleIndex"] = json!(index);
    }
    if let Some(fix) = &finding.repair {
        let replacements: Vec<Value> = fix
            .edits
            .iter()
            .map(|edit| {
                json!({
                    "deletedRegion": { "byteOffset": edit.span.start(), "byteLength": edit.span.len() },
                    "insertedContent": { "text": edit.replacement },
                })
            })
            .collect();
        result["fixes"] = json!([{
            "description": { "text": fix.title },
            "artifactChanges": [{
                "artifactLocation": { "uri": uri(&finding.file) },
                "replacements": replacements,
            }],
        }]);
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// A path as a URI reference.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::super::{ReportFormat, Style};
    use super::uri;

    #[test]
    fn the_required_structure_is_there() {
        let report = sample();
        let text = report.render(ReportFormat::Sarif, Style::default());
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["version"], "2.1.0");
        let run = &value["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), report.findings.len());
        for result in results {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], result["ruleId"]);
            let place = &result["locations"][0]["physicalLocation"];
            assert_eq!(place["artifactLocation"]["uri"], "dir/a%20b.aon.yaml");
            assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        }
        assert_eq!(uri("ä\\b:c"), "%C3%A4/b%3Ac");
    }
}
