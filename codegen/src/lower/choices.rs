//! Literal values: what `enum`, `const` and a `oneOf` of constants list.

use aon_manifest::Node;
use aon_manifest::model::Schema;

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
pub(super) fn literals(schema: Schema<'_>) -> Option<Literals> {
    let mut raw = Vec::new();
    let mut one_of = false;
    let node = schema.node();
    if let Some(list) = node.get("enum").filter(|list| list.is_array()) {
        let labels = node
            .get("x-enum-varnames")
            .or_else(|| node.get("x-enumNames"));
        let descriptions = node
            .get("x-enum-descriptions")
            .or_else(|| node.get("x-enumDescriptions"));
        for (at, value) in list.items().enumerate() {
            let pick = |list: Option<Node<'_>>| {
                list.and_then(|list| list.item(at))
                    .map_or("", Node::text)
                    .to_owned()
            };
            raw.push((Json::of_node(value), pick(labels), pick(descriptions)));
        }
    } else if let Some(value) = node.get("const") {
        raw.push((Json::of_node(value), String::new(), String::new()));
    } else {
        let branches = node
            .get("oneOf")
            .or_else(|| node.get("anyOf"))
            .filter(|list| list.is_array())?;
        one_of = true;
        for branch in branches.items() {
            read_branch(branch, &mut raw)?;
        }
    }
    let mut nullable =
        node.get("nullable").and_then(Node::as_bool) == Some(true) || listed_null(node);
    let mut unique = (Unique::default(), Unique::default());
    let mut choices: Vec<Choice> = Vec::new();
    for (value, label, description) in raw {
        let text = match &value {
            Json::Null => {
                nullable = true;
                continue;
            }
            Json::String(text) | Json::Number(text) => text.clone(),
            Json::Bool(value) => value.to_string(),
            Json::Array(_) | Json::Object(_) => return None,
        };
        if choices.iter().any(|known| known.value == value) {
            continue;
        }
        choices.push(Choice {
            variant: unique.0.take(names::pascal(&text)),
            member: unique.1.take(names::upper(&text)),
            value,
            label,
            description,
        });
    }
    (!choices.is_empty()).then_some(Literals {
        choices,
        nullable,
        one_of,
    })
}

/// `type: [string, null]` beside the list.
fn listed_null(node: Node<'_>) -> bool {
    node.get("type")
        .is_some_and(|types| types.items().any(|name| name.text() == "null"))
}

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
