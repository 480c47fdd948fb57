//! JUnit XML: a suite per file, a case per finding.
//!
//! Nobody ever wrote the format down, and the schemas that went round differ. This is what the one of Jenkins' xUnit plugin lets
//! pass: it knows a file for a suite, but not for a case.

use std::fmt::Write as _;

use super::Report;

pub(super) fn render(report: &Report) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let total = report.findings.len();
    let _ = writeln!(
        out,
        "<testsuites name=\"aon-lint\" tests=\"{}\" failures=\"{total}\" errors=\"0\">",
        total.max(1)
    );
    if report.findings.is_empty() {
        out.push_str("  <testsuite name=\"aon-lint\" tests=\"1\" failures=\"0\" errors=\"0\">\n    <testcase name=\"no findings\" classname=\"aon-lint\"/>\n  </testsuite>\n");
    }
    for group in report.findings.chunk_by(|a, b| a.file == b.file) {
        let file = group.first().map_or("", |finding| &*finding.file);
        let _ = writeln!(
            out,
            "  <testsuite name=\"{0}\" file=\"{0}\" tests=\"{1}\" failures=\"{2}\" errors=\"0\">",
            escape(file),
            group.len(),
            group.len()
        );
        for finding in group {
            let _ = writeln!(
                out,
                "    <testcase name=\"{} {}:{}:{}\" classname=\"{}\">",
                finding.code,
                escape(file),
                finding.line,
                finding.column,
                finding.rule
            );
            let _ = writeln!(
                out,
                "      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>",
                finding.severity,
                escape(&finding.message),
                escape(&format!(
                    "{}\nwhy: {}\nfix: {}",
                    finding.pointer, finding.why, finding.fix
                )),
            );
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// The escapes of XML 1.0, in which most control characters cannot be written at all.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::super::{Report, ReportFormat, Style};
    use super::escape;

    #[test]
    fn the_numbers_fit_and_tags_close() {
        let report = sample();
        let text = report.render(ReportFormat::Junit, Style::default());
        assert_eq!(text.matches("<testcase ").count(), report.findings.len());
        assert_eq!(
            text.matches("<testsuite ").count(),
            text.matches("</testsuite>").count()
        );
        assert!(text.contains("&amp;x&gt;"), "{text}");
        assert_eq!(escape("a\u{0}\u{1b}<"), "a\u{fffd}\u{fffd}&lt;");
        let clean = Report::default().render(ReportFormat::Junit, Style::default());
        assert!(clean.contains("no findings"));
    }
}
