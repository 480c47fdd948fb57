//! For a person at a terminal.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use super::Report;
use crate::finding::{Finding, Severity};

/// How text for people looks.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Style {
    /// Whether colours may be used.
    pub colour: bool,
    /// How much is written about each finding.
    pub layout: Layout,
}

/// How much a report for people says about each finding.
#[expect(clippy::exhaustive_enums, reason = "each is a renderer of its own")]
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Layout {
    /// By file and rule, the reason once for each rule; what is too much is counted.
    #[default]
    Grouped,
    /// A line for each finding.
    Concise,
    /// With the marked line, the reason and the fix.
    Full,
}

impl Style {
    /// With or without colours.
    pub const fn new(colour: bool) -> Style {
        Style {
            colour,
            layout: Layout::Grouped,
        }
    }

    /// With another layout.
    #[must_use]
    pub const fn with_layout(mut self, layout: Layout) -> Style {
        self.layout = layout;
        self
    }

    pub(super) fn paint<'t>(self, code: &str, text: &'t str) -> Cow<'t, str> {
        if self.colour {
            Cow::Owned(format!("\u{1b}[{code}m{text}\u{1b}[0m"))
        } else {
            Cow::Borrowed(text)
        }
    }

    pub(super) fn severity(self, severity: Severity, text: &str) -> Cow<'_, str> {
        self.paint(
            match severity {
                Severity::Error => "1;31",
                Severity::Warning => "1;33",
                Severity::Info => "1;36",
            },
            text,
        )
    }
}

pub(super) fn render(report: &Report, style: Style) -> String {
    match style.layout {
        Layout::Grouped => super::grouped::render(report, style),
        Layout::Concise => concise(report, style),
        Layout::Full => full(report, style),
    }
}

/// `file:line:column: severity[code] message`, which editors and `grep` understand.
fn concise(report: &Report, style: Style) -> String {
    let mut out = String::with_capacity(report.findings.len() * 120);
    for finding in &report.findings {
        let head = [finding.severity.as_str(), "[", finding.code, "]"].concat();
        let line: [&str; 10] = [
            &printable(&finding.file),
            ":",
            &finding.line.to_string(),
            ":",
            &finding.column.to_string(),
            ": ",
            &style.severity(finding.severity, &head),
            " ",
            &printable(&finding.message),
            "\n",
        ];
        put(&mut out, &line);
    }
    out.push_str(&report.summary.line());
    out.push('\n');
    out
}

fn full(report: &Report, style: Style) -> String {
    let mut out = String::with_capacity(report.findings.len() * 400);
    for finding in &report.findings {
        write_finding(&mut out, finding, style);
        out.push('\n');
    }
    out.push_str(&report.summary.line());
    out.push('\n');
    out
}

fn write_finding(out: &mut String, finding: &Finding, style: Style) {
    let head = [finding.severity.as_str(), "[", finding.code, "]"].concat();
    let first: [&str; 6] = [
        &style.severity(finding.severity, &head),
        " ",
        &style.paint("1", finding.rule),
        ": ",
        &printable(&finding.message),
        "\n",
    ];
    put(out, &first);
    let number = finding.line.to_string();
    let gutter = " ".repeat(number.len());
    let bar = style.paint("34", "|");
    let place: [&str; 8] = [
        &gutter,
        &style.paint("34", "-->"),
        " ",
        &printable(&finding.file),
        ":",
        &number,
        ":",
        &finding.column.to_string(),
    ];
    put(out, &place);
    if !finding.pointer.is_empty() {
        put(out, &["  ", &printable(&finding.pointer)]);
    }
    out.push('\n');
    let excerpt = &finding.excerpt;
    if !excerpt.text.is_empty() {
        let before = excerpt.text.get(..excerpt.start).unwrap_or("");
        let marked = excerpt.text.get(excerpt.start..excerpt.end).unwrap_or("");
        let dots = if excerpt.cut_before { "… " } else { "" };
        let more = if excerpt.cut_after { " …" } else { "" };
        put(out, &[&gutter, " ", &bar, "\n"]);
        let shown = printable(&excerpt.text);
        let number = style.paint("34", &number);
        put(out, &[&number, " ", &bar, " ", dots, &shown, more, "\n"]);
        let indent = " ".repeat(width(dots) + width(before));
        let mut mark = "^".repeat(width(marked).max(1));
        if !finding.label.is_empty() {
            put(&mut mark, &[" ", &printable(&finding.label)]);
        }
        let mark = style.severity(finding.severity, &mark);
        put(out, &[&gutter, " ", &bar, " ", &indent, &mark, "\n"]);
    }
    let mut note = |name: &str, text: &[&str]| {
        put(out, &[&gutter, " = ", &style.paint("1", name), " "]);
        put(out, text);
        out.push('\n');
    };
    if !finding.why.is_empty() {
        note("why:", &[finding.why]);
    }
    if !finding.fix.is_empty() {
        note("fix:", &[&printable(&finding.fix)]);
    }
    note("more:", &["aon-lint --explain ", finding.code]);
}

/// Puts pieces behind each other; a report has thousands, and formatting each takes longer than all of them.
pub(super) fn put(out: &mut String, pieces: &[&str]) {
    for piece in pieces {
        out.push_str(piece);
    }
}

/// Text without anything that could move the cursor: a document must not control a terminal.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Whether there is no control character. Those above ASCII start with the byte `C2` in UTF-8.
fn is_plain(text: &str) -> bool {
    let control =
        |byte: u8| u8::from(byte < b' ') | u8::from(byte == 0x7f) | u8::from(byte == 0xc2);
    text.bytes().fold(0, |any, byte| any | control(byte)) == 0
}

fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars()
        .map(|c| {
            if c == '\t' || c.is_control() {
                1
            } else {
                c.width().unwrap_or(0)
            }
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn the_mark_stands_under_what_is_marked() {
        let text = sample().render(
            super::super::ReportFormat::Human,
            Style::default().with_layout(Layout::Full),
        );
        assert!(
            text.contains("error[AON101] undeclared-choice: `auth_ux`"),
            "{text}"
        );
        assert!(
            text.contains("--> dir/a b.aon.yaml:4:17  /operations/0/parameters/0"),
            "{text}"
        );
        let lines: Vec<_> = text.lines().collect();
        let at = lines
            .iter()
            .position(|line| line.contains("auth_ux, type"))
            .unwrap();
        let column = lines[at].find("auth_ux").unwrap();
        assert_eq!(lines[at + 1].find("^^^^^^^"), Some(column), "{text}");
        assert!(!text.contains('\u{1b}'));
        assert!(
            sample()
                .render(super::super::ReportFormat::Human, Style::new(true))
                .contains('\u{1b}')
        );
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(width("日本"), 4);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!(printable("a\u{1b}[31m\u{7}"), "a\u{fffd}[31m\u{fffd}");
    }
}
