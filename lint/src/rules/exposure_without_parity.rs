//! AON501.

use aon_manifest::Format;

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// An operation that is on one agent surface and not on the other.
    ///
    /// ## Why
    ///
    /// An agent that speaks the other protocol meets an API with holes; parity is promised for every public operation (contract S9).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: get_pet
    ///     path: /pets/{id}
    ///     mcp: { expose: true, tool: get_pet }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: get_pet
    ///     path: /pets/{id}
    ///     mcp: { expose: true, tool: get_pet }
    ///     a2a: { skill: pet_lookup }
    /// ```
    "exposure-without-parity" { code: "AON501", category: Parity, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    // A tool list or an agent card is one surface by nature.
    if matches!(subject.api.format, Format::Mcp | Format::A2a) {
        return;
    }
    for operation in subject
        .api
        .operations
        .iter()
        .filter(|operation| operation.public)
    {
        let tool = operation.tool_name().is_some();
        let skill = operation.skill().is_some();
        if tool == skill {
            continue;
        }
        let (has, lacks, node, member) = if tool {
            (
                "an MCP tool",
                "no A2A skill",
                operation.mcp.map(|mcp| mcp.node),
                "a2a: { skill: … }",
            )
        } else {
            (
                "an A2A skill",
                "no MCP tool",
                operation.a2a.map(|a2a| a2a.node),
                "mcp: { expose: true, tool: … }",
            )
        };
        let node = node.unwrap_or(operation.anchor);
        findings
            .report(
                node,
                format!("`{}` has {has}, but {lacks}", operation.name()),
            )
            .mark(node.key().unwrap_or(node))
            .label(lacks)
            .fix(format!("add `{member}`, or mark the operation as private"));
    }
}
