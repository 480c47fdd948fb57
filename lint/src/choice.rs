//! Decides whether a value comes from a closed set that nobody declares (contract R1).
//!
//! The name alone finds half of the choices and is wrong in two of five, so everything visible counts: position and type first,
//! then wordings that announce a set, then the name, with defaults, examples and neighbours for and against. The result is a
//! [`Verdict`] with a confidence, and the values where the text lists them.

mod by_name;
mod doubts;
mod dull;
mod leads;
mod lexicon;
mod list;
mod names;
mod openness;
mod pattern;
mod phrases;
#[cfg(test)]
mod tests;
mod tokens;
pub(crate) mod vendor;
mod words;

use std::cell::Cell;

use aon_manifest::model::Types;

use self::by_name::by_name;
use self::dull::Dull;
use self::leads::{Hit, Known};
use self::list::Prose;
use self::names::NameHint;
use self::phrases::Phrases;
use self::tokens::Token;
use crate::finding::Confidence;

/// A place that takes input and has no carrier, with everything that helps to judge it.
#[expect(
    clippy::exhaustive_structs,
    reason = "callers build it, and a new sign must be filled in by all of them"
)]
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its types; those of the items for an array.
    pub types: Types,
    /// Whether it is an array.
    pub array: bool,
    /// `format`.
    pub format: Option<&'a str>,
    /// `pattern`.
    pub pattern: Option<&'a str>,
    /// Its description.
    pub description: Option<&'a str>,
    /// A second description: that of the items of an array, or the title.
    pub more: Option<&'a str>,
    /// The default, as text.
    pub default: Option<&'a str>,
    /// The examples, as text.
    pub examples: &'a [&'a str],
    /// The path of the operation that takes it.
    pub path: &'a str,
    /// Tells the names of its neighbours: other parameters, other properties.
    pub neighbours: &'a dyn Neighbours,
    /// Whether a missing type means a string (a native manifest).
    pub untyped_is_string: bool,
}

impl std::fmt::Debug for Candidate<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Candidate")
            .field("name", &self.name)
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

/// The names beside a candidate. A closure that calls back with each name is one.
pub trait Neighbours {
    /// Visits every name.
    fn each(&self, visit: &mut dyn FnMut(&str));
}

impl<F: Fn(&mut dyn FnMut(&str))> Neighbours for F {
    fn each(&self, visit: &mut dyn FnMut(&str)) {
        self(visit);
    }
}

/// What was found out.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Verdict {
    /// How sure it is.
    pub confidence: Confidence,
    /// What it was judged by.
    pub evidence: Evidence,
    /// The values the text lists, in order; empty when it lists none.
    pub values: Vec<String>,
    /// Whether the listed values are certainly all and certainly read right, so that they can be declared.
    pub complete: bool,
    /// Whether one text holds several of the values ("comma-separated list of").
    pub several: bool,
}

/// What a verdict was made from.
#[expect(clippy::exhaustive_enums, reason = "each needs its own message")]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Evidence {
    /// The description lists the values.
    Listed,
    /// The description says that there is a set, elsewhere.
    Announced,
    /// The pattern is a list of literals.
    Pattern,
    /// The name.
    Name,
    /// A vendor extension such as `x-enum` or `x-ms-enum`.
    Extension,
}

/// Room for the cut description, used again for every candidate.
#[derive(Debug, Default)]
pub struct Classifier {
    tokens: Vec<Token>,
    names: Vec<String>,
    open_names: Vec<String>,
    dull: Dull,
}

impl Classifier {
    /// A classifier that also takes these words for names of choices (or never does), as `aon.toml` lists them.
    pub fn new(names: Vec<String>, open_names: Vec<String>) -> Classifier {
        Classifier {
            tokens: Vec::new(),
            names,
            open_names,
            dull: Dull::default(),
        }
    }

