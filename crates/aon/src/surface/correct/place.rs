//! Places in JSON text, named by JSON Pointers.

use aon_core::{Pointer, pointer};

use super::raw;

/// Where a field of `valid_values` is in the arguments: every place that is there.
///
/// A pointer is what it says. A name is looked for among the pointers the problem names, then at the top, then
/// as a dotted path.
pub(super) fn of_field(field: &str, named: &[Pointer], arguments: &str) -> Vec<Pointer> {
    let there = |place: &Pointer| value(place, arguments).is_some();
    let own = Pointer::parse(field)
        .ok()
        .filter(|_| field.starts_with('/'));
    if let Some(place) = own.filter(there) {
        return vec![place];
    }
    let mut places: Vec<Pointer> = named
        .iter()
        .filter(|place| is_about(place, field) && there(place))
        .cloned()
        .collect();
    places.dedup();
    if !places.is_empty() {
        return places;
    }
    let dotted: Pointer = field.split('.').collect();
    let mut others = [Pointer::field(field), dotted].into_iter();
    others.find(there).into_iter().collect()
}

/// Whether correcting one place answers what is said about another: one lies on the way to the other, or both
/// name the same field of differently wrapped arguments.
pub(super) fn covers(place: &Pointer, other: &Pointer) -> bool {
    place.tokens().zip(other.tokens()).all(|(a, b)| a == b) || field(place) == field(other)
}

/// The text of the value at a place.
pub(super) fn value<'a>(place: &Pointer, json: &'a str) -> Option<&'a str> {
    let mut at = json;
    for token in place.tokens() {
        at = match at.as_bytes().first()? {
            b'{' => raw::member(at, &token)?,
            b'[' => raw::items(at)?.get(index(&token)?).copied()?,
            _ => return None,
        };
    }
    Some(at)
}

/// The text with the value at a place replaced by other JSON.
pub(super) fn replaced(place: &Pointer, json: &str, by: &str) -> Option<String> {
    let old = value(place, json)?;
    let start = old.as_ptr().addr() - json.as_ptr().addr();
    let (before, after) = (json.get(..start)?, json.get(start + old.len()..)?);
    Some([before, by, after].concat())
}

/// The last step that is a name: `/scopes/1` is about `scopes`.
fn field(place: &Pointer) -> Option<String> {
    let mut tokens = place.tokens().rev();
    let named = tokens.find(|token| index(token).is_none());
    named.map(std::borrow::Cow::into_owned)
}

fn is_about(place: &Pointer, name: &str) -> bool {
    if name.starts_with('/') {
        return place.as_str() == name;
    }
    let dotted: Vec<_> = place.tokens().collect();
    field(place).as_deref() == Some(name) || dotted.join(".") == name
}

/// An array index as RFC 6901 writes it: no sign, no leading zero.
fn index(token: &str) -> Option<usize> {
    let plain =
        token.bytes().all(|b| b.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
    plain.then(|| token.parse().ok()).flatten()
}

/// The pointer a problem names, with or without the `#` of its URI form.
pub(super) fn parse(text: &str) -> Pointer {
    pointer::tokens(&pointer::of_fragment(text)).collect()
}
