//! The rules, one file each. A new rule is a `mod` line and a line in [`ALL`].

mod duplicate_key;
mod duplicate_operation_id;
mod malformed_manifest;
pub(crate) mod stale_deferral;
mod stated_score;
pub(crate) mod undeclared_choice;
pub(crate) mod unexplained_deferral;
pub(crate) mod unknown_deferred_rule;
pub(crate) mod unreadable_manifest;
mod unresolved_reference;

use aon_manifest::{Api, Document, IssueKind};

use crate::engine::Findings;
use crate::finding::Confidence;
use crate::rule::Rule;

/// Every rule, by code.
pub static ALL: &[&Rule] = &[
    &undeclared_choice::RULE,
    &unreadable_manifest::RULE,
    &stated_score::RULE,
    &duplicate_operation_id::RULE,
    &duplicate_key::RULE,
    &unresolved_reference::RULE,
    &malformed_manifest::RULE,
    &stale_deferral::RULE,
    &unknown_deferred_rule::RULE,
    &unexplained_deferral::RULE,
];

/// Code, name and reason of every rule that is gone. They are never used again.
pub static RETIRED: &[(&str, &str, &str)] = &[];

/// The rule with this code or name.
pub fn find(code_or_name: &str) -> Option<&'static Rule> {
    ALL.iter()
        .copied()
        .find(|rule| rule.code().eq_ignore_ascii_case(code_or_name) || rule.name() == code_or_name)
}

/// Turns what the readers could not make sense of into findings.
pub(crate) fn read_issues<'a>(
    document: &'a Document,
    apis: &[Api<'a>],
    findings: &mut Findings<'a>,
) {
    let of_apis = apis.iter().flat_map(|api| &api.issues);
    for issue in document.issues().into_iter().chain(of_apis) {
        let (rule, unreadable) = rule_of(issue.kind());
        let Some(tree) = document.file(issue.place().file) else {
            continue;
        };
        let confidence = match issue.severity() {
            aon_manifest::Severity::Error => Confidence::Certain,
            aon_manifest::Severity::Warning => Confidence::Likely,
        };
        findings
            .under(rule)
            .report_issue(tree, issue)
            .label(issue.kind().code())
            .fix(issue.help())
            .confidence(confidence)
            .unreadable(unreadable);
    }
}

/// The rule an issue is reported under, and whether it makes the file unreadable.
fn rule_of(kind: IssueKind) -> (&'static Rule, bool) {
    match kind {
        IssueKind::DuplicateKey => (&duplicate_key::RULE, false),
        IssueKind::DanglingRef
        | IssueKind::CircularRef
        | IssueKind::RefToUrl
        | IssueKind::RefOutsideRoot
        | IssueKind::UnreadableRef => (&unresolved_reference::RULE, false),
        IssueKind::WrongShape | IssueKind::UnknownVersion | IssueKind::LoneSurrogate => {
            (&malformed_manifest::RULE, false)
        }
        _ => (&unreadable_manifest::RULE, true),
    }
}

#[cfg(test)]
mod tests;
