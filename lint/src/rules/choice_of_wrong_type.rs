//! AON107.

use aon_manifest::Node;
use aon_manifest::model::{CarrierKind, Types};

use crate::engine::{Findings, Subject, place_of};
use crate::fix::{Fix, Safety, edits};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// An allowed value that the declared type forbids.
    ///
    /// ## Why
    ///
    /// No value satisfies both, so the choice cannot be made. Often a YAML word such as `no` or `1.10` needs quotes, or the `enum` of
    /// an array belongs to its `items`.
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
            let misfits: Vec<_> = carrier
                .node
                .items()
                .filter(|value| !fits(types, *value))
                .collect();
            let Some(value) = misfits.first().copied() else {
                continue;
            };
            let wanted: Vec<_> = types.names().collect();
            let scalar = |value: &Node<'a>| !value.is_object() && !value.is_array();
            let quoted = types.contains("string") && misfits.iter().all(scalar);
            let repair = quoted.then(|| {
                let edits = misfits.iter().flat_map(|value| edits::quote(*value));
                Fix::new("Put them in quotes", Safety::Unsafe, edits.collect())
            });
            // An array whose elements are chosen, with the list one level too high.
            let of_items = types.is_only("array") && misfits.iter().all(scalar);
            let own = Types::of(value);
            let more = match misfits.len() - 1 {
                0 => String::new(),
                1 => ", and another one".to_owned(),
                count => format!(", and {count} others"),
            };
            findings
                .report(
                    place_of(input, value, carrier.schema),
                    format!(
                        "`{}` allows `{}`, which is of type {own} and not {}{more}",
                        input.name(),
                        value.source_text(),
                        wanted.join(" or ")
                    ),
                )
                .mark(value)
                .label(format!("this is of type {own}"))
                .fix(if quoted {
                    "put it in quotes"
                } else if of_items {
                    "move the `enum` to the `items`, which it is about"
                } else {
                    "write a value of the declared type"
                })
                .repair(repair);
        }
    }
}

fn fits(types: Types, value: Node<'_>) -> bool {
    let own = Types::of(value);
    types.contains(own) || (own == "integer" && types.contains("number")) || own == "null"
}
