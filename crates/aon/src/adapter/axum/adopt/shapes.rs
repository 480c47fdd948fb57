//! The shapes people give to errors, read into words. One pass over the members; the names are those of the frameworks.

use aon_core::Pointer;
use serde_json::{Map, Value};

use super::words::{Words, code, cut, is_name};

/// Where an error stands inside of another object.
const INSIDE: [&str; 3] = ["error", "detail", "fault"];
/// What holds the sentence, best first.
const MESSAGES: [&str; 9] = [
    "message",
    "detail",
    "error_description",
    "error_message",
    "errorMessage",
    "description",
    "msg",
    "reason",
    "error",
];
/// What holds the name, best first.
const CODES: [&str; 8] = [
    "code",
    "error_code",
    "errorCode",
    "__type",
    "status",
    "type",
    "error",
    "name",
];
/// What lists the fields that are wrong.
const LISTS: [&str; 10] = [
    "errors",
    "detail",
    "details",
    "message",
    "violations",
    "fieldErrors",
    "field_errors",
    "validation_errors",
    "invalid_params",
    "invalid-params",
];
/// What names the field of one entry.
const PLACES: [&str; 12] = [
    "pointer",
    "instancePath",
    "field",
    "param",
    "parameter",
    "property",
    "propertyPath",
    "attribute",
    "loc",
    "path",
    "key",
    "name",
];
/// What an entry says.
const SAYS: [&str; 7] = [
    "message",
    "msg",
    "detail",
    "reason",
    "description",
    "title",
    "error",
];
/// The part of a request that `FastAPI` and others put before the name of a field.
const PARTS: [&str; 5] = ["body", "query", "path", "header", "cookie"];
/// Words that say that it failed, which the status does.
const EMPTY_WORDS: [&str; 8] = [
    "error", "errors", "fail", "failed", "failure", "false", "ko", "nok",
];
/// Members that only repeat the head of the response.
const REPEATED: [&str; 7] = [
    "status",
    "statusCode",
    "status_code",
    "success",
    "ok",
    "type",
    "title",
];
/// How deep an error may stand inside of another.
const DEEPEST: usize = 3;

/// What a hand-written error says; `None` when nothing is understood.
pub(super) fn read(body: &Value) -> Option<Words> {
    let words = match body {
        Value::Object(members) => object(members, 0),
        Value::Array(items) => list(items),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Words::default(),
    };
    words.are_any().then_some(words)
}

fn object(members: &Map<String, Value>, depth: usize) -> Words {
    let mut words = Words::default();
    let mut used: Vec<&str> = Vec::new();
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    for name in MESSAGES {
        if let Some(message) = text(name).filter(|text| !text.trim().is_empty()) {
            used.push(name);
            let listed = name == "error" && members.get("message").is_some_and(Value::is_array);
            if words.detail.is_none() && !listed {
                words.detail = Some(cut(message));
            } else if name == "error" && !is_name(message) && !is_empty_word(message) {
                // `{"statusCode": 400, "message": "…", "error": "Bad Request"}`
                words.title = Some(cut(message));
            }
        }
    }
    let named = CODES.into_iter().find_map(|name| {
        let text = text(name)?;
        // A word of these may be for people, or be about something else.
        let vague = matches!(name, "status" | "type" | "error" | "name");
        let fits = !vague
            || (!is_empty_word(text) && (is_name(text) || (name != "error" && is_camel(text))));
        let code = code(text).filter(|_| fits)?;
        Some((name, code))
    });
    if let Some((name, code)) = named {
        used.push(name);
        words.code = Some(code);
    }
    for name in LISTS {
        let found = match members.get(name) {
            Some(Value::Array(items)) => list(items),
            Some(Value::Object(fields)) if name != "detail" => of_fields(fields),
            _ => continue,
        };
        if found.are_any() {
            used.push(name);
            words = words.or(found);
        }
    }
    if depth < DEEPEST {
        for name in INSIDE {
            if let Some(Value::Object(inner)) = members.get(name) {
                let inner = object(inner, depth + 1);
                if inner.are_any() {
                    used.push(name);
                    words = words.or(inner);
                }
            }
        }
    }
    if words.detail.is_none() {
        words.detail = summary(&words);
    }
    for (name, value) in members {
        let known = used.contains(&&**name) || REPEATED.contains(&&**name);
        if !known && !value.is_null() {
            words.more.insert(name.clone(), value.clone());
        }
    }
    words
}

