//! AON201.

use aon_manifest::model::Status;

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A 4xx or 5xx response that is no problem document.
    ///
    /// ## Why
    ///
    /// A caller that gets free text cannot tell one failure from another, nor what to do next (contract R2, RFC 9457).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// openapi: 3.1.0
    /// info: { title: Pets, version: "1" }
    /// paths:
    ///   /pets:
    ///     get:
    ///       operationId: listPets
    ///       responses:
    ///         "404":
    ///           description: There are none
    ///           content: { text/plain: { schema: { type: string } } }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// openapi: 3.1.0
    /// info: { title: Pets, version: "1" }
    /// paths:
    ///   /pets:
    ///     get:
    ///       operationId: listPets
    ///       responses:
    ///         "404":
    ///           description: There are none
    ///           x-aon-code: no_pets
    ///           content: { application/problem+json: { schema: { type: object } } }
    /// ```
    "error-without-envelope" { code: "AON201", category: Errors, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for operation in &subject.api.operations {
        for error in &operation.errors {
            if error.has_envelope() || error.native || !error.status.is_some_and(Status::is_error) {
                continue;
            }
            if findings.has(error.response) {
                continue;
            }
            let status = error
                .status
                .map(|status| status.to_string())
                .unwrap_or_default();
            let name = operation.name();
            // Documents have hundreds of these, so the message is put together without formatting.
            let message = match error.contents.first() {
                Some(content) => {
                    let body = content.essence();
                    [
                        &status,
                        " of `",
                        &name,
                        "` is `",
                        &body,
                        "` instead of a problem",
                    ]
                    .concat()
                }
                None => [
                    &status,
                    " of `",
                    &name,
                    "` has no body instead of a problem",
                ]
                .concat(),
            };
            findings
                .report(error.response, message)
                .mark(error.anchor())
                .label("no `application/problem+json`")
                .fix("describe the body as `application/problem+json`");
        }
    }
}
