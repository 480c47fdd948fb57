//! Where a value is that serde did not take, when its message is all there is.

use serde_json::Value;

use super::serde_words::without_place;

#[cfg(feature = "jsonrpsee")]
mod text;

#[cfg(feature = "jsonrpsee")]
pub(crate) use text::in_text;

/// The pointer of the only value the message can be about; empty when there is none, or more than one.
pub(crate) fn in_value(arguments: &Value, message: &str) -> String {
    within(arguments, "", message)
}

/// The same at or under a place serde was at: what it reads at once and looks at later, such as flattened members, it
/// tells no nearer.
pub(crate) fn within(arguments: &Value, place: &str, message: &str) -> String {
    let refused = Refused::of(without_place(message));
    let at = arguments.pointer(place);
    match (refused, at) {
        (Some(refused), Some(at)) if !refused.is(at) => only(at, place, refused),
        _ => None,
    }
    .unwrap_or_else(|| place.to_owned())
}

/// What a message says of the value it is about.
#[derive(Clone, Copy, Debug)]
enum Refused<'a> {
    /// A word, as it is.
    Word(&'a str),
    /// A text, a number or a boolean, as serde writes it.
    Shown(&'a str),
    Null,
    Array,
    Object,
}

impl<'a> Refused<'a> {
    fn of(message: &'a str) -> Option<Self> {
        if let Some(rest) = message.strip_prefix("unknown variant `") {
            let (given, _) = rest.rsplit_once("`, expected ")?;
            return Some(Self::Word(given));
        }
        let rest = ["invalid type: ", "invalid value: "]
            .into_iter()
            .find_map(|start| message.strip_prefix(start))?;
        let (given, _) = rest.rsplit_once(", expected ")?;
        match given {
            "null" | "unit value" => Some(Self::Null),
            "sequence" => Some(Self::Array),
            "map" => Some(Self::Object),
            _ => ["string ", "integer ", "floating point ", "boolean "]
                .into_iter()
                .find_map(|kind| given.strip_prefix(kind))
                .map(|shown| Self::Shown(shown.trim_matches('`'))),
        }
    }

    fn is(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Word(word), Value::String(text)) => text == word,
            (Self::Shown(shown), Value::String(text)) => format!("{text:?}") == shown,
            (Self::Shown(shown), Value::Number(number)) => number.to_string() == shown,
            (Self::Shown(shown), Value::Bool(value)) => value.to_string() == shown,
            (Self::Null, Value::Null)
            | (Self::Array, Value::Array(_))
            | (Self::Object, Value::Object(_)) => true,
            _ => false,
        }
    }
}

/// The only value inside this one that it can be.
fn only(value: &Value, at: &str, refused: Refused<'_>) -> Option<String> {
    fn walk(value: &Value, refused: Refused<'_>, at: &str, depth: usize, found: &mut Vec<String>) {
        if depth > 64 || found.len() > 1 {
            return;
        }
        if depth > 0 && refused.is(value) {
            found.push(at.to_owned());
        }
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, refused, &format!("{at}/{index}"), depth + 1, found);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    let token = aon_core::pointer::escape(name);
                    walk(member, refused, &format!("{at}/{token}"), depth + 1, found);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    let mut found = Vec::new();
    walk(value, refused, at, 0, &mut found);
    match found.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}