/// A list of entries, as most frameworks write it.
fn list(items: &[Value]) -> Words {
    let mut words = Words::default();
    for item in items {
        match item {
            Value::String(text) => words.push(Pointer::ROOT, text),
            Value::Object(entry) => {
                let says = SAYS.into_iter().find_map(|name| entry.get(name)?.as_str());
                let place = place_of(entry);
                if let Some(says) = says {
                    if words.detail.is_none() && items.len() == 1 {
                        words.detail = Some(cut(says));
                    }
                    if let Some(place) = place {
                        words.push(place, says);
                    } else if items.len() > 1 {
                        words.push(Pointer::ROOT, says);
                    }
                }
                let nested = |name: &str| entry.get("extensions")?.get(name)?.as_str();
                let own = entry.get("code").and_then(Value::as_str);
                if words.code.is_none() && items.len() == 1 {
                    words.code = own.or_else(|| nested("code")).and_then(code);
                }
                // `details` of Google's APIs.
                for name in ["fieldViolations", "violations"] {
                    if let Some(Value::Array(inner)) = entry.get(name) {
                        words = words.or(list(inner));
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
        }
    }
    words
}

/// `{"size": ["is too big"], "colour": "is not known"}`.
fn of_fields(fields: &Map<String, Value>) -> Words {
    let mut words = Words::default();
    for (name, says) in fields {
        let place = path(name);
        match says {
            Value::String(text) => words.push(place, text),
            Value::Array(many) => {
                for one in many {
                    let inner = SAYS.into_iter().find_map(|name| one.get(name)?.as_str());
                    if let Some(text) = one.as_str().or(inner) {
                        words.push(place.clone(), text);
                    }
                }
            }
            Value::Object(entry) => {
                if let Some(text) = SAYS.into_iter().find_map(|name| entry.get(name)?.as_str()) {
                    words.push(place, text);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    words
}

/// The field that an entry is about.
fn place_of(entry: &Map<String, Value>) -> Option<Pointer> {
    if let Some(source) = entry.get("source") {
        let text = |name: &str| source.get(name)?.as_str();
        return text("pointer")
            .and_then(|text| Pointer::parse(text).ok())
            .or_else(|| Some(Pointer::field(text("parameter")?)));
    }
    PLACES.into_iter().find_map(|name| match entry.get(name)? {
        Value::String(text) if text.starts_with(['/', '#']) => Pointer::parse(text).ok(),
        Value::String(text) if !text.trim().is_empty() => Some(path(text)),
        Value::Array(steps) => Some(of_steps(steps)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            None
        }
    })
}

/// `["body", "items", 0, "size"]`.
fn of_steps(steps: &[Value]) -> Pointer {
    let part = steps.first().and_then(Value::as_str);
    let skip = usize::from(part.is_some_and(|part| PARTS.contains(&part)) && steps.len() > 1);
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

/// The field errors as a sentence, for a body that has no other.
fn summary(words: &Words) -> Option<String> {
    let said: Vec<String> = words
        .errors
        .iter()
        .take(4)
        .map(|(place, says)| match place.as_str() {
            "" => says.clone(),
            place => format!("{}: {says}", place.trim_start_matches('/')),
        })
        .collect();
    (!said.is_empty()).then(|| cut(&said.join("; ")))
}

fn is_empty_word(word: &str) -> bool {
    EMPTY_WORDS.contains(&&*word.to_ascii_lowercase())
}

/// `NotFound`, as exceptions are called; not `Conflict`.
fn is_camel(word: &str) -> bool {
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    capitals > 1 && !word.contains(' ')
}
