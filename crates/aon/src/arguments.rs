//! Arguments of a call checked against a JSON Schema: what is wrong, where, and what would do.
//!
//! Adapters use it to turn bad arguments into a problem with JSON Pointers and valid values; it is of use to anybody
//! with a server of their own. All faults are found at once, and no message repeats a value: that may be a secret
//! pasted into the wrong field.
//!
//! It knows what generated schemas consist of: `type`, `enum`, `const`, `properties`, `required`,
//! `additionalProperties`, `items`, `prefixItems`, `allOf`, `anyOf`, `oneOf`, local `$ref`, and the limits of numbers,
//! texts and arrays. What it does not know it takes for good: the program's own reading has the last word.

use std::fmt;

#[cfg(feature = "rmcp")]
use aon_core::Json;
use aon_core::pointer::tokens;
use aon_core::{Choice, ChoiceValue, ExtensionName, Pointer, ProblemDetails, redact, suggest};
use serde_json::Value;

use crate::builtin;

pub(crate) mod place;
mod schema;
pub(crate) mod serde_words;

use serde_words::both_numbers;

/// A place that is longer is told by its end.
const LONGEST_POINTER: usize = 400;
/// How many bytes all places together may have.
const MOST_TOLD: usize = 1536;

/// What is expected of a boolean, on every surface.
pub(crate) const BOOLEAN: &str = "a boolean";

/// One thing that is wrong with the arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pointer: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    Missing(Vec<Choice>),
    Unknown {
        given: String,
        known: Vec<String>,
    },
    NotOneOf(Vec<Choice>),
    /// What is expected, and the kind of what is there.
    Wrong {
        expected: String,
        received: Option<String>,
    },
    Other(String),
}

impl Fault {
    /// Where, as a JSON Pointer; empty for the whole.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    fn field(&self) -> String {
        field(self.shown().as_str())
    }

    /// The pointer as it is told: names are the caller's own words, so each is cut short and redacted.
    fn shown(&self) -> Pointer {
        let tokens = tokens(&self.pointer);
        let shown: Pointer = tokens
            .map(|token| redact::echo(&token).into_owned())
            .collect();
        if shown.as_str().len() <= LONGEST_POINTER {
            return shown;
        }
        // The end of a place says more than its beginning.
        let last = shown.tokens().next_back().map(|last| last.into_owned());
        ["…".to_owned()].into_iter().chain(last).collect()
    }

    /// From the path serde was at, and its message.
    pub fn from_serde(pointer: &str, message: &str) -> Self {
        serde_words::fault(pointer, message)
    }

    /// From serde's message alone: the value it did not take is looked for in the arguments, and found if it is there
    /// once.
    pub fn from_message(arguments: &Value, message: &str) -> Self {
        Self::from_serde(&place::in_value(arguments, message), message)
    }

    /// From serde's message about this text, which may end with the place where it stopped reading.
    #[cfg(feature = "jsonrpsee")]
    pub(crate) fn from_text(arguments: &str, message: &str) -> Self {
        Self::from_serde(&place::in_text(arguments, message), message)
    }

    /// Whether it is a name that is not known.
    #[cfg(feature = "rmcp")]
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.what, What::Unknown { .. })
    }

    fn choices(&self) -> &[Choice] {
        match &self.what {
            What::Missing(choices) | What::NotOneOf(choices) => choices,
            What::Unknown { .. } | What::Wrong { .. } | What::Other(_) => &[],
        }
    }
}

/// The field a pointer is about, without what leads to it; of an item of an array, the name of the array.
pub(crate) fn field(pointer: &str) -> String {
    let is_index = |token: &&str| token.bytes().all(|b| b.is_ascii_digit());
    let named = pointer.split('/').rev().find(|token| !is_index(token));
    named
        .unwrap_or_default()
        .replace("~1", "/")
        .replace("~0", "~")
}

