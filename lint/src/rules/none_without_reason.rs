//! AON302.

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};
use crate::targets;

declare_rule! {
    /// A remediation `none` that does not say why.
    ///
    /// ## Why
    ///
    /// "Nothing can be done" is only honest with its reason; without one it looks forgotten (contract P5).
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
    ///         remediation: { type: none }
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
    ///         remediation: { type: none, reason: no_public_equivalent_exists }
    /// ```
    "none-without-reason" { code: "AON302", category: Remediation, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for remediation in targets::remediations(subject.api) {
        let Some(kind) = remediation.kind.filter(|kind| kind.as_str() == "none") else {
            continue;
        };
        if remediation.reason.is_none() {
            findings
                .report(remediation.node, "the remediation `none` has no reason")
                .mark(kind.node())
                .label("why is there nothing to do?")
                .fix(format!(
                    "add `reason`: {}",
                    targets::NONE_REASONS.join(", ")
                ));
        }
    }
}
