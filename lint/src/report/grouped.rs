//! For a person at a terminal: by file and rule, a line for each finding, the reason once.

use std::collections::BTreeMap;

use super::Report;
use super::human::{Style, printable, put};
use crate::finding::Finding;

/// As many findings are shown; of what is left the rules are counted.
const MOST: usize = 40;

pub(super) fn render(report: &Report, style: Style) -> String {
    let shown = choose(&report.findings);
    let mut out = String::with_capacity(shown.len() * 160 + 400);
    for file in shown.chunk_by(|a, b| a.file == b.file) {
        let mut rules: Vec<&str> = Vec::new();
        for finding in file {
            if !rules.contains(&finding.code) {
                rules.push(finding.code);
            }
        }
        if let Some(first) = file.first() {
            put(
                &mut out,
                &[&style.paint("1;4", &printable(&first.file)), "\n"],
            );
        }
        for code in rules {
            group(
                &mut out,
                file.iter().filter(|finding| finding.code == code),
                style,
            );
        }
    }
    rest(&mut out, report, &shown);
    out.push_str(&report.summary.line());
    out.push('\n');
    out
}

/// The rule with its reason, then its findings.
fn group<'f>(out: &mut String, findings: impl Iterator<Item = &'f &'f Finding>, style: Style) {
    for (at, finding) in findings.enumerate() {
        if at == 0 {
            let name = style.paint("1", finding.rule);
            put(
                out,
                &["  ", &name, " (", finding.code, "): ", finding.why, "\n"],
            );
        }
        let place = format!("{}:{}", finding.line, finding.column);
        let pad = " ".repeat(9_usize.saturating_sub(place.len()));
        let severity = style.severity(finding.severity, finding.severity.as_str());
        let gap = " ".repeat(8_usize.saturating_sub(finding.severity.as_str().len()));
        put(
            out,
            &[
                "    ",
                &place,
                &pad,
                " ",
                &severity,
                &gap,
                &printable(&finding.message),
            ],
        );
        if !finding.fix.is_empty() {
            put(out, &["; ", &printable(&finding.fix)]);
        }
        out.push('\n');
    }
}

/// Which findings are shown, in their order: all of them when they are few, else the worst and the surest, and some of every rule.
fn choose(findings: &[Finding]) -> Vec<&Finding> {
    if findings.len() <= MOST {
        return findings.iter().collect();
    }
    // The first ones of each rule, then the next ones of each, errors before warnings.
    let mut ranks: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut order: Vec<(usize, usize)> = Vec::with_capacity(findings.len());
    let mut surest: Vec<(usize, &Finding)> = findings.iter().enumerate().collect();
    surest.sort_by(|(_, a), (_, b)| b.weight.total_cmp(&a.weight));
    for (at, finding) in surest {
        let rank = ranks
            .entry((finding.code, finding.severity.as_str()))
            .or_default();
        let late = match finding.severity {
            crate::Severity::Error => 1,
            crate::Severity::Warning => 2,
            crate::Severity::Info => 4,
        };
        order.push((*rank * late, at));
        *rank += 1;
    }
    order.sort_unstable();
    let mut kept: Vec<usize> = order.into_iter().take(MOST).map(|(_, at)| at).collect();
    kept.sort_unstable();
    kept.into_iter().filter_map(|at| findings.get(at)).collect()
}

/// What was left out, by rule, and how to see it.
fn rest(out: &mut String, report: &Report, shown: &[&Finding]) {
    let left = report.findings.len().saturating_sub(shown.len());
    if left > 0 {
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for finding in &report.findings {
            *counts.entry((finding.code, finding.rule)).or_default() += 1;
        }
        for finding in shown {
            if let Some(count) = counts.get_mut(&(finding.code, finding.rule)) {
                *count = count.saturating_sub(1);
            }
        }
        put(out, &["\n", &left.to_string(), " more:\n"]);
        for ((code, rule), count) in counts.iter().filter(|(_, count)| **count > 0) {
            put(out, &[&format!("{count:>6}"), "  ", code, "  ", rule, "\n"]);
        }
        out.push_str(
            "Show all: `--output full` or `--output concise`. Count by rule: `--statistics`. ",
        );
    } else if !shown.is_empty() {
        out.push_str("\nMarked lines: `--output full`. ");
    }
    if let Some(first) = shown.first() {
        put(
            out,
            &["Explain a rule: `aon-lint --explain ", first.code, "`.\n"],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::super::{Report, ReportFormat};
    use super::*;

    #[test]
    fn the_reason_stands_once_and_every_finding_on_a_line() {
        let report = sample();
        let text = report.render(ReportFormat::Human, Style::default());
        let why = report.findings[0].why;
        assert_eq!(text.matches(why).count(), 1, "{text}");
        assert!(
            text.starts_with("dir/a b.aon.yaml\n  undeclared-choice (AON101): "),
            "{text}"
        );
        assert!(text.contains("    4:17      error   `auth_ux`"), "{text}");
    }

    #[test]
    fn of_many_findings_the_surest_are_shown() {
        let mut many = Vec::new();
        for line in 0..200_u8 {
            let mut finding = sample().findings[0].clone();
            finding.line = u32::from(line);
            finding.weight = f32::from(line);
            many.push(finding);
        }
        let shown: Vec<u32> = choose(&many).iter().map(|finding| finding.line).collect();
        assert_eq!(shown, (160..200).collect::<Vec<u32>>());
    }

    #[test]
    fn of_many_findings_some_of_each_rule_are_shown_and_the_rest_is_counted() {
        let one = sample().findings;
        let mut many = Vec::new();
        for line in 0..200 {
            for finding in &one {
                let mut finding = finding.clone();
                finding.line = line;
                many.push(finding);
            }
        }
        let report = Report::new(many, 1, 0);
        let text = report.render(ReportFormat::Human, Style::default());
        assert!(text.lines().count() < 60, "{text}");
        assert!(
            text.contains(&format!("{} more:", report.findings.len() - MOST)),
            "{text}"
        );
        assert!(
            text.contains("--statistics") && text.contains("--output full"),
            "{text}"
        );
    }
}