    /// Judges one place. None when it is open.
    ///
    /// ```
    /// use aon_lint::{Classifier, Confidence};
    /// use aon_manifest::Document;
    ///
    /// # let text = "operations:\n  - id: a\n    parameters:\n      - { name: width, type: string, description: 'Must be one of narrow, wide or full.' }\n";
    /// let document = Document::from_text("a.aon.yaml", text);
    /// let api = &document.apis()[0];
    /// let inputs = api.inputs();
    /// let verdict = aon_lint::classify_input(&mut Classifier::default(), api, &inputs[0]).unwrap();
    /// assert_eq!(verdict.confidence, Confidence::Certain);
    /// assert_eq!(verdict.values, ["narrow", "wide", "full"]);
    /// ```
    pub fn classify(&mut self, candidate: &Candidate<'_>) -> Option<Verdict> {
        let kind = ValueKind::of(candidate)?;
        if self
            .open_names
            .iter()
            .any(|open| names::same_name(open, candidate.name))
        {
            return None;
        }
        if let Some(values) = candidate.pattern.and_then(pattern::literals) {
            return Some(Verdict {
                confidence: Confidence::Certain,
                evidence: Evidence::Pattern,
                values,
                complete: true,
                several: false,
            });
        }
        // `{{type}}` is what a template leaves open, not a document.
        let document = |text: &&str| {
            let text = text.trim_start();
            text.starts_with(['{', '[']) && !text.starts_with("{{")
        };
        if candidate.examples.iter().any(document)
            || candidate.default.as_ref().is_some_and(document)
        {
            return None;
        }
        let hint = names::hint(candidate.name, &self.names);
        let described = [candidate.description, candidate.more];
        let named = matches!(
            hint,
            NameHint::Choice | NameHint::Doubtful | NameHint::Direction
        );
        let open_name = hint == NameHint::Open;
        let numeric = kind == ValueKind::Number;
        let facts = u8::from(named) | u8::from(open_name) << 1 | u8::from(numeric) << 2;
        let mut best: Option<Verdict> = None;
        for text in described.into_iter().flatten() {
            if self.dull.has(text, facts) {
                continue;
            }
            // Whether samples or neighbours were asked for, so that the same words may mean more elsewhere.
            let asked = Cell::new(false);
            let plain = tokens::plain(text);
            tokens::tokenise(&plain, &mut self.tokens);
            let cut = self.tokens.len() > MAX_TOKENS;
            self.tokens.truncate(MAX_TOKENS);
            let prose = Prose {
                text: &plain,
                tokens: &self.tokens,
            };
            let is_sample = |value: &str| {
                asked.set(true);
                let same = |sample: &str| {
                    let sample = sample.trim().trim_matches(['"', '\'']);
                    !sample.is_empty() && sample.eq_ignore_ascii_case(value)
                };
                candidate.default.is_some_and(same)
                    || candidate.examples.iter().any(|example| same(example))
            };
            let is_field = |value: &str| {
                asked.set(true);
                names::same_name(value, candidate.name) || has_neighbour(candidate, value)
            };
            let known = Known {
                is_sample: &is_sample,
                is_field: &is_field,
                named,
                open_name,
                numeric,
            };
            let Some(hit) = leads::find(prose, known) else {
                if !asked.get() {
                    self.dull.note(text, facts);
                }
                continue;
            };
            if openness::says_open(&plain) {
                return None;
            }
            // "Valid values: see the formats of ISO 8601" speaks of a registry.
            if hit.list.len() == 0 && OUTSIDE.any_in(&plain) {
                continue;
            }
            if hit.confidence != Confidence::Certain
                && !hit.exhaustive
                && (REGISTERED.any_in(&plain)
                    || contradicted(&hit, candidate)
                    || candidate.pattern.is_some())
            {
                continue;
            }
            let mut verdict = verdict_of(&hit, &plain, candidate);
            verdict.complete &= !cut;
            if best
                .as_ref()
                .is_none_or(|best| verdict.confidence > best.confidence)
            {
                best = Some(verdict);
            }
        }
        if best.is_some() {
            return best;
        }
        if kind == ValueKind::Number {
            return None;
        }
        let mut confidence = by_name(hint, kind, candidate)?;
        if candidate.pattern.is_some() {
            // A pattern is a rule of its own.
            confidence = Confidence::Possible;
        }
        Some(Verdict {
            confidence,
            evidence: Evidence::Name,
            values: Vec::new(),
            complete: false,
            several: false,
        })
    }
}

/// The sort of value a place takes, as far as choices go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum ValueKind {
    Text,
    Untyped,
    Number,
}

