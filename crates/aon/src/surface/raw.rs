//! JSON read member by member without a tree: names, and the text of their values.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::RecoverError;

/// A wire as text, whole and valid JSON.
pub(crate) fn document(wire: &[u8]) -> Result<&str, RecoverError> {
    let raw: &RawValue = serde_json::from_slice(wire).map_err(RecoverError::json)?;
    Ok(raw.get())
}

/// The members of an object, in order; `None` when the text is not an object.
pub(crate) fn members(json: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    serde_json::from_str::<Object<'_>>(json)
        .ok()
        .map(|object| object.0)
}

/// The items of an array; `None` when the text is not an array.
pub(crate) fn items(json: &str) -> Option<Vec<&str>> {
    let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    Some(items.into_iter().map(RawValue::get).collect())
}

/// The value of a member; the last one where a name stands twice.
pub(crate) fn member<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    find(&members(json)?, name)
}

/// The same, in members read before.
pub(crate) fn find<'a>(members: &[(Cow<'_, str>, &'a str)], name: &str) -> Option<&'a str> {
    members
        .iter()
        .rev()
        .find(|(kept, _)| kept == name)
        .map(|(_, value)| *value)
}

/// The text of a string value.
pub(crate) fn text(json: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(json)
        .ok()
        .map(|text| text.0)
}

struct Object<'de>(Vec<(Cow<'de, str>, &'de str)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(Text(name)) = map.next_key::<Text<'de>>()? {
                    let value: &'de RawValue = map.next_value()?;
                    members.push((name, value.get()));
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// Text without a copy, where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_text() {
        let json = r#"{"b": [1, 2.50], "a\n": "x", "b": null}"#;
        let read = members(json).unwrap();
        assert_eq!(read.len(), 3);
        assert_eq!(find(&read, "a\n"), Some("\"x\""));
        assert_eq!(member(json, "b"), Some("null"));
        assert_eq!(items("[1, {\"a\":2}]").unwrap(), ["1", "{\"a\":2}"]);
        for no_object in ["[]", "1", "", "{", "\"x\""] {
            assert!(members(no_object).is_none(), "{no_object}");
        }
    }

    #[test]
    fn depth_does_not_matter_for_what_is_skipped() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(9000), "]".repeat(9000));
        assert_eq!(members(&deep).map(|members| members.len()), Some(1));
    }
}
