//! Every property an API uses, and whether callers send it or servers answer with it.

use super::Api;
use super::schema::{Property, Schema};
use crate::document::Document;
use crate::node::Node;

/// A property together with the positions it is used in.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct PropertyUse<'a> {
    /// The property.
    pub property: Property<'a>,
    /// Whether a request can carry it.
    pub in_request: bool,
    /// Whether a response can carry it.
    pub in_response: bool,
    /// The first operation that uses it, as an index into [`Api::operations`]; a request counts before a response. None when
    /// only a webhook or callback does.
    pub operation: Option<usize>,
}

/// The properties of request schemas; whether responses carry them too is not looked at.
pub(super) fn request_properties<'a>(api: &Api<'a>) -> Vec<PropertyUse<'a>> {
    walk_requests(api).finish()
}

fn walk_requests<'a>(api: &Api<'a>) -> Walk<'a> {
    let mut walk = Walk::new(api.document);
    for (index, operation) in api.operations.iter().enumerate() {
        walk.enter(operation.request_schemas(), REQUEST, Some(index));
    }
    walk
}

pub(super) fn properties<'a>(api: &Api<'a>) -> Vec<PropertyUse<'a>> {
    let mut walk = walk_requests(api);
    for (index, operation) in api.operations.iter().enumerate() {
        walk.enter(operation.response_schemas(), RESPONSE, Some(index));
    }
    for call in api.outgoing() {
        walk.enter(call.request_schemas(), RESPONSE, None);
    }
    walk.finish()
}

struct Walk<'a> {
    document: &'a Document,
    /// A byte for each node of each file: the directions it was visited in, and whether it is listed as a property.
    marks: Vec<Vec<u8>>,
    open: Vec<Node<'a>>,
    found: Vec<Found<'a>>,
}

struct Found<'a> {
    key: Node<'a>,
    value: Node<'a>,
    owner: Node<'a>,
    operation: Option<usize>,
}

impl<'a> Walk<'a> {
    fn new(document: &'a Document) -> Walk<'a> {
        let marks = document
            .files()
            .iter()
            .map(|tree| vec![0; tree.node_count()])
            .collect();
        Walk {
            document,
            marks,
            open: Vec::new(),
            found: Vec::new(),
        }
    }

    fn enter(
        &mut self,
        schemas: impl Iterator<Item = Schema<'a>>,
        direction: u8,
        operation: Option<usize>,
    ) {
        for schema in schemas {
            self.open.push(schema.node());
            while let Some(node) = self.open.pop() {
                if node.is_object() && self.mark(node, direction) {
                    self.visit(node, operation);
                }
            }
        }
    }

    fn visit(&mut self, node: Node<'a>, operation: Option<usize>) {
        for member in node.members() {
            let value = member.value;
            match member.name() {
                "$ref" | "$dynamicRef" => self.open.extend(self.document.target(value)),
                "properties" | "patternProperties" => {
                    for property in value.members() {
                        self.open.push(property.value);
                        if self.mark(property.value, LISTED) {
                            self.found.push(Found {
                                key: property.key,
                                value: property.value,
                                owner: node,
                                operation,
                            });
                        }
                    }
                }
                "allOf" | "oneOf" | "anyOf" | "prefixItems" => self.open.extend(value.items()),
                "items" if value.is_array() => self.open.extend(value.items()),
                "schema"
                | "items"
                | "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "unevaluatedProperties"
                | "unevaluatedItems"
                | "additionalItems" => self.open.push(value),
                "dependentSchemas" => self.open.extend(value.members().map(|member| member.value)),
                _ => {}
            }
        }
    }

    /// Sets a mark, and says whether it is new.
    fn mark(&mut self, node: Node<'a>, bit: u8) -> bool {
        let Some(mark) = self
            .marks
            .get_mut(node.file().index())
            .and_then(|marks| marks.get_mut(node.index()))
        else {
            return false;
        };
        let new = *mark & bit == 0;
        *mark |= bit;
        new
    }

    fn finish(self) -> Vec<PropertyUse<'a>> {
        let Walk {
            document,
            marks,
            found,
            ..
        } = self;
        let mark = |node: Node<'a>| {
            marks
                .get(node.file().index())
                .and_then(|marks| marks.get(node.index()))
                .copied()
                .unwrap_or(0)
        };
        let uses = found.into_iter().map(
            |Found {
                 key,
                 value,
                 owner,
                 operation,
             }| PropertyUse {
                property: Property {
                    key,
                    schema: Schema::new(document, value),
                    owner: Schema::new(document, owner),
                },
                in_request: mark(value) & REQUEST != 0,
                in_response: mark(value) & RESPONSE != 0,
                operation,
            },
        );
        uses.collect()
    }
}

const REQUEST: u8 = 1;
const RESPONSE: u8 = 2;
const LISTED: u8 = 4;
