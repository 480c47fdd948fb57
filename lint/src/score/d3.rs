//! D3, remediation: does a failure say what to do next?

use aon_core::{NoneReason, RemediationType};
use aon_manifest::extension;
use aon_manifest::model::{NextAction, Remediation};

use super::advice::{is_advice, is_explained};
use super::blame::{
    DOCS, NEXT_ACTION, NO_ACTION, NONE_REASON, REMEDIATION, REMEDIATION_TYPE, UNLISTED, UNRESOLVED,
    UNVERIFIED,
};
use super::d2::needs_errors;
use super::evidence::Tally;
use super::group::{Group, Joined, Variant};

/// Every operation can fail, so there is always something to measure.
pub(super) fn always(_: &Group<'_>) -> Option<String> {
    None
}

/// Level 1. A typed remediation says more than prose. What explains the failure without saying what to do is half the way.
pub(super) fn advice<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    let mut explained = 0;
    for variant in group.variants().filter(Variant::is_client_error) {
        let advised = is_advised(&variant);
        let text = variant.error.description;
        explained += usize::from(!advised && text.is_some_and(|text| is_explained(&text)));
        tally.judge(advised, variant.error.anchor(), DOCS, || {
            (
                format!("{} does not say what to do", variant.name()),
                format!(
                    "say in the description what the caller should do, or link to it in {}",
                    variant.spelled("docs_url")
                ),
            )
        });
    }
    tally.partial(2 * tally.held + explained, 2 * tally.counted());
    tally.silent(group.silent().count());
    needs_client_errors(group, &mut tally);
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
                    "add {} with a type ({}), or {} for all errors",
                    variant.spelled("remediation"),
                    types.collect::<Vec<_>>().join(", "),
                    extension::spelled(variant.format, "remediation_default")
                ),
            )
        });
    }
    tally.silent(group.silent().count());
    needs_client_errors(group, &mut tally);
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
                format!(
                    "add `next_action` with an endpoint to {}, or `type: none` with its `reason`",
                    variant.spelled("remediation")
                ),
            )
        });
    }
    tally.silent(group.silent().count());
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
                        "the next action of {} does not lead to an operation of this API",
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
                    "add {} with a reading operation to `{}`",
                    extension::spelled(variant.format, "verify"),
                    target.name()
                ),
            )
        });
    }
    if tally.counted() == 0
        && let Some(node) = group.anchor()
    {
        tally.lack("no error has a next action", node, NO_ACTION, || {
            (
                "no error has a next action that could be closed".to_owned(),
                format!(
                    "add `next_action` to the remediation of an error, and {} to the operation it names",
                    group.spelled("verify")
                ),
            )
        });
    }
    tally
}

/// Where a caller can do something wrong, 5xx errors alone leave the mistakes of callers undescribed.
fn needs_client_errors<'a>(group: &Group<'a>, tally: &mut Tally<'a>) {
    let mut risky = group
        .operations
        .iter()
        .filter(|joined| !joined.is_harmless());
    if tally.counted() > 0 {
        return;
    }
    if let Some(operation) = risky.find_map(Joined::first) {
        tally.lack(
            "no client error (4xx) is described",
            operation.anchor,
            UNLISTED,
            || {
                (
                    "no operation says what a caller can do wrong".to_owned(),
                    "list the errors that callers cause, such as 400, 404 or 422".to_owned(),
                )
            },
        );
    } else {
        needs_errors(group, tally);
    }
}

fn is_advised(variant: &Variant<'_>) -> bool {
    let error = variant.error;
    let linked = error.docs_url.is_some() || variant.operation.docs_url.is_some();
    let told = error.description.is_some_and(|text| is_advice(&text));
    let remedied = variant.remediation.is_some_and(|remediation| {
        remediation.message.is_some() || remediation.next_action.is_some() || is_typed(&remediation)
    });
    linked || told || remedied || is_timed(variant)
}

/// Whether a header of the response says when to come back, or how to log in.
fn is_timed(variant: &Variant<'_>) -> bool {
    let headers = variant.error.response.get("headers");
    let named = |name: &str| {
        name.eq_ignore_ascii_case("retry-after") || name.eq_ignore_ascii_case("www-authenticate")
    };
    headers.is_some_and(|headers| headers.members().any(|member| named(member.name())))
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
