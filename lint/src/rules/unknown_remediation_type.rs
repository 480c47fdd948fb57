//! AON301.

use crate::engine::{Findings, Subject};
use crate::fix::{Fix, Safety, edits};
use crate::rule::{Check, declare_rule};
use crate::targets;

declare_rule! {
    /// A remediation type that the contract does not know.
    ///
    /// ## Why
    ///
    /// Callers act on the type; one they do not know makes them do nothing (contract P5).
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 403
    ///         code: no_access
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: request_access
    ///         remediation: { type: request_scope_elevations, next_action: { required_scope: pets } }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - status: 403
    ///         code: no_access
    ///         docs_url: "https://example.com/e"
    ///         mcp_tool: request_access
    ///         remediation: { type: request_scope_elevation, next_action: { required_scope: pets } }
    /// ```
    "unknown-remediation-type" { code: "AON301", category: Remediation, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for remediation in targets::remediations(subject.api) {
        let (node, given) = match remediation.kind {
            Some(kind) if targets::REMEDIATION_TYPES.contains(&kind.as_str()) => continue,
            Some(kind) => (kind.node(), kind.node().text()),
            None => (remediation.node, ""),
        };
        let message = if given.is_empty() {
            "the remediation has no type".to_owned()
        } else {
            format!("`{given}` is not a remediation type")
        };
        let meant = aon_core::suggest::nearest(given, targets::REMEDIATION_TYPES.iter().copied());
        let fix = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("use one of {}", targets::REMEDIATION_TYPES.join(", ")),
        };
        let repair = meant.filter(|_| !given.is_empty()).map(|meant| {
            Fix::new(
                format!("Write `{meant}`"),
                Safety::Unsafe,
                edits::replace_text(node, meant),
            )
        });
        findings
            .report(node, message)
            .label("not in the closed set")
            .fix(fix)
            .repair(repair);
    }
}
