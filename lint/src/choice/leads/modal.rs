//! Wordings with a verb: "can be", "must be", "choose from", "only … is supported".

use super::super::list::{self, List, Prose};
use super::super::tokens::Kind;
use super::announced::behind_linking;
use super::{Hit, Known, SUPPORTED, is_numeric, short};
use crate::finding::Confidence;

/// "Can be `a` or `b`", "may be either x or y", "should be `a` or `b`".
pub(super) fn can_be(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let modal = prose.is_one_of(at, &["can", "may", "could", "should", "might"])
        && prose.is_word(at + 1, "be");
    let set = modal && prose.is_word(at + 2, "set") && prose.is_word(at + 3, "to");
    let is_either = prose.is_one_of(at, &["is", "are"]) && prose.is_word(at + 1, "either");
    let bare_either = prose.is_word(at, "either") && prose.is_literal(at + 1);
    let also = at
        .checked_sub(1)
        .is_some_and(|before| prose.is_one_of(before, &["also", "additionally"]));
    let accepts = !also
        && prose.is_one_of(at, &["accepts", "accept", "takes", "supports"])
        && (prose.is_literal(at + 1) || prose.is_word(at + 1, "either"));
    let mut next = if set {
        at + 4
    } else if modal {
        at + 2
    } else if is_either || accepts {
        at + 1
    } else if bare_either {
        at
    } else {
        return None;
    };
    let mut either = false;
    while prose.is_one_of(
        next,
        &[
            "either",
            "only",
            "currently",
            "one",
            "of",
            "any",
            "combination",
            "specified",
            "as",
        ],
    ) && (!prose.is_word(next, "any") || prose.is_word(next + 1, "combination"))
    {
        either |= prose.is_word(next, "either");
        next += 1;
    }
    let list = list::read(prose, next)?;
    // "Either 'all' or 'ff' for friends and family".
    let told = list.is_marked() && list.len() == 2 && prose.is_word(at + 4, "for");
    if bare_either && !list.clean && !told {
        return None;
    }
    let good = (list.is_marked() && list.len() >= 2)
        || (list.clean && list.len() >= 2 && !list.plain && !either)
        || (list.clean && list.len() >= 3 && (!list.plain || offers(prose, next)))
        || (list.clean && either && list.len() == 2 && short(&list));
    if good {
        return Some(Hit {
            confidence: Confidence::Certain,
            list,
            exhaustive: true,
        });
    }
    // "Can be: `a`".
    if modal && prose.is(next, Kind::Colon) && list.is_marked() && list.clean && short(&list) {
        return Some(Hit {
            confidence: Confidence::Likely,
            list,
            exhaustive: true,
        });
    }
    // "Can be either and or or": words of the language are values too.
    if either && prose.is_word(next + 1, "or") && prose.is_one_of(next, &["and", "or"]) {
        let list = List {
            values: vec![prose.word(next), prose.word(next + 2)],
            clean: true,
            ..List::default()
        };
        return Some(Hit {
            confidence: Confidence::Likely,
            list,
            exhaustive: true,
        });
    }
    None
}

/// Whether alternatives follow, and not things that are all true: "can be exported and published", "must be present and non-empty".
fn offers(prose: Prose<'_>, from: usize) -> bool {
    let mut words = from..prose.sentence_end(from);
    let or = words.clone().any(|at| {
        prose.is_word(at, "or") || matches!(prose.kind(at), Some(Kind::Slash | Kind::Pipe))
    });
    or || !words.any(|at| prose.is_word(at, "and"))
}

/// "Must be UDP, TCP, or SCTP", "Must be `metrics`", "must equal "a"".
pub(super) fn must_be(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    if !prose.is_word(at, "must") || !prose.is_one_of(at + 1, &["be", "equal", "match"]) {
        return None;
    }
    let be = prose.is_word(at + 1, "be");
    let mut next = at + 2;
    if prose.has(next, &["omitted", "or"]) {
        next += 2;
    }
    while prose.is_one_of(
        next,
        &[
            "set", "to", "either", "equal", "exactly", "the", "string", "value", "literal",
            "always", "one", "of",
        ],
    ) {
        next += 1;
    }
    // "The name must be `x` or empty" is about the field; "The run must be `done`" is about something else.
    let list = list::read(prose, next)?;
    let good = (list.is_marked() && (list.clean || list.len() >= 2))
        || (be && list.clean && list.len() >= 2 && !list.plain && offers(prose, next));
    let subject = at.checked_sub(1).map_or("", |at| prose.word(at));
    let foreign = !list.is_marked() && ["and", "or"].contains(&subject);
    let placeholder = list.values.iter().any(|value| {
        value.contains(['{', '<', '(', '^', '\\']) || value.split_whitespace().count() > 3
    });
    (good && !foreign && !placeholder).then_some(Hit {
        confidence: if list.len() >= 2 {
            Confidence::Certain
        } else {
            Confidence::Likely
        },
        list,
        exhaustive: true,
    })
}

