//! One problem as What / Why / Try this, in HTML.

use std::fmt::Write as _;

use crate::ir::{Api, Problem};
use crate::json::Tree;
use crate::target::Options;

/// What all pages share.
pub(super) struct Site<'a> {
    pub(super) api: &'a Api,
    pub(super) options: &'a Options,
    pub(super) stamp: &'a str,
}

impl Site<'_> {
    /// A whole page. `up` leads to the root of the pages.
    pub(super) fn page(&self, up: &str, title: &str, body: &str) -> String {
        let Site {
            api,
            options,
            stamp,
        } = self;
        let heading = if title.is_empty() || title == api.title {
            api.title.clone()
        } else {
            format!("{title} – {}", api.title)
        };
        let more = options
            .stylesheet()
            .map(|path| format!("<link rel=\"stylesheet\" href=\"{}\">\n", from(up, path)))
            .unwrap_or_default();
        let logo = options
            .logo()
            .map(|path| {
                format!(
                    "<img class=\"logo\" src=\"{}\" alt=\"{}\">",
                    from(up, path),
                    escape(&api.title)
                )
            })
            .unwrap_or_default();
        let home = match (logo.is_empty(), up.is_empty() && title == api.title) {
            (true, true) => String::new(),
            (false, true) => format!("<header>{logo}</header>\n"),
            (_, false) => format!(
                "<header><a href=\"{up}index.html\">{logo}All problems of {}</a></header>\n",
                escape(&api.title)
            ),
        };
        format!(
            "<!doctype html>\n<!--\n{stamp}-->\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
             <link rel=\"stylesheet\" href=\"{up}style.css\">\n{more}</head>\n<body>\n{home}<main>\n{body}\n</main>\n</body>\n</html>\n",
            escape(&heading)
        )
    }
}

/// An address as it stands, or a path from the root of the pages.
fn from(up: &str, path: &str) -> String {
    if path.contains("://") || path.starts_with("data:") || path.starts_with('/') {
        escape(path)
    } else {
        format!("{up}{}", escape(path))
    }
}

/// Text that leads somewhere is a link: an address, or a path of the API where its server is known.
fn link(api: &Api, text: &str) -> String {
    let is_web = |url: &str| url.starts_with("https://") || url.starts_with("http://");
    let target = if is_web(text) {
        text.to_owned()
    } else if text.starts_with('/') && !text.contains('{') {
        match api.servers.first().filter(|server| is_web(server)) {
            Some(server) => format!("{}{text}", server.trim_end_matches('/')),
            None => String::new(),
        }
    } else {
        String::new()
    };
    if target.is_empty() {
        return format!("<code>{}</code>", escape(text));
    }
    format!(
        "<a href=\"{}\"><code>{}</code></a>",
        escape(&target),
        escape(text)
    )
}

/// The section of a problem. `up` leads to the root of the pages.
pub(super) fn problem_section(api: &Api, problem: &Problem, anchor: &str, up: &str) -> String {
    let record = &problem.record;
    let mut out = format!(
        "<section id=\"{}\">\n<h1>{}</h1>\n",
        escape(anchor),
        escape(&record.title)
    );
    put(
        &mut out,
        format_args!(
            "<p class=\"meta\"><code>{}</code> · status {} · <code>{}</code></p>\n",
            escape(&record.code),
            record.status,
            escape(&record.type_uri)
        ),
    );
    // The title says it already where there is nothing more.
    if !record.detail.is_empty() && record.detail != record.title {
        out.push_str("<h2>What</h2>\n");
        out.push_str(&paragraphs(&record.detail));
    }
    out.push_str("<h2>Why</h2>\n");
    out.push_str(&paragraphs(if record.summary.is_empty() {
        WHY
    } else {
        &record.summary
    }));
    out.push_str("<h2>Try this</h2>\n");
    out.push_str(&advice(api, problem));
    values(problem, &mut out);
    example_request(problem, &mut out);
    if !problem.samples.is_empty() {
        out.push_str("<h2>How it looks</h2>\n");
    }
    for sample in &problem.samples {
        put(
            &mut out,
            format_args!(
                "<details><summary>{}</summary><pre>{}</pre></details>\n",
                escape(&sample.surface),
                escape(&sample.text)
            ),
        );
    }
    neighbours(api, problem, up, &mut out);
    out.push_str("</section>");
    out
}

const WHY: &str = "The author of this problem has not said more about its cause.";

