//! Problems and catalog records as What / Why / Try this.

use std::fmt::Write as _;

use aon::ProblemDetails;
use aon::catalog::Record;
use serde_json::Value;

/// A fault for the terminal.
pub(crate) fn fault(problem: &ProblemDetails) -> String {
    let mut text = String::new();
    section(
        &mut text,
        "What",
        problem.title().unwrap_or("Something failed"),
    );
    if let Some(detail) = problem.detail() {
        section(&mut text, "Why", detail);
    }
    let mut advice = String::new();
    if let Some(message) = problem
        .remediation()
        .and_then(|remediation| remediation.message())
    {
        advice.push_str(message);
    }
    for (field, choices) in problem.valid_values().iter() {
        let values: Vec<String> = choices
            .iter()
            .map(|choice| choice.value().to_string())
            .collect();
        let separator = if advice.is_empty() { "" } else { "\n" };
        let _: std::fmt::Result = write!(advice, "{separator}{field}: {}", values.join(", "));
    }
    if !advice.is_empty() {
        section(&mut text, "Try this", &advice);
    }
    if let Some(code) = problem.code() {
        section(&mut text, "Code", code.as_str());
    }
    text.trim_end().to_owned()
}

/// A record for the terminal.
pub(crate) fn text(record: &Record) -> String {
    let mut text = format!("{} ({})\n{}\n\n", record.code, record.status, record.title);
    for (heading, body) in sections(record) {
        section(&mut text, heading, &body.replace('`', ""));
    }
    text
}

/// A record as a Markdown page.
pub(crate) fn markdown(record: &Record) -> String {
    let mut text = format!(
        "# {}\n\n`{}`, status {}\n",
        record.title, record.code, record.status
    );
    for (heading, body) in sections(record) {
        let body = body.lines().collect::<Vec<_>>().join("\n\n");
        let _: std::fmt::Result = write!(text, "\n## {heading}\n\n{body}\n");
    }
    text
}

/// The sections of a record's page: heading and lines.
fn sections(record: &Record) -> Vec<(&'static str, String)> {
    let mut what = if record.summary.is_empty() {
        format!("{}.", record.title.trim_end_matches('.'))
    } else {
        record.summary.clone()
    };
    if !record.detail.is_empty() {
        let _: std::fmt::Result = write!(what, "\nIt says: {}", record.detail);
    }
    let mut why = format!(
        "Answered with status {} and type {}.",
        record.status, record.type_uri
    );
    for pointer in &record.pointers {
        let _: std::fmt::Result = write!(why, "\nIt is about `{pointer}`.");
    }
    if let Some(challenge) = &record.challenge {
        let _: std::fmt::Result = write!(why, "\nThe call must authenticate: {challenge}");
    }
    if !record.extensions.is_empty() {
        let _: std::fmt::Result =
            write!(why, "\nIt also carries: {}", record.extensions.join(", "));
    }
    let mut sections = vec![("What", what), ("Why", why)];
    let advice = advice(record);
    if !advice.is_empty() {
        sections.push(("Try this", advice.join("\n")));
    }
    let origin = &record.origin;
    if !origin.package.is_empty() {
        let variant = if origin.variant.is_empty() {
            String::new()
        } else {
            format!("::{}", origin.variant)
        };
        sections.push((
            "Declared in",
            format!("{}: {}{variant}", origin.package, origin.type_name),
        ));
    }
    sections
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
                lines.push(format!("Nothing a call can do about it: {reason}"));
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

fn section(text: &mut String, heading: &str, body: &str) {
    for (at, line) in body.lines().enumerate() {
        let heading = if at == 0 { heading } else { "" };
        let _: std::fmt::Result = writeln!(text, "{heading:<11} {line}");
    }
}
