//! The edits fixes are made of, for JSON and flow YAML on one side and block YAML on the other.

use aon_manifest::model::Types;
use aon_manifest::{Member, Node, Syntax};

use super::Edit;
use crate::engine::narrow;

/// Removes a member with its key, and what separates it from its neighbours. None for the only member of an object, and
/// where the layout is too odd to be sure.
pub(crate) fn remove_member(key: Node<'_>) -> Option<Vec<Edit>> {
    let object = key.parent()?;
    if object.len() < 2 {
        return None;
    }
    let text = key.tree().source().text();
    let whole = key.member_span();
    let (start, end) = (whole.start(), whole.end());
    let edit = if is_flow(object) {
        let behind = skip_blank(text, end);
        if text.get(behind..)?.starts_with(',') {
            // With the comma behind it, up to the next member.
            narrow(start, skip_blank(text, behind + 1))
        } else {
            // The last one goes with the comma before it.
            let before = text.get(..start)?.trim_end();
            narrow(before.strip_suffix(',')?.trim_end().len(), end)
        }
    } else {
        let line = line_start(text, start);
        let behind = line_end(text, end);
        let rest = text.get(end..behind)?.trim();
        if !(rest.is_empty() || rest.starts_with('#')) {
            return None;
        }
        if text.get(line..start)?.trim().is_empty() {
            narrow(line, behind)
        } else {
            // The first member behind `- `: the next one moves up.
            let next = object
                .members()
                .find(|member| member.key.span().start() > end)?;
            narrow(start, next.key.span().start())
        }
    };
    Some(vec![Edit::new(edit, "")])
}

/// Replaces the text of a scalar and keeps its quotes.
pub(crate) fn replace_text(node: Node<'_>, text: &str) -> Vec<Edit> {
    let written = node.source_text();
    let replacement = match written.bytes().next() {
        Some(b'"') => json(text),
        Some(b'\'') => format!("'{}'", text.replace('\'', "''")),
        _ if node.tree().syntax() == Syntax::Json => text.to_owned(),
        _ => yaml(text, false),
    };
    vec![Edit::new(node.span(), replacement)]
}

/// Replaces a scalar by another one of the same document.
pub(crate) fn replace_scalar(node: Node<'_>, other: Node<'_>) -> Vec<Edit> {
    vec![Edit::new(node.span(), other.source_text())]
}

/// Puts a scalar in quotes.
pub(crate) fn quote(node: Node<'_>) -> Vec<Edit> {
    vec![Edit::new(node.span(), json(node.source_text()))]
}

