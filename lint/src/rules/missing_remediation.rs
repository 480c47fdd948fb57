//! AON308.

use aon_manifest::model::Status;

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};
use crate::targets;

declare_rule! {
    /// A client error that does not say what to do.
    ///
    /// ## Why
    ///
    /// Only the caller can fix a 4xx, and needs to know how (contract Q1, remediation).
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
    ///         example: { status: 403, code: pets_forbidden }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good pedantic
    /// remediation_default: { type: none, reason: auth_required_for_safety }
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 403
    ///         code: pets_forbidden
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: find_pet
    ///         example: { status: 403, code: pets_forbidden }
    /// ```
    "missing-remediation" { code: "AON308", category: Remediation, stage: Stable, check: Check::Hints(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    let default = subject.api.remediation_default;
    for operation in &subject.api.operations {
        for error in &operation.errors {
            let client = error.status.is_some_and(Status::is_client_error);
            if !client || !targets::speaks_aon(error) || error.remediation_or(default).is_some() {
                continue;
            }
            let name = error.code.map_or("the error", |code| code.node().text());
            findings
                .report(
                    error.node,
                    format!("`{name}` of `{}` has no remediation", operation.name()),
                )
                .mark(error.code.map_or(error.anchor(), |code| code.node()))
                .label("and now?")
                .fix("add `remediation` with its type, or `remediation_default` for all errors");
        }
    }
}
