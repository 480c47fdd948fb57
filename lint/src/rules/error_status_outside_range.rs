//! AON204.

use aon_manifest::model::Status;

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// An error with a status that does not mean an error.
    ///
    /// ## Why
    ///
    /// A caller that goes by the status treats the failure as a success, and the envelope cannot be written (contract P2).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - { status: 200, code: no_such_pet, docs_url: "https://example.com/e", mcp_tool: find_pet }
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
    "error-status-outside-range" { code: "AON204", category: Errors, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for operation in &subject.api.operations {
        for error in operation.errors.iter().filter(|error| error.native) {
            let Some(node) = error.status_node else {
                continue;
            };
            let wrong = error
                .status
                .is_none_or(|status| !status.is_error() && status != Status::Default);
            if wrong {
                findings
                    .report(node, format!("`{}` is not an error status", node.text()))
                    .label("not in 400..=599")
                    .fix("write the status the server answers with");
            }
        }
    }
}
