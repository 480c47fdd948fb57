//! What serde says, taken apart: the kind of fault and what would do, without the value that was given.

use aon_core::{Choice, pointer, redact};

use super::{Fault, What};

pub(super) fn fault(at: &str, message: &str) -> Fault {
    let message = without_place(message);
    let (what, given) = what(message);
    let mut place = at.to_owned();
    // These name a member of what is there.
    if let (What::Missing(_) | What::Duplicate | What::Unknown(_), Some(name)) = (&what, &given) {
        let token = format!("/{}", pointer::escape(name));
        if !place.ends_with(&token) {
            place.push_str(&token);
        }
    }
    Fault::new(place, what).with_given(given.as_deref())
}

/// From a path and a message in one text, such as `a.b[0]: invalid type: …`.
#[cfg(feature = "axum")]
pub(crate) fn with_path(text: &str) -> Fault {
    let (path, message) = split_path(text);
    let mut around = path;
    // The path ends with the name that is not known, and what looks like a step in there is only a dot.
    if let (What::Unknown(_), Some(name)) = what(without_place(message))
        && let Some(before) = path.strip_suffix(name.as_str())
        && (before.is_empty() || before.ends_with('.'))
    {
        around = before;
    }
    // A secret that is cut into steps is not known as one any more.
    let steps = segments(&redact::text(around));
    let pointer: aon_core::Pointer = steps.into_iter().collect();
    fault(pointer.as_str(), message)
}

/// What serde wanted, for people who do not read Rust: the types of numbers by their range.
pub(crate) fn in_words(expected: &str) -> String {
    if let Some((least, most)) = range(expected) {
        return format!("a whole number from {least} to {most}");
    }
    if let Some((least, most)) = expected.strip_prefix("a nonzero ").and_then(range) {
        return match least {
            0 => format!("a whole number from 1 to {most}"),
            _ => format!("a whole number from {least} to {most}, but not 0"),
        };
    }
    match expected {
        "u128" | "i128" => "a whole number",
        "f32" | "f64" => "a number",
        "bool" => super::BOOLEAN,
        "char" => "a character",
        "unit" => "nothing",
        "a sequence" => "an array",
        "a map" => "an object",
        // Names of types are nobody's business outside.
        other if OBJECTS.iter().any(|start| other.starts_with(start)) => "an object",
        other if other.starts_with("enum ") => "one of its values",
        other if other.starts_with("tuple struct ") => "an array",
        other => other,
    }
    .to_owned()
}

/// The range of a type of whole numbers.
pub(crate) fn range(name: &str) -> Option<(i128, i128)> {
    Some(match name {
        "u8" => (u8::MIN.into(), u8::MAX.into()),
        "u16" => (u16::MIN.into(), u16::MAX.into()),
        "u32" => (u32::MIN.into(), u32::MAX.into()),
        "u64" | "usize" => (u64::MIN.into(), u64::MAX.into()),
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => (i64::MIN.into(), i64::MAX.into()),
        _ => return None,
    })
}

