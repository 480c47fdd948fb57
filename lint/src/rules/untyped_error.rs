//! AON207.

use crate::engine::{Findings, Subject};
use crate::failures;
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// An error whose body nobody has seen.
    ///
    /// ## Why
    ///
    /// Without a schema or an example a client cannot be written against it (contract Q1, clarity).
    ///
    /// ## Bad
    ///
    /// ```yaml bad pedantic
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 404
    ///         code: no_such_pet
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: find_pet
    ///         remediation: { type: none, reason: no_public_equivalent_exists }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good pedantic
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 404
    ///         code: no_such_pet
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: find_pet
    ///         remediation: { type: none, reason: no_public_equivalent_exists }
    ///         example: { type: "pspace://problem/no_such_pet", status: 404, code: no_such_pet }
    /// ```
    "untyped-error" { code: "AON207", category: Errors, stage: Stable, check: Check::Hints(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for operation in &subject.api.operations {
        for error in &operation.errors {
            if failures::is_typed(error) || !error.has_envelope() {
                continue;
            }
            let name = error.code.map_or("an error", |code| code.node().text());
            findings
                .report(
                    error.node,
                    format!(
                        "the body of `{name}` of `{}` has neither schema nor example",
                        operation.name()
                    ),
                )
                .mark(error.code.map_or(error.anchor(), |code| code.node()))
                .label("what does it look like?")
                .fix("add an example of the problem, or its schema");
        }
    }
}
