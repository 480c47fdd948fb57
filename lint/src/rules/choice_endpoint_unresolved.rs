//! AON105.

use crate::engine::{Findings, Subject, place_of};
use crate::rule::{Check, declare_rule};
use crate::targets::{self, Target};

declare_rule! {
    /// A choices endpoint that is not an operation of this API.
    ///
    /// ## Why
    ///
    /// A caller that follows it to learn the allowed values gets a 404 instead.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: set_region
    ///     parameters:
    ///       - { name: region, in: body, type: string, choices_endpoint: /regionz }
    ///   - id: list_regions
    ///     method: GET
    ///     path: /regions
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: set_region
    ///     parameters:
    ///       - { name: region, in: body, type: string, choices_endpoint: /regions }
    ///   - id: list_regions
    ///     method: GET
    ///     path: /regions
    /// ```
    "choice-endpoint-unresolved" { code: "AON105", category: Choices, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    for (input, carriers) in subject.choices() {
        for carrier in carriers {
            let Some(endpoint) = carrier.endpoint() else {
                continue;
            };
            if endpoint.trim().is_empty() {
                continue;
            }
            let target = targets::choices(subject.api, endpoint.node().text());
            if target != Target::Missing {
                continue;
            }
            findings
                .report(
                    place_of(input, endpoint.node(), carrier.schema),
                    format!(
                        "`{endpoint}`, where the values of `{}` should be, is not an operation here",
                        input.name()
                    ),
                )
                .mark(endpoint.node())
                .label("leads nowhere")
                .fix(targets::advice(subject.api, &endpoint));
        }
    }
}
