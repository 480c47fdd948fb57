//! Literal values: what `enum`, `const` and a `oneOf` of constants list.

use std::collections::BTreeSet;

use aon_manifest::Node;

use super::keys::Keys;
use crate::ir::Choice;
use crate::json::Json;
use crate::names::{self, Unique};

/// The literal values of a schema, and whether `null` is one of them.
pub(super) struct Literals {
    pub(super) choices: Vec<Choice>,
    pub(super) nullable: bool,
    /// Whether they are the branches of a `oneOf`.
    pub(super) one_of: bool,
}

/// Reads the values a schema lists itself. None when it lists none, or when one of them is no scalar.
pub(super) fn literals(keys: &Keys<'_>) -> Option<Literals> {
    let mut raw = Vec::new();
    let mut one_of = false;
    if let Some(list) = keys.enumeration.filter(|list| list.is_array()) {
        raw.reserve(list.len());
        for (at, value) in list.items().enumerate() {
            let pick = |list: Option<Node<'_>>| {
                list.and_then(|list| list.item(at))
                    .map_or("", Node::text)
                    .to_owned()
            };
            raw.push((
                Json::of_node(value),
                pick(keys.labels),
                pick(keys.explanations),
            ));
        }
    } else if let Some(value) = keys.constant {
        raw.push((Json::of_node(value), String::new(), String::new()));
    } else {
        let branches = keys.branches()?;
        one_of = true;
        for branch in branches.items() {
            read_branch(branch, &mut raw)?;
        }
    }
    let mut nullable = keys.types().contains("null");
    let mut choices: Vec<Choice> = Vec::with_capacity(raw.len());
    let large = raw.len() > SMALL;
    // A number or bool and a string of the same text are two values.
    let mut seen: BTreeSet<(bool, String)> = BTreeSet::new();
    for (value, label, description) in raw {
        let text = match &value {
            Json::Null => {
                nullable = true;
                continue;
            }
            Json::String(text) | Json::Number(text) => text.as_str(),
            Json::Bool(true) => "true",
            Json::Bool(false) => "false",
            Json::Array(_) | Json::Object(_) => return None,
        };
        let is_known = if large {
            !seen.insert((value.as_str().is_some(), text.to_owned()))
        } else {
            choices.iter().any(|known| known.value == value)
        };
        if is_known {
            continue;
        }
        choices.push(Choice {
            variant: names::pascal(text),
            member: names::upper(text),
            value,
            label,
            description,
        });
    }
    tell_apart(&mut choices);
    (!choices.is_empty()).then_some(Literals {
        choices,
        nullable,
        one_of,
    })
}

/// Gives a number to the second of a name.
fn tell_apart(choices: &mut [Choice]) {
    let clash = |choice: &Choice, before: &[Choice]| {
        before
            .iter()
            .any(|known| known.variant == choice.variant || known.member == choice.member)
    };
    let fine = choices.len() <= SMALL
        && choices
            .iter()
            .enumerate()
            .all(|(at, choice)| !clash(choice, choices.get(..at).unwrap_or_default()));
    if fine {
        return;
    }
    let mut unique = (Unique::default(), Unique::default());
    for choice in choices {
        choice.variant = unique.0.take(std::mem::take(&mut choice.variant));
        choice.member = unique.1.take(std::mem::take(&mut choice.member));
    }
}

/// Up to here looking at all of them is faster than a table.
const SMALL: usize = 24;

/// The values of one branch of a `oneOf`; none when it is more than a list of values.
fn read_branch(branch: Node<'_>, raw: &mut Vec<(Json, String, String)>) -> Option<()> {
    if branch.is_array() {
        return None;
    }
    if !branch.is_object() {
        // A native manifest may list the values themselves.
        raw.push((Json::of_node(branch), String::new(), String::new()));
        return Some(());
    }
    let text = |key: &str| branch.get(key).map_or("", Node::text).to_owned();
    let label = [text("title"), text("label")]
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    if let Some(value) = branch.get("const") {
        raw.push((Json::of_node(value), label, text("description")));
    } else if let Some(list) = branch.get("enum").filter(|list| list.is_array()) {
        for value in list.items() {
            raw.push((Json::of_node(value), label.clone(), text("description")));
        }
    } else if let Some(value) = branch.get("value").filter(|_| branch.get("type").is_none()) {
        raw.push((Json::of_node(value), label, text("description")));
    } else if branch.get_str("type") == Some("null") {
        raw.push((Json::Null, String::new(), String::new()));
    } else {
        return None;
    }
    Some(())
}
