//! Keywords that say more about a scalar or a list than its type.

use aon_manifest::Node;

use super::keys::Keys;
use super::pattern::is_sound;
use crate::ir::Facets;
use crate::json::Tree;

/// Facets that say nothing but a format, by that: strings that say more are few.
pub(super) type Formats<'a> = Vec<(&'a str, Facets)>;

/// What is said about a string.
pub(super) fn of_text<'a>(keys: &Keys<'a>, formats: &mut Formats<'a>) -> Facets {
    if keys.min_length.is_none() && keys.max_length.is_none() && keys.pattern.is_none() {
        return of_format(keys.format, formats);
    }
    Facets::of([
        text("format", keys.format),
        size("minLength", keys.min_length),
        size("maxLength", keys.max_length),
        text("pattern", keys.pattern.filter(|node| is_sound(node.text()))),
    ])
}

/// What is said about a number.
pub(super) fn of_number(keys: &Keys<'_>) -> Facets {
    let step = keys
        .multiple_of
        .filter(|node| node.as_f64().is_some_and(|step| step > 0.0));
    let [minimum, above] = bounds(
        ("minimum", keys.minimum),
        ("exclusiveMinimum", keys.exclusive_minimum),
    );
    let [maximum, below] = bounds(
        ("maximum", keys.maximum),
        ("exclusiveMaximum", keys.exclusive_maximum),
    );
    Facets::of([
        text("format", keys.format),
        minimum,
        above,
        maximum,
        below,
        number("multipleOf", step),
    ])
}

fn of_format<'a>(node: Option<Node<'a>>, formats: &mut Formats<'a>) -> Facets {
    let Some(format) = node.and_then(Node::as_str) else {
        return Facets::default();
    };
    if let Some((_, known)) = formats.iter().find(|(name, _)| *name == format) {
        return known.clone();
    }
    let new = Facets::of([text("format", node)]);
    if formats.len() < MOST_FORMATS {
        formats.push((format, new.clone()));
    }
    new
}

/// More formats than any document has.
const MOST_FORMATS: usize = 64;

/// What is said about a list.
pub(super) fn of_list(keys: &Keys<'_>) -> Facets {
    let unique = keys.unique_items.and_then(Node::as_bool) == Some(true);
    Facets::of([
        size("minItems", keys.min_items),
        size("maxItems", keys.max_items),
        unique.then_some(("uniqueItems", Tree::Bool(true))),
    ])
}

/// A keyword and its value.
type Facet = (&'static str, Tree);

fn text(keyword: &'static str, node: Option<Node<'_>>) -> Option<Facet> {
    Some((keyword, Tree::from(node?.as_str()?)))
}

fn size(keyword: &'static str, node: Option<Node<'_>>) -> Option<Facet> {
    let node = node.filter(|node| node.as_i64().is_some_and(|count| count >= 0))?;
    Some((keyword, Tree::of_node(node)))
}

fn number(keyword: &'static str, node: Option<Node<'_>>) -> Option<Facet> {
    let node = node.filter(|node| node.as_f64().is_some_and(f64::is_finite))?;
    Some((keyword, Tree::of_node(node)))
}

/// A bound, and the one beside it that excludes its own value. OpenAPI 3.0 says `exclusiveMinimum: true` beside `minimum`.
fn bounds(
    (plain, limit): (&'static str, Option<Node<'_>>),
    (strict, exclusive): (&'static str, Option<Node<'_>>),
) -> [Option<Facet>; 2] {
    if exclusive.and_then(Node::as_bool) == Some(true) {
        return [None, number(strict, limit)];
    }
    [number(plain, limit), number(strict, exclusive)]
}
