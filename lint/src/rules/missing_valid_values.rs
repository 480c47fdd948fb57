//! AON205.

use aon_manifest::model::{ErrorResponse, Status};

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A validation error that does not name the allowed values.
    ///
    /// ## Why
    ///
    /// The caller learns that a value was wrong, but not which would be right, although the document knows.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: set_plan
    ///     parameters:
    ///       - { name: plan, in: body, type: string, enum: [free, pro] }
    ///     error_responses:
    ///       - { status: 422, code: invalid_plan, docs_url: "https://example.com/e", mcp_tool: set_plan }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: set_plan
    ///     parameters:
    ///       - { name: plan, in: body, type: string, enum: [free, pro] }
    ///     error_responses:
    ///       - status: 422
    ///         code: invalid_plan
    ///         valid_values: { plan: [free, pro] }
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: set_plan
    /// ```
    "missing-valid-values" { code: "AON205", category: Errors, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for (index, operation) in subject.api.operations.iter().enumerate() {
        let validates = |error: &&ErrorResponse<'a>| {
            matches!(error.status, Some(Status::Code(400 | 422)))
                && (error.native || error.has_envelope())
        };
        let mut errors = operation.errors.iter().filter(validates).peekable();
        if errors.peek().is_none()
            || operation
                .errors
                .iter()
                .any(|error| error.valid_values.is_some())
        {
            continue;
        }
        let constrained = operation
            .parameters
            .iter()
            .find(|parameter| !parameter.carriers().is_empty())
            .map(aon_manifest::model::Parameter::name)
            .or_else(|| constrained_property(subject, index));
        let Some(name) = constrained else {
            continue;
        };
        // One of several validation errors is enough; the first one is where it belongs.
        if let Some(error) = errors.next() {
            let status = error
                .status
                .map(|status| status.to_string())
                .unwrap_or_default();
            let member = if error.native {
                "valid_values"
            } else {
                "x-aon-valid-values"
            };
            findings
                .report(
                    error.node,
                    format!(
                        "{status} of `{}` does not name the allowed values of `{name}`",
                        operation.name()
                    ),
                )
                .mark(error.anchor())
                .label(format!("no `{member}`"))
                .fix(format!("add `{member}` with an entry for `{name}`"));
        }
    }
}

fn constrained_property<'a>(subject: &Subject<'_, 'a>, operation: usize) -> Option<&'a str> {
    subject
        .choices()
        .filter(|(input, _)| input.operation == Some(operation) && input.parameter().is_none())
        .find(|(_, carriers)| !carriers.is_empty())
        .map(|(input, _)| input.name())
}
