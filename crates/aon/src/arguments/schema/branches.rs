//! Alternatives, none of which took the value: what they say together.

use aon_core::{Choice, pointer};
use serde_json::Value;

use super::super::serde_words::both_numbers;
use super::super::{Fault, What};
use super::kind;

/// How well an alternative suits the value, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The value names it: by a constant member, or by its only member.
    Tagged,
    /// Nothing speaks for or against it.
    Plain,
    /// The value names another.
    OtherTag,
    /// It wants another kind of value.
    OtherKind,
}

/// An alternative and what it found wrong.
pub(super) struct Tried<'a> {
    pub(super) branch: &'a Value,
    pub(super) fit: Fit,
    pub(super) own: Vec<Fault>,
}

/// Whether this is said of a value of another kind than any that would do.
pub(super) fn is_other_kind(what: &What, value: &Value) -> bool {
    match what {
        What::NotOneOf(choices) => !choices
            .iter()
            .any(|choice| sort(&choice.value().to_value()) == sort(value)),
        What::Wrong { expected, received } => received
            .as_ref()
            .is_some_and(|received| !both_numbers(expected, received)),
        What::Missing(_) | What::Duplicate | What::Unknown(_) | What::Other(_) => false,
    }
}

/// The kind, where whole and other numbers are the same.
fn sort(value: &Value) -> &'static str {
    if value.is_number() {
        "a number"
    } else {
        kind(value)
    }
}

/// Where every alternative wants another word at the same place, that word tells them apart, and any of them would do.
pub(super) fn shared_word(tried: &[Tried<'_>]) -> Option<Fault> {
    let (first, others) = tried.split_first()?;
    if others.is_empty() {
        return None;
    }
    let mut words = first.own.iter().filter(|fault| !fault.choices().is_empty());
    words.find_map(|word| {
        let mut word = word.clone();
        for other in others {
            let same = other.own.iter().find(|fault| {
                fault.pointer == word.pointer
                    && std::mem::discriminant(&fault.what) == std::mem::discriminant(&word.what)
                    && !fault.choices().is_empty()
            })?;
            add(&mut word.what, same.choices());
        }
        Some(word)
    })
}

fn add(what: &mut What, more: &[Choice]) {
    if let What::NotOneOf(known) | What::Missing(known) = what {
        for choice in more {
            if !known.contains(choice) {
                known.push(choice.clone());
            }
        }
    }
}

/// The only member of the value is none of those that name an alternative.
pub(super) fn unknown_name(value: &Value, place: &str, known: Vec<&str>) -> Option<Fault> {
    let mut names = value.as_object()?.keys();
    let (Some(given), None) = (names.next(), names.next()) else {
        return None;
    };
    if known.is_empty() {
        return None;
    }
    let pointer = format!("{place}/{}", pointer::escape(given));
    let what = What::Unknown(known.into_iter().map(str::to_owned).collect());
    Some(Fault::new(pointer, what).with_given(Some(given)))
}

/// Every alternative wants another kind of value: all of these kinds.
pub(super) fn other_kind(value: &Value, place: &str, tried: &[Tried<'_>]) -> Fault {
    let mut expected: Vec<String> = Vec::new();
    let here = tried
        .iter()
        .flat_map(|tried| &tried.own)
        .filter(|fault| fault.pointer == place);
    for fault in here {
        let words = match &fault.what {
            What::NotOneOf(choices) => choices
                .first()
                .map(|choice| sort(&choice.value().to_value()).to_owned()),
            What::Wrong { expected, .. } => Some(expected.clone()),
            What::Missing(_) | What::Duplicate | What::Unknown(_) | What::Other(_) => None,
        };
        for word in words.iter().flat_map(|words| words.split(" or ")) {
            if !expected.iter().any(|known| known == word) {
                expected.push(word.to_owned());
            }
        }
    }
    // Nothing is what is wanted only where nothing else is.
    if expected.len() > 1 {
        expected.retain(|word| word != "null");
    }
    let what = What::Wrong {
        expected: expected.join(" or "),
        received: Some(kind(value).to_owned()),
    };
    Fault::new(place, what)
}
