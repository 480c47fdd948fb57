//! AON102.

use aon_manifest::Node;
use aon_manifest::model::{Carrier, CarrierKind, Choice, Reach};

use crate::engine::{Findings, Subject};
use crate::fix::{Fix, Safety, edits};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A choice that is declared twice.
    ///
    /// ## Why
    ///
    /// Two lists of values drift apart, and a caller cannot tell which one counts (contract R1 wants exactly one carrier).
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
    ///         enum: [free, pro]
    ///         choices_endpoint: /plans
    ///   - id: list_plans
    ///     method: GET
    ///     path: /plans
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
    ///         enum: [free, pro]
    /// ```
    "choice-with-two-carriers" { code: "AON102", category: Choices, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for (input, carriers) in subject.choices() {
        if carriers.len() < 2 {
            continue;
        }
        let own: Vec<&Carrier<'a>> = carriers.iter().filter(|carrier| counts(carrier)).collect();
        let [first, second, ..] = own.as_slice() else {
            continue;
        };
        let (kept, extra) = (first, second);
        let same = same_set(kept, extra);
        let repair = extra.key().and_then(edits::remove_member).map(|edits| {
            let safety = if same { Safety::Safe } else { Safety::Unsafe };
            Fix::new(format!("Remove `{}`", keyword(extra)), safety, edits)
        });
        findings
            .report(
                input.node,
                format!(
                    "`{}` has two carriers, `{}` and `{}`",
                    input.name(),
                    keyword(kept),
                    keyword(extra)
                ),
            )
            .mark(extra.key().unwrap_or(input.name_node))
            .label(if same {
                "says the same again"
            } else {
                "a second carrier"
            })
            .fix(format!("keep one of them; remove `{}`", keyword(extra)))
            .repair(repair);
    }
}

/// Whether it stands on the parameter itself and names the set. A `oneOf` of schemas is a shape, not a set.
fn counts(carrier: &Carrier<'_>) -> bool {
    carrier.reach == Reach::Own
        && match carrier.kind {
            CarrierKind::Enum | CarrierKind::ChoicesEndpoint => true,
            CarrierKind::OneOf => carrier.is_literal(),
            CarrierKind::Const => false,
        }
}

fn keyword<'a>(carrier: &Carrier<'a>) -> &'a str {
    carrier.key().map_or("", Node::text)
}

fn same_set(a: &Carrier<'_>, b: &Carrier<'_>) -> bool {
    let (left, right) = (a.choices(), b.choices());
    let within = |some: &[Choice<'_>], all: &[Choice<'_>]| {
        some.iter()
            .all(|one| all.iter().any(|other| other.value.same_value(one.value)))
    };
    !left.is_empty() && within(&left, &right) && within(&right, &left)
}
