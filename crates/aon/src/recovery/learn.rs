//! What a list that was read says about the value of a field.

use aon_core::{Choice, pointer};
use serde_json::Value;

/// Lists longer than this are not chosen from.
const MOST: usize = 512;
const DEEPEST: usize = 5;
/// What objects of a list are known by, besides the name of the field itself.
const NAMES: [&str; 7] = ["value", "id", "key", "slug", "code", "name", "uri"];

/// The values for a field in what was read: items of a list, or the members of its objects that carry them.
pub(super) fn choices(result: &Value, field: &str) -> Vec<Choice> {
    let field = pointer::tokens(field).next_back().unwrap_or_default();
    let mut out = Vec::new();
    gather(result, &field, 0, &mut out);
    out
}

/// The value of the one item that has the given text in any of its members: an e-mail address or a title where an id belongs.
pub(super) fn by_member(result: &Value, field: &str, given: &str) -> Option<Value> {
    let field = pointer::tokens(field).next_back().unwrap_or_default();
    let mut found = Vec::new();
    search(result, &field, &given.trim().to_lowercase(), 0, &mut found);
    match found.as_slice() {
        [only] if !given.trim().is_empty() => Some(only.clone()),
        _ => None,
    }
}

fn search(value: &Value, field: &str, given: &str, depth: usize, out: &mut Vec<Value>) {
    if depth > DEEPEST || out.len() > 1 {
        return;
    }
    match value {
        Value::Array(items) => items
            .iter()
            .for_each(|item| search(item, field, given, depth + 1, out)),
        Value::Object(members) => {
            let says = |text: &Value| text.as_str().map(|text| text.trim().to_lowercase());
            let own = members
                .values()
                .any(|text| says(text).as_deref() == Some(given));
            if let Some(found) = member(value, field).filter(|found| own && !out.contains(found)) {
                out.push(found);
            }
            for inner in members.values().filter(|inner| !inner.is_string()) {
                search(inner, field, given, depth + 1, out);
            }
        }
        Value::String(text) if text.starts_with(['{', '[']) => {
            if let Ok(inner) = serde_json::from_str::<Value>(text) {
                search(&inner, field, given, depth + 1, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn gather(value: &Value, field: &str, depth: usize, out: &mut Vec<Choice>) {
    if depth > DEEPEST || out.len() >= MOST {
        return;
    }
    match value {
        Value::Array(items) => {
            for item in items {
                match item {
                    Value::Object(_) => match member(item, field) {
                        Some(found) => push(&found, label(item), out),
                        None => gather(item, field, depth + 1, out),
                    },
                    Value::Array(_) => gather(item, field, depth + 1, out),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                        push(item, None, out);
                    }
                }
            }
        }
        Value::Object(members) => {
            for inner in members.values() {
                gather(inner, field, depth + 1, out);
            }
        }
        // Results often come as JSON in a text.
        Value::String(text) if text.starts_with(['{', '[']) => {
            if let Ok(inner) = serde_json::from_str::<Value>(text) {
                gather(&inner, field, depth + 1, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn member(item: &Value, field: &str) -> Option<Value> {
    let ending = NAMES.iter().find(|name| {
        field
            .strip_suffix(*name)
            .is_some_and(|rest| rest.ends_with('_'))
    });
    let names = [field].into_iter().chain(ending.copied()).chain(NAMES);
    let mut found = names.filter_map(|name| item.get(name));
    found
        .find(|value| value.is_string() || value.is_number())
        .cloned()
}

fn label(item: &Value) -> Option<&str> {
    let mut labels = ["label", "title", "name"]
        .iter()
        .filter_map(|name| item.get(name)?.as_str());
    labels.next()
}

fn push(value: &Value, label: Option<&str>, out: &mut Vec<Choice>) {
    let choice = match value {
        Value::String(text) => Choice::new(text.clone()),
        Value::Number(number) => match number.as_i64() {
            Some(number) => Choice::from(number),
            None => return,
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return,
    };
    if out.len() < MOST && !out.iter().any(|known| known.value() == choice.value()) {
        out.push(match label {
            Some(label) => choice.with_label(label.to_owned()),
            None => choice,
        });
    }
}
