//! One thing that is wrong with an input, and the words for it.

use std::fmt;

use aon_core::{Choice, ChoiceValue, Pointer, pointer, redact};
use serde_json::Value;

use super::place;
use super::serde_words::{self, both_numbers};

/// One thing that is wrong with an input: arguments, a body, a query, a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub(crate) pointer: String,
    pub(crate) what: What,
    /// The word that was given, for a did-you-mean. It is never repeated.
    pub(crate) given: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    Missing(Vec<Choice>),
    Duplicate,
    /// A name that is not known, and those that are.
    Unknown(Vec<String>),
    NotOneOf(Vec<Choice>),
    /// What is expected, and the kind of what is there.
    Wrong {
        expected: String,
        received: Option<String>,
    },
    Other(String),
}

impl Fault {
    pub(crate) fn new(pointer: impl Into<String>, what: What) -> Self {
        Self {
            pointer: pointer.into(),
            what,
            given: None,
        }
    }

    pub(crate) fn with_given(mut self, given: Option<&str>) -> Self {
        self.given = given.map(str::to_owned);
        self
    }

    /// Where, as a JSON Pointer; empty for the whole.
    pub fn pointer(&self) -> &str {
        &self.pointer
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
        matches!(self.what, What::Unknown(_))
    }

    /// The field it is about, without what leads to it; of an item of an array, the name of the array.
    pub(crate) fn field(&self) -> String {
        let is_index = |token: &str| token.bytes().all(|b| b.is_ascii_digit());
        let mut tokens = pointer::tokens(&self.pointer).rev();
        let named = tokens.find(|token| !is_index(token));
        redact::echo(&named.unwrap_or_default()).into_owned()
    }

    /// The pointer as it is told: names are the caller's own words, so each is cut short and redacted.
    pub(crate) fn shown_pointer(&self) -> String {
        const LONGEST: usize = 400;
        let shown: Pointer = pointer::tokens(&self.pointer)
            .map(|token| redact::echo(&token).into_owned())
            .collect();
        if shown.as_str().len() <= LONGEST {
            return shown.into();
        }
        // The end of a place says more than its beginning.
        let last = shown.tokens().next_back().map(std::borrow::Cow::into_owned);
        let shown: Pointer = ["…".to_owned()].into_iter().chain(last).collect();
        shown.into()
    }

    pub(crate) fn choices(&self) -> &[Choice] {
        match &self.what {
            What::Missing(choices) | What::NotOneOf(choices) => choices,
            What::Duplicate | What::Unknown(_) | What::Wrong { .. } | What::Other(_) => &[],
        }
    }
}

/// The place and what would do, never the value.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.shown_pointer() {
            place if place.is_empty() => "The value".to_owned(),
            place => place,
        };
        match &self.what {
            What::Missing(choices) if choices.is_empty() => write!(f, "{place} is missing."),
            What::Missing(choices) => {
                write!(f, "{place} is missing; it must be ")?;
                list(f, &values(choices), "or")
            }
            What::Duplicate => write!(f, "{place} is given twice."),
            What::Unknown(known) if known.is_empty() => {
                write!(f, "{place} is not a known field.")
            }
            What::Unknown(known) => {
                let known: Vec<Value> = known.iter().cloned().map(Value::from).collect();
                write!(f, "{place} is not a known field; known fields: ")?;
                list(f, &known, "and")
            }
            What::NotOneOf(choices) if choices.is_empty() => {
                write!(f, "{place} has a value that is not allowed.")
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
