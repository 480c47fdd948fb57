//! What carries the allowed values of a choice (contract R1).

use super::schema::Schema;
use super::text::Text;
use crate::node::Node;

/// One thing that says which values are allowed. A parameter should have exactly one; all that are found are kept, so that a
/// rule can report two.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Carrier<'a> {
    /// What it is.
    pub kind: CarrierKind,
    /// The value of the keyword: the array of `enum` or `oneOf`, the text of `choices_endpoint`.
    pub node: Node<'a>,
    /// The schema that has the keyword.
    pub schema: Schema<'a>,
    /// Where it was found, seen from the schema that was asked.
    pub reach: Reach,
}

/// How far a carrier is from the schema that was asked.
#[expect(
    clippy::exhaustive_enums,
    reason = "these are the ways from one schema to another that keep the value the same"
)]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Reach {
    /// On the schema itself.
    Own,
    /// Behind `$ref`, in `allOf`, or in the only branch of `oneOf`/`anyOf` that is not `null`.
    Inherited,
    /// In one of several branches, so values outside it may be allowed.
    Branch,
    /// On the items of an array, or on the keys or values of a map.
    Items,
}

/// The sorts of carriers.
#[expect(
    clippy::exhaustive_enums,
    reason = "contract R1 names the carriers; `const` is an enum of one"
)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum CarrierKind {
    /// `enum` (or `x-extensible-enum`).
    Enum,
    /// `const`.
    Const,
    /// `oneOf`, or `anyOf` of literals.
    OneOf,
    /// `choices_endpoint` or `x-choices-endpoint`.
    ChoicesEndpoint,
}

impl<'a> Carrier<'a> {
    /// The key, to underline.
    pub fn key(&self) -> Option<Node<'a>> {
        self.node.key()
    }

    /// Whether it lists literal values: an `enum`, a `const`, or a `oneOf` of which every branch is one.
    pub fn is_literal(&self) -> bool {
        match self.kind {
            CarrierKind::Enum | CarrierKind::Const => true,
            CarrierKind::OneOf => {
                !self.node.is_empty()
                    && self
                        .node
                        .items()
                        .all(|branch| is_literal(self.schema.with(branch)))
            }
            CarrierKind::ChoicesEndpoint => false,
        }
    }

    /// The literal values, with the label and description of a `oneOf` branch (`title`, `description`) or of the vendor
    /// extensions `x-enum-varnames`, `x-enumNames`, `x-enum-descriptions` and `x-ms-enum`.
    pub fn choices(&self) -> Vec<Choice<'a>> {
        let bare = |value| Choice {
            value,
            label: None,
            description: None,
        };
        match self.kind {
            CarrierKind::Const => vec![bare(self.node)],
            CarrierKind::Enum => {
                let first = |words: &[&str]| words.iter().find_map(|word| self.schema.get(word));
                let names = first(&["x-enum-varnames", "x-enumNames", "x-enum-names"]);
                let descriptions = first(&["x-enum-descriptions", "x-enumDescriptions"]);
                let texts = |list: Option<Node<'a>>| -> Vec<Option<Text<'a>>> {
                    list.into_iter()
                        .flat_map(Node::items)
                        .map(Text::of)
                        .collect()
                };
                let (names, descriptions) = (texts(names), texts(descriptions));
                let pick = |list: &[Option<Text<'a>>], at: usize| list.get(at).copied().flatten();
                // `x-ms-enum` repeats the values, with words.
                let more = first(&["x-ms-enum"]).and_then(|own| own.get("values"));
                let about = |value: Node<'a>, word: &str| {
                    let mut all = more.into_iter().flat_map(Node::items);
                    let own = |item: &Node<'a>| {
                        let own = item.get("value");
                        own.is_some_and(|own| own.text() == value.text())
                    };
                    all.find(own).and_then(|item| Text::member(item, word))
                };
                let values = self.node.items().enumerate();
                values
                    .map(|(at, value)| Choice {
                        value,
                        label: pick(&names, at).or_else(|| about(value, "name")),
                        description: pick(&descriptions, at)
                            .or_else(|| about(value, "description")),
                    })
                    .collect()
            }
            CarrierKind::OneOf => self
                .node
                .items()
                .flat_map(|branch| branch_choices(self.schema.with(branch)))
                .collect(),
            CarrierKind::ChoicesEndpoint => Vec::new(),
        }
    }

    /// The address of a `choices_endpoint`: the text, or `path`/`url`/`endpoint` of an object.
    pub fn endpoint(&self) -> Option<Text<'a>> {
        if self.kind != CarrierKind::ChoicesEndpoint {
            return None;
        }
        Text::of(self.node).or_else(|| Text::first(self.node, &["path", "url", "endpoint", "href"]))
    }
}

