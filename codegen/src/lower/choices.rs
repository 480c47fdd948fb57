//! Literal values: what `enum`, `const` and a `oneOf` of constants list.

use std::collections::BTreeSet;

use aon_manifest::{Kind, Node};

use super::keys::Keys;
use crate::ir::Choice;
use crate::json::{Tree, quote};
use crate::names::{self, Unique};

/// The literal values of a schema, and whether `null` is one of them.
pub(super) struct Literals<'a> {
    values: Vec<Literal<'a>>,
    pub(super) nullable: bool,
    /// Whether they are the branches of a `oneOf`.
    pub(super) one_of: bool,
}

/// A value, and what is said about it. The names are made later: large documents list the same values over and over, and those
/// become one type.
struct Literal<'a> {
    value: Scalar<'a>,
    label: &'a str,
    description: &'a str,
}

/// A value that is not a collection and not null.
#[derive(PartialEq)]
enum Scalar<'a> {
    Text(&'a str),
    Number(String),
    Bool(bool),
}

impl<'a> Literals<'a> {
    /// Whether the values are both bools.
    pub(super) fn is_boolean(&self) -> bool {
        let is_bool = |literal: &Literal<'_>| matches!(literal.value, Scalar::Bool(_));
        self.values.len() == 2 && self.values.iter().all(is_bool)
    }

    /// The values as text; other values give another text.
    pub(super) fn push_key(&self, key: &mut String) {
        for literal in &self.values {
            match &literal.value {
                Scalar::Text(text) => quote(text, key),
                other @ (Scalar::Number(_) | Scalar::Bool(_)) => key.push_str(other.text()),
            }
        }
    }

    /// Whether these are the values of a choice, with the same words about them.
    pub(super) fn is_same(&self, choices: &[Choice]) -> bool {
        let same = |(literal, choice): (&Literal<'_>, &Choice)| {
            let value = match (&literal.value, &choice.value) {
                (Scalar::Text(a), Tree::String(b)) => a == b,
                (Scalar::Number(a), Tree::Number(b)) => a == b,
                (Scalar::Bool(a), Tree::Bool(b)) => a == b,
                _ => false,
            };
            value && literal.label == choice.label && literal.description == choice.description
        };
        self.values.len() == choices.len() && self.values.iter().zip(choices).all(same)
    }

    /// The values with names in each language.
    pub(super) fn into_choices(self) -> Vec<Choice> {
        let named = |literal: Literal<'a>| Choice {
            variant: names::pascal(literal.value.text()),
            member: names::upper(literal.value.text()),
            value: literal.value.into_json(),
            label: literal.label.to_owned(),
            description: literal.description.to_owned(),
        };
        let mut choices: Vec<Choice> = self.values.into_iter().map(named).collect();
        tell_apart(&mut choices);
        choices
    }
}

impl<'a> Scalar<'a> {
    /// None for a collection and for null.
    fn of(node: Node<'a>) -> Option<Scalar<'a>> {
        match node.kind() {
            Kind::Bool => Some(Scalar::Bool(node.as_bool().unwrap_or_default())),
            Kind::String => Some(Scalar::Text(node.text())),
            Kind::Number => Some(Scalar::Number(Tree::of_node(node).to_compact())),
            Kind::Null | Kind::Array | Kind::Object => None,
        }
    }

    fn text(&self) -> &str {
        match self {
            Scalar::Text(text) => text,
            Scalar::Number(text) => text,
            Scalar::Bool(true) => "true",
            Scalar::Bool(false) => "false",
        }
    }

    fn into_json(self) -> Tree {
        match self {
            Scalar::Text(text) => Tree::from(text),
            Scalar::Number(text) => Tree::Number(text),
            Scalar::Bool(value) => Tree::Bool(value),
        }
    }
}

/// Reads the values a schema lists itself. None when it lists none, or when one of them is not a scalar.
pub(super) fn literals<'a>(keys: &Keys<'a>) -> Option<Literals<'a>> {
    let mut found = Found::default();
    let mut one_of = false;
    if let Some(list) = keys.enumeration.filter(|list| list.is_array()) {
        found.values.reserve_exact(list.len());
        for (at, value) in list.items().enumerate() {
            let pick =
                |list: Option<Node<'a>>| list.and_then(|list| list.item(at)).map_or("", Node::text);
            found.add(value, pick(keys.labels), pick(keys.explanations))?;
        }
    } else if let Some(value) = keys.constant {
        found.add(value, "", "")?;
    } else {
        let branches = keys.branches()?;
        one_of = true;
        for branch in branches.items() {
            found.add_branch(branch)?;
        }
    }
    (!found.values.is_empty()).then(|| Literals {
        values: found.values,
        nullable: found.nullable || keys.types().contains("null"),
        one_of,
    })
}

/// Values without repetition.
#[derive(Default)]
struct Found<'a> {
    values: Vec<Literal<'a>>,
    nullable: bool,
    /// Texts of a long list. A number or bool and a string of the same text are two values.
    seen: BTreeSet<(bool, String)>,
}

impl<'a> Found<'a> {
    fn add(&mut self, node: Node<'a>, label: &'a str, description: &'a str) -> Option<()> {
        // A number that JSON does not have, such as `.inf` in YAML, counts as null.
        if node.is_null() || node.as_f64().is_some_and(|number| !number.is_finite()) {
            self.nullable = true;
            return Some(());
        }
        let value = Scalar::of(node)?;
        if !self.knows(&value) {
            self.values.push(Literal {
                value,
                label,
                description,
            });
        }
        Some(())
    }

    fn knows(&mut self, value: &Scalar<'a>) -> bool {
        if self.values.len() < SMALL {
            return self.values.iter().any(|known| known.value == *value);
        }
        let entry = |value: &Scalar<'a>| {
            let is_text = matches!(value, Scalar::Text(_));
            (is_text, value.text().to_owned())
        };
        if self.seen.is_empty() {
            self.seen
                .extend(self.values.iter().map(|known| entry(&known.value)));
        }
        !self.seen.insert(entry(value))
    }

    /// The values of one branch of a `oneOf`; none when it is more than a list of values.
    fn add_branch(&mut self, branch: Node<'a>) -> Option<()> {
        if branch.is_array() {
            return None;
        }
        if !branch.is_object() {
            // A native manifest may list the values themselves.
            return self.add(branch, "", "");
        }
        let text = |key: &str| branch.get(key).map_or("", Node::text);
        let label = || {
            let title = text("title");
            if title.is_empty() {
                text("label")
            } else {
                title
            }
        };
        if let Some(value) = branch.get("const") {
            self.add(value, label(), text("description"))
        } else if let Some(list) = branch.get("enum").filter(|list| list.is_array()) {
            let (label, description) = (label(), text("description"));
            list.items()
                .try_for_each(|value| self.add(value, label, description))
        } else if let Some(value) = branch.get("value").filter(|_| branch.get("type").is_none()) {
            self.add(value, label(), text("description"))
        } else if branch.get_str("type") == Some("null") {
            self.nullable = true;
            Some(())
        } else {
            None
        }
    }
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
