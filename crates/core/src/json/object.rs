//! Objects that are written once and end as bytes or as a tree.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::write::ObjectWriter;
use super::{Json, write_display};

/// An open object that takes members: bytes ([`ObjectWriter`]), or a tree ([`ObjectTree`]) where a type of another
/// crate wants one.
///
/// What writes itself through this trait says its members once for both ([S1]).
///
/// # Examples
///
/// ```
/// use aon_core::json::{ObjectTree, ObjectWriter, WriteObject};
///
/// fn write(object: &mut impl WriteObject) {
///     object.string("title", "Gone");
///     object.number("status", 410);
/// }
///
/// let (mut bytes, mut tree) = (Vec::new(), ObjectTree::default());
/// let mut object = ObjectWriter::begin(&mut bytes);
/// write(&mut object);
/// object.end();
/// write(&mut tree);
/// assert_eq!(serde_json::from_slice::<serde_json::Value>(&bytes)?, tree.end());
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// [S1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s1
pub trait WriteObject {
    /// A string member.
    fn string(&mut self, key: &str, value: &str);

    /// A string member, where there is one.
    fn text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.string(key, value);
        }
    }

    /// A string member with the text of a [`fmt::Display`].
    fn display(&mut self, key: &str, value: impl fmt::Display);

    /// A whole number.
    fn number(&mut self, key: &str, value: u64);

    /// A boolean.
    fn boolean(&mut self, key: &str, value: bool);

    /// A member whose value is JSON already.
    fn json(&mut self, key: &str, value: &Json);

    /// An array; `known` is its JSON text, where that was made while compiling.
    fn array<T: Serialize>(&mut self, key: &str, known: Option<&'static str>, items: &[T]);

    /// A nested object, written by `body`; `known` is its JSON text, where that was made while compiling.
    fn object(&mut self, key: &str, known: Option<&'static str>, body: impl FnOnce(&mut Self));
}

impl WriteObject for ObjectWriter<'_> {
    fn string(&mut self, key: &str, value: &str) {
        ObjectWriter::string(self, key, value);
    }

    fn display(&mut self, key: &str, value: impl fmt::Display) {
        write_display(self.key(key), value);
    }

    fn number(&mut self, key: &str, value: u64) {
        ObjectWriter::number(self, key, value);
    }

    fn boolean(&mut self, key: &str, value: bool) {
        ObjectWriter::boolean(self, key, value);
    }

    fn json(&mut self, key: &str, value: &Json) {
        self.raw(key, value.as_str());
    }

    fn array<T: Serialize>(&mut self, key: &str, known: Option<&'static str>, items: &[T]) {
        match known {
            Some(json) => self.raw(key, json),
            None => self.value(key, items),
        }
    }

    fn object(&mut self, key: &str, known: Option<&'static str>, body: impl FnOnce(&mut Self)) {
        match known {
            Some(json) => self.raw(key, json),
            None => self.nested(key, body),
        }
    }
}

/// An object as a tree of `serde_json`: one string for each key and text, and nothing else.
#[derive(Debug, Default)]
pub struct ObjectTree {
    members: Map<String, Value>,
    size: usize,
}

impl ObjectTree {
    /// At least how many bytes it has as compact JSON: the escapes are not counted.
    pub fn least_size(&self) -> usize {
        self.size + 2
    }

    /// The finished object.
    pub fn end(self) -> Value {
        Value::Object(self.members)
    }

    fn put(&mut self, key: &str, value: Value, size: usize) {
        // Two quotes and a colon; a comma before all but the first.
        let comma = usize::from(!self.members.is_empty());
        self.size += key.len() + 3 + comma + size;
        self.members.insert(key.to_owned(), value);
    }
}

impl WriteObject for ObjectTree {
    fn string(&mut self, key: &str, value: &str) {
        self.put(key, Value::String(value.to_owned()), value.len() + 2);
    }

    fn display(&mut self, key: &str, value: impl fmt::Display) {
        let text = value.to_string();
        let size = text.len() + 2;
        self.put(key, Value::String(text), size);
    }

    fn number(&mut self, key: &str, value: u64) {
        let digits = value.checked_ilog10().unwrap_or(0) as usize + 1;
        self.put(key, Value::from(value), digits);
    }

    fn boolean(&mut self, key: &str, value: bool) {
        self.put(key, Value::Bool(value), if value { 4 } else { 5 });
    }

    fn json(&mut self, key: &str, value: &Json) {
        self.put(key, value.to_value(), value.as_str().len());
    }

    fn array<T: Serialize>(&mut self, key: &str, known: Option<&'static str>, items: &[T]) {
        let mut size = 2 + items.len().saturating_sub(1);
        let tree = items
            .iter()
            .map(|item| {
                let value = serde_json::to_value(item).unwrap_or_default();
                size += value.as_str().map_or(1, |text| text.len() + 2);
                value
            })
            .collect();
        let tree = Value::Array(tree);
        self.put(key, tree, known.map_or(size, str::len));
    }

    fn object(&mut self, key: &str, known: Option<&'static str>, body: impl FnOnce(&mut Self)) {
        let mut nested = Self::default();
        body(&mut nested);
        let size = known.map_or_else(|| nested.least_size(), str::len);
        self.put(key, nested.end(), size);
    }
}
