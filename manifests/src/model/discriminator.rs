//! Discriminators: the property whose value tells which of several schemas is meant.

use std::collections::BTreeMap;

use super::Api;
use super::schema::Schema;
use super::text::Text;
use crate::node::Node;
use crate::tree::Tree;

/// A `discriminator` of OpenAPI or Swagger. It names the allowed values of a property, although no keyword of that property does.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Discriminator<'a> {
    /// The object, or the string of Swagger 2.0.
    pub node: Node<'a>,
    /// The name of the property.
    pub property: Text<'a>,
    /// The values: the keys of `mapping`, and the names of the schemas that are in no mapping.
    pub values: Vec<&'a str>,
}

/// All discriminators of a document, by the schemas whose property they speak about.
#[derive(Clone, Debug, Default)]
pub struct Discriminators<'a> {
    all: Vec<Discriminator<'a>>,
    by_owner: BTreeMap<(usize, usize), Vec<usize>>,
}

impl<'a> Discriminators<'a> {
    /// The discriminator that names the values of a property, given the schema that lists it.
    pub fn of(&self, owner: Schema<'a>, property: &str) -> Option<&Discriminator<'a>> {
        let found = self.by_owner.get(&id(owner.node()))?;
        found
            .iter()
            .filter_map(|at| self.all.get(*at))
            .find(|own| own.property.as_str() == property)
    }

    fn add(&mut self, discriminator: Discriminator<'a>, holder: Schema<'a>, others: &[Schema<'a>]) {
        let at = self.all.len();
        self.all.push(discriminator);
        let mut open: Vec<Schema<'a>> = std::iter::once(holder)
            .chain(others.iter().copied())
            .collect();
        while let Some(schema) = open.pop() {
            let schema = schema.resolved();
            let known = self.by_owner.entry(id(schema.node())).or_default();
            if !known.contains(&at) {
                known.push(at);
                open.extend(schema.branches("allOf"));
            }
        }
    }
}

pub(super) fn discriminators<'a>(api: &Api<'a>) -> Discriminators<'a> {
    let mut found = Discriminators::default();
    for tree in api.document.files() {
        for node in nodes(tree) {
            let Some(holder) = node.parent().map(|node| Schema::new(api.document, node)) else {
                continue;
            };
            // Swagger 2.0 has the name alone.
            let name = Text::member(node, "propertyName").or_else(|| Text::of(node));
            let Some(property) = name else {
                continue;
            };
            let (values, schemas) = values(api, holder, node);
            if values.is_empty() {
                continue;
            }
            let discriminator = Discriminator {
                node,
                property,
                values,
            };
            found.add(discriminator, holder, &schemas);
        }
    }
    found
}

/// The values of every member named `discriminator`.
fn nodes(tree: &Tree) -> impl Iterator<Item = Node<'_>> {
    let keys = tree.discriminators.iter();
    keys.filter_map(|key| tree.node(*key as usize)?.value())
}

/// The values a discriminator allows, and the schemas they stand for.
fn values<'a>(
    api: &Api<'a>,
    holder: Schema<'a>,
    node: Node<'a>,
) -> (Vec<&'a str>, Vec<Schema<'a>>) {
    let (mut values, mut schemas) = (Vec::new(), Vec::new());
    for member in node.get("mapping").into_iter().flat_map(Node::members) {
        values.push(member.key.text());
        let target = api.document.target(member.value);
        schemas.extend(target.map(|node| holder.with(node)));
    }
    let mapped = !values.is_empty();
    let union = ["oneOf", "anyOf"];
    for branch in union.into_iter().flat_map(|word| holder.branches(word)) {
        schemas.push(branch);
        values.extend(branch.reference_name().filter(|_| !mapped));
    }
    if values.is_empty() {
        // Without a list the schemas that build on this one are meant, by their names.
        for (name, schema) in api.schemas() {
            let extends = |part: Schema<'a>| part.resolved() == holder && part != holder;
            if schema.branches("allOf").any(extends) {
                values.push(name.node().text());
                schemas.push(schema);
            }
        }
    }
    (values, schemas)
}

fn id(node: Node<'_>) -> (usize, usize) {
    (node.file().index(), node.index())
}
