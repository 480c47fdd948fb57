//! JSON that is written in the order it was put together, the same on every machine.
//!
//! A `serde_json` map changes its order with a feature that any package of a build can switch on. What we write must not.

use std::fmt::Write as _;

use aon_manifest::{Kind, Node};

use crate::writer::{every_byte, is_visible};

/// A JSON value. Objects keep the order of their members.
///
/// ```
/// use aon_codegen::Tree;
///
/// let schema = Tree::object([("type", Tree::from("string")), ("enum", Tree::array(["b", "a"]))]);
/// assert_eq!(schema.to_compact(), r#"{"type":"string","enum":["b","a"]}"#);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "JSON has exactly these values")]
pub enum Tree {
    /// `null`.
    Null,
    /// A bool.
    Bool(bool),
    /// A number, as it is written.
    Number(String),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Tree>),
    /// An object.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// An object of these members.
    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Tree)>) -> Tree {
        Tree::Object(
            members
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }

    /// A list of these values.
    pub fn array<T: Into<Tree>>(items: impl IntoIterator<Item = T>) -> Tree {
        Tree::Array(items.into_iter().map(Into::into).collect())
    }

    /// The value of a node. Members are sorted, so that the order in the source does not matter.
    pub fn of_node(node: Node<'_>) -> Tree {
        match node.kind() {
            Kind::Null => Tree::Null,
            Kind::Bool => Tree::Bool(node.as_bool().unwrap_or_default()),
            Kind::Number => Tree::of_value(&node.to_json()),
            Kind::String => Tree::String(node.text().to_owned()),
            Kind::Array => Tree::Array(node.items().map(Tree::of_node).collect()),
            Kind::Object => {
                let mut members: Vec<(String, Tree)> = Vec::new();
                for member in node.members() {
                    let (name, value) = (member.key.text(), Tree::of_node(member.value));
                    // Of a key that stands twice the last one counts.
                    match members.iter_mut().find(|(known, _)| known == name) {
                        Some((_, slot)) => *slot = value,
                        None => members.push((name.to_owned(), value)),
                    }
                }
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                Tree::Object(members)
            }
        }
    }

    /// The value as `serde_json` has it, with sorted members.
    pub fn of_value(value: &serde_json::Value) -> Tree {
        use serde_json::Value;
        match value {
            Value::Null => Tree::Null,
            Value::Bool(value) => Tree::Bool(*value),
            Value::Number(number) => Tree::Number(number.to_string()),
            Value::String(text) => Tree::String(text.clone()),
            Value::Array(items) => Tree::Array(items.iter().map(Tree::of_value).collect()),
            Value::Object(members) => {
                let mut members: Vec<_> = members
                    .iter()
                    .map(|(key, value)| (key.clone(), Tree::of_value(value)))
                    .collect();
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                Tree::Object(members)
            }
        }
    }

    /// The same value for `serde_json`.
    pub fn to_value(&self) -> serde_json::Value {
        use serde_json::Value;
        match self {
            Tree::Null => Value::Null,
            Tree::Bool(value) => Value::Bool(*value),
            Tree::Number(text) => serde_json::from_str(text).unwrap_or(Value::Null),
            Tree::String(text) => Value::String(text.clone()),
            Tree::Array(items) => Value::Array(items.iter().map(Tree::to_value).collect()),
            Tree::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(key, value)| (key.clone(), value.to_value()))
                    .collect(),
            ),
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Tree::String(text) => Some(text),
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Array(_) | Tree::Object(_) => None,
        }
    }

    /// The members of an object; none of everything else.
    pub fn members(&self) -> &[(String, Tree)] {
        match self {
            Tree::Object(members) => members,
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::String(_) | Tree::Array(_) => &[],
        }
    }

    /// A member of an object.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        self.members()
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// Whether it is a string, number, bool or null.
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Tree::Array(_) | Tree::Object(_))
    }

    /// Sets a member of an object; the first one of its name, or a new last one.
    pub fn set(&mut self, key: &str, value: impl Into<Tree>) {
        let Tree::Object(members) = self else { return };
        let value = value.into();
        match members.iter_mut().find(|(name, _)| name == key) {
            Some((_, slot)) => *slot = value,
            None => members.push((key.to_owned(), value)),
        }
    }

    /// Sets a member when there is something to set.
    pub fn set_some<T: Into<Tree>>(&mut self, key: &str, value: Option<T>) {
        if let Some(value) = value {
            self.set(key, value);
        }
    }

    /// Sets a text unless it is empty.
    pub fn set_text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.set(key, text);
        }
    }

    /// In one line.
    pub fn to_compact(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, None);
        out
    }

    /// The same at the end of a text.
    pub(crate) fn push_compact(&self, out: &mut String) {
        self.write(out, None);
    }

    /// Indented by two spaces, with a final newline.
    pub fn to_pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, Some(0));
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String, depth: Option<usize>) {
        match self {
            Tree::Null => out.push_str("null"),
            Tree::Bool(true) => out.push_str("true"),
            Tree::Bool(false) => out.push_str("false"),
            Tree::Number(text) => out.push_str(text),
            Tree::String(text) => quote(text, out),
            Tree::Array(items) if items.is_empty() => out.push_str("[]"),
            Tree::Object(members) if members.is_empty() => out.push_str("{}"),
            Tree::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    next(out, at, depth);
                    item.write(out, depth.map(|depth| depth + 1));
                }
                end(out, depth, ']');
            }
            Tree::Object(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    next(out, at, depth);
                    quote(key, out);
                    out.push_str(if depth.is_some() { ": " } else { ":" });
                    value.write(out, depth.map(|depth| depth + 1));
                }
                end(out, depth, '}');
            }
        }
    }
}

