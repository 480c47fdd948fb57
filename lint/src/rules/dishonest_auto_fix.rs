//! AON307.

use aon_manifest::model::Remediation;

use crate::engine::{Findings, Subject};
use crate::fix::{Fix, Safety, edits};
use crate::rule::{Check, declare_rule};
use crate::targets::{self, Target};

declare_rule! {
    /// A promised automatic fix that does not exist.
    ///
    /// ## Why
    ///
    /// A program that trusts `auto_fix_available` has nothing to call; claiming it is a contract violation (P8).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 404
    ///         code: no_such_pet
    ///         docs_url: "https://example.com/e"
    ///         remediation: { type: switch_user, auto_fix_available: true }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 404
    ///         code: no_such_pet
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: switch_user
    ///         remediation: { type: switch_user, auto_fix_available: true }
    /// ```
    "dishonest-auto-fix" { code: "AON307", category: Remediation, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for operation in &subject.api.operations {
        for error in &operation.errors {
            if let Some(remediation) = error.remediation {
                let tool = error.mcp_tool.is_some() || error.a2a_skill.is_some();
                inspect(subject, remediation, tool, findings);
            }
        }
    }
    if let Some(remediation) = subject.api.remediation_default {
        inspect(subject, remediation, false, findings);
    }
}

fn inspect<'a>(
    subject: &Subject<'_, 'a>,
    remediation: Remediation<'a>,
    tool: bool,
    findings: &mut Findings<'a>,
) {
    let Some(node) = remediation
        .auto_fix_node
        .filter(|_| remediation.auto_fix_available == Some(true))
    else {
        return;
    };
    let none = remediation.kind.is_some_and(|kind| kind.as_str() == "none");
    let endpoint = remediation
        .next_action
        .and_then(|action| action.endpoint_url)
        .is_some_and(|url| targets::endpoint(subject.api, url.node().text()) != Target::Missing);
    if none || !(tool || endpoint) {
        let label = if none {
            "beside the remediation `none`"
        } else {
            "no tool, skill or endpoint to call"
        };
        let repair = Fix::new(
            "Stop promising the fix",
            Safety::Unsafe,
            edits::replace_text(node, "false"),
        );
        findings
            .report(node, "an automatic fix is promised, but nothing here carries it out")
            .label(label)
            .fix("name an `mcp_tool`, an `a2a_skill` or a `next_action.endpoint_url` that exists, or set it to false")
            .repair(Some(repair));
    }
}
