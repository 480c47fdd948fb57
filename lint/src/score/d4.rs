//! D4, auto-fix: can the platform put it right?

use aon_manifest::model::Operation;

use super::blame::{AUTO_FIX, REMEDIATION, TOOL, UNVERIFIED, VALID_VALUES};
use super::d3::is_honest_none;
use super::evidence::Tally;
use super::group::{Group, Joined, Variant};
use super::words;

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
    let mut tally = Tally::holding(group.failures().filter(shows_request).count());
    if tally.held == 0 {
        miss_at_failure(group, &mut tally, REMEDIATION, || {
            (
                "no error shows a request that would have worked".to_owned(),
                "add `example_request` with method, path and body to a remediation".to_owned(),
            )
        });
    }
    tally
}

/// Level 2. Where an error names the valid values on an agent surface, the corrected arguments follow from them (P11).
pub(super) fn diagnosis<'a>(group: &Group<'a>) -> Tally<'a> {
    let corrections = group
        .failures()
        .filter(|variant| is_corrected(group, variant))
        .count();
    let mut tally = Tally::holding(diagnosing(group) + corrections);
    if tally.held == 0 {
        miss_at_failure(group, &mut tally, VALID_VALUES, || {
            (
                "no operation diagnoses a failure, and no error leads to corrected arguments".to_owned(),
                "add an operation such as `diagnose_…`, or `valid_values` on an operation that is a tool or skill".to_owned(),
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
                    "{} promises an automatic fix, but its action is no operation here",
                    variant.name()
                ),
                "name the tool, skill or endpoint that does it, or set `auto_fix_available: false`"
                    .to_owned(),
            )
        });
    }
    if tally.held + tally.missed == 0 {
        miss_at_failure(group, &mut tally, TOOL, || {
            (
                "no error offers a corrective action".to_owned(),
                "set `auto_fix_available: true` where a tool, skill or endpoint here repairs the failure".to_owned(),
            )
        });
    }
    tally
}

/// Level 4.
pub(super) fn whole_loop<'a>(group: &Group<'a>) -> Tally<'a> {
    let mut tally = Tally::default();
    let diagnosed = diagnosing(group) > 0;
    for variant in group.failures().filter(promises_fix) {
        let node = variant.error.anchor();
        let Some(action) = group.corrective(&variant) else {
            tally.miss(node, AUTO_FIX, || {
                (
                    format!("the fix of {} is no operation here", variant.name()),
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
                    format!("add `verify` to `{}`", action.name()),
                )
            } else {
                (
                    "no operation diagnoses the failure before it is fixed".to_owned(),
                    "add an operation such as `diagnose_…`".to_owned(),
                )
            }
        });
    }
    if tally.held + tally.missed == 0 {
        miss_at_failure(group, &mut tally, UNVERIFIED, || {
            (
                "there is no fix that could be diagnosed, applied and verified".to_owned(),
                "offer a corrective action first".to_owned(),
            )
        });
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
        on_agent
            && error
                .valid_values
                .is_some_and(|values| values.is_object() && !values.is_empty())
    };
    shown || derived()
}

/// How many operations diagnose.
fn diagnosing(group: &Group<'_>) -> usize {
    let diagnoses = |operation: &Operation<'_>| {
        let tool = operation.tool_name();
        let names = operation
            .id
            .map(|id| id.node().text())
            .into_iter()
            .chain(operation.path.map(|path| path.node().text()))
            .chain(tool.as_deref())
            .chain(operation.skill().map(|skill| skill.node().text()))
            .chain(operation.tags.iter().map(|tag| tag.node().text()));
        names
            .into_iter()
            .any(|name| words::has_word(name, DIAGNOSIS))
    };
    let operations = group.operations.iter();
    operations
        .filter(|joined| {
            joined
                .members
                .iter()
                .any(|member| diagnoses(member.operation))
        })
        .count()
}

fn miss_at_failure<'a>(
    group: &Group<'a>,
    tally: &mut Tally<'a>,
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
        tally.miss(node, rule, words);
    }
}

/// Words by which an operation that diagnoses is known: in its id, path, tool, skill or tags.
const DIAGNOSIS: &[&str] = &[
    "diagnose",
    "diagnosis",
    "diagnostic",
    "diagnostics",
    "validate",
    "validation",
    "check",
    "inspect",
    "troubleshoot",
    "preflight",
    "dryrun",
    "doctor",
    "probe",
];

/// Members of a problem that hold the arguments put right.
const CORRECTED: &[&str] = &["corrected", "corrected_args", "corrected_params"];
