//! AON104.

use aon_manifest::Node;
use aon_manifest::model::{Carrier, Reach};

use crate::engine::{Findings, Subject, place_of};
use crate::fix::{Fix, Safety, edits};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A default that is not among the allowed values.
    ///
    /// ## Why
    ///
    /// A caller that relies on the default sends a value that the same document forbids.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: set_plan
    ///     parameters:
    ///       - { name: plan, in: body, type: string, enum: [free, pro], default: basic }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: set_plan
    ///     parameters:
    ///       - { name: plan, in: body, type: string, enum: [free, pro], default: free }
    /// ```
    "choice-default-outside-set" { code: "AON104", category: Choices, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for (input, carriers) in subject.choices() {
        if carriers.is_empty() {
            continue;
        }
        let Some(default) = input.schema.default() else {
            continue;
        };
        if default.is_null() || default.is_object() {
            continue;
        }
        let own = |carrier: &&Carrier<'a>| {
            carrier.is_literal()
                && matches!(carrier.reach, Reach::Own | Reach::Inherited | Reach::Items)
        };
        let Some(carrier) = carriers.iter().find(own) else {
            continue;
        };
        if carriers
            .iter()
            .any(|carrier| carrier.reach == Reach::Branch)
        {
            continue;
        }
        let choices = carrier.choices();
        let allowed = |value: Node<'a>| choices.iter().any(|choice| choice.value.same_value(value));
        let outside = if default.is_array() {
            default.items().find(|item| !allowed(*item))
        } else if carrier.reach == Reach::Items {
            None
        } else {
            (!allowed(default)).then_some(default)
        };
        if let Some(outside) = outside {
            let near =
                aon_core::suggest::nearest(outside.text(), choices.iter().map(|c| c.value.text()));
            let fix = match near {
                Some(meant) => {
                    format!("did you mean `{meant}`? Otherwise use one of the allowed values")
                }
                None => "use one of the allowed values, or add this one to them".to_owned(),
            };
            let repair = near.filter(|_| !outside.is_array()).and_then(|meant| {
                let choice = choices.iter().find(|choice| choice.value.text() == meant)?;
                Some(edits::replace_scalar(outside, choice.value))
            });
            findings
                .report(
                    place_of(input, outside, input.schema),
                    format!(
                        "the default `{}` of `{}` is not an allowed value",
                        outside.text(),
                        input.name()
                    ),
                )
                .mark(outside)
                .label("not in the set")
                .fix(fix)
                .repair(repair.map(|edits| {
                    Fix::new("Take the nearest allowed value", Safety::Unsafe, edits)
                }));
        }
    }
}
