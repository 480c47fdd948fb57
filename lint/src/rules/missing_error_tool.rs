//! AON503.

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};
use crate::targets;

declare_rule! {
    /// An error that names neither a tool nor a skill.
    ///
    /// ## Why
    ///
    /// An agent that meets the error has nothing to call next (contract R2).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - { status: 404, code: no_such_pet, docs_url: "https://example.com/e" }
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
    ///
    /// ## When to ignore
    ///
    /// An honest `none` needs no tool, and none is asked for.
    "missing-error-tool" { code: "AON503", category: Parity, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    if !targets::wants_agents(subject.api) {
        return;
    }
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
            let remediation = error.remediation_or(subject.api.remediation_default);
            let honest = remediation.is_some_and(|remediation| remediation.is_none_with_reason());
            let client = error.status.is_none_or(|status| !status.is_server_error());
            let tool = error.mcp_tool.is_some()
                || error.a2a_skill.is_some()
                || operation.tool_name().is_some()
                || operation.skill().is_some();
            if tool || honest || !client {
                continue;
            }
            // A promised fix without a tool is a finding of its own.
            if remediation.is_some_and(|remediation| remediation.auto_fix_available == Some(true)) {
                continue;
            }
            let name = error.code.map_or("the error", |code| code.node().text());
            findings
                .report(
                    error.node,
                    format!(
                        "`{name}` of `{}` names no tool and no skill",
                        operation.name()
                    ),
                )
                .mark(error.code.map_or(error.anchor(), |code| code.node()))
                .label("nothing to call next")
                .fix("add `mcp_tool` or `a2a_skill`, or an honest remediation `none`");
        }
    }
}