/// One allowed value.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// The value.
    pub value: Node<'a>,
    /// A short name for people.
    pub label: Option<Text<'a>>,
    /// A sentence for people.
    pub description: Option<Text<'a>>,
}

pub(super) fn carriers(schema: Schema<'_>) -> Vec<Carrier<'_>> {
    let mut search = Search {
        found: Vec::new(),
        first: schema.node(),
        seen: Vec::new(),
    };
    if schema.node().is_object() {
        search.look(schema, Reach::Own);
    }
    search.found
}

/// A search through compositions and references. Each schema is looked at once, and after [`MAX_SCHEMAS`] it ends.
struct Search<'a> {
    found: Vec<Carrier<'a>>,
    /// Where it began; most searches see nothing else, and need no list.
    first: Node<'a>,
    /// The others.
    seen: Vec<Node<'a>>,
}

impl<'a> Search<'a> {
    fn collect(&mut self, schema: Schema<'a>, reach: Reach) {
        let node = schema.node();
        if self.seen.len() + 1 >= MAX_SCHEMAS
            || !node.is_object()
            || node == self.first
            || self.seen.contains(&node)
        {
            return;
        }
        self.seen.push(node);
        self.look(schema, reach);
    }

    fn look(&mut self, schema: Schema<'a>, reach: Reach) {
        let onward = if reach == Reach::Own {
            Reach::Inherited
        } else {
            reach
        };
        let mut target = None;
        for member in schema.node().members() {
            let value = member.value;
            let mut push = |kind| {
                self.found.push(Carrier {
                    kind,
                    node: value,
                    schema,
                    reach,
                });
            };
            match member.name() {
                "enum" | "x-extensible-enum" if value.is_array() => push(CarrierKind::Enum),
                "const" => push(CarrierKind::Const),
                "choices_endpoint" | "x-choices-endpoint" | "x-aon-choices-endpoint"
                    if !value.is_null() =>
                {
                    push(CarrierKind::ChoicesEndpoint);
                }
                "$ref" | "$dynamicRef" if value.as_str().is_some() => {
                    target = schema.document().resolve(schema.node());
                }
                "allOf" => value
                    .items()
                    .for_each(|part| self.collect(schema.with(part), onward)),
                "oneOf" | "anyOf" if value.is_array() => {
                    self.alternatives(schema, member.name() == "oneOf", value, reach);
                }
                "items" | "additionalProperties" | "propertyNames" if value.is_object() => {
                    self.collect(schema.with(value), Reach::Items);
                }
                _ => {}
            }
        }
        if let Some(target) = target {
            self.collect(schema.with(target), onward);
        }
    }

    fn alternatives(&mut self, schema: Schema<'a>, one_of: bool, node: Node<'a>, reach: Reach) {
        let real: Vec<_> = node
            .items()
            .map(|branch| schema.with(branch))
            .filter(|branch| !is_null(*branch))
            .collect();
        if let [only] = real.as_slice() {
            // `anyOf: [X, null]` is how an optional X is written.
            let onward = if reach == Reach::Own {
                Reach::Inherited
            } else {
                reach
            };
            if node.len() > 1 {
                return self.collect(*only, onward);
            }
        }
        let literal = !real.is_empty() && real.iter().all(|branch| is_literal(*branch));
        if one_of || literal {
            self.found.push(Carrier {
                kind: CarrierKind::OneOf,
                node,
                schema,
                reach,
            });
        }
        if !literal {
            let onward = if reach == Reach::Items {
                reach
            } else {
                Reach::Branch
            };
            for branch in real {
                self.collect(branch, onward);
            }
        }
    }
}

fn is_null(schema: Schema<'_>) -> bool {
    let schema = schema.resolved();
    schema.types().is_only("null") || schema.constant().is_some_and(Node::is_null)
}

fn is_literal(branch: Schema<'_>) -> bool {
    let node = branch.node();
    if !node.is_object() {
        // A native manifest may list the values themselves.
        return !node.is_array();
    }
    branch.constant().is_some() || branch.enumeration().is_some() || is_null(branch)
}

fn branch_choices(branch: Schema<'_>) -> Vec<Choice<'_>> {
    let node = branch.node();
    if !node.is_object() {
        return vec![Choice {
            value: node,
            label: None,
            description: None,
        }];
    }
    let (label, description) = (branch.title(), branch.description());
    if let Some(value) = branch.constant() {
        return vec![Choice {
            value,
            label,
            description,
        }];
    }
    branch
        .enumeration()
        .into_iter()
        .flat_map(Node::items)
        .map(|value| Choice {
            value,
            label,
            description,
        })
        .collect()
}

/// How many schemas are looked at in search of carriers.
const MAX_SCHEMAS: usize = 64;