/// "Choose from `a`, `b`", "Select one of the list".
pub(super) fn choose(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    if !prose.is_one_of(at, &["choose", "select", "pick", "chosen", "selected"]) {
        return None;
    }
    let end = prose.sentence_end(at).min(at + 8);
    let from = (at + 1..end)
        .find(|at| prose.is_one_of(*at, &["from", "between", "among", "of", "either"]))?;
    let list = list::read(prose, behind_linking(prose, from + 1));
    if let Some(list) = list
        && list.len() >= 2
        && (list.is_marked() || list.clean && !list.plain)
    {
        return Some(Hit {
            confidence: Confidence::Certain,
            list,
            exhaustive: true,
        });
    }
    // Literals of one shape anywhere in the sentence.
    let end = prose.sentence_end(at);
    let literals: Vec<_> = (from..end)
        .filter(|at| prose.is(*at, Kind::Code) && !prose.text(*at).contains(' '))
        .map(|at| prose.text(at))
        .collect();
    let starts = at.checked_sub(1).is_none_or(|before| {
        prose.kind(before).is_some_and(Kind::ends_sentence) || prose.is_word(before, "to")
    });
    (starts && literals.len() >= 3).then_some(Hit {
        confidence: Confidence::Likely,
        list: List {
            marked: literals.len(),
            values: literals,
            ..List::default()
        },
        exhaustive: false,
    })
}

/// "Only `a` is supported", "The only possible value is `a`", "limited to `a` and `b`", "`a` and `b` are supported".
pub(super) fn only<'t>(
    prose: Prose<'t>,
    at: usize,
    sentence: usize,
    known: Known<'_>,
) -> Option<Hit<'t>> {
    if prose.has(at, &["limited", "to"]) || prose.has(at, &["restricted", "to"]) {
        let list = list::read(prose, at + 2)?;
        return (list.is_marked() && list.len() >= 2).then_some(Hit {
            confidence: Confidence::Certain,
            list,
            exhaustive: true,
        });
    }
    if prose.is_word(at, "only") {
        let end = prose.sentence_end(at).min(at + 8);
        let verb = (at + 1..end).find(|at| {
            prose.is_one_of(
                *at,
                &[
                    "is", "are", "accepts", "accept", "supports", "value", "values",
                ],
            )
        });
        let from = verb.map_or(at + 1, |verb| verb + 1);
        // "only accepts the value `web`", "only possible value is `Restart`".
        let behind = behind_linking(prose, from);
        let behind = if prose.is_one_of(behind, &["value", "values", "string"]) {
            behind + 1
        } else {
            behind
        };
        if verb.is_some_and(|verb| {
            prose.is_one_of(verb, &["is", "are"])
                && (at + 1..verb).any(|at| prose.is_one_of(at, &["value", "values"]))
                || prose.is_one_of(verb, &["accepts", "accept", "supports"])
        }) && let Some(list) = list::read(prose, behind)
            && list.is_marked()
        {
            return Some(Hit {
                confidence: Confidence::Certain,
                list,
                exhaustive: true,
            });
        }
        // "Currently only 65534 is supported".
        let number = prose.word(at + 1);
        if known.numeric
            && is_numeric(number)
            && verb == Some(at + 2)
            && prose.is_one_of(at + 3, SUPPORTED)
        {
            let list = List {
                values: vec![number],
                explained: true,
                clean: true,
                ..List::default()
            };
            return Some(Hit {
                confidence: Confidence::Likely,
                list,
                exhaustive: true,
            });
        }
        // "only `dtmf` is supported", "only SCHEDULED is supported".
        let list = list::inline(prose, at + 1)?;
        let supported = verb.is_some_and(|verb| {
            prose.is_one_of(verb, &["is", "are"]) && prose.is_one_of(verb + 1, SUPPORTED)
        });
        let marked = list.is_marked();
        return (supported && (marked || (known.named && !list.plain))).then_some(Hit {
            confidence: if marked {
                Confidence::Certain
            } else {
                Confidence::Likely
            },
            list,
            exhaustive: true,
        });
    }
    // ""MD5" is the only possible value".
    if prose.is_literal(at)
        && prose.has(at + 1, &["is", "the", "only"])
        && prose.is_one_of(at + 4, SUPPORTED)
        && prose.is_one_of(at + 5, &["value", "option"])
    {
        let list = List {
            values: vec![prose.text(at)],
            marked: 1,
            clean: true,
            ..List::default()
        };
        return Some(Hit {
            confidence: Confidence::Likely,
            list,
            exhaustive: true,
        });
    }
    // "Currently, `a` and `b` are supported."
    if prose.is_literal(at)
        && (at == sentence
            || prose.is_one_of(at.saturating_sub(1), &["currently"])
            || prose.is(at.saturating_sub(1), Kind::Comma) && at <= sentence + 3)
    {
        let mut list = list::inline(prose, at)?;
        let end = prose.sentence_end(at);
        let are = (at..end).find(|at| {
            prose.is_one_of(*at, &["are", "is"]) && prose.is_one_of(at + 1, SUPPORTED)
        })?;
        // "`a` and `b` are supported for `x` and `y`".
        let before = (at..are).filter(|at| prose.is_literal(*at)).count();
        if before < list.len() && list.is_marked() {
            list.values.truncate(before);
            list.marked = before;
            list.clean = false;
        }
        let near = are <= at + 2 * list.len() + 2;
        return (near && list.is_marked() && list.len() >= 2).then_some(Hit {
            confidence: Confidence::Certain,
            list,
            exhaustive: true,
        });
    }
    None
}
