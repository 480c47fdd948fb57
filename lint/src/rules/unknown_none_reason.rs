//! AON304.

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};
use crate::targets;

declare_rule! {
    /// A reason that the contract does not know.
    ///
    /// ## Why
    ///
    /// The reasons are a closed set, so that a caller can tell "never" from "not yet" (contract P5).
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
    ///         remediation: { type: none, reason: because }
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
    ///         remediation: { type: none, reason: not_yet_implemented }
    /// ```
    "unknown-none-reason" { code: "AON304", category: Remediation, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for remediation in targets::remediations(subject.api) {
        let Some(reason) = remediation.reason else {
            continue;
        };
        let none = remediation.kind.is_some_and(|kind| kind.as_str() == "none");
        if none && !targets::NONE_REASONS.contains(&reason.as_str()) {
            let fix =
                match aon_core::suggest::nearest(&reason, targets::NONE_REASONS.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("use one of {}", targets::NONE_REASONS.join(", ")),
                };
            findings
                .report(
                    reason.node(),
                    format!("`{reason}` is not a reason in the contract"),
                )
                .label("not in the closed set")
                .fix(fix);
        }
    }
}
