//! Vendor extensions that speak about a closed set without declaring one.

use aon_manifest::model::{Input, Schema};
use aon_manifest::{Document, Node, Tree};

use crate::choice::{Evidence, Verdict};
use crate::finding::Confidence;

/// Whether any file has such an extension. Most have none, and then nobody has to search.
pub(super) fn any(document: &Document) -> bool {
    document.files().iter().any(Tree::has_vendor_enums)
}

/// What an extension of an input without a carrier says: the values in `x-enum` and `x-ms-enum`, or only that there is a set,
/// as names for generated code do.
pub(super) fn verdict(input: &Input<'_>) -> Option<(Verdict, &'static str)> {
    let schema = input.schema;
    let items = schema.items();
    let mut nodes = vec![input.node, schema.node(), schema.resolved().node()];
    nodes.extend(items.map(Schema::node));
    nodes.extend(items.map(|items| items.resolved().node()));
    nodes.retain(|node| node.may_have_vendor_enum());
    let nodes = || nodes.iter();
    let found = |keyword: &'static str| {
        let value = nodes().find_map(|node| node.get(keyword))?;
        Some((keyword, value))
    };
    let (keyword, value) = KEYWORDS.iter().find_map(|keyword| found(keyword))?;
    let values = values(value);
    if values.is_empty() && !value.is_object() && value.is_empty() {
        return None;
    }
    let listed = matches!(keyword, "x-enum" | "x-ms-enum");
    // Whoever avoids `enum` may have a reason, so nothing is declared unasked.
    let values = if listed { values } else { Vec::new() };
    let verdict = Verdict::of(Confidence::Certain, Evidence::Extension, values);
    Some((verdict, keyword))
}

/// The values of a list, or of `values` of an object; each itself or in `value`.
fn values(node: Node<'_>) -> Vec<String> {
    let list = node.get("values").unwrap_or(node);
    let own = list.items().map(|item| item.get("value").unwrap_or(item));
    own.filter(|item| !item.is_object() && !item.is_array() && !item.is_null())
        .map(|item| item.text().to_owned())
        .collect()
}

/// In the order of what they tell.
const KEYWORDS: &[&str] = &[
    "x-enum",
    "x-ms-enum",
    "x-enum-varnames",
    "x-enumNames",
    "x-enum-names",
];
