//! Which operations find out what would go wrong, or went wrong.

use aon_manifest::model::{Method, Operation};

use super::group::{Group, Joined};
use super::words;

/// How many operations diagnose: by their name, or because they can be tried without an effect.
pub(super) fn operations(group: &Group<'_>) -> usize {
    let diagnoses = |joined: &&Joined<'_>| {
        joined.members.iter().any(|member| {
            let operation = member.operation;
            can_be_tried(operation)
                || has_word(operation, CLEAR)
                || (has_word(operation, VAGUE) && serves_another(group, joined, operation))
        })
    };
    group.operations.iter().filter(diagnoses).count()
}

fn has_word(operation: &Operation<'_>, wanted: &[&str]) -> bool {
    let tool = operation.tool_name();
    let names = operation
        .id
        .map(|id| id.node().text())
        .into_iter()
        .chain(operation.path.map(|path| path.node().text()))
        .chain(tool.as_deref())
        .chain(operation.skill().map(|skill| skill.node().text()))
        .chain(operation.tags.iter().map(|tag| tag.node().text()));
    names.into_iter().any(|name| words::has_word(name, wanted))
}

/// Whether a parameter says that nothing is to be done.
fn can_be_tried(operation: &Operation<'_>) -> bool {
    let is_dry = |name: &str| TRIALS.iter().any(|trial| words::same(name, trial));
    let parameters = operation.parameters.iter();
    let mut named = parameters.map(aon_manifest::model::Parameter::name);
    !matches!(operation.method, Some(Method::Get | Method::Head)) && named.any(is_dry)
}

/// Whether another operation changes the thing that this one looks at. `validate` beside the operation that takes what is
/// validated is a diagnosis; a service whose product is validation, or a health check, is not.
fn serves_another(group: &Group<'_>, own: &Joined<'_>, operation: &Operation<'_>) -> bool {
    let others = || {
        let others = group
            .operations
            .iter()
            .filter(|other| !std::ptr::eq(*other, own));
        others.flat_map(|other| other.members.iter().map(|member| member.operation))
    };
    let writes = |other: &&Operation<'_>| {
        other
            .method
            .is_none_or(|method| !matches!(method, Method::Get | Method::Head))
    };
    let resource = operation.path.and_then(|path| resource(&path));
    let beside = |other: &Operation<'_>| {
        let shape = other.path.map(|path| words::shape_of_path(&path));
        shape.is_some() && shape == resource
    };
    let thing = operation.id.and_then(|id| words::without_word(&id, VAGUE));
    let about = |other: &Operation<'_>| {
        let name = other.id.map(|id| words::plain(&id)).unwrap_or_default();
        let own = thing.as_deref();
        own.is_some_and(|own| name.contains(own)) && !has_word(other, VAGUE)
    };
    // Where there are paths they say more than names do.
    let serves = |other: &Operation<'_>| match operation.path {
        Some(_) => resource.is_some() && beside(other),
        None => about(other),
    };
    others().filter(writes).any(serves)
}

/// The shape of a path up to the segment that has the word: `/orders/{id}/validate` is about `/orders/{id}`.
fn resource(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let at = parts.iter().position(|part| words::has_word(part, VAGUE))?;
    let before = parts.get(..at).filter(|before| !before.is_empty())?;
    Some(words::shape_of_path(&before.join("/")))
}

/// Words that mean a diagnosis wherever they stand: in an id, path, tool, skill or tag.
const CLEAR: &[&str] = &[
    "diagnose",
    "diagnostic",
    "diagnostics",
    "troubleshoot",
    "dryrun",
];

/// Words that mean one beside the operation they serve.
const VAGUE: &[&str] = &[
    "check",
    "diagnosis",
    "doctor",
    "inspect",
    "preflight",
    "probe",
    "validate",
    "validation",
];

/// Parameters that make a call without an effect.
const TRIALS: &[&str] = &["dry_run", "validate_only", "preflight", "simulate"];
