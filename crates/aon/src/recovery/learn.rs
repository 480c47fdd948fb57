//! What a list that was read says about the value of a field.

use aon_core::{Choice, pointer};
use serde_json::Value;

/// Lists longer than this are not chosen from.
const MOST: usize = 512;
const DEEPEST: usize = 5;
/// What objects of a list are known by, besides the name of the field itself.
const NAMES: [&str; 11] = [
    "value", "id", "gid", "uid", "uuid", "guid", "key", "slug", "code", "name", "uri",
];

/// The values for a field in what was read: items of a list, or the members of its objects that carry them; and whether one thing
/// was read, and not a list.
pub(super) fn choices(result: &Value, field: &str) -> (Vec<Choice>, bool) {
    let field = pointer::tokens(field).next_back().unwrap_or_default();
    let mut out = Vec::new();
    gather(result, &field, 0, &mut out);
    let own = single(result, &field, 0).filter(|_| out.is_empty());
    if let Some(own) = own {
        push(own, None, &mut out);
    }
    (out, own.is_some())
}

/// The member of the name of a field in the one thing that was read.
pub(super) fn alone<'a>(result: &'a Value, field: &str) -> Option<&'a Value> {
    let field = pointer::tokens(field).next_back()?;
    let found = single(result, &field, 0)?;
    (found.is_string() || found.is_number()).then_some(found)
}

/// The member of that name, where one thing was read and not a list: `hold_id` is also the `id` in `hold`.
fn single<'a>(value: &'a Value, field: &str, depth: usize) -> Option<&'a Value> {
    let members = value.as_object().filter(|_| depth < 2)?;
    let wanted = fold(field);
    let own = members.iter().find(|(name, _)| fold(name) == wanted);
    own.map(|(_, value)| value).or_else(|| {
        let mut inner = members.iter().filter_map(|(name, value)| {
            let rest = wanted
                .strip_prefix(&fold(name))
                .filter(|rest| !rest.is_empty() && rest.len() < wanted.len());
            let within = rest.and_then(|rest| {
                value
                    .as_object()?
                    .iter()
                    .find(|(name, _)| fold(name) == rest)
            });
            within
                .map(|(_, value)| value)
                .or_else(|| single(value, field, depth + 1))
        });
        inner.next()
    })
}

/// Whether two names are the same but for their spelling and a final `id`.
pub(super) fn same_name(one: &str, other: &str) -> bool {
    let (one, other) = (fold(one), fold(other));
    let is_id_of = |long: &str, short: &str| long.strip_suffix("id") == Some(short);
    one == other || is_id_of(&one, &other) || is_id_of(&other, &one)
}

pub(super) fn fold(name: &str) -> String {
    let kept = name.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// The value of the one item that has the given text in any of its members: an e-mail address or a title where an id belongs.
pub(super) fn by_member(result: &Value, field: &str, given: &str) -> Option<Value> {
    let field = pointer::tokens(field).next_back().unwrap_or_default();
    let given = given.trim().to_lowercase();
    let mut found = Vec::new();
    search(result, &field, 0, &mut found);
    found.retain(|(text, _)| !given.is_empty() && text.trim().to_lowercase() == given);
    let (_, first) = found.first()?;
    let alone = found.iter().all(|(_, other)| other == first);
    alone.then(|| first.clone())
}

/// Every text in an item of a list, with the value of the item.
fn search(value: &Value, field: &str, depth: usize, out: &mut Vec<(String, Value)>) {
    if depth > DEEPEST || out.len() >= MOST {
        return;
    }
    match value {
        Value::Array(items) => items
            .iter()
            .for_each(|item| search(item, field, depth + 1, out)),
        Value::Object(members) => {
            if let Some(found) = member(value, field) {
                let texts = members.values().filter_map(Value::as_str);
                out.extend(texts.map(|text| (text.to_owned(), found.clone())));
            }
            for inner in members.values().filter(|inner| !inner.is_string()) {
                search(inner, field, depth + 1, out);
            }
        }
        Value::String(text) if text.starts_with(['{', '[']) => {
            if let Ok(inner) = serde_json::from_str::<Value>(text) {
                search(&inner, field, depth + 1, out);
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
        // Records by their key.
        Value::Object(members)
            if depth > 0 && members.values().all(|item| is_record(item, field)) =>
        {
            for (key, item) in members {
                push(&Value::from(key.as_str()), label(item), out);
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

/// Whether an object says something about a thing, but not what it is called by.
fn is_record(item: &Value, field: &str) -> bool {
    item.as_object().is_some_and(|members| {
        let called = |name: &String| {
            name == "id" || fold(name) == fold(field) || fold(name) == format!("{}id", fold(field))
        };
        !members.is_empty()
            && !members.keys().any(called)
            && !members
                .values()
                .any(|value| value.is_object() || value.is_array())
    })
}

fn member(item: &Value, field: &str) -> Option<Value> {
    let own = item.as_object().and_then(|members| {
        let spelled = |name: &str| {
            let wanted = fold(name);
            let mut found = members.iter().filter(|(name, _)| fold(name) == wanted);
            found.next().map(|(_, value)| value)
        };
        let longer = || ["id", "code", "key", "slug"].map(|end| format!("{field}{end}"));
        spelled(field).or_else(|| longer().iter().find_map(|name| spelled(name)))
    });
    if let Some(own) = own.filter(|value| value.is_string() || value.is_number()) {
        return Some(own.clone());
    }
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

/// A text or a whole number as one of the values of a field.
pub(super) fn choice(value: &Value) -> Option<Choice> {
    match value {
        Value::String(text) => Some(Choice::new(text.clone())),
        Value::Number(number) => number.as_i64().map(Choice::from),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn push(value: &Value, label: Option<&str>, out: &mut Vec<Choice>) {
    let Some(choice) = choice(value) else {
        return;
    };
    if out.len() < MOST && !out.iter().any(|known| known.value() == choice.value()) {
        out.push(match label {
            Some(label) => choice.with_label(label.to_owned()),
            None => choice,
        });
    }
}
