//! AON108.

use aon_manifest::Node;
use aon_manifest::model::CarrierKind;

use crate::engine::{Findings, Subject, place_of};
use crate::finding::Confidence;
use crate::fix::{Fix, Safety, edits};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A set of plain values written as a `oneOf`.
    ///
    /// ## Why
    ///
    /// An `enum` says the same in one line, and every tool understands it; a `oneOf` is for values that need a label or a description.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: set_plan
    ///     parameters:
    ///       - name: plan
    ///         in: body
    ///         type: string
    ///         oneOf:
    ///           - const: free
    ///           - const: pro
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: set_plan
    ///     parameters:
    ///       - name: plan
    ///         in: body
    ///         type: string
    ///         oneOf:
    ///           - { const: free, title: Free of charge }
    ///           - { const: pro, title: With support }
    /// ```
    "choice-as-branches" { code: "AON108", category: Choices, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for (input, carriers) in subject.choices() {
        for carrier in carriers {
            let Some(key) = carrier.key().filter(|key| key.text() == "oneOf") else {
                continue;
            };
            if carrier.kind != CarrierKind::OneOf
                || carrier.node.is_empty()
                || !carrier.node.items().all(is_bare)
            {
                continue;
            }
            // Two carriers are a finding of their own.
            if carrier.schema.node().get("enum").is_some() {
                continue;
            }
            let choices = carrier.choices();
            let values: Vec<Node<'a>> = choices.iter().map(|choice| choice.value).collect();
            let safety = if edits::has_remark(key) {
                Safety::Unsafe
            } else {
                Safety::Safe
            };
            let repair = edits::one_of_to_enum(key, &values)
                .map(|edits| Fix::new("Write an `enum`", safety, edits));
            findings
                .report(
                    place_of(input, carrier.node, carrier.schema),
                    format!(
                        "the values of `{}` are plain, so an `enum` is enough",
                        input.name()
                    ),
                )
                .mark(key)
                .label("branches without labels")
                .fix("write `enum`, or give the branches titles")
                .confidence(Confidence::Likely)
                .repair(repair);
        }
    }
}

/// Whether a branch holds a value and nothing else.
fn is_bare(branch: Node<'_>) -> bool {
    branch.is_object()
        && (branch.get("const").is_some() || branch.get("enum").is_some())
        && branch
            .members()
            .all(|member| matches!(member.name(), "const" | "enum" | "type"))
}
