//! AON106.

use std::collections::BTreeSet;

use aon_manifest::Kind;
use aon_manifest::model::CarrierKind;

use crate::engine::{Findings, Subject, place_of};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A value that is listed twice.
    ///
    /// ## Why
    ///
    /// One of the two was meant to be another value, or generated code fails on the second one.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: set_plan
    ///     parameters:
    ///       - { name: plan, in: body, type: string, enum: [free, pro, free] }
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
    "repeated-choice" { code: "AON106", category: Choices, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for (input, carriers) in subject.choices() {
        for carrier in carriers {
            if carrier.kind != CarrierKind::Enum || carrier.node.len() > MOST {
                continue;
            }
            let mut seen: BTreeSet<(bool, &str)> = BTreeSet::new();
            for value in carrier
                .node
                .items()
                .filter(|value| !value.is_object() && !value.is_array())
            {
                if !seen.insert((value.kind() == Kind::String, value.text())) {
                    findings
                        .report(
                            place_of(input, value, carrier.schema),
                            format!(
                                "`{}` lists the value `{}` twice",
                                input.name(),
                                value.text()
                            ),
                        )
                        .mark(value)
                        .label("already listed")
                        .fix("remove it, or write the value that was meant");
                }
            }
        }
    }
}

/// Longer lists come from a generator.
const MOST: usize = 5_000;
