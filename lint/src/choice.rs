//! Decides whether a value comes from a closed set that nobody declares (contract R1).
//!
//! The name alone finds half of the choices and is wrong in two of five, so everything visible counts: position and type first,
//! then wordings that announce a set, then the name, with defaults, examples and neighbours for and against. The result is a
//! [`Verdict`] with a confidence, and the values where the text lists them.

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

/// Wordings that let one be chosen.
static SELECTS: Phrases = Phrases::new(&[
    "select any one",
    "select one",
    "choose one",
    "choose any one",
]);

/// What an `order` is when nothing else is said.
static SORT_ORDER: Phrases = Phrases::new(&[
    "sort order",
    "sorting order",
    "sort direction",
    "sorting direction",
]);

/// What tells the operator of an expression from the one of a network.
static OPERATORS: Phrases = Phrases::new(&[
    "operator to use",
    "operator used",
    "operator to apply",
    "comparison operator",
    "comparison operators",
    "comparators such as",
    "logical operator",
    "boolean operator",
]);

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

/// The verdict by name alone.
fn by_name(hint: NameHint, kind: ValueKind, candidate: &Candidate<'_>) -> Option<Confidence> {
    let described = candidate.description.unwrap_or("");
    let samples = || candidate.default.iter().chain(candidate.examples).copied();
    match hint {
        NameHint::Direction => Some(Confidence::Likely),
        NameHint::Choice | NameHint::Doubtful => {
            if openness::says_open(described)
                || openness::speaks_against_name(described)
                || samples().any(openness::is_open_value)
                || is_object_kind(candidate)
            {
                return Some(Confidence::Possible);
            }
            if is_foreign_state(candidate) {
                return None;
            }
            // A list called `action` is a list of actions, each of which may be anything; one called `status` is a filter.
            let last = names::last_word(candidate.name);
            let singular_list = candidate.array && !last.ends_with('s') && !names::is_filter(last);
            // A default of one word tells the type that nobody wrote down.
            let untyped = kind == ValueKind::Untyped && !samples().any(openness::is_constant);
            // Of such a name words are expected that say it is open; without any it is one of the contract's list.
            let bare = described.trim().is_empty() && !last.ends_with('s') && !candidate.array;
            let doubtful = hint == NameHint::Doubtful && !bare;
            if doubtful || untyped || singular_list {
                return Some(Confidence::Possible);
            }
            Some(Confidence::Likely)
        }
        NameHint::None | NameHint::Open => {
            // "Type of service": the description names it instead.
            let headed =
                hint == NameHint::None && kind == ValueKind::Text && headed_by_choice(described);
            let constant = samples().any(openness::is_constant);
            let listed = samples().any(listing_example);
            let selects = || SELECTS.any_in(described);
            let is_direction = |sample: &str| {
                ["asc", "desc"]
                    .iter()
                    .any(|known| sample.eq_ignore_ascii_case(known))
            };
            let head = described.trim_start();
            let head = head.strip_prefix("The ").unwrap_or(head);
            let http = names::last_word(candidate.name).eq_ignore_ascii_case("method")
                && ["HTTP method ", "HTTP method.", "HTTP request method"]
                    .iter()
                    .any(|known| head.starts_with(known));
            let last = names::last_word(candidate.name);
            let sorts = ["order", "ordering", "direction", "dir"]
                .iter()
                .any(|known| last.eq_ignore_ascii_case(known))
                && described.len() <= 60
                && !described.contains(['(', ',', ':', '`'])
                && SORT_ORDER.any_in(described);
            let operates = ["operator", "comparator"]
                .iter()
                .any(|known| last.eq_ignore_ascii_case(known))
                && OPERATORS.any_in(described);
            let directed = samples().any(is_direction) || http || sorts || operates;
            if kind == ValueKind::Text && directed {
                return Some(Confidence::Likely);
            }
            let sure = headed && (constant || listed) && !openness::speaks_against_name(described);
            (sure || listed && selects()).then_some(Confidence::Likely)
        }
    }
}

/// `kind` beside `apiVersion` names the sort of object, which the server knows.
fn is_object_kind(candidate: &Candidate<'_>) -> bool {
    candidate.name.eq_ignore_ascii_case("kind")
        && (has_neighbour(candidate, "apiVersion") || has_neighbour(candidate, "apiGroup"))
}

/// An OAuth nonce, or a state of a country.
fn is_foreign_state(candidate: &Candidate<'_>) -> bool {
    let last = names::last_word(candidate.name);
    let state = last.eq_ignore_ascii_case("state");
    let scope = last.eq_ignore_ascii_case("scope") || last.eq_ignore_ascii_case("scopes");
    if !state && !scope {
        return false;
    }
    let path = candidate.path.to_ascii_lowercase();
    let signs_in = [
        "oauth",
        "authorize",
        "openid",
        "/login",
        "/callback",
        "saml",
    ]
    .iter()
    .any(|part| path.contains(part));
    let mut oauth = 0;
    let mut address = 0;
    candidate.neighbours.each(&mut |name| {
        oauth += usize::from(
            names::OAUTH
                .iter()
                .any(|known| names::same_name(known, name)),
        );
        address += usize::from(
            names::ADDRESS
                .iter()
                .any(|known| names::same_name(known, name)),
        );
    });
    signs_in || oauth >= 2 || (state && address >= 2)
}

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

/// "Type of order", "The kind of card".
fn headed_by_choice(text: &str) -> bool {
    let mut words = text.split_whitespace().filter(|word| {
        !["the", "a", "(optional)", "filter", "by"]
            .iter()
            .any(|skip| word.eq_ignore_ascii_case(skip))
    });
    let head = words.next().unwrap_or("");
    let of = words.next().unwrap_or("");
    [
        "type", "kind", "mode", "status", "state", "category", "severity", "level",
    ]
    .iter()
    .any(|known| head.eq_ignore_ascii_case(known))
        && of.eq_ignore_ascii_case("of")
}

/// An example that lists alternatives: `NIESBUD,PMYUVA`.
fn listing_example(example: &str) -> bool {
    let parts: Vec<_> = example.split(',').map(str::trim).collect();
    parts.len() >= 2
        && parts.iter().all(|part| {
            !part.is_empty()
                && part.len() <= 60
                && part.starts_with(|c: char| c.is_ascii_uppercase())
        })
}
