//! The rules, one file each. A new rule is a `mod` line and a line in [`ALL`].

mod choice_as_branches;
mod choice_default_outside_set;
mod choice_endpoint_unresolved;
mod choice_of_wrong_type;
mod choice_with_two_carriers;
mod dishonest_auto_fix;
mod duplicate_key;
mod duplicate_operation_id;
mod empty_choice_set;
mod empty_next_action;
mod error_status_outside_range;
mod error_without_code;
mod error_without_envelope;
pub(crate) mod expired_deferral;
mod exposure_without_parity;
mod malformed_error_code;
mod malformed_manifest;
mod missing_error_docs;
mod missing_error_tool;
mod missing_next_action;
mod missing_remediation;
mod missing_valid_values;
mod next_action_unresolved;
mod none_without_reason;
mod reason_without_none;
mod repeated_choice;
mod secret_in_example;
pub(crate) mod stale_deferral;
mod stated_score;
pub(crate) mod undeclared_choice;
pub(crate) mod unexplained_deferral;
pub(crate) mod unknown_deferred_rule;
mod unknown_none_reason;
mod unknown_remediation_type;
mod unlisted_failures;
pub(crate) mod unreadable_manifest;
mod unresolved_reference;
mod untyped_error;
mod unverified_action;

use aon_manifest::{Api, Document, IssueKind};

use crate::engine::Findings;
use crate::finding::Confidence;
use crate::rule::Rule;

/// Every rule, by code.
pub static ALL: &[&Rule] = &[
    &undeclared_choice::RULE,
    &choice_with_two_carriers::RULE,
    &empty_choice_set::RULE,
    &choice_default_outside_set::RULE,
    &choice_endpoint_unresolved::RULE,
    &repeated_choice::RULE,
    &choice_of_wrong_type::RULE,
    &choice_as_branches::RULE,
    &error_without_envelope::RULE,
    &error_without_code::RULE,
    &malformed_error_code::RULE,
    &error_status_outside_range::RULE,
    &missing_valid_values::RULE,
    &unlisted_failures::RULE,
    &untyped_error::RULE,
    &unknown_remediation_type::RULE,
    &none_without_reason::RULE,
    &reason_without_none::RULE,
    &unknown_none_reason::RULE,
    &next_action_unresolved::RULE,
    &empty_next_action::RULE,
    &dishonest_auto_fix::RULE,
    &missing_remediation::RULE,
    &missing_next_action::RULE,
    &unverified_action::RULE,
    &secret_in_example::RULE,
    &exposure_without_parity::RULE,
    &missing_error_docs::RULE,
    &missing_error_tool::RULE,
    &unreadable_manifest::RULE,
    &stated_score::RULE,
    &duplicate_operation_id::RULE,
    &duplicate_key::RULE,
    &unresolved_reference::RULE,
    &malformed_manifest::RULE,
    &stale_deferral::RULE,
    &unknown_deferred_rule::RULE,
    &unexplained_deferral::RULE,
    &expired_deferral::RULE,
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
