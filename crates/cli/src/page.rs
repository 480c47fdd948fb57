//! Catalog records as What / Why / Try this.

use std::fmt::Write as _;

use aon::catalog::Record;
use aon::surface::human::{Story, Text};
use serde_json::Value;

/// A record for the terminal.
pub(crate) fn text(record: &Record, color: bool) -> String {
    let mut story = Story::of_record(record);
    if let Some(place) = place(record) {
        story.facts.push(("declared in".to_owned(), place));
    }
    let text = Text::new().with_width(100).with_color(color);
    text.render_story(&story)
}

/// A record as a Markdown page.
pub(crate) fn markdown(record: &Record) -> String {
    let mut text = format!("# {}\n", record.title);
    for (heading, body) in sections(record) {
        let body = body.lines().collect::<Vec<_>>().join("\n\n");
        let _: std::fmt::Result = write!(text, "\n## {heading}\n\n{body}\n");
    }
    text
}

/// The sections of a record's page: heading and lines.
fn sections(record: &Record) -> Vec<(&'static str, String)> {
    let mut why = vec![record.summary.trim().to_owned(), record.detail.clone()];
    why.extend(
        record
            .pointers
            .iter()
            .map(|pointer| format!("It is about `{pointer}`.")),
    );
    if let Some(challenge) = &record.challenge {
        why.push(format!("The call must authenticate: {challenge}"));
    }
    why.retain(|line| !line.is_empty());
    why.dedup();
    let what = format!(
        "{} (`{}`, status {})",
        record.title, record.code, record.status
    );
    let mut sections = vec![
        ("What", what),
        ("Why", why.join("\n")),
        ("Try this", advice(record).join("\n")),
    ];
    let mut facts = vec![format!("`type`: `{}`", record.type_uri)];
    if !record.extensions.is_empty() {
        facts.push(format!("further members: {}", record.extensions.join(", ")));
    }
    facts.extend(place(record).map(|place| format!("declared in {place}")));
    sections.push(("Facts", facts.join("\n")));
    sections.retain(|(_, body)| !body.is_empty());
    sections
}

fn place(record: &Record) -> Option<String> {
    let origin = &record.origin;
    let variant = if origin.variant.is_empty() {
        String::new()
    } else {
        format!("::{}", origin.variant)
    };
    (!origin.package.is_empty())
        .then(|| format!("{}: {}{variant}", origin.package, origin.type_name))
}

fn advice(record: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(remediation) = &record.remediation {
        let word = |member: &str| remediation.get(member).and_then(Value::as_str);
        if let Some(message) = word("message") {
            lines.push(message.to_owned());
        }
        match (word("type"), word("reason")) {
            (Some("none"), Some(reason)) => {
                lines.push(format!("The caller cannot do anything about it: {reason}"));
            }
            (Some(kind), _) => lines.push(format!("Remediation: {kind}")),
            (None, _) => {}
        }
        if let Some(Value::Object(parts)) = remediation.get("next_action") {
            for (part, value) in parts {
                lines.push(format!("{}: {}", part.replace('_', " "), bare(value)));
            }
        }
        if let Some(example) = remediation.get("example_request") {
            let part = |name: &str| example.get(name).map(bare).unwrap_or_default();
            lines.push(
                format!(
                    "Example: {} {} {}",
                    part("method"),
                    part("path"),
                    part("body")
                )
                .trim_end()
                .to_owned(),
            );
        }
    }
    for (field, values) in &record.valid_values {
        lines.push(match values {
            Some(values) => {
                let values: Vec<String> = values
                    .iter()
                    .map(|value| bare(value.get("value").unwrap_or(value)))
                    .collect();
                format!("Valid values of {field}: {}", values.join(", "))
            }
            None => format!("The answer names the valid values of {field}."),
        });
    }
    match record.retry_after {
        Some(Some(seconds)) => lines.push(format!("Try again after {seconds} seconds.")),
        Some(None) => lines.push("The answer says when to try again.".to_owned()),
        None => {}
    }
    if let Some(tool) = &record.mcp_tool {
        lines.push(format!("MCP tool: {tool}"));
    }
    if let Some(skill) = &record.a2a_skill {
        lines.push(format!("A2A skill: {skill}"));
    }
    if let Some(url) = &record.docs_url {
        lines.push(format!("Documentation: {url}"));
    }
    lines
}

fn bare(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
