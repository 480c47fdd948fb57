//! AON202.

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// An error without a code of its own.
    ///
    /// ## Why
    ///
    /// Callers match on the code; without one they match on prose, which changes.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - { status: 404, title: Not found, docs_url: "https://example.com/e", mcp_tool: find_pet }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - { status: 404, code: no_such_pet, docs_url: "https://example.com/e", mcp_tool: find_pet }
    /// ```
    "error-without-code" { code: "AON202", category: Errors, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for operation in &subject.api.operations {
        for error in &operation.errors {
            let described = error.native || error.has_envelope();
            let is_error = error
                .status
                .is_none_or(|status| status.is_error() || error.native);
            if !described || !is_error || error.code.is_some() || error.type_uri.is_some() {
                continue;
            }
            let status = error
                .status
                .map_or_else(|| "an error".to_owned(), |status| status.to_string());
            let member = if error.native { "code" } else { "x-aon-code" };
            findings
                .report(
                    error.node,
                    format!(
                        "{status} of `{}` has neither a code nor a type",
                        operation.name()
                    ),
                )
                .mark(error.anchor())
                .label("which failure is it?")
                .fix(format!("add `{member}`, a stable name in snake case"));
        }
    }
}
