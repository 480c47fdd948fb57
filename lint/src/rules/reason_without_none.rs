//! AON303.

use crate::engine::{Findings, Subject};
use crate::fix::{Fix, Safety, edits};
use crate::rule::{Check, declare_rule};
use crate::targets;

declare_rule! {
    /// A reason beside a remediation that is not `none`.
    ///
    /// ## Why
    ///
    /// A reason says why nothing can be done; beside an action it contradicts it, and the envelope cannot be built (contract P5).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 409
    ///         code: still_starting
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: get_pet
    ///         remediation: { type: wait_for_provisioning, reason: not_yet_implemented }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 409
    ///         code: still_starting
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: get_pet
    ///         remediation: { type: wait_for_provisioning }
    /// ```
    "reason-without-none" { code: "AON303", category: Remediation, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for remediation in targets::remediations(subject.api) {
        let (Some(kind), Some(reason)) = (remediation.kind, remediation.reason) else {
            continue;
        };
        if kind.as_str() != "none" {
            let repair = reason
                .node()
                .key()
                .and_then(edits::remove_member)
                .map(|edits| Fix::new("Remove `reason`", Safety::Unsafe, edits));
            findings
                .report(
                    reason.node(),
                    format!("`{kind}` has a reason, which only `none` may have"),
                )
                .label("contradicts the type")
                .fix("remove `reason`, or make the type `none`")
                .repair(repair);
        }
    }
}
