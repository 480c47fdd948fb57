//! Redaction of JSON text that leaves every other byte where it was.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;

use super::plain::{at, run_end, slice};
use super::tree::{Mode, Named, Shape};
use super::{REDACTED, keys, text};

/// Hides the secrets in a JSON document and leaves order, white space and all other members as they are.
///
/// A text that is not JSON is treated as by [`text`].
///
/// ```
/// use aon_core::redact::json_text;
///
/// assert_eq!(json_text(r#"{ "z": 1,  "apiKey": "abc" }"#), r#"{ "z": 1,  "apiKey": "[redacted]" }"#);
/// assert_eq!(json_text("password=abc"), "password=[redacted]");
/// ```
pub fn json_text(input: &str) -> Cow<'_, str> {
    json_text_at(input, 0, Mode::Open)
}

/// [`json_text`] for a document inside `depth` strings of other documents, under a name that says `mode`.
pub(super) fn json_text_at(input: &str, depth: usize, mode: Mode) -> Cow<'_, str> {
    if mode == Mode::Open && looks_clean(input) {
        return Cow::Borrowed(input);
    }
    let document = mode != Mode::Open || input.trim_ascii_start().starts_with(['{', '[', '"']);
    if !document || depth > DEPTH || serde_json::from_str::<IgnoredAny>(input).is_err() {
        return text(input);
    }
    let nodes = parse(input.as_bytes());
    let edits = edits(input, &nodes, depth, mode);
    if edits.is_empty() {
        return Cow::Borrowed(input);
    }
    let mut out = String::with_capacity(input.len());
    let mut copied = 0;
    for (span, replacement) in edits {
        out.push_str(input.get(copied..span.start).unwrap_or_default());
        out.push_str(&replacement);
        copied = span.end;
    }
    out.push_str(input.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// A quick no: whether JSON holds neither a secret, nor a name that promises one, nor anything that has to be decoded first. One
/// that does may still be harmless.
fn looks_clean(input: &str) -> bool {
    let bytes = input.as_bytes();
    if !matches!(bytes.first(), Some(b'{' | b'[')) || bytes.contains(&b'\\') {
        return false;
    }
    let mut quote = None;
    for (index, &byte) in bytes.iter().enumerate() {
        if byte != b'"' {
            continue;
        }
        let Some(open) = quote.replace(index) else {
            continue;
        };
        let told = slice(bytes, open + 1, index);
        let name = matches!(at(bytes, index + 1), b':' | b' ');
        // The first of a pair may name what the second holds.
        let first = open > 0 && at(bytes, open - 1) == b'[';
        if (name || first) && keys::may_promise(told) {
            return false;
        }
        quote = None;
    }
    let found = super::scan::scan(bytes);
    found.spans.is_empty() && !found.percent
}

/// A value or a member name, and where it stands.
struct Node {
    kind: Kind,
    span: Range<usize>,
    /// The container around it.
    parent: Option<usize>,
    /// The node of its name, in an object.
    key: Option<usize>,
    /// Its place, in an array; for an array, how many items it has.
    index: usize,
    count: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Object,
    Array,
    Key,
    Text,
    Number,
    Literal,
}

/// The nodes of a valid document, containers before their content.
fn parse(bytes: &[u8]) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut key = None;
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        let parent = open.last().copied();
        let in_object = parent
            .and_then(|parent| nodes.get(parent))
            .is_some_and(|node| node.kind == Kind::Object);
        let (kind, end) = match byte {
            b'{' => (Kind::Object, index + 1),
            b'[' => (Kind::Array, index + 1),
            b'"' if in_object && key.is_none() => (Kind::Key, string_end(bytes, index)),
            b'"' => (Kind::Text, string_end(bytes, index)),
            b'-' | b'0'..=b'9' => (
                Kind::Number,
                run_end(bytes, index, usize::MAX, |byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
                }),
            ),
            b'a'..=b'z' => (
                Kind::Literal,
                run_end(bytes, index, usize::MAX, |byte| {
                    byte.is_ascii_alphanumeric()
                }),
            ),
            other => {
                if matches!(other, b'}' | b']') {
                    open.pop();
                }
                index += 1;
                continue;
            }
        };
        let mut place = 0;
        if kind != Kind::Key
            && let Some(container) = parent.and_then(|parent| nodes.get_mut(parent))
        {
            place = container.count;
            container.count += 1;
        }
        let number = nodes.len();
        let name = if kind == Kind::Key { None } else { key.take() };
        nodes.push(Node {
            kind,
            span: index..end,
            parent,
            key: name,
            index: place,
            count: 0,
        });
        match kind {
            Kind::Key => key = Some(number),
            Kind::Object | Kind::Array => open.push(number),
            Kind::Text | Kind::Number | Kind::Literal => {}
        }
        index = end;
    }
    nodes
}

