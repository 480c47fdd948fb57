//! AON602.

use crate::engine::{Findings, Subject};
use crate::finding::Confidence;
use crate::fix::{Fix, Safety, edits};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A manifest that states its own score.
    ///
    /// ## Why
    ///
    /// Scores are derived from what a manifest contains; a stated one is a claim that nobody checks (contract M3).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// slug: pets
    /// version: 1.0.0
    /// self_healing_score: 4
    /// operations: []
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// slug: pets
    /// version: 1.0.0
    /// operations: []
    /// ```
    "stated-score" { code: "AON602", category: Manifest, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for key in &subject.api.stated_scores {
        let repair = edits::remove_member(*key)
            .map(|edits| Fix::new(format!("Remove `{}`", key.text()), Safety::Safe, edits));
        findings
            .report(*key, format!("`{}` states a score", key.text()))
            .label("scores are derived, not stated")
            .fix(format!("remove `{}`; `aon score` derives it", key.text()))
            .confidence(Confidence::Certain)
            .repair(repair);
    }
}
