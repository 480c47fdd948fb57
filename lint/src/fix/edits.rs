//! The edits fixes are made of, for JSON and flow YAML on one side and block YAML on the other.

use aon_manifest::{Node, Syntax};

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
