//! Wordings that announce values: "allowed values are", "one of", "Options:".

use super::super::list::{self, Prose};
use super::super::tokens::Kind;
use super::pointed::{named_only, values_elsewhere};
use super::{Hit, SUPPORTED, is_example_word};
use crate::finding::Confidence;

/// "Possible values are", "Allowed values:", "Valid operators are", "have the values".
pub(super) fn values_lead(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let adjective = prose.is_one_of(at, ADJECTIVES);
    if adjective {
        let before = at.checked_sub(1).map_or("", |at| prose.word(at));
        if ["not", "no", "any", "a", "an"]
            .iter()
            .any(|word| before.eq_ignore_ascii_case(word))
        {
            return None;
        }
        for ahead in 1..=3 {
            let noun = at + ahead;
            if is_values_noun(prose, noun, ahead) {
                let only = before.eq_ignore_ascii_case("only");
                return announced(prose, noun + 1, true, only)
                    .or_else(|| spaced(prose, noun + 1))
                    .or_else(|| values_elsewhere(prose, at, noun));
            }
            if !matches!(prose.kind(noun), Some(Kind::Word | Kind::Code | Kind::Bold)) {
                break;
            }
        }
        return None;
    }
    // "have the values `a`, `b`", "following values: a, b".
    if prose.is_one_of(at, &["values", "options", "strings", "choices"]) {
        let sampled = at.checked_sub(1).is_some_and(|before| {
            is_example_word(prose, before)
                || prose.is_one_of(
                    before,
                    &[
                        "typical",
                        "common",
                        "default",
                        "sample",
                        "current",
                        "more",
                        "other",
                        "multiple",
                        "tag",
                        "attribute",
                    ],
                )
        });
        let from = behind_linking(prose, at + 1);
        // "Values accepted: a, b" says as much as "accepted values: a, b".
        let stated = prose.is_one_of(at + 1, SUPPORTED) || prose.is_one_of(at + 2, SUPPORTED);
        let list = list::read(prose, from)?;
        let bare = stated && from > at + 1 && list.clean && list.len() >= 2;
        if !sampled && ((list.is_marked() && list.len() >= 2) || bare) {
            return Some(Hit {
                confidence: Confidence::Certain,
                list,
                exhaustive: true,
            });
        }
    }
    None
}

