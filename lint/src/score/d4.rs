//! D4, auto-fix: can the platform put it right?

use aon_manifest::extension;

use super::blame::{AUTO_FIX, REMEDIATION, TOOL, UNVERIFIED, VALID_VALUES};
use super::d3::is_honest_none;
use super::diagnosis;
use super::evidence::Tally;
use super::group::{Group, Joined, Variant};

/// Where every failure says honestly that no action can exist, nothing can be fixed automatically.
pub(super) fn nothing_to_fix(group: &Group<'_>) -> Option<String> {
    let mut failures = group.failures().peekable();
    failures.peek()?;
    let final_none = |variant: Variant<'_>| {
        variant.remediation.is_some_and(|remediation| {
            let later = remediation
                .reason
                .is_some_and(|reason| reason.as_str() == "not_yet_implemented");
            is_honest_none(&remediation) && !later
        })
    };
    failures
        .all(final_none)
        .then(|| "every failure says honestly that the caller cannot repair it".to_owned())
}

/// Level 1.
pub(super) fn corrected_example<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::one_is_enough();
    for variant in group.failures() {
        let error = variant.error;
        tally.judge(shows_request(&variant), error.anchor(), REMEDIATION, || {
            no_request(&variant.spelled("remediation"))
        });
    }
    // A request that is shown without saying which failure it puts right is half the way.
    let taking = || {
        group
            .operations
            .iter()
            .filter(|joined| !joined.is_harmless())
    };
    let shown = taking().filter(|joined| joined.shows_request());
    tally.partial(shown.count(), 2 * taking().count());
    if tally.counted() == 0 {
        lack(
            group,
            &mut tally,
            "no error is described",
            REMEDIATION,
            || no_request(&group.spelled("remediation")),
        );
    }
    tally
}

fn no_request(remediation: &str) -> (String, String) {
    (
        "no error shows a request that would have worked".to_owned(),
        format!("add `example_request` with method, path and body to {remediation}"),
    )
}

/// Level 2. Where an error names the valid values on an agent surface, the corrected arguments follow from them (P11).
pub(super) fn diagnosis<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::one_is_enough();
    let corrected = group
        .failures()
        .filter(|variant| is_corrected(group, variant));
    tally.held = diagnosis::operations(group) + corrected.count();
    if tally.held == 0 {
        let nothing = "nothing diagnoses or corrects a failure";
        lack(group, &mut tally, nothing, VALID_VALUES, || {
            (
                "no operation diagnoses a failure, and no error leads to corrected arguments"
                    .to_owned(),
                format!(
                    "add an operation such as `diagnose_…` or a parameter `dry_run`, or {} to the errors of an operation that is a tool or skill",
                    group.spelled("valid_values")
                ),
            )
        });
    }
    tally
}

/// Level 3. A promise that leads nowhere is worse than none.
pub(super) fn corrective_action<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    for variant in group.failures().filter(promises_fix) {
        let node = variant
            .remediation
            .and_then(|remediation| remediation.auto_fix_node)
            .unwrap_or_else(|| variant.error.anchor());
        tally.judge(group.corrective(&variant).is_some(), node, AUTO_FIX, || {
            (
                format!(
                    "{} promises an automatic fix, but its action is not an operation here",
                    variant.name()
                ),
                "name the tool, skill or endpoint that does it, or set `auto_fix_available: false`"
                    .to_owned(),
            )
        });
    }
    if tally.counted() == 0 {
        lack(group, &mut tally, "no error promises a fix", TOOL, || {
            (
                "no error offers a corrective action".to_owned(),
                format!(
                    "set `auto_fix_available: true` in {} where a tool, skill or endpoint here repairs the failure",
                    group.spelled("remediation")
                ),
            )
        });
    }
    tally
}

/// Level 4.
pub(super) fn whole_loop<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    let diagnosed = diagnosis::operations(group) > 0;
    for variant in group.failures().filter(promises_fix) {
        let node = variant.error.anchor();
        let Some(action) = group.corrective(&variant) else {
            tally.miss(node, AUTO_FIX, || {
                (
                    format!("the fix of {} is not an operation here", variant.name()),
                    "name the tool, skill or endpoint that does it".to_owned(),
                )
            });
            continue;
        };
        let failed = group.operations.get(variant.at);
        let verified =
            group.is_verified(action) || failed.is_some_and(|failed| group.is_verified(failed));
        tally.judge(diagnosed && verified, node, UNVERIFIED, || {
            if diagnosed {
                (
                    format!("no operation verifies the fix of {}", variant.name()),
                    format!(
                        "add {} to `{}`",
                        extension::spelled(variant.format, "verify"),
                        action.name()
                    ),
                )
            } else {
                (
                    "no operation diagnoses the failure before it is fixed".to_owned(),
                    "add an operation such as `diagnose_…`".to_owned(),
                )
            }
        });
    }
    if tally.counted() == 0 {
        lack(
            group,
            &mut tally,
            "no error promises a fix",
            UNVERIFIED,
            || {
                (
                    "there is no fix that could be diagnosed, applied and verified".to_owned(),
                    "offer a corrective action first".to_owned(),
                )
            },
        );
    }
    tally
}

fn shows_request(variant: &Variant<'_>) -> bool {
    variant
        .remediation
        .and_then(|remediation| remediation.example_request)
        .is_some_and(|request| request.path.is_some() || request.body.is_some())
}

fn promises_fix(variant: &Variant<'_>) -> bool {
    variant
        .remediation
        .is_some_and(|remediation| remediation.auto_fix_available == Some(true))
}

/// Whether the caller of a failing operation gets the right arguments: in an example, or derived from the valid values.
fn is_corrected(group: &Group<'_>, variant: &Variant<'_>) -> bool {
    let error = variant.error;
    let shown = error.examples.iter().any(|example| {
        CORRECTED
            .iter()
            .any(|name| example.value.get(name).is_some_and(|node| !node.is_null()))
    });
    let derived = || {
        let on_agent = group
            .operations
            .get(variant.at)
            .is_some_and(Joined::is_on_agent_surface);
        (on_agent || group.rest_only)
            && error
                .valid_values
                .is_some_and(|values| values.is_object() && !values.is_empty())
    };
    shown || derived()
}

fn lack<'a>(
    group: &Group<'a>,
    tally: &mut Tally<'a>,
    instead: &'static str,
    rule: &'static str,
    words: impl FnOnce() -> (String, String),
) {
    let at = group
        .failures()
        .next()
        .map(|variant| variant.error.anchor());
    let at = at.or_else(|| {
        group
            .operations
            .iter()
            .find_map(Joined::first)
            .map(|operation| operation.anchor)
    });
    if let Some(node) = at {
        tally.lack(instead, node, rule, words);
    }
}

/// Members of a problem that hold the arguments put right.
const CORRECTED: &[&str] = &["corrected", "corrected_args", "corrected_params"];
