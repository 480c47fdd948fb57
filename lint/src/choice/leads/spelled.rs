//! Values that are written like the words around them, and shapes that give them away.

use super::super::list::{self, List, Prose};
use super::super::tokens::Kind;
use super::shapes::has_headings;
use super::{Hit, Known, is_numeric, short};
use crate::finding::Confidence;

/// "Resource tier: small, medium, or large", "Animation type: none, rays, glint".
pub(super) fn named_list(prose: Prose<'_>, at: usize, sentence: usize) -> Option<Hit<'_>> {
    if !prose.is(at + 1, Kind::Colon) || !prose.is_one_of(at, NOUNS) || at > sentence + 4 {
        return None;
    }
    let list = list::inline(prose, at + 2)?;
    let numbers = list.values.iter().any(|value| is_numeric(value));
    (list.clean && list.len() >= 3 && short(&list) && !numbers).then_some(Hit {
        confidence: Confidence::Likely,
        list,
        exhaustive: false,
    })
}

/// "Unit system (metric or imperial)", "The environment (dev, staging, prod)".
pub(super) fn bracketed(prose: Prose<'_>, at: usize, sentence: usize) -> Option<Hit<'_>> {
    if !prose.is(at, Kind::Open) {
        return None;
    }
    // The noun stands near: in "the size of the thumbnail of the resource (image or file)" it is another one.
    let near = sentence.max(at.saturating_sub(4));
    let headed =
        (near..at).any(|at| prose.is_one_of(at, NOUNS) || prose.is_one_of(at, BRACKETED_NOUNS));
    // "in Chart.js format (JSON or JavaScript)": a document is described.
    let written = at >= 3 && prose.is_word(at - 1, "format") && prose.is_word(at - 3, "in");
    if !headed || written {
        return None;
    }
    let list = list::inline(prose, at + 1)?;
    let behind = prose.behind_brackets(at);
    // "(head and tail)" are parts, not alternatives; a remark in the middle of a sentence explains a word of it.
    let parts = (at..behind).any(|at| prose.is_one_of(at, &["and", "see", "default"]));
    let last = behind >= prose.len() || prose.kind(behind).is_some_and(Kind::ends_sentence);
    let word = |value: &&str| {
        value.len() > 1
            && value
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
            && !is_numeric(value)
    };
    let whole = behind == at + 2 * list.len() + 1 || behind == at + 2 * list.len() + 2;
    let good = list.clean && list.len() >= 2 && last && !parts && whole;
    (good && list.values.iter().all(word)).then_some(Hit {
        confidence: Confidence::Likely,
        list,
        exhaustive: false,
    })
}

/// "all or a comma-separated list of: name, status and url".
pub(super) fn list_of(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    if !prose.has(at, &["list", "of"]) || !prose.is(at + 2, Kind::Colon) {
        return None;
    }
    let list = list::read(prose, at + 3)?;
    (list.clean && list.len() >= 3 && short(&list)).then_some(Hit {
        confidence: Confidence::Likely,
        list,
        exhaustive: true,
    })
}

/// "either sortName (default) or relevance".
pub(super) fn either<'t>(prose: Prose<'t>, at: usize, known: Known<'_>) -> Option<Hit<'t>> {
    if !prose.is_word(at, "either") || !prose.is(at + 1, Kind::Word) {
        return None;
    }
    let list = list::inline(prose, at + 1)?;
    let sample = list.values.iter().any(|value| (known.is_sample)(value));
    let constants = list.values.iter().any(|value| is_constant(value));
    (list.clean && list.len() >= 2 && short(&list) && (sample || known.named || constants))
        .then_some(Hit {
            confidence: Confidence::Likely,
            list,
            exhaustive: true,
        })
}

/// Bullets that each start with a marked value, or with a word that is no word of the language.
pub(super) fn spelled_bullets(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let bullet = |at: usize| matches!(prose.kind(at), Some(Kind::Bullet | Kind::Dash));
    let value = |at: usize| {
        let marked = prose.is_literal(at)
            && prose
                .text(at)
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        // A link to a standard is no value of it.
        let linked = prose.tokens.get(at).is_some_and(|token| token.link);
        marked || !linked && is_constant(prose.word(at))
    };
    let bare = |at: usize| {
        prose.is_literal(at - 1)
            && matches!(
                prose.kind(at),
                None | Some(Kind::Line | Kind::Paragraph | Kind::Bullet | Kind::Comma)
            )
    };
    let told = |at: usize| {
        bare(at)
            || prose.is(at, Kind::Word)
            || matches!(prose.kind(at), Some(Kind::Open | Kind::Colon | Kind::Dash))
    };
    if !bullet(at) || !value(at + 1) || !told(at + 2) {
        return None;
    }
    let mut list = List {
        block: true,
        explained: true,
        clean: true,
        ..List::default()
    };
    for place in at..prose.len() {
        if !bullet(place) {
            continue;
        }
        if value(place + 1) && told(place + 2) {
            list.values.push(prose.text(place + 1));
            list.marked += usize::from(prose.is_literal(place + 1));
        } else if prose.is(place, Kind::Bullet) {
            break;
        }
    }
    list.values.dedup();
    let enough = if list.marked == 0 { 2 } else { 3 };
    // A form with parts to fill in is explained, not a set: `{width}x{height}`.
    let form = prose.text.contains("`{");
    (list.len() >= enough && short(&list) && !has_headings(&list) && !form).then_some(Hit {
        confidence: Confidence::Likely,
        list,
        exhaustive: false,
    })
}

/// "If this field is set to Disabled, … If this field is set to Enabled, …".
pub(super) fn settings(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let setting = |at: usize| {
        let value = at + 2;
        let subject = at.checked_sub(2).is_some_and(|subject| {
            prose.is_one_of(subject, &["field", "parameter", "it", "value"])
        });
        let word = prose.word(value);
        let named = prose.is_literal(value)
            || (word.len() > 2 && word.starts_with(|c: char| c.is_ascii_uppercase()));
        (prose.has(at, &["set", "to"]) && subject && named).then(|| prose.text(value))
    };
    let first = setting(at)?;
    let mut values = vec![first];
    for place in at + 1..prose.len() {
        if let Some(value) = setting(place)
            && !values.contains(&value)
        {
            values.push(value);
        }
    }
    (values.len() >= 2).then_some(Hit {
        confidence: Confidence::Likely,
        list: List {
            values,
            explained: true,
            ..List::default()
        },
        exhaustive: false,
    })
}

/// `DoNotSchedule`, `read_only`, `DISABLED`: no word of the language.
fn is_constant(word: &str) -> bool {
    let inner = word.get(1..).unwrap_or("");
    word.len() > 2
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && (word.contains('_') || inner.bytes().any(|b| b.is_ascii_uppercase()))
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.len() <= 40
}

/// A table whose first column is headed "Value" or by what the values are.
pub(super) fn tabled(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let starts = at
        .checked_sub(1)
        .is_none_or(|before| matches!(prose.kind(before), Some(Kind::Line | Kind::Paragraph)));
    if !starts {
        return None;
    }
    let (heading, list) = list::table(prose, at)?;
    let mut heads = NOUNS.iter().chain(&["value", "values", "option"]);
    let headed = heads.any(|noun| heading.eq_ignore_ascii_case(noun));
    (headed && list.values.iter().all(|value| !value.contains(' '))).then_some(Hit {
        confidence: Confidence::Likely,
        list,
        exhaustive: false,
    })
}

/// More nouns that head alternatives in brackets.
const BRACKETED_NOUNS: &[&str] = &[
    "system",
    "environment",
    "env",
    "priority",
    "size",
    "theme",
    "frequency",
    "gender",
    "units",
];

/// Nouns that head a list of values.
const NOUNS: &[&str] = &[
    "type",
    "kind",
    "mode",
    "state",
    "status",
    "stage",
    "phase",
    "tier",
    "category",
    "severity",
    "level",
    "format",
    "policy",
    "action",
    "visibility",
    "order",
    "direction",
    "style",
    "method",
    "position",
    "unit",
];