/// Reads what an announcement announces: over "are", "include", "for this field", a remark in brackets, a colon.
fn announced(prose: Prose<'_>, at: usize, exhaustive: bool, only: bool) -> Option<Hit<'_>> {
    // "Available options (a, b)".
    if prose.is(at, Kind::Open)
        && let behind = prose.behind_brackets(at)
        && (behind >= prose.len() || prose.kind(behind).is_some_and(Kind::ends_sentence))
        && let Some(list) = list::inline(prose, at + 1)
        && list.clean
        && list.len() >= 2
    {
        return Some(Hit {
            confidence: Confidence::Certain,
            list,
            exhaustive,
        });
    }
    let mut at = prose.behind_brackets(at);
    let limit = at + 12;
    // "Possible values if webhook `type`: **standard**:" and "values for this field are".
    if prose.is_one_of(at, &["for", "if", "when", "in", "of", "that", "to"]) {
        let stop = (at..limit.min(prose.len())).find(|at| {
            prose.is_one_of(*at, &["are", "is", "include"])
                || prose.is(*at, Kind::Colon)
                || prose.kind(*at).is_some_and(Kind::ends_sentence)
        })?;
        at = stop;
        // A second colon belongs to the condition.
        if prose.is(at, Kind::Colon) && prose.is_literal(at + 1) && prose.is(at + 2, Kind::Colon) {
            at += 2;
        }
    }
    let at = behind_linking(prose, at);
    if [
        "integers", "integer", "numbers", "between", "from", "any", "in",
    ]
    .contains(&prose.word(at))
    {
        return None;
    }
    if let Some(hit) = joining_words(prose, at) {
        return Some(hit);
    }
    let list = list::read(prose, at)?;
    let strong = list.is_marked()
        || (list.clean && list.len() >= 2)
        || (list.block && list.len() >= 2)
        || list.explained;
    if list.len() == 1 && !list.is_marked() && !list.explained {
        // "The only supported value is S256".
        let constant = |value: &&str| value.bytes().any(|b| b.is_ascii_uppercase() || b == b'_');
        if !(only && list.clean && list.values.iter().all(constant)) {
            return None;
        }
    }
    Some(Hit {
        confidence: if strong {
            Confidence::Certain
        } else {
            Confidence::Likely
        },
        list,
        exhaustive,
    })
}

/// "Accepted values: ods xlsx csv".
fn spaced(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    if !prose.is(at, Kind::Colon) {
        return None;
    }
    let list = list::spaced(prose, at + 1)?;
    (list.len() >= 2).then_some(Hit {
        confidence: Confidence::Likely,
        list,
        exhaustive: true,
    })
}

/// The place behind "are", "include", "as follows", colons and the like.
pub(super) fn behind_linking(prose: Prose<'_>, mut at: usize) -> usize {
    loop {
        let linking = (prose.is_one_of(
            at,
            &[
                "are",
                "is",
                "include",
                "includes",
                "be",
                "as",
                "follows",
                "the",
                "following",
                "currently",
                "either",
                "one",
                "of",
                "any",
                "combination",
                "these",
            ],
        ) || prose.is_one_of(at, SUPPORTED) && prose.is(at + 1, Kind::Colon))
            && (!prose.is_word(at, "any") || prose.is_word(at + 1, "combination"));
        if linking || prose.is(at, Kind::Colon) {
            at += 1;
        } else {
            return at;
        }
    }
}

/// "One of a, b or c", "one of the following values: …".
pub(super) fn one_of(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    if !(prose.has(at, &["one", "of"])
        || prose.has(at, &["one", "or", "more", "of"])
        || prose.has(at, &["any", "combination", "of"])
        || prose.has(at, &["any", "of"]))
    {
        return None;
    }
    let mut next = (at..at + 5).find(|at| prose.is_word(*at, "of"))? + 1;
    let before = at.checked_sub(1).map_or("", |at| prose.word(at));
    if ["least", "than", "only", "exactly", "each"]
        .iter()
        .any(|word| before.eq_ignore_ascii_case(word))
        && !before.eq_ignore_ascii_case("only")
        && !before.eq_ignore_ascii_case("exactly")
    {
        return None;
    }
    // "prefixed by one of <, >" is about a part of the value.
    if ["by", "with"].contains(&before)
        && at
            .checked_sub(2)
            .is_some_and(|verb| prose.is_one_of(verb, ATTACHED))
    {
        return None;
    }
    if let Some(hit) = counted(prose, next) {
        return Some(hit);
    }
    if prose.has(next, &["the", "following"]) || prose.is_one_of(next, &["following", "these"]) {
        // Over "the following values, or to their combination (comma-separated):".
        let end = prose.sentence_end(next).min(next + 16);
        let colon = (next..end).find(|at| prose.is(*at, Kind::Colon));
        if let Some(colon) = colon {
            next = colon;
        } else {
            next += if prose.is_word(next, "the") { 2 } else { 1 };
            if prose.is(next, Kind::Word) && !prose.is(next + 1, Kind::Comma) {
                next += 1;
            }
        }
        let list = list::read(prose, next)?;
        let good = list.is_marked() || (list.len() >= 2 && (list.clean || list.block));
        return good.then_some(Hit {
            confidence: Confidence::Certain,
            list,
            exhaustive: true,
        });
    }
    if prose.is_word(next, "the") && prose.tokens.get(next + 1).is_some_and(|token| token.link) {
        return Some(named_only());
    }
    let strong = at.checked_sub(2).is_some_and(|before| {
        prose.has(before, &["must", "be"])
            || prose.has(before, &["should", "be"])
            || prose.has(before, &["can", "be"])
            || prose.has(before, &["may", "be"])
    });
    let colon = prose.is(next, Kind::Colon);
    // "Can be one of:" and something that cannot be read is still a set.
    let unread = strong && colon;
    let Some(list) = list::read(prose, next) else {
        return unread.then(named_only);
    };
    let good = list.is_marked() && list.len() >= 2
        || (list.clean
            && list.len() >= 2
            && (!list.plain || colon || strong || prose.is_one_of(at, &["One"])))
        || (list.block && list.len() >= 2);
    if !good && unread && !list.range {
        return Some(named_only());
    }
    good.then_some(Hit {
        confidence: Confidence::Certain,
        list,
        exhaustive: true,
    })
}

/// "one of the four following values, a, b, c or d", "one of two values": a set, told or not.
fn counted(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let number = at + usize::from(prose.is_word(at, "the"));
    if !prose.is_one_of(number, COUNTS) {
        return None;
    }
    let noun = (number + 1..number + 4)
        .find(|at| prose.is_one_of(*at, &["values", "options", "strings", "choices"]))?;
    let plain = (number + 1..noun)
        .all(|at| prose.is_one_of(at, SUPPORTED) || prose.is_word(at, "following"));
    let list = list::read(prose, noun + 1).filter(|list| list.len() >= 2);
    plain.then(|| match list {
        Some(list) => Hit {
            confidence: Confidence::Certain,
            list,
            exhaustive: true,
        },
        None => Hit {
            exhaustive: true,
            ..named_only()
        },
    })
}

/// "The parts that you can include in the value are id, snippet and status".
pub(super) fn value_are(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    if !prose.has(at, &["value", "are"]) {
        return None;
    }
    let list = list::inline(prose, at + 2)?;
    (list.clean && list.len() >= 2 && super::short(&list)).then_some(Hit {
        confidence: Confidence::Likely,
        list,
        exhaustive: false,
    })
}

/// "Allowed values: or, and": the words between values are the values.
fn joining_words(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let joins = |at: usize| prose.is_one_of(at, &["and", "or"]);
    let apart = matches!(
        prose.kind(at + 1),
        Some(Kind::Comma | Kind::Slash | Kind::Pipe)
    );
    let ends = prose.kind(at + 3).is_none_or(Kind::ends_sentence);
    (joins(at) && apart && joins(at + 2) && ends).then(|| Hit {
        // Their case is seldom told, so they are not declared unasked.
        confidence: Confidence::Likely,
        list: list::List {
            values: vec![prose.word(at), prose.word(at + 2)],
            clean: true,
            ..list::List::default()
        },
        exhaustive: true,
    })
}

/// "Options: a, b", "Supported: a, b", "enum: [a, b]", "Position: 'a' (default), 'b'".
pub(super) fn heading(prose: Prose<'_>, at: usize, sentence: usize) -> Option<Hit<'_>> {
    let colon = prose.is(at + 1, Kind::Colon);
    let including = prose.is_one_of(at + 1, &["include", "are"]);
    if prose.is_one_of(
        at,
        &[
            "options",
            "supported",
            "available",
            "allowed",
            "choices",
            "values",
            "enum",
            "accepts",
            "permitted",
            "accepted",
            "enumeration",
            "alternatives",
            "possible",
            "valid",
        ],
    ) && (colon || including)
    {
        let sampled = at
            .checked_sub(1)
            .is_some_and(|before| is_example_word(prose, before));
        let from = prose.behind_open(at + 2);
        let Some(list) = list::read(prose, from) else {
            return spaced(prose, at + 1).filter(|_| !sampled);
        };
        // "Choices are a, b and c".
        let opens = at == sentence && prose.is_one_of(at, &["choices", "options"]);
        let good = !sampled
            && list.len() >= 2
            && (list.is_marked()
                || (opens && including && list.clean)
                || ((colon || prose.is(at + 2, Kind::Colon)) && (list.clean || list.block)));
        return good.then_some(Hit {
            confidence: Confidence::Certain,
            list,
            exhaustive: true,
        });
    }
    // A heading of one or two words before marked values: "Position: 'append' (default), 'above'".
    if colon && prose.is(at, Kind::Word) && at <= sentence + 2 && prose.is_literal(at + 2) {
        let list = list::read(prose, at + 2)?;
        let constants = list.values.iter().all(|value| {
            value
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        });
        let good =
            list.is_marked() && list.clean && (list.len() >= 3 || (list.len() == 2 && constants));
        return good.then_some(Hit {
            confidence: Confidence::Likely,
            list,
            exhaustive: false,
        });
    }
    None
}

pub(super) fn is_values_noun(prose: Prose<'_>, at: usize, ahead: usize) -> bool {
    let word = prose.word(at);
    if ["value", "values", "option", "options"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
    {
        return true;
    }
    // Any plural will do when the list follows at once: "Valid operators are In, NotIn".
    let plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && ahead <= 2;
    plural
        && (prose.is(at + 1, Kind::Colon) || prose.is_one_of(at + 1, &["are", "include"]))
        && !prose.is_one_of(
            at,
            &[
                "characters",
                "entries",
                "ids",
                "digits",
                "formats",
                "paths",
                "letters",
                "numbers",
                "symbols",
            ],
        )
        || (prose.is_one_of(at, &["formats"]) && prose.is(at + 1, Kind::Colon))
}

/// How many values a set may have that is counted in words.
const COUNTS: &[&str] = &[
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// Verbs for what is put before or behind a value.
const ATTACHED: &[&str] = &[
    "prefixed",
    "preceded",
    "followed",
    "suffixed",
    "prepended",
    "appended",
    "start",
    "starts",
    "begin",
    "begins",
    "end",
    "ends",
];

const ADJECTIVES: &[&str] = &[
    "possible",
    "allowed",
    "valid",
    "supported",
    "accepted",
    "acceptable",
    "permitted",
    "available",
    "expected",
    "legal",
    "allowable",
    "permissible",
    "recognized",
    "recognised",
    "eligible",
];
