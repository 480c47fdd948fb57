//! The shapes people give to errors, read into words. One pass over the members; the names are those of the frameworks.

use aon_core::{Pointer, UriRef};
use serde_json::{Map, Value};

use super::entries::{are_fields, list, of_fields, place_in};
use super::names::{
    CODES, DOCS, ENTRIES, INSIDE, LISTS, MESSAGES, SURE_CODES, find, fold, has, is_empty_word,
    may_be_shown, text, words as listed,
};
use super::words::{Words, code, code_of_uri, cut, is_camel, is_name, is_uri, plain, summary};

/// How deep an error may be inside another.
const DEEPEST: usize = 3;

/// What a hand-written error says; `None` when nothing is understood.
pub(super) fn read(body: &Value) -> Option<Words> {
    let mut words = match body {
        // Django and Rails write the fields alone.
        Value::Object(members) if are_fields(body, 0) && !has_any(members, LISTS) => {
            of_fields(members, true)
        }
        Value::Object(members) => object(members, 0),
        Value::Array(items) => list(items),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Words::default(),
    };
    if words.detail.is_none() {
        words.detail = summary(&words);
    }
    words.are_any().then_some(words)
}

fn object(members: &Map<String, Value>, depth: usize) -> Words {
    let mut words = Words::default();
    let mut used: Vec<&str> = Vec::new();
    sentence(members, &mut words, &mut used);
    name(members, &mut words, &mut used);
    for name in listed(LISTS) {
        let found = match find(members, name) {
            Some((own, _)) if used.contains(&own) => continue,
            Some((own, Value::Array(items))) if name != "fields" => (own, list(items)),
            Some((own, Value::Object(fields)))
                if !["detail", "error"].contains(&name) && !is_error(fields) =>
            {
                (own, of_fields(fields, name != "errors"))
            }
            _ => continue,
        };
        let (own, mut found) = found;
        if found.are_any() {
            used.push(own);
            if words.detail.is_some() && words.detail != found.detail {
                // Beside a sentence of its own, the code of an entry is about its field.
                found.code = None;
            }
            if let (Some(own), Some(said), true) =
                (&words.detail, &found.detail, found.errors.is_empty())
                && own != said
            {
                // One entry that is about no field says more than the sentence beside it.
                let said = said.clone();
                found.push(Pointer::ROOT, &said);
            }
            words = words.or(found);
        }
    }
    let inside = listed(INSIDE).chain(["details"]);
    for name in inside.filter(|_| depth < DEEPEST) {
        if let Some((own, Value::Object(inner))) = find(members, name) {
            // JSend: `{"status": "fail", "data": {"title": "A title is required"}}`.
            let fails = name == "data"
                && text(members, "status").is_some_and(|(_, status)| status == "fail");
            let inner = match (fails, name) {
                (true, _) => of_fields(inner, true),
                (false, "details" | "errors") if !is_error(inner) => continue,
                (false, _) => object(inner, depth + 1),
            };
            if inner.are_any() {
                used.push(own);
                words = words.or(inner);
            }
        }
    }
    about_one_field(members, &mut words, &mut used);
    if let Some((own, url)) = listed(DOCS).find_map(|name| text(members, name))
        && url.starts_with("http")
    {
        words.docs = words.docs.or_else(|| UriRef::parse(url.to_owned()).ok());
        used.push(own);
    }
    for (name, value) in members {
        if !used.contains(&&**name) && may_be_shown(name, value, members) {
            // A code is a name on our side. A number that is not the status again keeps its value under another one.
            let name = match value.as_i64() {
                Some(100..=599) | None => name.as_str(),
                Some(_) if fold(name) == "code" => "error_code",
                Some(_) => name.as_str(),
            };
            words.more.entry(name).or_insert(value.clone());
        }
    }
    words
}

/// The sentence, and the heading.
fn sentence<'a>(members: &'a Map<String, Value>, words: &mut Words, used: &mut Vec<&'a str>) {
    if let Some((_, title)) = text(members, "title") {
        words.title = Some(cut(title));
    }
    for name in listed(MESSAGES) {
        let Some((own, said)) = text(members, name) else {
            continue;
        };
        used.push(own);
        if is_name(said) || is_camel(said) || is_empty_word(said) {
            continue;
        }
        let listed =
            name == "error" && find(members, "message").is_some_and(|(_, value)| value.is_array());
        if words.detail.is_none() && !listed {
            words.detail = Some(cut(said));
        } else if name == "error" {
            // `{"statusCode": 400, "message": "…", "error": "Bad Request"}`
            words.title = words.title.take().or_else(|| Some(cut(said)));
        }
    }
}

/// The name for machines. A name where the sentence was expected is one too, and its words are the heading.
fn name<'a>(members: &'a Map<String, Value>, words: &mut Words, used: &mut Vec<&'a str>) {
    if let Some((own, uri)) = text(members, "type").filter(|(_, text)| is_uri(text)) {
        used.push(own);
        words.code = code_of_uri(uri);
        words.type_uri = words
            .code
            .as_ref()
            .and_then(|_| UriRef::parse(uri.to_owned()).ok());
    }
    let names = listed(CODES).chain(listed(MESSAGES));
    let named = names.into_iter().find_map(|name| {
        let (own, text) = text(members, name).filter(|(_, text)| !is_uri(text))?;
        // `{"message": "…", "reason": "Invalid"}`: the sentence is the other one.
        let beside = name == "reason" && find(members, "message").is_some();
        let fits = has(SURE_CODES, name)
            || (!is_empty_word(text) && (is_name(text) || is_camel(text) || beside));
        let code = code(text).filter(|_| fits)?;
        Some((own, text, code))
    });
    if let Some((own, text, code)) = named {
        used.push(own);
        if words.detail.is_none() && words.title.is_none() && has(MESSAGES, &fold(own)) {
            words.title = Some(plain(text));
        }
        words.code = words.code.take().or(Some(code));
    }
}

/// `{"code": "parameter_missing", "message": "…", "param": "amount"}`: the error is about one field.
fn about_one_field<'a>(
    members: &'a Map<String, Value>,
    words: &mut Words,
    used: &mut Vec<&'a str>,
) {
    const ONE: [&str; 5] = ["param", "field", "parameter", "property", "attribute"];
    let Some((own, field)) = ONE.into_iter().find_map(|name| text(members, name)) else {
        return;
    };
    if let (Some(place), Some(detail), true) = (
        place_in(field),
        words.detail.clone(),
        words.errors.is_empty(),
    ) {
        words.push(place, &detail);
        used.push(own);
    }
}

/// Whether a member named like a list is an error itself: `{"errors": {"detail": "Not Found"}}`.
fn is_error(members: &Map<String, Value>) -> bool {
    let says = ["message", "detail"]
        .into_iter()
        .any(|name| text(members, name).is_some());
    let about = ["code", "status", "title", "message", "detail", "type"];
    (says && members.keys().all(|name| about.contains(&&*fold(name)))) || has_any(members, ENTRIES)
}

fn has_any(members: &Map<String, Value>, names: &'static str) -> bool {
    listed(names).any(|name| find(members, name).is_some())
}
