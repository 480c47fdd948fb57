//! AON305.

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};
use crate::targets::{self, Target};

declare_rule! {
    /// A next action that leads to no operation.
    ///
    /// ## Why
    ///
    /// A caller that follows it fails a second time, now without any hint (contract R2).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: get_pet
    ///     path: /pets/{id}
    ///     error_responses:
    ///       - status: 404
    ///         code: no_such_pet
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: find_pet
    ///         remediation: { type: switch_user, next_action: { endpoint_url: /animals } }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: get_pet
    ///     path: /pets/{id}
    ///     error_responses:
    ///       - status: 404
    ///         code: no_such_pet
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: find_pet
    ///         remediation: { type: switch_user, next_action: { endpoint_url: "/pets/{id}" } }
    /// ```
    "next-action-unresolved" { code: "AON305", category: Remediation, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for remediation in targets::remediations(subject.api) {
        let Some(url) = remediation
            .next_action
            .and_then(|action| action.endpoint_url)
        else {
            continue;
        };
        if targets::endpoint(subject.api, url.node().text()) == Target::Missing {
            findings
                .report(
                    url.node(),
                    format!("the next action `{url}` is not an operation here"),
                )
                .label("leads nowhere")
                .fix(targets::advice(subject.api, &url));
        }
    }
}
