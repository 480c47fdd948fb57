//! AON310.

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};
use crate::targets;

declare_rule! {
    /// A next action whose result cannot be verified.
    ///
    /// ## Why
    ///
    /// A caller that has followed it does not know whether the failure is gone (contract Q1, remediation and auto-fix).
    ///
    /// ## Bad
    ///
    /// ```yaml bad pedantic
    /// operations:
    ///   - id: get_pets
    ///     method: GET
    ///     path: /pets
    ///     error_responses:
    ///       - status: 403
    ///         code: pets_forbidden
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: find_pet
    ///         remediation: { type: request_scope_elevation, next_action: { endpoint_url: /scopes } }
    ///         example: { status: 403, code: pets_forbidden }
    ///   - id: list_scopes
    ///     method: GET
    ///     path: /scopes
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good pedantic
    /// operations:
    ///   - id: get_pets
    ///     method: GET
    ///     path: /pets
    ///     verify: list_scopes
    ///     error_responses:
    ///       - status: 403
    ///         code: pets_forbidden
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: find_pet
    ///         remediation: { type: request_scope_elevation, next_action: { endpoint_url: /scopes } }
    ///         example: { status: 403, code: pets_forbidden }
    ///   - id: list_scopes
    ///     method: GET
    ///     path: /scopes
    /// ```
    "unverified-action" { code: "AON310", category: Remediation, stage: Stable, check: Check::Hints(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for operation in &subject.api.operations {
        for error in &operation.errors {
            let action = error
                .remediation
                .and_then(|remediation| remediation.next_action);
            let Some(url) = action.and_then(|action| action.endpoint_url) else {
                continue;
            };
            let Some(target) = targets::operation(subject.api, url.node().text()) else {
                continue;
            };
            if operation.verify.is_some() || target.verify.is_some() {
                continue;
            }
            findings
                .report(
                    url.node(),
                    format!("nothing verifies the result of `{}`", target.name()),
                )
                .label("did it help?")
                .fix(format!(
                    "add `verify` with a reading operation to `{}`",
                    target.name()
                ));
        }
    }
}
