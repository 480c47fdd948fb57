//! AON203.

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A code that is not in snake case.
    ///
    /// ## Why
    ///
    /// Codes become names in programs; contract P2 allows `[a-z][a-z0-9_]*`, and strict writers refuse anything else.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: get_pet
    ///     error_responses:
    ///       - { status: 404, code: NoSuchPet, docs_url: "https://example.com/e", mcp_tool: find_pet }
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
    "malformed-error-code" { code: "AON203", category: Errors, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for operation in &subject.api.operations {
        for error in &operation.errors {
            let Some(code) = error.code else {
                continue;
            };
            if aon_core::Code::parse(code.as_str().to_owned()).is_ok() {
                continue;
            }
            findings
                .report(
                    code.node(),
                    format!("the code `{code}` is not in snake case"),
                )
                .label("`[a-z][a-z0-9_]*`")
                .fix(format!("write `{}`", snake(&code)));
        }
    }
}

/// The code that was probably meant.
fn snake(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_uppercase()
            && !out.is_empty()
            && !out.ends_with('_')
            && !text.bytes().all(|b| !b.is_ascii_lowercase())
        {
            out.push('_');
        }
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    let out = out.trim_matches('_').to_owned();
    if out.starts_with(|c: char| c.is_ascii_lowercase()) {
        out
    } else {
        format!("e_{out}")
    }
}