/// The place and what would do, never the value.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.shown();
        let place = if shown.as_str().is_empty() {
            "The value"
        } else {
            shown.as_str()
        };
        match &self.what {
            What::Missing(choices) if choices.is_empty() => write!(f, "{place} is missing."),
            What::Missing(choices) => {
                write!(f, "{place} is missing; it must be ")?;
                list(f, &values(choices), "or")
            }
            What::Unknown { known, .. } if known.is_empty() => {
                write!(f, "{place} is not known here.")
            }
            What::Unknown { known, .. } => {
                let known: Vec<Value> = known.iter().cloned().map(Value::from).collect();
                write!(f, "{place} is not known here; known are ")?;
                list(f, &known, "and")
            }
            What::NotOneOf(choices) => {
                write!(f, "{place} must be ")?;
                list(f, &values(choices), "or")
            }
            What::Wrong {
                expected,
                received: Some(received),
            } if !both_numbers(expected, received) => {
                write!(f, "{place} must be {expected}, not {received}.")
            }
            What::Wrong { expected, .. } => write!(f, "{place} must be {expected}."),
            What::Other(message) => write!(f, "{place}: {message}"),
        }
    }
}

fn values(choices: &[Choice]) -> Vec<Value> {
    let values = choices.iter().map(Choice::value);
    values.map(ChoiceValue::to_value).collect()
}

/// `"a", "b" or "c".`, at most twenty of them.
fn list(f: &mut fmt::Formatter<'_>, values: &[Value], last: &str) -> fmt::Result {
    const MOST: usize = 20;
    for (at, value) in values.iter().take(MOST).enumerate() {
        match at {
            0 => write!(f, "{value}")?,
            _ if at + 1 == values.len() => write!(f, " {last} {value}")?,
            _ => write!(f, ", {value}")?,
        }
    }
    match values.len().checked_sub(MOST) {
        Some(more @ 1..) => write!(f, " {last} {more} more."),
        _ => f.write_str("."),
    }
}

/// Everything that is wrong with the arguments, as far as the schema tells.
///
/// # Examples
///
/// ```
/// use aon::arguments;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"auth_ux": {"enum": ["hosted", "custom"]}}});
/// let faults = arguments::check(&json!({"auth_ux": "Hosted"}), &schema);
/// let problem = arguments::problem(&faults).expect("a fault");
/// assert_eq!(problem.detail(), Some(r#"/auth_ux must be "hosted" or "custom"."#));
/// assert_eq!(problem.field_paths(), ["/auth_ux"]);
/// ```
pub fn check(arguments: &Value, schema: &Value) -> Vec<Fault> {
    schema::check(arguments, schema, false)
}

/// The same, for arguments serde did not take: what it is stricter about counts too.
#[cfg(feature = "rmcp")]
pub(crate) fn check_strictly(arguments: &Value, schema: &Value) -> Vec<Fault> {
    schema::check(arguments, schema, true)
}

/// How many of the faults are told: a place stands several times in an answer, and an answer to one bad call is short.
fn told(faults: &[Fault]) -> usize {
    let mut left = MOST_TOLD;
    let places = faults.iter().map(|fault| {
        let pointer = fault.shown();
        pointer.to_fragment().to_string().len()
    });
    let fits = |size: &usize| {
        let before = left;
        left = left.saturating_sub(*size);
        before >= *size
    };
    places.take_while(fits).count().max(1)
}

