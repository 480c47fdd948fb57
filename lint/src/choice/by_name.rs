//! The verdict that the name gives, with the samples and neighbours that speak against it.

use super::names::{self, NameHint};
use super::phrases::Phrases;
use super::{Candidate, ValueKind, has_neighbour, openness};
use crate::finding::Confidence;

/// The verdict by name alone.
pub(super) fn by_name(
    hint: NameHint,
    kind: ValueKind,
    candidate: &Candidate<'_>,
) -> Option<Confidence> {
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
