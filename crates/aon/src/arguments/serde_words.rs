//! What serde says, taken apart: the kind of fault and what would do, without the value that was given.

use aon_core::{Choice, redact};

use super::{Fault, What};

pub(super) fn fault(pointer: &str, message: &str) -> Fault {
    let message = without_place(message);
    let (what, name) = what(message);
    let mut pointer = pointer.to_owned();
    if let Some(name) = name {
        let token = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        if !pointer.ends_with(&token) {
            pointer.push_str(&token);
        }
    }
    Fault { pointer, what }
}

/// What serde wanted, for people who do not read Rust: the types of numbers by their range.
pub(crate) fn in_words(expected: &str) -> String {
    let range = match expected {
        "u8" => (u8::MIN.to_string(), u8::MAX.to_string()),
        "u16" => (u16::MIN.to_string(), u16::MAX.to_string()),
        "u32" => (u32::MIN.to_string(), u32::MAX.to_string()),
        "u64" | "usize" => (u64::MIN.to_string(), u64::MAX.to_string()),
        "i8" => (i8::MIN.to_string(), i8::MAX.to_string()),
        "i16" => (i16::MIN.to_string(), i16::MAX.to_string()),
        "i32" => (i32::MIN.to_string(), i32::MAX.to_string()),
        "i64" | "isize" => (i64::MIN.to_string(), i64::MAX.to_string()),
        "u128" | "i128" => return "a whole number".to_owned(),
        "f32" | "f64" => return "a number".to_owned(),
        "unit" => return "nothing".to_owned(),
        "a sequence" => return "an array".to_owned(),
        "a map" => return "an object".to_owned(),
        // Names of types are nobody's business outside.
        other if OBJECTS.iter().any(|start| other.starts_with(start)) => {
            return "an object".to_owned();
        }
        other if other.starts_with("enum ") => return "one of its values".to_owned(),
        other if other.starts_with("tuple struct ") => return "an array".to_owned(),
        other => return other.to_owned(),
    };
    format!("a whole number from {} to {}", range.0, range.1)
}

/// How serde begins to speak of what is an object in JSON.
const OBJECTS: [&str; 4] = [
    "struct ",
    "internally tagged enum ",
    "adjacently tagged enum ",
    "map with a single key",
];

/// Whether a number was given where one of another range or sort is wanted: then its kind says nothing.
pub(crate) fn both_numbers(expected: &str, received: &str) -> bool {
    expected.contains("number")
        && matches!(received, "a number" | "an integer" | "number" | "integer")
}

/// The kind of fault, and the member it names.
fn what(message: &str) -> (What, Option<String>) {
    if let Some(rest) = message.strip_prefix("missing field `") {
        let name = rest.trim_end_matches('`').to_owned();
        return (What::Missing(Vec::new()), Some(name));
    }
    if let Some(rest) = message.strip_prefix("unknown field `") {
        let (given, known) = given_and_expected(rest);
        let what = What::Unknown {
            given: given.clone(),
            known,
        };
        return (what, Some(given));
    }
    if let Some(rest) = message.strip_prefix("unknown variant `") {
        let (_, valid) = given_and_expected(rest);
        return (
            What::NotOneOf(valid.into_iter().map(Choice::from).collect()),
            None,
        );
    }
    for start in ["invalid type: ", "invalid value: ", "invalid length "] {
        if let Some(rest) = message.strip_prefix(start)
            && let Some((received, expected)) = rest.rsplit_once(", expected ")
        {
            let expected = shortened(&in_words(expected));
            let received = kind(received);
            return (What::Wrong { expected, received }, None);
        }
    }
    if message.starts_with(NO_FORM) {
        let expected = "of one of its forms".to_owned();
        let received = None;
        return (What::Wrong { expected, received }, None);
    }
    // What serde_json says where a choice was wanted and neither a text nor an object is there.
    if message == NO_CHOICE {
        let expected = "one of its values".to_owned();
        let received = None;
        return (What::Wrong { expected, received }, None);
    }
    (What::Other(passed_on(message)), None)
}

/// The words of serde for a value that fits no alternative; a name of a type follows.
pub(crate) const NO_FORM: &str = "data did not match any variant of untagged enum";
/// The words of `serde_json` for a value that is no choice.
pub(crate) const NO_CHOICE: &str = "expected value";

/// `x`, expected one of `a`, `b` / `x`, expected `a` or `b` / `x`, there are no fields: the given word, and the expected ones.
pub(crate) fn given_and_expected(rest: &str) -> (String, Vec<String>) {
    if let Some((given, expected)) = rest.rsplit_once("`, expected ") {
        return (given.to_owned(), quoted(expected));
    }
    let (given, _) = rest
        .rsplit_once("`, there are no ")
        .or_else(|| rest.rsplit_once('`'))
        .unwrap_or((rest, ""));
    (given.to_owned(), Vec::new())
}

fn quoted(expected: &str) -> Vec<String> {
    let expected = expected.strip_prefix("one of ").unwrap_or(expected);
    let Some(inner) = expected
        .strip_prefix('`')
        .and_then(|inner| inner.strip_suffix('`'))
    else {
        return Vec::new();
    };
    inner
        .split("`, `")
        .flat_map(|part| part.split("` or `"))
        .map(str::to_owned)
        .collect()
}

/// The kind of value serde met, without the value.
fn kind(received: &str) -> Option<String> {
    let words: &[(&str, &str)] = &[
        ("string", "a string"),
        ("integer", "an integer"),
        ("floating point", "a number"),
        ("boolean", "a boolean"),
        ("null", "null"),
        ("unit value", "null"),
        ("sequence", "an array"),
        ("map", "an object"),
    ];
    words
        .iter()
        .find(|(start, _)| received.starts_with(start))
        .map(|(_, kind)| (*kind).to_owned())
}

/// The message without `at line 1 column 2`, with which `serde_json` ends.
pub(crate) fn without_place(message: &str) -> &str {
    let is_place = |end: &str| {
        end.bytes()
            .all(|b| b.is_ascii_digit() || b.is_ascii_lowercase() || b == b' ')
    };
    match message.rsplit_once(" at line ") {
        Some((words, place)) if is_place(place) => words,
        _ => message,
    }
}

/// Words of somebody else, as they may be passed on: without secrets, and not too many.
pub(crate) fn passed_on(message: &str) -> String {
    shortened(&redact::text(message))
}

pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 300;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}
