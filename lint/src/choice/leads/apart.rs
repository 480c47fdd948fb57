//! Values with other words between them: "asc to go up or desc to go down", "ahead if "up", behind if "down"".

use super::super::list::{self, Prose};
use super::super::phrases::Phrases;
use super::super::tokens::{Kind, Token};
use super::pointed::named_only;
use super::{Hit, Known, SUPPORTED, is_numeric, short};
use crate::finding::Confidence;

/// Wordings of texts that hold more than a direction.
static EXPRESSION: Phrases = Phrases::new(&[
    "comma",
    "commas",
    "comas",
    "fields",
    "followed by",
    "prefix",
]);

/// Both directions of a sort, however far apart, or one of them as the default.
pub(super) fn directions(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let is = |at: usize, word: &str| {
        (prose.is(at, Kind::Word) || prose.is_literal(at))
            && prose.text(at).eq_ignore_ascii_case(word)
    };
    let other = if is(at, "asc") {
        "desc"
    } else if is(at, "desc") {
        "asc"
    } else {
        return None;
    };
    // An expression names fields as well.
    if EXPRESSION.any_in(prose.text) {
        return None;
    }
    let limit = prose.len().min(at + REACH);
    if let Some(second) = (at + 1..limit).find(|at| is(*at, other)) {
        // `name:asc` and `name asc` are parts of an expression.
        let attached = |at: usize| {
            at.checked_sub(1)
                .is_some_and(|before| matches!(prose.kind(before), Some(Kind::Colon | Kind::Dash)))
        };
        return (!attached(at) && !attached(second))
            .then(|| Hit::told(vec![prose.text(at), prose.text(second)]));
    }
    let defaulted =
        (at.saturating_sub(4)..at).any(|at| prose.is_one_of(at, &["default", "defaults"]));
    defaulted.then(named_only)
}

/// "ahead of it if "up", and behind it if "down"", when one of them is the default or an example.
pub(super) fn conditions<'t>(prose: Prose<'t>, at: usize, known: Known<'_>) -> Option<Hit<'t>> {
    let asked = |at: usize| {
        prose.is_literal(at)
            && at > 0
            && prose.is_one_of(at - 1, &["if", "when"])
            && !prose.is_one_of(at + 1, &["is", "are", "was", "has", "and", "or"])
    };
    if !asked(at) {
        return None;
    }
    let limit = prose.len().min(at + REACH);
    let mut values = vec![prose.text(at)];
    values.extend(
        (at + 1..limit)
            .filter(|at| asked(*at))
            .map(|at| prose.text(at)),
    );
    values.dedup();
    let sample = values.iter().any(|value| (known.is_sample)(value));
    let constant = |value: &&str| {
        value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    (values.len() >= 2 && sample && values.iter().all(constant)).then(|| {
        let mut hit = Hit::told(values);
        hit.list.marked = hit.list.len();
        hit
    })
}

/// "Compression of new things: rq, pq, or bq.", "Order priority: standard/express are allowed".
pub(super) fn behind_colon(prose: Prose<'_>, at: usize, sentence: usize) -> Option<Hit<'_>> {
    // `update:name` and "the fields: name, date" are about something else.
    let tight = |(colon, next): (&Token, &Token)| colon.end == next.start;
    if !prose.is(at, Kind::Colon)
        || at == sentence
        || !prose.is(at - 1, Kind::Word)
        || prose.is_one_of(at - 1, PARTS)
        || prose
            .tokens
            .get(at)
            .zip(prose.tokens.get(at + 1))
            .is_some_and(tight)
    {
        return None;
    }
    let from = at + 1 + usize::from(prose.is(at + 1, Kind::Paragraph));
    if let Some(hit) = allowed(prose, from) {
        return Some(hit);
    }
    let list = list::inline(prose, from).filter(|list| list.len() >= 2 && short(list))?;
    let word = |value: &&str| {
        value.len() > 1
            && !is_numeric(value)
            && value
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    if !list.values.iter().all(word) || list.open_ended {
        return None;
    }
    // `class_1, class_2, class_3`: names that nobody would say. With words of the language an "or" is needed, and nothing before.
    let made = |value: &&str| value.bytes().any(|b| b == b'_' || b.is_ascii_digit());
    let chosen = (from..prose.sentence_end(from)).any(|at| prose.is_word(at, "or"));
    let good = list.clean
        && list.len() >= 3
        && (list.values.iter().all(made) || chosen && sentence == 0 && from == at + 1);
    good.then_some(Hit {
        confidence: Confidence::Likely,
        list,
        exhaustive: false,
    })
}

/// "standard/express are allowed", "Hour, Day and Week values are supported".
pub(super) fn allowed(prose: Prose<'_>, from: usize) -> Option<Hit<'_>> {
    let mut at = from;
    let mut values = Vec::new();
    while prose.is(at, Kind::Word) {
        values.push(prose.text(at));
        at += 1;
        let before = at;
        while matches!(prose.kind(at), Some(Kind::Slash | Kind::Comma))
            || prose.is_one_of(at, &["or", "and"])
        {
            at += 1;
        }
        if at == before {
            break;
        }
    }
    let at = at + usize::from(prose.is_word(at, "values"));
    let said = prose.is_one_of(at, &["is", "are"]) && prose.is_one_of(at + 1, SUPPORTED);
    (values.len() >= 2 && said).then(|| Hit {
        exhaustive: true,
        ..Hit::told(values)
    })
}

/// Nouns for parts of a thing, which are listed without being values.
const PARTS: &[&str] = &[
    "field",
    "fields",
    "column",
    "columns",
    "attribute",
    "attributes",
    "property",
    "properties",
    "parameter",
    "parameters",
    "key",
    "keys",
    "example",
    "examples",
    "note",
    "characters",
];

/// How far apart two values may stand.
const REACH: usize = 40;
