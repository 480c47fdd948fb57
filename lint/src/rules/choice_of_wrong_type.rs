//! AON107.

use aon_manifest::model::{CarrierKind, Types};

use crate::engine::{Findings, Subject};
use crate::fix::{Fix, Safety, edits};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// An allowed value that the declared type forbids.
    ///
    /// ## Why
    ///
    /// No value satisfies both, so the choice cannot be made. Often a YAML word such as `no` or `1.10` needs quotes.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: set_version
    ///     parameters:
    ///       - { name: api_version, in: query, type: string, enum: ["1.9", 1.10] }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: set_version
    ///     parameters:
    ///       - { name: api_version, in: query, type: string, enum: ["1.9", "1.10"] }
    /// ```
    "choice-of-wrong-type" { code: "AON107", category: Choices, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for (input, carriers) in subject.choices() {
        for carrier in carriers {
            let types = carrier.schema.types();
            if carrier.kind != CarrierKind::Enum || types.is_empty() {
                continue;
            }
            for value in carrier.node.items() {
                let own = Types::of(value);
                let fits = types.contains(own)
                    || (own == "integer" && types.contains("number"))
                    || own == "null";
                if fits {
                    continue;
                }
                let wanted: Vec<_> = types.names().collect();
                let quoted = types.contains("string") && !value.is_object() && !value.is_array();
                let repair = quoted
                    .then(|| Fix::new("Put it in quotes", Safety::Unsafe, edits::quote(value)));
                findings
                    .report(
                        value,
                        format!(
                            "`{}` allows `{}`, which is of type {own} and not {}",
                            input.name(),
                            value.source_text(),
                            wanted.join(" or ")
                        ),
                    )
                    .label(format!("this is of type {own}"))
                    .fix(if quoted {
                        "put it in quotes"
                    } else {
                        "write a value of the declared type"
                    })
                    .repair(repair);
            }
        }
    }
}
