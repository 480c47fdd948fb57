//! Redaction of JSON text that leaves every other byte where it was.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::names::{Mode, Shape};
use super::{REDACTED, plain_text, text};
use crate::Json;
use crate::json::MAX_DEPTH;
use crate::json::scan::{self, content};

/// Hides the secrets in a JSON value, by member name and by what the strings hold.
///
/// Strings and numbers under a sensitive name are hidden at any depth; `null`, booleans and placeholders stay. Lists
/// of `{name, value}` members, `[name, value]` pairs and JSON Patch operations are understood too, and a JSON Schema
/// of a sensitive property keeps its keywords.
///
/// ```
/// let mut value = serde_json::json!({"user": "ann", "password": "hunter2", "retries": 3});
/// aon_core::redact::json(&mut value);
/// assert_eq!(value, serde_json::json!({"user": "ann", "password": "[redacted]", "retries": 3}));
/// ```
pub fn json(value: &mut Value) {
    if let Cow::Owned(hidden) = json_text(&value.to_string()) {
        let hidden = serde_json::from_str(&hidden);
        *value = hidden.unwrap_or_else(|_| Value::String(REDACTED.to_owned()));
    }
}

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
    // A number stays JSON where it is all there is; inside of a string it is read as text.
    let begins_document = |first: u8| {
        matches!(first, b'{' | b'[' | b'"') || depth == 0 && matches!(first, b'-' | b'0'..=b'9')
    };
    let first = input.trim_ascii_start().bytes().next();
    let document = mode != Mode::Open || first.is_some_and(begins_document);
    if !document || depth > DEPTH || serde_json::from_str::<IgnoredAny>(input).is_err() {
        return plain_text(input);
    }
    let mut walk = Walk {
        input,
        depth,
        out: String::new(),
        copied: 0,
    };
    walk.value(input.trim_ascii(), mode, 0);
    if walk.out.is_empty() {
        return Cow::Borrowed(input);
    }
    let rest = input.get(walk.copied..).unwrap_or_default();
    Cow::Owned(walk.out + rest)
}

/// A quick no: whether JSON holds neither a secret, nor a name that promises one, nor anything that has to be decoded first. One
/// that does may still be harmless.
fn looks_clean(input: &str) -> bool {
    let bytes = input.as_bytes();
    if !matches!(bytes.first(), Some(b'{' | b'[')) || bytes.contains(&b'\\') {
        return false;
    }
    super::scan::is_clean_json(bytes)
}

/// A walk over a valid document in its order, which writes what has to change.
struct Walk<'a> {
    input: &'a str,
    depth: usize,
    out: String,
    copied: usize,
}

impl<'a> Walk<'a> {
    /// Writes the document up to `part`, and something else in its place.
    fn put(&mut self, part: &str, replacement: &str) {
        let start = part.as_ptr().addr() - self.input.as_ptr().addr();
        self.out
            .push_str(self.input.get(self.copied..start).unwrap_or_default());
        self.out.push_str(replacement);
        self.copied = start + part.len();
    }

    fn string(&mut self, token: &str, mode: Mode) {
        let hidden = content(token).and_then(|string| mode.hide(&string, self.depth));
        if let Some(hidden) = hidden {
            self.put(token, Json::from(hidden.as_str()).as_str());
        }
    }

    fn value(&mut self, value: &'a str, mode: Mode, level: usize) {
        match value.as_bytes().first() {
            Some(b'"') => self.string(value, mode),
            Some(b'-' | b'0'..=b'9') if mode.hides_number(value) => self.put(value, HIDDEN),
            // Nobody nests like this but to hide something.
            Some(b'{' | b'[') if level > MAX_DEPTH => self.put(value, HIDDEN),
            Some(b'{') => {
                let members: Vec<_> = scan::members(value)
                    .into_iter()
                    .map(|(token, value)| (content(token).unwrap_or_default(), token, value))
                    .collect();
                let mut shape = Shape::default();
                for (name, _, value) in &members {
                    if let Some(value) = content(value) {
                        shape.see(name, &value);
                    }
                }
                for (name, token, value) in members {
                    self.string(token, Mode::Open);
                    self.value(value, mode.member(shape, &name), level + 1);
                }
            }
            Some(b'[') => {
                let items = scan::items(value);
                let pair = match items.as_slice() {
                    [name, value] => content(name).zip(content(value)),
                    _ => None,
                };
                let pair = pair.map_or(Mode::Open, |(name, value)| Mode::pair(&name, &value));
                let hidden = arguments(&items);
                for (index, item) in items.into_iter().enumerate() {
                    let secret = hidden.contains(&index) && mode == Mode::Open;
                    let mode = mode.item(pair, index);
                    self.value(item, if secret { Mode::Hidden } else { mode }, level + 1);
                }
            }
            _ => {}
        }
    }
}

/// Which items of a command are secret only beside the others: `["mysql", "-p…"]`, `["--token", "…"]`.
fn arguments(items: &[&str]) -> Vec<usize> {
    if items.len() > ARGUMENTS || !items.iter().any(|item| item.starts_with("\"-")) {
        return Vec::new();
    }
    let mut line = String::new();
    let mut places = Vec::new();
    for item in items {
        let start = line.len();
        line.push_str(&content(item).unwrap_or_default());
        places.push(start..line.len());
        line.push(' ');
    }
    let spans = super::scan::scan(line.as_bytes(), 0).spans;
    let secret = |place: &Range<usize>| {
        let hit = |span: &Range<usize>| span.start < place.end && place.start < span.end;
        let item = line.get(place.clone()).unwrap_or_default();
        spans.iter().any(hit) && matches!(text(item), Cow::Borrowed(_))
    };
    let places = places.iter().enumerate();
    let secret = places.filter(|(_, place)| secret(place));
    secret.map(|(index, _)| index).collect()
}

/// A longer list is not a command.
const ARGUMENTS: usize = 64;

/// [`REDACTED`] in JSON.
const HIDDEN: &str = "\"[redacted]\"";

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
    fn a_number_that_is_hidden_leaves_json() {
        assert_eq!(json_text("3545959809644923407"), r#""[redacted]""#);
        assert_eq!(json_text(" 3545959809644923407\n"), " \"[redacted]\"\n");
        for number in ["12", "-1.5e3", "1794980592899"] {
            assert_eq!(json_text(number), number);
        }
        assert_eq!(json_text(r#""3545959809644923407""#), r#""[redacted]""#);
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
    fn white_space_around_a_name_hides_nothing() {
        for space in [" ", "\n", "\t", "\r\n  "] {
            let given = format!(r#"{{{space}"password"{space}:{space}"hunter2"{space}}}"#);
            assert!(!json_text(&given).contains("hunter2"), "{given:?}");
            let given = format!(r#"[{space}"x-api-key"{space},{space}"hunter2"{space}]"#);
            assert!(!json_text(&given).contains("hunter2"), "{given:?}");
        }
    }

    #[test]
    fn what_only_begins_like_json_is_read_as_text() {
        for given in [
            "{no JSON, card_number: hunter2 here",
            r#"{"name": "password", value: hunter2}"#,
            r#"{"at": "://hunter2:hunter2@db"}"#,
        ] {
            assert!(
                !json_text(given).contains("hunter2 ") && json_text(given) != given,
                "{given}"
            );
        }
    }

    #[test]
    fn deep_documents_do_not_overflow() {
        let given = format!(
            "{}{}{}",
            "[".repeat(100_000),
            r#"{"token":"abc"}"#,
            "]".repeat(100_000)
        );
        let hidden = json_text(&given);
        assert!(!hidden.contains("abc") && hidden.contains(REDACTED));
    }
}
