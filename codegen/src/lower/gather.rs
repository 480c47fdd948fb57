//! What `allOf` puts together, and what stands beside it.

use std::collections::BTreeSet;

use aon_manifest::model::Schema;
use aon_manifest::{FileId, Node};

use super::keys::Keys;

/// The one part of `allOf` that says what the value is.
pub(super) fn principal<'a>(keys: &Keys<'a>) -> Option<Node<'a>> {
    let telling = [
        "$ref", "type", "enum", "const", "oneOf", "anyOf", "allOf", "items",
    ];
    keys.all_of?
        .items()
        .filter(|part| part.is_object())
        .find(|part| telling.iter().any(|key| part.get(key).is_some()))
}

/// The members of all parts, and the alternatives that hold beside them.
#[derive(Default)]
pub(super) struct Gathered<'a> {
    /// Sorted by name.
    pub(super) properties: Vec<(&'a str, Schema<'a>)>,
    /// Sorted.
    pub(super) required: Vec<&'a str>,
    pub(super) others: Option<Node<'a>>,
    pub(super) alternatives: Vec<Alternative<'a>>,
}

/// A choice between types that holds beside the members.
pub(super) enum Alternative<'a> {
    /// `oneOf` or `anyOf` of the schema itself: the list.
    Own(Node<'a>),
    /// A part of `allOf` that is a choice.
    Part(Schema<'a>),
}

impl<'a> Gathered<'a> {
    pub(super) fn requires(&self, name: &str) -> bool {
        self.required.binary_search(&name).is_ok()
    }

    fn own(&mut self, schema: Schema<'a>, keys: &Keys<'a>) {
        if let Some(properties) = keys.properties {
            self.properties.extend(
                properties
                    .members()
                    .map(|member| (member.name(), schema.with(member.value))),
            );
        }
        if let Some(required) = keys.required {
            self.required.extend(required.items().map(Node::text));
        }
        self.others = self.others.or(keys.additional);
    }

    fn settle(&mut self) {
        // The sort is stable, so the first of a name is the one that was found first.
        self.properties.sort_by_key(|(name, _)| *name);
        self.properties.dedup_by_key(|(name, _)| *name);
        self.required.sort_unstable();
    }
}

/// The members of a schema that describes an object, and of all that it is put together from. None when it describes something
/// else.
pub(super) fn record<'a>(schema: Schema<'a>, keys: &Keys<'a>) -> Option<Gathered<'a>> {
    let own = keys.properties.is_some_and(|list| !list.is_empty());
    let mut all = Gathered::default();
    if keys.all_of.is_none() {
        let closed = keys.additional.and_then(Node::as_bool) == Some(false);
        let empty = closed && keys.types().is_only("object") && keys.pattern_properties.is_none();
        if !own && !empty {
            return None;
        }
        all.own(schema, keys);
        all.settle();
        if own && let Some(list) = keys.branches().filter(|list| tells(*list)) {
            all.alternatives.push(Alternative::Own(list));
        }
        return Some(all);
    }
    let parts = keys.all_of.filter(|parts| parts.is_array());
    let alone = parts.is_some_and(|parts| {
        parts.len() == 1 && parts.item(0).is_some_and(|part| part.get("$ref").is_some())
    });
    let list = keys.branches().filter(|list| tells(*list));
    if !own && alone && list.is_none() {
        return None;
    }
    gather(schema, keys, &mut all);
    all.alternatives.extend(list.map(Alternative::Own));
    all.settle();
    let useful = !all.properties.is_empty() || all.alternatives.len() > 1;
    useful.then_some(all)
}

fn gather<'a>(schema: Schema<'a>, keys: &Keys<'a>, all: &mut Gathered<'a>) {
    let mut seen = BTreeSet::from([node_key(schema)]);
    all.own(schema, keys);
    let mut open = Vec::new();
    push_parts(schema, keys, &mut open);
    while let Some(part) = open.pop() {
        let resolved = part.resolved();
        if !seen.insert(node_key(resolved)) {
            continue;
        }
        let keys = Keys::of(resolved.node());
        let is_choice = keys.enumeration.is_none() && keys.branches().is_some_and(tells);
        if is_choice {
            all.alternatives.push(Alternative::Part(part));
            continue;
        }
        all.own(resolved, &keys);
        push_parts(resolved, &keys, &mut open);
    }
}

fn push_parts<'a>(schema: Schema<'a>, keys: &Keys<'a>, open: &mut Vec<Schema<'a>>) {
    let before = open.len();
    open.extend(
        keys.all_of
            .into_iter()
            .flat_map(Node::items)
            .map(|part| schema.with(part)),
    );
    if let Some(fresh) = open.get_mut(before..) {
        fresh.reverse();
    }
}

/// Whether every branch says what the value is. `anyOf` with lists of `required` is a condition and no choice between types.
fn tells(list: Node<'_>) -> bool {
    let telling = |branch: Node<'_>| {
        let keys = Keys::of(branch);
        let scalar = keys
            .kind
            .is_some_and(|kind| kind.is_array() || !matches!(kind.text(), "object" | ""));
        scalar
            || keys.reference.is_some()
            || keys.properties.is_some_and(|list| !list.is_empty())
            || keys.enumeration.is_some()
            || keys.constant.is_some()
            || keys.branches().is_some()
            || keys.all_of.is_some()
            || keys.items.is_some()
            || keys.additional.is_some_and(Node::is_object)
    };
    !list.is_empty() && list.items().all(telling)
}

/// What tells schemas apart.
pub(super) type Key = (usize, FileId, usize);

pub(super) fn node_key(schema: Schema<'_>) -> Key {
    let node = schema.node();
    // The trees of one document never move while it is borrowed, so the address tells documents apart.
    (
        std::ptr::from_ref(schema.document()).addr(),
        node.file(),
        node.index(),
    )
}
