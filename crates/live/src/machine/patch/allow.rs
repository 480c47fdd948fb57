//! What a patch may touch: pointers compared step by step, never as texts.

use std::fmt;

use aon_core::pointer;
use serde_json::Value;

use super::{Kind, Operation, PatchRules, Tokens, Why};

/// Pointers of what may be touched.
///
/// An entry is a JSON Pointer and means exactly that place: not its parent, and not what is below. `*` as its last step
/// is any one step, `-` of an array included; `**` as its last step is any number of them, at least one. The root is
/// never meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowList {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    text: String,
    steps: Tokens,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Exact,
    AnyStep,
    AnyDepth,
}

/// A text that is not an entry of an [`AllowList`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPath(String);

impl fmt::Display for InvalidPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = aon_core::redact::echo(&self.0);
        write!(
            f,
            "{path:?} is not a path a patch may be given; it is a JSON Pointer such as /userId, /items/* or /address/**"
        )
    }
}

impl std::error::Error for InvalidPath {}

impl AllowList {
    /// Reads the entries.
    ///
    /// # Errors
    ///
    /// With the first that is not a JSON Pointer, or is the root.
    pub fn parse<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> Result<Self, InvalidPath> {
        let entries = entries
            .into_iter()
            .map(|entry| Entry::parse(entry.as_ref()))
            .collect::<Result<_, _>>()?;
        Ok(Self { entries })
    }

    /// The entries that can be read, and those that cannot: they allow nothing.
    pub(crate) fn lenient<T: AsRef<str>>(
        entries: impl IntoIterator<Item = T>,
    ) -> (Self, Vec<InvalidPath>) {
        let (mut list, mut invalid) = (Self::default(), Vec::new());
        for entry in entries {
            match Entry::parse(entry.as_ref()) {
                Ok(entry) => list.entries.push(entry),
                Err(error) => invalid.push(error),
            }
        }
        (list, invalid)
    }

    pub(super) fn everything() -> Self {
        Self {
            entries: vec![Entry {
                text: "/**".to_owned(),
                steps: Tokens::new(),
                end: End::AnyDepth,
            }],
        }
    }

    /// The entries as they were given.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.text.as_str())
    }

    /// Whether the place of these steps is meant.
    pub(crate) fn has(&self, path: &[String]) -> bool {
        self.entries.iter().any(|entry| entry.has(path))
    }

    /// Whether the list that holds this place may grow or shrink: it is named as a whole, or by its end.
    pub(super) fn may_shift(&self, path: &[String]) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.has(path) && entry.end != End::Exact)
    }

    /// The part of a document that is named, and nothing else of it.
    pub(crate) fn part_of(&self, document: &Value, part: &mut Value) {
        for entry in &self.entries {
            let Some(found) = get(document, &entry.steps) else {
                continue;
            };
            place(part, document, &entry.steps, found);
        }
    }

    /// The places that are named exactly.
    pub(crate) fn exact(&self) -> impl Iterator<Item = (&str, &[String])> {
        let exact = |entry: &&Entry| entry.end == End::Exact;
        self.entries
            .iter()
            .filter(exact)
            .map(|entry| (entry.text.as_str(), entry.steps.as_slice()))
    }
}

impl Entry {
    fn parse(text: &str) -> Result<Self, InvalidPath> {
        if text.is_empty() || !pointer::is_pointer(text) {
            return Err(InvalidPath(text.to_owned()));
        }
        let mut steps: Tokens = pointer::tokens(text)
            .map(std::borrow::Cow::into_owned)
            .collect();
        let end = match steps.last().map(String::as_str) {
            Some("*") => End::AnyStep,
            Some("**") => End::AnyDepth,
            _ => End::Exact,
        };
        if end != End::Exact {
            steps.pop();
        }
        Ok(Self {
            text: text.to_owned(),
            steps,
            end,
        })
    }

    fn has(&self, path: &[String]) -> bool {
        if path.is_empty() || !path.starts_with(&self.steps) {
            return false;
        }
        let more = path.len() - self.steps.len();
        match self.end {
            End::Exact => more == 0,
            End::AnyStep => more == 1,
            End::AnyDepth => more >= 1,
        }
    }
}

/// Compares one operation with the rules.
pub(super) fn judge(operation: &Operation, rules: &PatchRules) -> Result<(), Why> {
    let Operation {
        kind, path, from, ..
    } = operation;
    let allowed = |path: &[String]| {
        if path.is_empty() {
            return if rules.root { Ok(()) } else { Err(Why::Root) };
        }
        if rules.allow.has(path) {
            Ok(())
        } else {
            Err(Why::PathNotAllowed)
        }
    };
    match kind {
        Kind::Add | Kind::Replace => allowed(path),
        Kind::Remove => {
            if path.is_empty() {
                return allowed(path);
            }
            if rules.removable.has(path) {
                return Ok(());
            }
            allowed(path)?;
            Err(Why::NotRemovable)
        }
        Kind::Test => {
            if rules.readable.has(path) {
                return Ok(());
            }
            allowed(path)
        }
        Kind::Move | Kind::Copy => {
            if !rules.moves {
                return Err(Why::OperationNotAllowed);
            }
            allowed(path)?;
            let taken = *kind == Kind::Move && !from.is_empty();
            if taken && !rules.removable.has(from) {
                return Err(Why::FromNotAllowed);
            }
            if rules.readable.has(from) && *kind == Kind::Copy {
                return Ok(());
            }
            allowed(from).map_err(|_not_allowed| Why::FromNotAllowed)
        }
    }
}

/// Whether an insertion into an array at this place is what the entry means.
pub(super) fn may_insert(path: &[String], rules: &PatchRules) -> bool {
    path.last().is_some_and(|step| step == "-") || rules.allow.may_shift(path)
}

/// The value at some steps.
pub(crate) fn get<'a>(document: &'a Value, steps: &[String]) -> Option<&'a Value> {
    let mut at = document;
    for step in steps {
        at = match at {
            Value::Object(members) => members.get(step)?,
            Value::Array(items) => items.get(index(step)?)?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
    }
    Some(at)
}

/// An index of an array: digits without a zero in front.
pub(super) fn index(step: &str) -> Option<usize> {
    let digits = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    let plain = digits && (step.len() == 1 || !step.starts_with('0'));
    plain.then(|| step.parse().ok()).flatten()
}

/// Puts a value at its place in a part of the document; arrays on the way keep their length, so that indices stay.
fn place(part: &mut Value, document: &Value, steps: &[String], found: &Value) {
    let Some((step, rest)) = steps.split_first() else {
        *part = found.clone();
        return;
    };
    match document {
        Value::Object(members) => {
            let Some(below) = members.get(step) else {
                return;
            };
            if !part.is_object() {
                *part = Value::Object(serde_json::Map::new());
            }
            if let Value::Object(shown) = part {
                let next = shown.entry(step.clone()).or_insert(Value::Null);
                place(next, below, rest, found);
            }
        }
        Value::Array(items) => {
            let Some((at, below)) = index(step).and_then(|at| Some((at, items.get(at)?))) else {
                return;
            };
            if !part.is_array() {
                *part = Value::Array(vec![Value::Null; items.len()]);
            }
            if let Some(next) = part.get_mut(at) {
                place(next, below, rest, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
