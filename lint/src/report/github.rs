//! Annotations as GitHub Actions reads them from standard output.

use std::fmt::Write as _;

use super::Report;
use crate::finding::Severity;

pub(super) fn render(report: &Report) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let level = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let mut message = finding.message.clone();
        if !finding.why.is_empty() {
            message.push_str("\nwhy: ");
            message.push_str(finding.why);
        }
        if !finding.fix.is_empty() {
            message.push_str("\nfix: ");
            message.push_str(&finding.fix);
        }
        let _ = writeln!(
            out,
            "::{level} file={},line={},col={},endLine={},endColumn={},title={}::{}",
            property(&finding.file),
            finding.line,
            finding.column,
            finding.end_line,
            finding.end_column,
            property(&format!("{} {}", finding.code, finding.rule)),
            data(&message),
        );
    }
    out
}

/// The escapes of a message.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The escapes of a property, which may hold neither `:` nor `,`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::super::{ReportFormat, Style};

    #[test]
    fn every_finding_is_one_line() {
        let report = sample();
        let text = report.render(ReportFormat::Github, Style::default());
        assert_eq!(text.lines().count(), report.findings.len());
        assert!(
            text.starts_with("::error file=dir/a b.aon.yaml,line=4,col=17,"),
            "{text}"
        );
        assert!(text.contains("%0Awhy: "));
    }
}
