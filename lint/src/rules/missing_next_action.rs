//! AON309.

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};
use crate::targets;

declare_rule! {
    /// A remediation that does not say where to go.
    ///
    /// ## Why
    ///
    /// A type alone leaves the caller to find out which endpoint, scope or guide is meant (contract Q1, remediation).
    ///
    /// ## Bad
    ///
    /// ```yaml bad pedantic
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 403
    ///         code: pets_forbidden
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: find_pet
    ///         remediation: { type: request_scope_elevation }
    ///         example: { status: 403, code: pets_forbidden }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good pedantic
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 403
    ///         code: pets_forbidden
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: find_pet
    ///         remediation: { type: request_scope_elevation, next_action: { required_scope: pets.read } }
    ///         example: { status: 403, code: pets_forbidden }
    /// ```
    "missing-next-action" { code: "AON309", category: Remediation, stage: Stable, check: Check::Hints(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for remediation in targets::remediations(subject.api) {
        let Some(kind) = remediation.kind else {
            continue;
        };
        if remediation.next_action.is_some() || kind.node().text() == "none" {
            continue;
        }
        findings
            .report(
                remediation.node,
                format!("the remediation `{kind}` has no next action"),
            )
            .mark(kind.node())
            .label("where to?")
            .fix("add `next_action` with an endpoint, a scope or a guide");
    }
}
