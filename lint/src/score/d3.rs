//! D3, remediation: does a failure say what to do next?

use aon_core::{NoneReason, RemediationType};
use aon_manifest::model::{NextAction, Remediation};

use super::blame::{
    DOCS, NEXT_ACTION, NO_ACTION, NONE_REASON, REMEDIATION, REMEDIATION_TYPE, UNRESOLVED,
    UNVERIFIED,
};
use super::d2::needs_errors;
use super::evidence::Tally;
use super::group::{Group, Variant};
use super::words;

/// Every operation can fail, so there is always something to measure.
pub(super) fn always(_: &Group<'_>) -> Option<String> {
    None
}

/// Level 1. A typed remediation says more than prose.
pub(super) fn advice<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    for variant in group.variants().filter(Variant::is_client_error) {
        tally.judge(is_advised(&variant), variant.error.anchor(), DOCS, || {
            (
                format!("{} says nothing about what to do", variant.name()),
                "add a `docs_url`, or say in the description what the caller should do".to_owned(),
            )
        });
    }
    needs_failures(group, &mut tally);
    tally
}

/// Level 2.
pub(super) fn remediation_type<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    for variant in group.variants().filter(Variant::is_client_error) {
        let remediation = variant.remediation;
        let known = remediation.is_some_and(|remediation| is_typed(&remediation));
        let node = remediation.map_or(variant.error.anchor(), |remediation| remediation.node);
        let rule = match remediation {
            Some(_) => REMEDIATION_TYPE,
            None => REMEDIATION,
        };
        tally.judge(known, node, rule, || {
            let types = RemediationType::ALL.iter().map(|kind| kind.as_str());
            (
                format!("{} has no remediation type", variant.name()),
                format!(
                    "add `remediation` with a type ({}), or `remediation_default`",
                    types.collect::<Vec<_>>().join(", ")
                ),
            )
        });
    }
    needs_failures(group, &mut tally);
    tally
}

/// Level 3.
pub(super) fn next_action<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    for variant in group.failures() {
        let remediation = variant.remediation;
        let holds = remediation.is_some_and(|remediation| {
            is_honest_none(&remediation)
                || remediation
                    .next_action
                    .is_some_and(|action| leads_somewhere(&action))
        });
        let node = remediation.map_or(variant.error.anchor(), |remediation| remediation.node);
        let none = remediation.and_then(|remediation| remediation.kind);
        let none = none.is_some_and(|kind| kind.as_str() == "none");
        let rule = match remediation {
            _ if none => NONE_REASON,
            None => REMEDIATION,
            Some(remediation) if remediation.next_action.is_some() => NEXT_ACTION,
            Some(_) => NO_ACTION,
        };
        tally.judge(holds, node, rule, || {
            (
                format!(
                    "{} has neither a next action nor an honest `none`",
                    variant.name()
                ),
                "add `next_action` with an endpoint, or `type: none` with its `reason`".to_owned(),
            )
        });
    }
    needs_errors(group, &mut tally);
    tally
}

/// Level 4.
pub(super) fn closed<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    for variant in group.failures() {
        let Some(action) = variant
            .remediation
            .and_then(|remediation| remediation.next_action)
        else {
            continue;
        };
        let Some(target) = group.target(action) else {
            tally.miss(action.node, UNRESOLVED, || {
                (
                    format!(
                        "the next action of {} leads to no operation of this API",
                        variant.name()
                    ),
                    "name the path of an operation here in `endpoint_url`".to_owned(),
                )
            });
            continue;
        };
        let failed = group.operations.get(variant.at);
        let verified =
            group.is_verified(target) || failed.is_some_and(|failed| group.is_verified(failed));
        tally.judge(verified, action.node, UNVERIFIED, || {
            (
                format!("nothing verifies the result of `{}`", target.name()),
                format!(
                    "add `verify` with a reading operation to `{}`",
                    target.name()
                ),
            )
        });
    }
    if tally.held + tally.missed == 0
        && let Some(node) = group.anchor()
    {
        tally.miss(node, NO_ACTION, || {
            (
                "no error has a next action that could be closed".to_owned(),
                "add `next_action` to an error, and `verify` to the operation it names".to_owned(),
            )
        });
    }
    tally
}

/// A line about 4xx errors holds when only 5xx are listed, but not when nothing is.
fn needs_failures<'a>(group: &Group<'a>, tally: &mut Tally<'a>) {
    needs_errors(group, tally);
}

fn is_advised(variant: &Variant<'_>) -> bool {
    let error = variant.error;
    let linked = error.docs_url.is_some() || variant.operation.docs_url.is_some();
    let told = error
        .description
        .is_some_and(|text| words::is_advice(&text));
    let remedied = variant.remediation.is_some_and(|remediation| {
        remediation.message.is_some() || remediation.next_action.is_some() || is_typed(&remediation)
    });
    linked || told || remedied
}

/// Whether the type is one of the closed set.
pub(super) fn is_typed(remediation: &Remediation<'_>) -> bool {
    remediation.kind.is_some_and(|kind| {
        RemediationType::ALL
            .iter()
            .any(|known| known.as_str() == kind.as_str())
    })
}

/// Whether it is `none` with one of the known reasons.
pub(super) fn is_honest_none(remediation: &Remediation<'_>) -> bool {
    let reason = remediation.reason.map_or("", |reason| reason.node().text());
    remediation.is_none_with_reason()
        && NoneReason::ALL.iter().any(|known| known.as_str() == reason)
}

fn leads_somewhere(action: &NextAction<'_>) -> bool {
    let parts = [
        action.endpoint_xri,
        action.endpoint_url,
        action.required_scope,
        action.guide_xri,
    ];
    parts
        .into_iter()
        .flatten()
        .any(|part| !part.trim().is_empty())
}
