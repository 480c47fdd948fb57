//! Places in a text, by how far it was read.

use serde_json::Value;

use super::super::serde_words::without_place;
use super::{Refused, in_value, within};
use crate::surface::raw;

/// The pointer of what a message is about. It may tell how far the text was read: the place is the value that was read last, or
/// the only one in it that the message can be about.
pub(crate) fn in_text(arguments: &str, message: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(arguments) else {
        return String::new();
    };
    let words = without_place(message);
    // Objects and arrays are refused before they are read.
    let ahead = matches!(Refused::of(words), Some(Refused::Object | Refused::Array));
    // Positional parameters are read one by one, each from its own start.
    let read = column(message).filter(|_| value.is_object());
    let Some(last) =
        read.and_then(|column| pointer_at(arguments, column.saturating_add(usize::from(ahead))))
    else {
        return in_value(&value, message);
    };
    let at = value.pointer(&last).unwrap_or(&value);
    if let Some(name) = words.strip_prefix("missing field `") {
        let name = name.trim_end_matches('`');
        let lacks = at.as_object().is_some_and(|at| !at.contains_key(name));
        return if lacks { last } else { parent(&last) };
    }
    if words.starts_with("unknown field `") {
        return if at.is_object() { last } else { parent(&last) };
    }
    within(&value, &last, message)
}

/// The column of `at line 1 column 9`, if it is the first line.
fn column(message: &str) -> Option<usize> {
    let (_, column) = message.rsplit_once(" at line 1 column ")?;
    column.parse().ok()
}

/// The pointer of the innermost value that holds this byte, counted from one.
fn pointer_at(text: &str, column: usize) -> Option<String> {
    let byte = column.checked_sub(1)?;
    let holds = |inner: &str| {
        let start = inner.as_ptr().addr().checked_sub(text.as_ptr().addr());
        start.is_some_and(|start| (start..start + inner.len()).contains(&byte))
    };
    let mut at = text;
    let mut pointer = String::new();
    if !holds(at) {
        return None;
    }
    for _ in 0..64 {
        let inner = if let Some(members) = raw::members(at) {
            let member = members.into_iter().find(|(_, value)| holds(value));
            member.map(|(name, value)| (aon_core::pointer::escape(&name).into_owned(), value))
        } else {
            let items = raw::items(at).unwrap_or_default();
            let item = items
                .into_iter()
                .enumerate()
                .find(|(_, value)| holds(value));
            item.map(|(index, value)| (index.to_string(), value))
        };
        let Some((token, value)) = inner else {
            break;
        };
        pointer.push('/');
        pointer.push_str(&token);
        at = value;
    }
    Some(pointer)
}

fn parent(pointer: &str) -> String {
    let parent = pointer.rsplit_once('/').map(|(parent, _)| parent);
    parent.unwrap_or_default().to_owned()
}