impl ValueKind {
    fn of(candidate: &Candidate<'_>) -> Option<ValueKind> {
        let types = candidate.types;
        let kind = if types.contains("string") {
            // `[string, integer]` is an id more often than not; other mixtures are no choice either.
            let only = types.is_only("string");
            (only
                || !types.contains("object")
                    && !types.contains("array")
                    && !types.contains("boolean")
                    && !types.contains("number")
                    && !types.contains("integer"))
            .then_some(ValueKind::Text)?
        } else if types.is_only("integer") || types.is_only("number") {
            ValueKind::Number
        } else if types.is_empty() {
            if candidate.untyped_is_string {
                ValueKind::Text
            } else {
                ValueKind::Untyped
            }
        } else {
            return None;
        };
        let free_format = candidate.format.is_none_or(|format| {
            let format = format.trim();
            format.is_empty()
                || ["string", "enum", "text"]
                    .iter()
                    .any(|known| format.eq_ignore_ascii_case(known))
                || (kind == ValueKind::Number
                    && ["int", "uint", "float", "double"]
                        .iter()
                        .any(|known| format.starts_with(known)))
        });
        free_format.then_some(kind)
    }
}

fn verdict_of(hit: &Hit<'_>, plain: &str, candidate: &Candidate<'_>) -> Verdict {
    let list = &hit.list;
    let several = SEVERAL.any_in(plain);
    // A name of several words that nobody marked may stand for another value: "United Kingdom (UK)".
    let whole = list.values.iter().all(|value| {
        !value.is_empty()
            && !value.contains(['{', '<', '\n', '`', '"', '='])
            && !value.ends_with("Id")
            && value.len() <= 60
            && (list.is_marked() || !value.contains(' '))
    });
    let more = || plain.contains('±') || MORE_FORMS.any_in(plain);
    let defaulted = candidate
        .default
        .is_none_or(|default| default.is_empty() || list.values.contains(&default));
    Verdict {
        confidence: hit.confidence,
        evidence: if list.len() > 0 {
            Evidence::Listed
        } else {
            Evidence::Announced
        },
        values: list
            .values
            .iter()
            .filter(|value| !value.is_empty())
            .map(|value| (*value).to_owned())
            .collect(),
        complete: hit.exhaustive
            && hit.confidence == Confidence::Certain
            && list.clean
            && whole
            && defaulted
            && list.len() >= 1
            && (list.is_marked() || list.marked == 0)
            && !several
            && !more()
            && !doubts::are_raised(plain, &list.values),
        several,
    }
}

/// The part of a description that is read. Some wordings look ahead to the end, so a text without end would never end.
const MAX_TOKENS: usize = 2_000;

/// Wordings that put several values into one text.
static SEVERAL: Phrases = Phrases::new(&[
    "comma-separated",
    "comma separated",
    "comma-delimited",
    "space-separated",
    "space-delimited",
    "separate several",
    "separating them",
    "separate multiple",
    "separated by",
    "separated list",
    "delimited list",
    "any combination",
    "one or more",
    "their combination",
    "combination of",
]);

/// Ids and registered names that may be quoted without being the whole set.
static REGISTERED: Phrases = Phrases::new(&[
    "slug",
    "identifier",
    "iso",
    "iana",
    "name of",
    "id of",
    "username",
    "prefix",
    "suffix",
    "placeholder",
    "wildcard",
]);

/// Registries that stand outside of the API.
static OUTSIDE: Phrases = Phrases::new(&["iso", "iana", "bcp"]);

/// Wordings that let the listed values be written in other ways, so that an `enum` of them would forbid too much.
static MORE_FORMS: Phrases = Phrases::new(&[
    "prefixed with",
    "prefixed by",
    "precede with",
    "precede the",
    "hyphen",
    "in place of",
    "not case-sensitive",
    "not case sensitive",
    "preceded by",
    "prepend",
    "minus sign",
    "may also",
    "can also",
    "as an array",
    "aliases",
    "format like",
    "use this format",
    "case insensitive",
    "case-insensitive",
    "or 'null'",
    "or null",
]);

fn has_neighbour(candidate: &Candidate<'_>, wanted: &str) -> bool {
    let mut found = false;
    candidate.neighbours.each(&mut |name| {
        found = found || (name != candidate.name && names::same_name(name, wanted));
    });
    found
}

/// Whether an example or default is none of the values and looks open: `FREQ=DAILY` for "the supported rules are `FREQ`, `COUNT`".
fn contradicted(hit: &Hit<'_>, candidate: &Candidate<'_>) -> bool {
    let values = &hit.list.values;
    let mut samples = candidate.default.iter().chain(candidate.examples);
    !values.is_empty()
        && samples.any(|sample| {
            let bare = sample.trim().trim_matches(['"', '\'']);
            openness::is_open_value(bare) && !values.iter().any(|v| v.eq_ignore_ascii_case(bare))
        })
}
