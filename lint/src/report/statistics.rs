//! How often each rule was broken.

use std::fmt::Write as _;

use std::collections::BTreeMap;

use super::Report;

pub(super) fn render(report: &Report) -> String {
    let mut counts: BTreeMap<&str, (usize, &str, usize)> = BTreeMap::new();
    for finding in &report.findings {
        let entry = counts.entry(finding.code).or_insert((0, finding.rule, 0));
        entry.0 += 1;
        entry.2 += usize::from(finding.repair.is_some());
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by(|a, b| b.1.0.cmp(&a.1.0).then(a.0.cmp(b.0)));
    let mut out = String::new();
    for (code, (count, rule, fixable)) in rows {
        let fix = if fixable > 0 {
            format!("  [{fixable} fixable]")
        } else {
            String::new()
        };
        let _ = writeln!(out, "{count:>6}  {code}  {rule}{fix}");
    }
    out.push_str(&report.summary.line());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;

    #[test]
    fn every_rule_has_a_line() {
        let report = sample();
        let text = report.statistics();
        assert!(text.contains("AON101  undeclared-choice"), "{text}");
        assert!(text.trim_end().ends_with(&report.summary.line()));
    }
}
