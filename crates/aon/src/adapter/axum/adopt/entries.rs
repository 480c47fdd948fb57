//! The fields that are wrong: lists of entries, and maps from a field to what is wrong with it.

use aon_core::{Code, Pointer};
use serde_json::{Map, Value};

use super::names::{AROUND, PARTS, PLACES, SAYS, WHOLE, find, fold, has, text, words};
use super::words::{Words, code, cut, is_name, is_sentence, plain};

/// How deep a map of fields may be.
const DEEPEST: usize = 6;

/// A list of entries, as most frameworks write it.
pub(super) fn list(items: &[Value]) -> Words {
    let mut words = Words::default();
    let mut codes: Vec<Option<Code>> = Vec::new();
    for item in items {
        match item {
            Value::String(text) => words.push(Pointer::ROOT, text),
            Value::Object(entry) => {
                // `details` of Google's APIs: each has a type, and few are about fields.
                let typed = entry.contains_key("@type");
                let own = own_code(entry);
                if let Some(says) = says(entry).filter(|_| !typed) {
                    let place = place_of(entry);
                    if items.len() == 1
                        && words.detail.is_none()
                        && reads_alone(&says, place.as_ref())
                    {
                        words.detail = Some(cut(&says));
                        words.title = text(entry, "title")
                            .filter(|(_, title)| *title != says)
                            .map(|(_, title)| cut(title));
                    }
                    if let Some(place) = place {
                        words.push(place, &says);
                    } else if items.len() > 1 {
                        words.push(Pointer::ROOT, &says);
                    }
                }
                if !typed {
                    codes.push(own.and_then(code));
                }
                for name in ["fieldviolations", "violations"] {
                    if let Some((_, Value::Array(inner))) = find(entry, name) {
                        words = words.or(list(inner));
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
        }
    }
    // A code that depends on how many fields are wrong is not one to match on.
    if codes.windows(2).all(|pair| pair[0] == pair[1]) {
        words.code = words.code.or(codes.into_iter().next().flatten());
    }
    words
}

/// A sentence, or a fragment that is about no field; `must be positive` needs the name of its field.
fn reads_alone(says: &str, place: Option<&Pointer>) -> bool {
    place.is_none() || !says.starts_with(|first: char| first.is_lowercase())
}

fn own_code(entry: &Map<String, Value>) -> Option<&str> {
    let nested = || entry.get("extensions")?.get("code")?.as_str();
    // Google's older APIs: `{"domain": "global", "reason": "invalidParameter", "message": "…"}`.
    let reason = || text(entry, "reason").filter(|_| entry.contains_key("domain"));
    text(entry, "code")
        .or_else(|| text(entry, "errorcode"))
        .or_else(reason)
        .map(|(_, code)| code)
        .or_else(nested)
}

/// What an entry says: its sentence, or else its code in plain words.
fn says(entry: &Map<String, Value>) -> Option<String> {
    let said = words(SAYS).find_map(|name| text(entry, name));
    match said {
        // `"message": "EMAIL_EXISTS"`
        Some((_, said)) if is_name(said) => Some(plain(said)),
        Some((_, said)) => Some(said.to_owned()),
        None => place_of(entry).and(own_code(entry)).map(plain),
    }
}

/// `{"size": ["is too big"], "address": {"city": ["is missing"]}}`; `strict` takes sentences alone, for a member that may as well be
/// about something else.
pub(super) fn of_fields(fields: &Map<String, Value>, strict: bool) -> Words {
    let mut words = Words::default();
    walk(fields, &Pointer::ROOT, strict, 0, &mut words);
    words
}

/// Whether an object is a map of fields and nothing else: every end of it is a sentence in a list.
pub(super) fn are_fields(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let mut said = items.iter().filter_map(Value::as_str);
            depth > 0 && !items.is_empty() && said.all(is_sentence)
        }
        Value::Array(items) => {
            let objects = items.iter().all(Value::is_object);
            let mut said = items
                .iter()
                .filter(|item| item.as_object().is_some_and(|item| !item.is_empty()));
            objects && said.all(|item| are_fields(item, depth + 1))
        }
        Value::Object(members) => {
            depth < DEEPEST
                && !members.is_empty()
                && members.values().all(|value| are_fields(value, depth + 1))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn walk(
    fields: &Map<String, Value>,
    above: &Pointer,
    strict: bool,
    depth: usize,
    words: &mut Words,
) {
    for (name, said) in fields {
        let folded = fold(name);
        let is_part = depth == 0 && said.is_object() && has(AROUND, &folded);
        let place = if folded.is_empty() || has(WHOLE, &folded) || is_part {
            above.clone()
        } else {
            joined(above, &path(name))
        };
        one(said, &place, strict, depth, words);
    }
}

fn one(said: &Value, place: &Pointer, strict: bool, depth: usize, words: &mut Words) {
    match said {
        Value::String(text) if !strict || is_sentence(text) => words.push(place.clone(), text),
        Value::Array(many) => {
            let listed = many.len() > 1 || many.iter().any(Value::is_string);
            for (at, item) in many.iter().enumerate() {
                match item {
                    Value::String(text) => words.push(place.clone(), text),
                    Value::Object(entry) if says(entry).is_none() && depth < DEEPEST => {
                        let mut place = place.clone();
                        if listed {
                            place.push(&at.to_string());
                        }
                        walk(entry, &place, strict, depth + 1, words);
                    }
                    Value::Object(_)
                    | Value::Array(_)
                    | Value::Null
                    | Value::Bool(_)
                    | Value::Number(_) => one(item, place, strict, DEEPEST, words),
                }
            }
        }
        Value::Object(entry) => match says(entry) {
            Some(text) => words.push(place.clone(), &text),
            None if depth < DEEPEST => walk(entry, place, strict, depth + 1, words),
            None => {}
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn joined(above: &Pointer, below: &Pointer) -> Pointer {
    let mut place = above.clone();
    for token in below.tokens() {
        place.push(&token);
    }
    place
}

/// The field that an entry is about.
pub(super) fn place_of(entry: &Map<String, Value>) -> Option<Pointer> {
    if let Some(Value::Object(source)) = entry.get("source") {
        let text = |name: &str| source.get(name)?.as_str();
        return text("pointer")
            .and_then(|text| Pointer::parse(text).ok())
            .or_else(|| Some(Pointer::field(text("parameter")?)));
    }
    if let Some(Value::Object(extensions)) = entry.get("extensions")
        && let Some((_, field)) = text(extensions, "field")
    {
        return Some(path(field));
    }
    if find(entry, "locationtype").is_some()
        && let Some((_, place)) = text(entry, "location")
    {
        return Some(path(place));
    }
    words(PLACES).find_map(|name| match find(entry, name)?.1 {
        Value::String(text) => place_in(text),
        Value::Array(steps) if !steps.is_empty() => Some(of_steps(steps)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    })
}

/// The field that a text names: a pointer or a path.
pub(super) fn place_in(text: &str) -> Option<Pointer> {
    if text.starts_with(['/', '#']) {
        return Pointer::parse(text).ok();
    }
    // `"name": "ValidationError"`
    let of_a_type = text.ends_with("Error") || text.ends_with("Exception");
    let named = !of_a_type && !text.trim().is_empty() && !text.contains(' ');
    named.then(|| path(text))
}

/// `["body", "items", 0, "size"]`.
fn of_steps(steps: &[Value]) -> Pointer {
    let part = steps.first().and_then(Value::as_str);
    let skip = usize::from(part.is_some_and(|part| has(PARTS, part)) && steps.len() > 1);
    steps
        .iter()
        .skip(skip)
        .map(|step| {
            step.as_str()
                .map_or_else(|| step.to_string(), str::to_owned)
        })
        .collect()
}

/// `items[0].size` and `items.0.size`.
fn path(text: &str) -> Pointer {
    text.split(['.', '[', ']'])
        .filter(|step| !step.is_empty() && *step != "$")
        .map(str::to_owned)
        .collect()
}
