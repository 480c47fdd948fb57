//! AON306.

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};
use crate::targets;

declare_rule! {
    /// A next action that names no step.
    ///
    /// ## Why
    ///
    /// It promises a way out and does not say which (contract P6 wants at least one of its members).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 404
    ///         code: no_such_pet
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: find_pet
    ///         remediation: { type: switch_user, next_action: {} }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 404
    ///         code: no_such_pet
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: find_pet
    ///         remediation: { type: switch_user, next_action: { guide_xri: "pspace://guide:users" } }
    /// ```
    "empty-next-action" { code: "AON306", category: Remediation, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for remediation in targets::remediations(subject.api) {
        let Some(action) = remediation.next_action else {
            continue;
        };
        let members = [
            action.endpoint_xri,
            action.endpoint_url,
            action.required_scope,
            action.guide_xri,
        ];
        if members.iter().flatten().all(|text| text.trim().is_empty()) {
            findings
                .report(action.node, "the next action is empty")
                .mark(action.node.key().unwrap_or(action.node))
                .label("which step?")
                .fix("add `endpoint_url`, `endpoint_xri`, `required_scope` or `guide_xri`, or remove it");
        }
    }
}