/// The problem of these faults; `None` when there are none. The first decides the code.
pub fn problem(faults: &[Fault]) -> Option<ProblemDetails> {
    let first = faults.first()?;
    let all = faults.len();
    let faults = faults.get(..told(faults)).unwrap_or(faults);
    let entry = match &first.what {
        What::Missing(_) => &builtin::MISSING_FIELD,
        What::Unknown { .. } => &builtin::UNKNOWN_FIELD,
        What::NotOneOf(_) | What::Wrong { .. } | What::Other(_) => &builtin::INVALID_VALUE,
    };
    let mut problem = entry.to_problem();
    let words: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let mut detail = words.join(" ");
    if all > faults.len() {
        detail = format!("{detail} There are {} more.", all - faults.len());
    }
    problem = problem.with_detail(detail);
    let either = [Choice::new(true), Choice::new(false)];
    for (at, fault) in faults.iter().enumerate() {
        let choices = match &fault.what {
            What::Wrong { expected, .. } if expected == BOOLEAN => &either,
            What::Missing(_)
            | What::Unknown { .. }
            | What::NotOneOf(_)
            | What::Wrong { .. }
            | What::Other(_) => fault.choices(),
        };
        if choices.is_empty() {
            continue;
        }
        // Places with the same name and other values are told apart by their pointers.
        let field = fault.field();
        let rivals = faults.iter().enumerate().any(|(other, rival)| {
            other != at && rival.field() == field && rival.choices() != choices
        });
        let key = if rivals || field.is_empty() {
            fault.shown().into()
        } else {
            field
        };
        let key = if key.is_empty() {
            "value".to_owned()
        } else {
            key
        };
        problem = problem.with_valid_values(key, choices);
    }
    for (fault, words) in faults.iter().zip(&words) {
        problem = problem.with_pointer(fault.shown().as_str(), Some(words));
    }
    if let [only] = faults {
        let (expected, received) = match &only.what {
            What::Wrong { expected, received } => (Some(expected), received.as_ref()),
            What::Missing(_) | What::Unknown { .. } | What::NotOneOf(_) | What::Other(_) => {
                (None, None)
            }
        };
        let suggestion = match &only.what {
            What::Unknown { given, known } => {
                suggest::nearest(given, known.iter().map(String::as_str)).map(str::to_owned)
            }
            What::Missing(_) | What::NotOneOf(_) | What::Wrong { .. } | What::Other(_) => None,
        };
        if let What::Unknown { known, .. } = &only.what
            && !known.is_empty()
        {
            problem = problem.with_valid_values("field", known.iter());
        }
        problem = with_text(problem, "expected", expected.map(String::as_str));
        // The kind alone: it is for programs.
        let received = received.map(|received| {
            let bare = received.strip_prefix("an ");
            bare.or_else(|| received.strip_prefix("a "))
                .unwrap_or(received)
        });
        problem = with_text(problem, "received", received);
        problem = with_text(problem, "suggestion", suggestion.as_deref());
    }
    Some(problem)
}

/// The same, with the word that was probably meant where a single text is none of those that would do.
#[cfg(any(feature = "rmcp", feature = "jsonrpsee"))]
pub(crate) fn problem_of(arguments: &Value, faults: &[Fault]) -> Option<ProblemDetails> {
    let problem = problem(faults)?;
    let [
        Fault {
            pointer,
            what: What::NotOneOf(choices),
        },
    ] = faults
    else {
        return Some(problem);
    };
    let given = arguments.pointer(pointer).and_then(Value::as_str);
    let words = choices.iter().filter_map(|choice| choice.value().as_str());
    let meant = given.and_then(|given| suggest::nearest(given, words));
    Some(with_text(problem, "suggestion", meant))
}

fn with_text(problem: ProblemDetails, name: &'static str, text: Option<&str>) -> ProblemDetails {
    let Some(text) = text else {
        return problem;
    };
    let kept = problem.clone();
    problem
        .with_extension(ExtensionName::from_static(name), text)
        .unwrap_or(kept)
}

/// A choice with the words a schema has for it.
fn choice(value: &Value, schema: &Value) -> Option<Choice> {
    let mut choice = match value {
        Value::String(text) => Choice::new(text.clone()),
        Value::Bool(value) => Choice::new(*value),
        Value::Number(_) => number(value)?,
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    if let Some(title) = schema.get("title").and_then(Value::as_str) {
        choice = choice.with_label(title.to_owned());
    }
    if let Some(description) = schema.get("description").and_then(Value::as_str) {
        choice = choice.with_description(description.to_owned());
    }
    Some(choice)
}

fn number(value: &Value) -> Option<Choice> {
    value
        .as_u64()
        .map(Choice::from)
        .or_else(|| value.as_i64().map(Choice::from))
}

/// Sets the value at a pointer, making objects on the way; `None` when something else is in the way.
#[cfg(feature = "rmcp")]
pub(crate) fn set(arguments: &mut Value, pointer: &str, value: &ChoiceValue) -> Option<()> {
    let mut at = arguments;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        at = match at {
            Value::Object(members) => members.entry(token).or_insert(Value::Null),
            Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?)?,
            Value::Null => {
                *at = Value::Object(serde_json::Map::new());
                at.as_object_mut()?.entry(token).or_insert(Value::Null)
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
    }
    *at = value.to_value();
    Some(())
}

/// The arguments as text, for a correction; `None` when they are too deep to be sent back.
#[cfg(feature = "rmcp")]
pub(crate) fn json(arguments: &Value) -> Option<Json> {
    Json::of(arguments).ok()
}

#[cfg(test)]
mod tests;