/// Adds `enum` to a schema, behind its `type` where there is one. None where the schema is only a reference, and
/// where it is not clear how the values are written.
pub(crate) fn add_enum(schema: Node<'_>, values: &[String]) -> Option<Vec<Edit>> {
    if !schema.is_object() || schema.is_empty() || schema.get("$ref").is_some() {
        return None;
    }
    let types = Types::read(schema.get("type"), schema.get("nullable"));
    let numbers = types.contains("integer") || types.contains("number");
    let numeric = |value: &String| serde_json::from_str::<serde_json::Number>(value).is_ok();
    // Without a type of its own nobody knows whether `1` is a number; `01` is none.
    if values.iter().all(numeric) && types.is_empty()
        || numbers && (types.contains("string") || !values.iter().all(numeric))
    {
        return None;
    }
    let null =
        types.contains("null") || schema.get("nullable").and_then(Node::as_bool) == Some(true);
    let nothing = null.then(|| "null".to_owned());
    let text = schema.tree().source().text();
    // What a merge key or an alias brings in stands elsewhere.
    let own = |member: &Member<'_>| {
        member.key.parent() == Some(schema) && member.value.parent() == Some(schema)
    };
    let anchor = schema
        .member("type")
        .filter(|member| own(member) && !member.value.is_array());
    if is_flow(schema) {
        let is_json = schema.tree().syntax() == Syntax::Json
            || schema
                .members()
                .next()
                .is_some_and(|first| first.key.source_text().starts_with('"'));
        let member = anchor.or_else(|| schema.members().filter(own).last())?;
        let colon = text.get(member.key.span().end()..member.value.span().start())?;
        let tight = !colon.contains(' ');
        let comma = if tight { "," } else { ", " };
        let list: Vec<String> = values
            .iter()
            .map(|value| {
                if numbers {
                    value.clone()
                } else if is_json {
                    json(value)
                } else {
                    yaml(value, true)
                }
            })
            .chain(nothing)
            .collect();
        let key = if is_json { "\"enum\"" } else { "enum" };
        let gap = if tight { "" } else { " " };
        let line = line_start(text, member.key.span().start());
        let indent = text.get(line..member.key.span().start())?;
        // A member on a line of its own gets a neighbour on a line of its own.
        let separator = if indent.trim().is_empty() && line > 0 {
            format!(",{}{indent}", line_break(text))
        } else {
            comma.to_owned()
        };
        let at = member.value.span().end();
        return Some(vec![Edit::new(
            narrow(at, at),
            format!("{separator}{key}:{gap}[{}]", list.join(comma)),
        )]);
    }
    let list: Vec<String> = values
        .iter()
        .map(|value| {
            if numbers {
                value.clone()
            } else {
                yaml(value, true)
            }
        })
        .chain(nothing)
        .collect();
    let first = schema.members().find(own)?;
    let line = line_start(text, first.key.span().start());
    let width = text.get(line..first.key.span().start())?.chars().count();
    let indent = " ".repeat(width);
    let inline = format!("enum: [{}]", list.join(", "));
    let written = if inline.len() + width <= 100 {
        inline
    } else {
        let items: Vec<String> = list
            .iter()
            .map(|value| format!("{}{indent}  - {value}", line_break(text)))
            .collect();
        format!("enum:{}", items.concat())
    };
    if let Some(member) = anchor {
        let end = member.value.span().end();
        let line = line_end(text, end);
        let content = text.get(end..line)?.trim_end_matches(['\n', '\r']).len();
        let at = end + content;
        return Some(vec![Edit::new(
            narrow(at, at),
            format!("{}{indent}{written}", line_break(text)),
        )]);
    }
    let at = first.key.span().start();
    Some(vec![Edit::new(
        narrow(at, at),
        format!("{written}{}{indent}", line_break(text)),
    )])
}

/// Replaces a literal `oneOf` by an `enum` of the same values.
pub(crate) fn one_of_to_enum(key: Node<'_>, values: &[Node<'_>]) -> Option<Vec<Edit>> {
    let value = key.value()?;
    let is_json = key.source_text().starts_with('"');
    let list: Vec<&str> = values.iter().map(|value| value.source_text()).collect();
    let tight = is_json
        && !key
            .tree()
            .source()
            .text()
            .get(key.span().end()..value.span().start())?
            .contains(' ');
    let comma = if tight { "," } else { ", " };
    let name = if is_json { "\"enum\"" } else { "enum" };
    let gap = if tight { "" } else { " " };
    let start = key.span().start();
    // A block list ends where its last item does; trailing comments stay.
    let end = value.span().end();
    let text = key.tree().source().text();
    let end = start + text.get(start..end)?.trim_end().len();
    Some(vec![Edit::new(
        narrow(start, end),
        format!("{name}:{gap}[{}]", list.join(comma)),
    )])
}

/// Whether a comment stands inside a member, which rewriting it would lose.
pub(crate) fn has_remark(key: Node<'_>) -> bool {
    let end = key
        .value()
        .map_or(key.span().end(), |value| value.span().end());
    let text = key.tree().source().text();
    text.get(key.span().start()..end).is_some_and(|member| {
        member.contains(" #") || member.contains("\n#") || member.contains("\t#")
    })
}

/// The line break a file uses, judged by its first one.
fn line_break(text: &str) -> &'static str {
    match memchr::memchr(b'\n', text.as_bytes()) {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    }
}

/// A value as it stands in a list, for a schema of these types.
pub(crate) fn written(value: &str, types: Types) -> String {
    if types.contains("integer") || types.contains("number") {
        value.to_owned()
    } else {
        yaml(value, true)
    }
}

/// A JSON string.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A YAML scalar: plain where that is the same string, else in double quotes. Inside brackets less can be plain.
fn yaml(text: &str, flow: bool) -> String {
    let word = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_-./ ".contains(&b));
    let first = text
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    let spoken = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .iter()
        .any(|known| text.eq_ignore_ascii_case(known));
    let plain = word && first && !(spoken && flow) && !text.ends_with(' ');
    if plain { text.to_owned() } else { json(text) }
}

/// Whether a collection is written with brackets.
pub(crate) fn is_flow(node: Node<'_>) -> bool {
    node.tree().syntax() == Syntax::Json || node.source_text().starts_with(['{', '['])
}

pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |found| found + 1)
}

/// The place behind the line break.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    text.get(at..)
        .and_then(|rest| rest.find('\n'))
        .map_or(text.len(), |found| at + found + 1)
}

fn skip_blank(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    at + (rest.len() - rest.trim_start().len())
}

#[cfg(test)]
mod tests {
    use aon_manifest::{ParseOptions, parse};

    use super::*;

    fn removed(name: &str, text: &str, pointer: &str) -> Option<String> {
        let tree = parse(name, text, &ParseOptions::default());
        let key = tree.root().unwrap().at(pointer).unwrap().key().unwrap();
        let edits = remove_member(key)?;
        Some(crate::fix::apply(text, &edits))
    }

    fn with_enum(name: &str, text: &str, pointer: &str) -> String {
        let tree = parse(name, text, &ParseOptions::default());
        let schema = tree.root().unwrap().at(pointer).unwrap();
        let values = ["a".to_owned(), "no".to_owned()];
        let fixed = crate::fix::apply(text, &add_enum(schema, &values).unwrap());
        let again = parse(name, fixed.clone(), &ParseOptions::default());
        assert!(again.issues().is_empty(), "{fixed}: {:?}", again.issues());
        let list = again
            .root()
            .unwrap()
            .at(pointer)
            .unwrap()
            .get("enum")
            .unwrap();
        assert_eq!(list.to_json(), serde_json::json!(["a", "no"]), "{fixed}");
        fixed
    }

    #[test]
    fn an_enum_is_added_in_the_style_around_it() {
        assert_eq!(
            with_enum("a.json", r#"{"x":{"type":"string","d":1}}"#, "/x"),
            r#"{"x":{"type":"string","enum":["a","no"],"d":1}}"#
        );
        assert_eq!(
            with_enum(
                "a.json",
                "{\n  \"x\": {\n    \"type\": \"string\"\n  }\n}\n",
                "/x"
            ),
            "{\n  \"x\": {\n    \"type\": \"string\",\n    \"enum\": [\"a\", \"no\"]\n  }\n}\n"
        );
        assert_eq!(
            with_enum(
                "a.yaml",
                "x:\n  type: string # kept\n  d: |\n    text\n",
                "/x"
            ),
            "x:\n  type: string # kept\n  enum: [a, \"no\"]\n  d: |\n    text\n"
        );
        assert_eq!(
            with_enum("a.yaml", "x:\n  - d: 1\n    e: 2\n", "/x/0"),
            "x:\n  - enum: [a, \"no\"]\n    d: 1\n    e: 2\n"
        );
        assert_eq!(
            with_enum("a.yaml", "x: { type: string, d: 1 }\n", "/x"),
            "x: { type: string, enum: [a, \"no\"], d: 1 }\n"
        );
        assert_eq!(
            with_enum("a.yaml", "x:\r\n  type: string", "/x"),
            "x:\r\n  type: string\r\n  enum: [a, \"no\"]"
        );
    }

    #[test]
    fn members_go_without_a_trace() {
        assert_eq!(
            removed("a.json", r#"{"a": 1, "b": 2}"#, "/a").unwrap(),
            r#"{"b": 2}"#
        );
        assert_eq!(
            removed("a.json", r#"{"a": 1, "b": 2}"#, "/b").unwrap(),
            r#"{"a": 1}"#
        );
        assert_eq!(
            removed("a.json", "{\n  \"a\": 1,\n  \"b\": [2]\n}", "/b").unwrap(),
            "{\n  \"a\": 1\n}"
        );
        assert_eq!(removed("a.json", "{\"a\": 1}", "/a"), None);
        assert_eq!(
            removed("a.yaml", "a: 1\nb: 2 # x\nc: 3\n", "/b").unwrap(),
            "a: 1\nc: 3\n"
        );
        assert_eq!(
            removed("a.yaml", "x:\n  a: 1\n  b:\n    - 1\n    - 2\n", "/x/b").unwrap(),
            "x:\n  a: 1\n"
        );
        assert_eq!(
            removed("a.yaml", "- a: 1\n  b: 2\n", "/0/a").unwrap(),
            "- b: 2\n"
        );
        assert_eq!(
            removed("a.yaml", "x: {a: 1, b: 2}\n", "/x/a").unwrap(),
            "x: {b: 2}\n"
        );
    }
}
