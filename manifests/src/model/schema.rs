//! A handle on a JSON Schema, an OpenAPI schema object, or a parameter that is its own schema.

use std::collections::BTreeSet;

use super::carrier::{self, Carrier};
use super::text::Text;
use crate::document::{Document, reference};
use crate::keyword;
use crate::node::{Kind, Node};
use crate::span::Place;
use crate::tree::Raw;

/// A schema somewhere in a document. Two words and a pointer; copied freely, nothing is looked up before it is asked for.
///
/// Accessors look at the schema itself first, and through its `$ref` second, so a description beside a `$ref` wins over the
/// one behind it. What stands in `allOf` is only looked at by methods that say so.
#[derive(Clone, Copy, Debug, Eq)]
pub struct Schema<'a> {
    document: Holder<'a>,
    node: Node<'a>,
}

/// The document, compared by identity.
#[derive(Clone, Copy)]
struct Holder<'a>(&'a Document);

impl PartialEq for Holder<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Holder<'_> {}

impl std::fmt::Debug for Holder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.entry().source().name())
    }
}

impl PartialEq for Schema<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl<'a> Schema<'a> {
    /// Takes a node for a schema.
    pub fn new(document: &'a Document, node: Node<'a>) -> Schema<'a> {
        Schema {
            document: Holder(document),
            node,
        }
    }

    /// The document.
    pub fn document(self) -> &'a Document {
        self.document.0
    }

    /// The node as it stands here, before any `$ref`.
    pub fn node(self) -> Node<'a> {
        self.node
    }

    /// File and bytes of the node.
    pub fn place(self) -> Place {
        self.node.place()
    }

    /// The string value of its `$ref`.
    pub fn reference(self) -> Option<Node<'a>> {
        reference(self.node)
    }

    /// The last part of its `$ref`, which is the name of the schema in most documents.
    pub fn reference_name(self) -> Option<&'a str> {
        let text = self.reference()?.text();
        let last = text.rsplit(['/', '#']).next()?;
        (!last.is_empty()).then_some(last)
    }

    /// The schema at the end of its `$ref`s; itself when there is none or when it leads nowhere.
    #[must_use]
    pub fn resolved(self) -> Schema<'a> {
        match self.document().resolve(self.node) {
            Some(node) => Schema { node, ..self },
            None => self,
        }
    }

    /// A keyword of the schema itself, or of what its `$ref` leads to.
    #[inline]
    pub fn get(self, keyword: &str) -> Option<Node<'a>> {
        // Here, because the keyword is a literal as a rule; see `Node::member`.
        self.get_hashed(keyword, keyword::hash(keyword.as_bytes()))
    }

    fn get_hashed(self, keyword: &str, hash: u32) -> Option<Node<'a>> {
        if let Some(found) = self.node.get_hashed(keyword, hash) {
            return Some(found);
        }
        // Without a reference there is nothing behind it, and most schemas have none.
        if !self.node.has_flag(Raw::REFERENCE) {
            return None;
        }
        self.resolved().node.get_hashed(keyword, hash)
    }

    /// A keyword as text.
    #[inline]
    pub fn text(self, keyword: &str) -> Option<Text<'a>> {
        Text::of(self.get(keyword)?)
    }

    /// Its types, `null` included; empty when it says nothing.
    pub fn types(self) -> Types {
        // Swagger 2.0 has no word of its own for it.
        let nullable = self.get("nullable").or_else(|| self.get("x-nullable"));
        Types::read(self.get("type"), nullable)
    }

    /// `format`.
    pub fn format(self) -> Option<Text<'a>> {
        self.text("format")
    }

    /// `pattern`.
    pub fn pattern(self) -> Option<Text<'a>> {
        self.text("pattern")
    }

    /// `title`.
    pub fn title(self) -> Option<Text<'a>> {
        self.text("title")
    }

    /// `description`.
    pub fn description(self) -> Option<Text<'a>> {
        self.text("description")
    }

    /// `default`.
    pub fn default(self) -> Option<Node<'a>> {
        self.get("default")
    }

    /// `const`.
    pub fn constant(self) -> Option<Node<'a>> {
        self.get("const")
    }

    /// `enum`, as the array it is.
    pub fn enumeration(self) -> Option<Node<'a>> {
        self.get("enum").filter(|node| node.is_array())
    }

    /// All example values: `example`, `x-example`, the items of `examples`, or the values of named examples.
    pub fn examples(self) -> Vec<Node<'a>> {
        let mut found: Vec<_> = self
            .get("example")
            .into_iter()
            .chain(self.get("x-example"))
            .collect();
        if let Some(examples) = self.get("examples") {
            found.extend(examples.items());
            for member in examples.members() {
                let named = self
                    .document()
                    .resolve(member.value)
                    .unwrap_or(member.value);
                found.push(named.get("value").unwrap_or(named));
            }
        }
        found
    }

    /// Whether it is marked as deprecated.
    pub fn is_deprecated(self) -> bool {
        self.is_true("deprecated")
    }

    /// Whether it is only ever sent by the server.
    pub fn is_read_only(self) -> bool {
        self.is_true("readOnly")
    }

    /// Whether it is only ever sent by the caller.
    pub fn is_write_only(self) -> bool {
        self.is_true("writeOnly")
    }

    #[inline]
    fn is_true(self, keyword: &str) -> bool {
        self.get(keyword).and_then(Node::as_bool) == Some(true)
    }

    /// `items` as one schema.
    pub fn items(self) -> Option<Schema<'a>> {
        self.get("items")
            .filter(|node| node.is_object())
            .map(|node| self.with(node))
    }

    /// The members of `allOf`, `oneOf` or `anyOf`.
    pub fn branches(self, keyword: &str) -> impl Iterator<Item = Schema<'a>> + use<'a> {
        self.get(keyword)
            .into_iter()
            .flat_map(Node::items)
            .map(move |node| self.with(node))
    }

    /// `additionalProperties` when it is a schema.
    pub fn additional_properties(self) -> Option<Schema<'a>> {
        self.get("additionalProperties")
            .filter(|node| node.is_object())
            .map(|node| self.with(node))
    }

    /// The properties it lists itself (or behind its `$ref`), in source order.
    pub fn properties(self) -> impl Iterator<Item = Property<'a>> + use<'a> {
        let owner = if self.node.get("properties").is_some() {
            self
        } else {
            self.resolved()
        };
        let members = owner
            .node
            .get("properties")
            .into_iter()
            .flat_map(Node::members);
        members.map(move |member| Property {
            key: member.key,
            schema: owner.with(member.value),
            owner,
        })
    }

    /// One property by name, looked for in the schema, behind its `$ref`, and in its `allOf` (not in `oneOf` and `anyOf`).
    pub fn property(self, name: &str) -> Option<Property<'a>> {
        self.all_properties()
            .into_iter()
            .find(|property| property.name() == name)
    }

    /// The properties of the schema, behind its `$ref` and in its `allOf` at any depth, each name once.
    pub fn all_properties(self) -> Vec<Property<'a>> {
        let mut names = BTreeSet::new();
        let mut found = self.every_property();
        found.retain(|property| names.insert(property.name()));
        found
    }

    /// The properties here and in every branch of `allOf`. One that is named in several branches, to narrow it, comes several times.
    pub fn every_property(self) -> Vec<Property<'a>> {
        let mut found: Vec<Property<'a>> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![self];
        while let Some(schema) = open.pop() {
            let schema = if schema.node.get("properties").is_some() {
                schema
            } else {
                schema.resolved()
            };
            if !seen.insert((schema.node.file(), schema.node.id)) {
                continue;
            }
            found.extend(schema.properties());
            let mut parts: Vec<_> = schema.branches("allOf").collect();
            parts.reverse();
            open.extend(parts);
        }
        found
    }

    /// Whether a property name is listed in `required`, here or in `allOf`.
    pub fn requires(self, name: &str) -> bool {
        let lists = |schema: Schema<'a>| {
            schema
                .get("required")
                .is_some_and(|list| list.items().any(|item| item.text() == name))
        };
        lists(self) || self.branches("allOf").any(lists)
    }

    /// Everything that names the allowed values, for the schema and for the items of an array; see [`Carrier`].
    pub fn carriers(self) -> Vec<Carrier<'a>> {
        carrier::carriers(self)
    }

    /// A schema of another node of the same document.
    #[must_use]
    pub fn with(self, node: Node<'a>) -> Schema<'a> {
        Schema { node, ..self }
    }
}

