//! What `allOf` puts together.

use std::collections::{BTreeMap, BTreeSet};

use aon_manifest::model::Schema;
use aon_manifest::{FileId, Node};

/// The one part of `allOf` that says what the value is.
pub(super) fn principal<'a>(schema: Schema<'a>) -> Option<Node<'a>> {
    let parts: Vec<Node<'a>> = schema
        .node()
        .get("allOf")?
        .items()
        .filter(|part| part.is_object())
        .collect();
    let telling = [
        "$ref", "type", "enum", "const", "oneOf", "anyOf", "allOf", "items",
    ];
    parts
        .iter()
        .copied()
        .find(|part| telling.iter().any(|key| part.get(key).is_some()))
}

/// The members of all parts.
pub(super) struct Gathered<'a> {
    pub(super) properties: BTreeMap<&'a str, Schema<'a>>,
    pub(super) required: BTreeSet<&'a str>,
    pub(super) others: Option<Node<'a>>,
}

pub(super) fn gather(schema: Schema<'_>) -> Gathered<'_> {
    let mut all = Gathered {
        properties: BTreeMap::new(),
        required: BTreeSet::new(),
        others: None,
    };
    let (mut seen, mut open) = (BTreeSet::new(), vec![schema]);
    while let Some(schema) = open.pop() {
        let schema = schema.resolved();
        if !seen.insert(node_key(schema)) {
            continue;
        }
        let node = schema.node();
        for member in node.get("properties").into_iter().flat_map(Node::members) {
            all.properties
                .entry(member.name())
                .or_insert_with(|| schema.with(member.value));
        }
        all.required.extend(
            node.get("required")
                .into_iter()
                .flat_map(Node::items)
                .map(Node::text),
        );
        all.others = all.others.or_else(|| node.get("additionalProperties"));
        let parts: Vec<_> = node
            .get("allOf")
            .into_iter()
            .flat_map(Node::items)
            .collect();
        open.extend(parts.into_iter().rev().map(|part| schema.with(part)));
    }
    all
}

pub(super) fn node_key(schema: Schema<'_>) -> (usize, FileId, usize) {
    let node = schema.node();
    // The trees of one document never move while it is borrowed, so the address tells documents apart.
    (
        std::ptr::from_ref(schema.document()).addr(),
        node.file(),
        node.index(),
    )
}