/// What has to change, in order.
fn edits(input: &str, nodes: &[Node], depth: usize, root: Mode) -> Vec<(Range<usize>, String)> {
    let names: Vec<Option<Cow<'_, str>>> = nodes
        .iter()
        .map(|node| {
            if node.kind == Kind::Key {
                content(input, node)
            } else {
                None
            }
        })
        .collect();
    let name_of = |node: &Node| {
        node.key
            .and_then(|key| names.get(key))
            .and_then(Option::as_deref)
    };
    let mut shapes: Vec<(Shape, Named)> = vec![(Shape::default(), Named::No); nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        let (Kind::Text, Some(parent)) = (node.kind, node.parent) else {
            continue;
        };
        let (Some(shape), Some(container)) = (shapes.get_mut(parent), nodes.get(parent)) else {
            continue;
        };
        if let Some(name) = name_of(node) {
            if let Some(value) = content(input, node) {
                shape.0.see(name, &value);
            }
        } else if container.kind == Kind::Array && container.count == 2 && node.index == 1 {
            let before = number
                .checked_sub(1)
                .and_then(|before| nodes.get(before))
                .filter(|before| before.kind == Kind::Text);
            if let (Some(name), Some(value)) = (
                before.and_then(|before| content(input, before)),
                content(input, node),
            ) {
                shape.1 = Named::pair(&name, &value);
            }
        }
    }
    let mut modes: Vec<Mode> = Vec::with_capacity(nodes.len());
    let mut edits = Vec::new();
    for node in nodes {
        let above = node
            .parent
            .and_then(|parent| modes.get(parent))
            .copied()
            .unwrap_or(Mode::Open);
        let (shape, pair) = node
            .parent
            .and_then(|parent| shapes.get(parent))
            .copied()
            .unwrap_or((Shape::default(), Named::No));
        let mode = match (node.parent, name_of(node)) {
            (None, _) => root,
            (_, Some(name)) => above.member(shape, name),
            (_, None) => above.item(pair, node.index),
        };
        let mode = if node.kind == Kind::Key {
            Mode::Open
        } else {
            mode
        };
        modes.push(mode);
        let replacement = match node.kind {
            Kind::Key | Kind::Text => content(input, node)
                .and_then(|string| mode.hide(&string, depth))
                .and_then(|hidden| serde_json::to_string(&hidden).ok()),
            Kind::Number => mode
                .hides_number(input.get(node.span.clone()).unwrap_or_default())
                .then(|| format!("\"{REDACTED}\"")),
            Kind::Object | Kind::Array | Kind::Literal => None,
        };
        if let Some(replacement) = replacement {
            edits.push((node.span.clone(), replacement));
        }
    }
    edits
}

/// The text of a string node, decoded.
fn content<'a>(input: &'a str, node: &Node) -> Option<Cow<'a, str>> {
    let raw = input.get(node.span.clone())?;
    if raw.contains('\\') {
        return serde_json::from_str(raw).ok().map(Cow::Owned);
    }
    raw.get(1..raw.len().checked_sub(1)?).map(Cow::Borrowed)
}

/// The index after the closing quote of the string that opens at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut index = start + 1;
    while index < bytes.len() {
        match at(bytes, index) {
            b'\\' => index += 2,
            b'"' => return index + 1,
            _ => index += 1,
        }
    }
    bytes.len()
}

/// How many documents inside strings of documents are opened; what is deeper is read as text.
const DEPTH: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_secrets_change() {
        let given = "{\n  \"z\" : [1, 2.50, {\"password\":\"p\\\"w\", \"A\": null}],\t\"a\":\"caf\\u00e9\", \"pin\": 1, \"url\": \"redis://:pw@h\"}";
        let wanted = "{\n  \"z\" : [1, 2.50, {\"password\":\"[redacted]\", \"A\": null}],\t\"a\":\"caf\\u00e9\", \"pin\": \"[redacted]\", \"url\": \"redis://:[redacted]@h\"}";
        assert_eq!(json_text(given), wanted);
        assert!(matches!(json_text(r#"{"a": [1, "b"]}"#), Cow::Borrowed(_)));
    }

    #[test]
    fn documents_inside_strings() {
        let inner = r#"{"user":"a","password":"hunter2"}"#;
        let given = serde_json::json!({ "body": inner }).to_string();
        let wanted = serde_json::json!({ "body": inner.replace("hunter2", REDACTED) }).to_string();
        assert_eq!(json_text(&given), wanted);
    }

    #[test]
    fn names_next_to_values_in_any_order() {
        let given = r#"[{"value":"Basic abc","name":"authorization"},["x-api-key","k1"],{"path":"/a/pwd","value":3}]"#;
        let wanted = r#"[{"value":"Basic [redacted]","name":"authorization"},["x-api-key","[redacted]"],{"path":"/a/pwd","value":"[redacted]"}]"#;
        assert_eq!(json_text(given), wanted);
    }

    #[test]
    fn deep_documents_do_not_overflow() {
        let given = format!(
            "{}{}{}",
            "[".repeat(100_000),
            r#"{"token":"abc"}"#,
            "]".repeat(100_000)
        );
        assert!(json_text(&given).contains(r#"{"token":"[redacted]"}"#));
    }
}
