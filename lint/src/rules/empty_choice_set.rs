//! AON103.

use aon_manifest::model::CarrierKind;

use crate::engine::{Findings, Subject, place_of};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A choice with nothing to choose from.
    ///
    /// ## Why
    ///
    /// No value is allowed, so every call fails; or the list was forgotten, so every call is a guess.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: set_plan
    ///     parameters:
    ///       - { name: plan, in: body, type: string, enum: [] }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: set_plan
    ///     parameters:
    ///       - { name: plan, in: body, type: string, enum: [free, pro] }
    /// ```
    "empty-choice-set" { code: "AON103", category: Choices, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for (input, carriers) in subject.choices() {
        for carrier in carriers {
            let listed = matches!(carrier.kind, CarrierKind::Enum | CarrierKind::OneOf);
            let nameless = carrier.kind == CarrierKind::ChoicesEndpoint
                && carrier
                    .endpoint()
                    .is_none_or(|endpoint| endpoint.trim().is_empty());
            if (listed && carrier.node.is_empty()) || nameless {
                let keyword = carrier.key().map_or("enum", |key| key.text());
                findings
                    .report(
                        place_of(input, carrier.node, carrier.schema),
                        format!("`{keyword}` of `{}` is empty", input.name()),
                    )
                    .mark(carrier.node)
                    .label("no value is allowed")
                    .fix(format!("list the allowed values, or remove `{keyword}`"));
            }
        }
    }
}
