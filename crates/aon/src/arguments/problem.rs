//! From faults to the problem that tells them.

use aon_core::{Choice, Entry, ProblemDetails, pointer, suggest};

use super::{BOOLEAN, Fault, fault::What};
use crate::builtin::{self, extended};

/// As many are told in `errors`.
const MOST_ERRORS: usize = 16;
/// As many are told in `detail`.
const MOST_WORDS: usize = 8;
/// How many bytes their places may have together: each stands up to eight times in an answer, and an answer to one bad call
/// is short.
const MOST_PLACES: usize = 1536;

/// The problem of these faults; `None` when there are none. The first decides the code.
pub fn problem(faults: &[Fault]) -> Option<ProblemDetails> {
    let first = faults.first()?;
    let entry = match &first.what {
        What::Missing(_) => &builtin::MISSING_FIELD,
        What::Unknown(_) => &builtin::UNKNOWN_FIELD,
        What::Duplicate | What::NotOneOf(_) | What::Wrong { .. } | What::Other(_) => {
            &builtin::INVALID_VALUE
        }
    };
    Some(problem_as(entry, faults))
}

/// The problem of these faults, whatever they are.
pub(crate) fn problem_as(entry: &'static Entry, faults: &[Fault]) -> ProblemDetails {
    let all = faults.len();
    let faults = faults.get(..told(faults)).unwrap_or(faults);
    let words: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let shown = words.get(..MOST_WORDS).unwrap_or(&words);
    let more = all.saturating_sub(shown.len());
    let mut detail = shown.join(" ");
    if more > 0 {
        detail = format!("{detail} There are {more} more.");
    }
    let mut problem = with_values(entry.to_problem().with_detail(detail), faults);
    for (fault, words) in faults.iter().zip(&words) {
        problem = problem.with_pointer(&fault.shown_pointer(), Some(words));
    }
    match faults {
        [only] => with_advice(problem, only),
        _ => problem,
    }
}

/// How many of the faults are told, at least the first.
fn told(faults: &[Fault]) -> usize {
    let mut left = MOST_PLACES;
    let mut fits = |fault: &&Fault| {
        let size = pointer::to_fragment(&fault.shown_pointer())
            .to_string()
            .len();
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    };
    let told = faults
        .iter()
        .take(MOST_ERRORS)
        .take_while(|fault| fits(fault));
    told.count().max(1)
}

/// What would do, by field; places with the same name and other values are told apart by their pointers.
fn with_values(mut problem: ProblemDetails, faults: &[Fault]) -> ProblemDetails {
    let either = [Choice::new(true), Choice::new(false)];
    for (at, fault) in faults.iter().enumerate() {
        let is_boolean = matches!(&fault.what, What::Wrong { expected, .. } if expected == BOOLEAN);
        let choices = if is_boolean { &either } else { fault.choices() };
        if choices.is_empty() {
            continue;
        }
        let field = fault.field();
        let rivals = faults.iter().enumerate().any(|(other, rival)| {
            other != at && rival.field() == field && rival.choices() != choices
        });
        let key = if rivals || field.is_empty() {
            fault.shown_pointer()
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
    problem
}

/// What a program can use of a single fault.
fn with_advice(problem: ProblemDetails, fault: &Fault) -> ProblemDetails {
    let given = fault.given.as_deref().unwrap_or_default();
    match &fault.what {
        What::Unknown(known) => {
            let nearest = suggest::nearest(given, known.iter().map(String::as_str));
            let problem = if known.is_empty() {
                problem
            } else {
                problem.with_valid_values("field", known.iter())
            };
            extended(problem, "suggestion", nearest)
        }
        What::NotOneOf(choices) => {
            let words = choices.iter().filter_map(|choice| choice.value().as_str());
            extended(problem, "suggestion", suggest::nearest(given, words))
        }
        What::Wrong { expected, received } => {
            // The kind alone: it is for programs.
            let received = received.as_deref().map(|received| {
                let bare = received.strip_prefix("an ");
                bare.or_else(|| received.strip_prefix("a "))
                    .unwrap_or(received)
            });
            let problem = extended(problem, "expected", Some(expected));
            extended(problem, "received", received)
        }
        What::Missing(_) | What::Duplicate | What::Other(_) => problem,
    }
}
