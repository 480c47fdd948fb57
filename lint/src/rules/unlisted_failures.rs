//! AON206.

use crate::engine::{Findings, Subject};
use crate::failures::{is_harmless, lists_failure};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// An operation that names no status it can fail with.
    ///
    /// ## Why
    ///
    /// A caller that meets a failure nobody announced cannot have a plan for it (contract Q1, clarity).
    ///
    /// An operation that only reads and takes nothing is left alone, and so are tools and skills, which have no statuses.
    ///
    /// ## Bad
    ///
    /// ```yaml bad pedantic
    /// operations:
    ///   - id: create_note
    ///     method: POST
    ///     path: /notes
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good pedantic
    /// operations:
    ///   - id: create_note
    ///     method: POST
    ///     path: /notes
    ///     error_responses:
    ///       - status: 422
    ///         code: invalid_note
    ///         docs_url: "https://example.com/docs/invalid-note"
    ///         mcp_tool: create_note
    ///         remediation: { type: none, reason: no_public_equivalent_exists }
    ///         example: { status: 422, code: invalid_note }
    /// ```
    "unlisted-failures" { code: "AON206", category: Errors, stage: Stable, check: Check::Hints(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for operation in &subject.api.operations {
        if operation.path.is_none() || is_harmless(operation) || lists_failure(operation) {
            continue;
        }
        findings
            .report(
                operation.node,
                format!("`{}` lists no failure status", operation.name()),
            )
            .mark(operation.anchor)
            .label("no 4xx and no 5xx")
            .fix("list the errors it can answer with, such as 400, 404 or 422");
    }
}