/// A property of an object schema.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Property<'a> {
    /// The key in `properties`.
    pub key: Node<'a>,
    /// Its schema.
    pub schema: Schema<'a>,
    /// The schema that lists it.
    pub owner: Schema<'a>,
}

impl<'a> Property<'a> {
    /// Its name.
    pub fn name(&self) -> &'a str {
        self.key.text()
    }

    /// Whether its owner requires it.
    pub fn is_required(&self) -> bool {
        self.owner.requires(self.name())
    }
}

/// A set of JSON types.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Types(u8);

impl Types {
    /// What the values of `type` and `nullable` say.
    pub fn read(kind: Option<Node<'_>>, nullable: Option<Node<'_>>) -> Types {
        let mut types = Types::default();
        match kind {
            Some(node) if node.is_array() => node.items().for_each(|item| types.add(item.text())),
            Some(node) => types.add(node.text()),
            None => {}
        }
        if nullable.and_then(Node::as_bool) == Some(true) {
            types.add("null");
        }
        types
    }

    /// Whether a type is in the set, by its name in JSON Schema.
    #[inline]
    pub fn contains(self, name: &str) -> bool {
        self.0 & Types::bit(name) != 0
    }

    /// Whether it is exactly this type, `null` aside.
    pub fn is_only(self, name: &str) -> bool {
        let (bit, null) = (Types::bit(name), Types::bit("null"));
        bit != 0 && (self.0 == bit || self.0 == bit | null)
    }

    /// The types of either set.
    #[must_use]
    pub fn union(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    /// Whether nothing was said.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The names in the set, in the order JSON Schema lists them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        TYPES
            .iter()
            .enumerate()
            .filter(move |(at, _)| self.0 & (1 << at) != 0)
            .map(|(_, name)| *name)
    }

    /// The type of a value.
    pub fn of(node: Node<'_>) -> &'static str {
        match node.kind() {
            Kind::Null => "null",
            Kind::Bool => "boolean",
            Kind::Number if node.as_i64().is_some() => "integer",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }

    fn add(&mut self, name: &str) {
        self.0 |= Types::bit(name);
    }

    /// The place of a name in [`TYPES`], as a bit. Asked for every schema, so the compiler gets a table it can see through.
    #[inline]
    const fn bit(name: &str) -> u8 {
        match name.as_bytes() {
            b"null" => 1,
            b"boolean" => 1 << 1,
            b"object" => 1 << 2,
            b"array" => 1 << 3,
            b"number" => 1 << 4,
            b"integer" => 1 << 5,
            b"string" => 1 << 6,
            b"file" => 1 << 7,
            _ => 0,
        }
    }
}

/// The types of JSON Schema, and `file` of Swagger 2.0.
const TYPES: [&str; 8] = [
    "null", "boolean", "object", "array", "number", "integer", "string", "file",
];