impl From<&str> for Tree {
    fn from(text: &str) -> Tree {
        Tree::String(text.to_owned())
    }
}

impl From<String> for Tree {
    fn from(text: String) -> Tree {
        Tree::String(text)
    }
}

impl From<&String> for Tree {
    fn from(text: &String) -> Tree {
        Tree::String(text.clone())
    }
}

impl From<bool> for Tree {
    fn from(value: bool) -> Tree {
        Tree::Bool(value)
    }
}

impl From<u16> for Tree {
    fn from(number: u16) -> Tree {
        Tree::Number(number.to_string())
    }
}

impl From<u64> for Tree {
    fn from(number: u64) -> Tree {
        Tree::Number(number.to_string())
    }
}

impl From<Vec<Tree>> for Tree {
    fn from(items: Vec<Tree>) -> Tree {
        Tree::Array(items)
    }
}

fn next(out: &mut String, at: usize, depth: Option<usize>) {
    if at > 0 {
        out.push(',');
    }
    if let Some(depth) = depth {
        line(out, depth + 1);
    }
}

fn end(out: &mut String, depth: Option<usize>, close: char) {
    if let Some(depth) = depth {
        line(out, depth);
    }
    out.push(close);
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// A JSON string. Line and paragraph separators are escaped too: they end a line in older JavaScript.
pub(crate) fn quote(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    if every_byte(text, |byte| {
        is_visible(byte) && byte != b'"' && byte != b'\\'
    }) {
        out.push_str(text);
        out.push('"');
        return;
    }
    let (bytes, mut done) = (text.as_bytes(), 0);
    for (at, &byte) in bytes.iter().enumerate() {
        // The lead bytes are those of the control characters beyond ASCII, of the separators and of the byte order mark.
        if ((b' '..0x7f).contains(&byte) && byte != b'"' && byte != b'\\')
            || (byte > 0x7f && !matches!(byte, 0xc2 | 0xe2 | 0xef))
        {
            continue;
        }
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            continue;
        };
        let short = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => "",
            _ => continue,
        };
        out.push_str(text.get(done..at).unwrap_or_default());
        done = at + c.len_utf8();
        if short.is_empty() {
            let _: std::fmt::Result = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push_str(short);
        }
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let text = "{\"b\":[1,-2.5e10,true,null,\"\u{2028}\\\"\u{1}\u{85}é𝄞\"],\"a\":{},\"c\":[]}";
        let value: serde_json::Value =
            serde_json::from_str(&text.replace('\u{1}', "\\u0001")).unwrap();
        let json = Tree::of_value(&value);
        for written in [json.to_compact(), json.to_pretty()] {
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&written).unwrap(),
                value
            );
            assert_eq!(Tree::of_value(&json.to_value()), json);
        }
    }
}