/// The side of its range a number is beyond.
pub(crate) fn beyond(number: i128, name: &str) -> Option<String> {
    let (least, most) = range(name)?;
    if number > most {
        Some(format!("at most {most}"))
    } else if number < least {
        Some(format!("at least {least}"))
    } else {
        None
    }
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

/// The kind of fault, and the word it is about: the member it names, or the value that is none of the choices.
fn what(message: &str) -> (What, Option<String>) {
    let wrong = |expected: String, received| (What::Wrong { expected, received }, None);
    let named = |start: &str| message.strip_prefix(start);
    if let Some(rest) = named("missing field `") {
        let name = rest.trim_end_matches('`').to_owned();
        return (What::Missing(Vec::new()), Some(name));
    }
    if let Some(rest) = named("duplicate field `") {
        return (What::Duplicate, Some(rest.trim_end_matches('`').to_owned()));
    }
    if let Some(rest) = named("unknown field `") {
        let (given, known) = given_and_expected(rest);
        return (What::Unknown(known), Some(given));
    }
    if let Some(rest) = named("unknown variant `") {
        let (given, valid) = given_and_expected(rest);
        let choices = valid.into_iter().map(Choice::from).collect();
        return (What::NotOneOf(choices), Some(given));
    }
    for start in ["invalid type: ", "invalid value: ", "invalid length "] {
        if let Some(rest) = named(start)
            && let Some((received, expected)) = rest.rsplit_once(", expected ")
        {
            let number = received.strip_prefix("integer `");
            let number = number.and_then(|number| number.trim_end_matches('`').parse().ok());
            if let Some(side) = number.and_then(|number| beyond(number, expected)) {
                return wrong(side, None);
            }
            return wrong(shortened(&in_words(expected)), kind(received));
        }
    }
    if let Some(expected) = parse_failure(message) {
        return wrong(expected.to_owned(), None);
    }
    if message.starts_with(NO_FORM) {
        return wrong("of one of its forms".to_owned(), None);
    }
    // What serde_json says where a choice was wanted and neither a text nor an object is there.
    if message == NO_CHOICE {
        return wrong("one of its values".to_owned(), None);
    }
    (What::Other(passed_on(message)), None)
}

/// What `FromStr` of the standard types says, as what it wanted. Text is all there was, so its kind says nothing.
fn parse_failure(message: &str) -> Option<&'static str> {
    Some(match message {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "a whole number"
        }
        "number too large to fit in target type" => "a smaller number",
        "number too small to fit in target type" => "a larger number",
        "number would be zero for non-zero type" => "a number other than zero",
        "invalid float literal" | "cannot parse float from empty string" => "a number",
        "provided string was not `true` or `false`" => "true or false",
        _ => return None,
    })
}

/// The words of serde for a value that fits no alternative; a name of a type follows.
const NO_FORM: &str = "data did not match any variant of untagged enum";
/// The words of `serde_json` for a value that is not a choice.
const NO_CHOICE: &str = "expected value";

/// `x`, expected one of `a`, `b` / `x`, expected `a` or `b` / `x`, there are no fields: the given word, and the expected ones.
fn given_and_expected(rest: &str) -> (String, Vec<String>) {
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
fn passed_on(message: &str) -> String {
    shortened(&redact::text(message))
}

fn shortened(text: &str) -> String {
    crate::adapter::brief(text, 300)
}

/// Splits `path: message`; a message without a path stays whole.
#[cfg(feature = "axum")]
fn split_path(text: &str) -> (&str, &str) {
    const STARTS: [&str; 8] = [
        "missing field `",
        "unknown field `",
        "unknown variant `",
        "duplicate field `",
        "invalid type: ",
        "invalid value: ",
        "invalid length ",
        "invalid digit ",
    ];
    if STARTS.iter().any(|start| text.starts_with(start)) {
        return ("", text);
    }
    let known = STARTS
        .iter()
        .filter_map(|start| text.find(&format!(": {start}")))
        .min();
    let at = known.or_else(|| {
        let at = text.find(": ")?;
        let path = text.get(..at)?;
        (!path.contains(char::is_whitespace)).then_some(at)
    });
    match at {
        Some(at) => (
            text.get(..at).unwrap_or_default(),
            text.get(at + 2..).unwrap_or_default(),
        ),
        None => ("", text),
    }
}

/// The segments of `a.b[0]`.
#[cfg(feature = "axum")]
fn segments(path: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let (name, indices) = match part.find('[') {
            Some(at) if part.ends_with(']') => part.split_at(at),
            _ => (part, ""),
        };
        if !name.is_empty() && name != "?" {
            out.push(name.to_owned());
        }
        for index in indices.split('[').filter(|index| !index.is_empty()) {
            out.push(index.trim_end_matches(']').to_owned());
        }
    }
    out
}