fn advice(api: &Api, problem: &Problem) -> String {
    let mut out = String::new();
    let remediation = problem.example.get("remediation");
    let word = |json: Option<&Tree>, key: &str| {
        json.and_then(|json| json.get(key))
            .and_then(Tree::as_str)
            .map(str::to_owned)
    };
    if let Some(message) = word(remediation, "message") {
        out.push_str(&paragraphs(&message));
    }
    let mut lines: Vec<(&str, String)> = Vec::new();
    if let Some(kind) = word(remediation, "type") {
        let reason = word(remediation, "reason")
            .map(|reason| format!(" ({reason})"))
            .unwrap_or_default();
        lines.push(("Remediation", format!("{kind}{reason}")));
    }
    let action = remediation.and_then(|json| json.get("next_action"));
    for (name, key) in [
        ("Go to", "endpoint_url"),
        ("Operation", "endpoint_xri"),
        ("Scope", "required_scope"),
        ("Guide", "guide_xri"),
    ] {
        lines.extend(word(action, key).map(|text| (name, text)));
    }
    lines.extend(
        problem
            .record
            .docs_url
            .clone()
            .map(|url| ("Documentation", url)),
    );
    match problem.record.retry_after {
        Some(Some(seconds)) => lines.push(("Retry after", format!("{seconds} s"))),
        Some(None) => lines.push(("Retry after", "the answer says when".to_owned())),
        None => {}
    }
    lines.extend(
        problem
            .record
            .mcp_tool
            .clone()
            .map(|tool| ("MCP tool", tool)),
    );
    lines.extend(
        problem
            .record
            .a2a_skill
            .clone()
            .map(|skill| ("A2A skill", skill)),
    );
    if lines.is_empty() && out.is_empty() {
        return paragraphs("No remedy is documented.");
    }
    if !lines.is_empty() {
        out.push_str("<table>\n");
        for (name, text) in lines {
            put(
                &mut out,
                format_args!("<tr><th>{name}</th><td>{}</td></tr>\n", link(api, &text)),
            );
        }
        out.push_str("</table>\n");
    }
    out
}

fn values(problem: &Problem, out: &mut String) {
    if problem.record.valid_values.is_empty() {
        return;
    }
    out.push_str("<h2>Valid values</h2>\n<table>\n");
    for (field, listed) in &problem.record.valid_values {
        let Some(listed) = listed else {
            put(
                out,
                format_args!(
                    "<tr><th><code>{}</code></th><td>the answer lists them</td></tr>\n",
                    escape(field)
                ),
            );
            continue;
        };
        for value in listed {
            let json = Tree::of_value(value);
            let own = json.get("value").unwrap_or(&json);
            let words = ["label", "description"]
                .iter()
                .filter_map(|key| json.get(key).and_then(Tree::as_str));
            let words: Vec<&str> = words.collect();
            put(
                out,
                format_args!(
                    "<tr><th><code>{}</code></th><td><code>{}</code></td><td>{}</td></tr>\n",
                    escape(field),
                    escape(&own.to_compact()),
                    escape(&words.join(": "))
                ),
            );
        }
    }
    out.push_str("</table>\n");
}

fn example_request(problem: &Problem, out: &mut String) {
    let Some(example) = problem
        .example
        .get("remediation")
        .and_then(|json| json.get("example_request"))
    else {
        return;
    };
    let word = |key: &str| example.get(key).and_then(Tree::as_str).unwrap_or("");
    let mut text = format!("{} {}\n", word("method"), word("path"));
    for (name, value) in example.get("headers").map_or(&[][..], Tree::members) {
        put(
            &mut text,
            format_args!("{name}: {}\n", value.as_str().unwrap_or("")),
        );
    }
    if let Some(body) = example.get("body") {
        text.push('\n');
        text.push_str(&body.to_pretty());
    }
    put(
        out,
        format_args!(
            "<h2>A request that works</h2>\n<pre>{}</pre>\n",
            escape(text.trim_end())
        ),
    );
}

/// The operations that answer with it, and what else they answer with.
fn neighbours(api: &Api, problem: &Problem, up: &str, out: &mut String) {
    if problem.operations.is_empty() {
        return;
    }
    out.push_str("<h2>Where it comes from</h2>\n<ul>\n");
    for operation in api
        .operations
        .iter()
        .filter(|operation| problem.operations.contains(&operation.id))
    {
        let call = match (&operation.method, &operation.path) {
            (Some(method), Some(path)) => {
                format!(" <code>{} {}</code>", escape(method), escape(path))
            }
            _ => String::new(),
        };
        let others: Vec<String> = operation
            .problems
            .iter()
            .filter(|code| **code != problem.record.code)
            .map(|code| {
                format!(
                    "<a href=\"{up}problems/{0}.html\"><code>{0}</code></a>",
                    escape(code)
                )
            })
            .collect();
        let others = if others.is_empty() {
            String::new()
        } else {
            format!("; also {}", others.join(", "))
        };
        put(
            out,
            format_args!("<li>{}{call}{others}</li>\n", escape(operation.title())),
        );
    }
    out.push_str("</ul>\n");
}

/// Text as paragraphs.
pub(super) fn paragraphs(text: &str) -> String {
    let mut out = String::new();
    for part in text
        .split("\n\n")
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        put(&mut out, format_args!("<p>{}</p>\n", escape(part)));
    }
    out
}

/// Text that means nothing to HTML, in content and in attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            _ if c.is_control() => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// Writing into a string cannot fail.
pub(super) fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _: std::fmt::Result = out.write_fmt(text);
}
