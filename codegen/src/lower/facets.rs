//! Keywords that say more about a scalar or a list than its type.

use aon_manifest::Node;

use super::keys::Keys;
use super::pattern::is_sound;
use crate::ir::Facets;
use crate::json::Json;

/// What is said about a string.
pub(super) fn of_text(keys: &Keys<'_>) -> Facets {
    let mut found = Facets::default();
    text(&mut found, "format", keys.format);
    size(&mut found, "minLength", keys.min_length);
    size(&mut found, "maxLength", keys.max_length);
    text(
        &mut found,
        "pattern",
        keys.pattern.filter(|node| is_sound(node.text())),
    );
    found
}

/// What is said about a number.
pub(super) fn of_number(keys: &Keys<'_>) -> Facets {
    let mut found = Facets::default();
    text(&mut found, "format", keys.format);
    bound(
        &mut found,
        ("minimum", keys.minimum),
        ("exclusiveMinimum", keys.exclusive_minimum),
    );
    bound(
        &mut found,
        ("maximum", keys.maximum),
        ("exclusiveMaximum", keys.exclusive_maximum),
    );
    if keys
        .multiple_of
        .and_then(Node::as_f64)
        .is_some_and(|step| step > 0.0)
    {
        number(&mut found, "multipleOf", keys.multiple_of);
    }
    found
}

/// What is said about a list.
pub(super) fn of_list(keys: &Keys<'_>) -> Facets {
    let mut found = Facets::default();
    size(&mut found, "minItems", keys.min_items);
    size(&mut found, "maxItems", keys.max_items);
    if keys.unique_items.and_then(Node::as_bool) == Some(true) {
        found.keywords.push(("uniqueItems", Json::Bool(true)));
    }
    found
}

fn text(found: &mut Facets, keyword: &'static str, node: Option<Node<'_>>) {
    if let Some(text) = node.and_then(Node::as_str) {
        found.keywords.push((keyword, Json::from(text)));
    }
}

fn size(found: &mut Facets, keyword: &'static str, node: Option<Node<'_>>) {
    if let Some(node) = node
        && node.as_i64().is_some_and(|count| count >= 0)
    {
        found.keywords.push((keyword, Json::of_node(node)));
    }
}

fn number(found: &mut Facets, keyword: &'static str, node: Option<Node<'_>>) -> bool {
    let fits = node.and_then(Node::as_f64).is_some_and(f64::is_finite);
    if fits && let Some(node) = node {
        found.keywords.push((keyword, Json::of_node(node)));
    }
    fits
}

/// A bound, and the one beside it that excludes its own value. OpenAPI 3.0 says `exclusiveMinimum: true` beside `minimum`.
fn bound(
    found: &mut Facets,
    (plain, limit): (&'static str, Option<Node<'_>>),
    (strict, exclusive): (&'static str, Option<Node<'_>>),
) {
    if exclusive.and_then(Node::as_bool) == Some(true) {
        number(found, strict, limit);
        return;
    }
    number(found, plain, limit);
    number(found, strict, exclusive);
}
