//! AON502.

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};
use crate::targets;

declare_rule! {
    /// An error without a page that explains it.
    ///
    /// ## Why
    ///
    /// A person who meets the error has nowhere to read on (contract R2, S7).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - { status: 404, code: no_such_pet, mcp_tool: find_pet }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - { status: 404, code: no_such_pet, docs_url: "https://example.com/docs/no-such-pet", mcp_tool: find_pet }
    /// ```
    "missing-error-docs" { code: "AON502", category: Parity, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for operation in subject
        .api
        .operations
        .iter()
        .filter(|operation| operation.public)
    {
        for error in operation
            .errors
            .iter()
            .filter(|error| targets::speaks_aon(error))
        {
            if error.docs_url.is_some_and(|url| !url.trim().is_empty()) {
                continue;
            }
            let name = error.code.map_or("the error", |code| code.node().text());
            let member = if error.native {
                "docs_url"
            } else {
                "x-aon-docs-url"
            };
            findings
                .report(
                    error.node,
                    format!("`{name}` of `{}` has no documentation", operation.name()),
                )
                .mark(error.code.map_or(error.anchor(), |code| code.node()))
                .label(format!("no `{member}`"))
                .fix(format!("add `{member}` with the page that explains it"));
        }
    }
}
