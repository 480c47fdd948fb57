//! Lists that need no announcement: bars, constants, codes with meanings, known vocabularies.

use super::super::list::{self, List, Prose};
use super::super::tokens::Kind;
use super::super::words::is_range;
use super::{Hit, Known, is_numeric, short};
use crate::finding::Confidence;

/// "(a|b|c)": three or more short alternatives with bars.
pub(super) fn bars<'t>(prose: Prose<'t>, at: usize, known: Known<'_>) -> Option<Hit<'t>> {
    let short_word = |at: usize| {
        (prose.is(at, Kind::Word) || prose.is_literal(at))
            && prose.text(at).len() <= 30
            && !prose.text(at).contains(' ')
    };
    if at > 0 && prose.is(at - 1, Kind::Pipe) || !short_word(at) || !prose.is(at + 1, Kind::Pipe) {
        return None;
    }
    let mut values = vec![prose.text(at)];
    let mut next = at + 1;
    while prose.is(next, Kind::Pipe) && short_word(next + 1) {
        values.push(prose.text(next + 1));
        next += 2;
    }
    // A row of a Markdown table ends with a bar.
    // "all | part-time | [reviewer-name]": the last one is described instead of written down.
    if prose.is(next, Kind::Pipe) && prose.is(next + 1, Kind::Open) && prose.text(next + 1) == "[" {
        return None;
    }
    let table = prose.is(next, Kind::Pipe) || (at > 1 && prose.is(at - 2, Kind::Pipe));
    let quoted = prose.is_literal(at) && values.len() >= 2;
    let sample = values.len() == 2 && values.iter().any(|value| (known.is_sample)(value));
    ((values.len() >= 3 || quoted || sample) && !table).then_some(Hit {
        confidence: Confidence::Certain,
        list: List {
            marked: values.len(),
            values,
            clean: true,
            ..List::default()
        },
        exhaustive: true,
    })
}

/// "`paragraphs/sentences/words`", "(linear/radial)", "(GET or POST)", "(True, False, Unknown)".
pub(super) fn slashed_code<'t>(prose: Prose<'t>, at: usize, known: Known<'_>) -> Option<Hit<'t>> {
    if prose.is(at, Kind::Code) && prose.text(at).contains('/') {
        let parts: Vec<_> = prose.text(at).split('/').collect();
        let words = parts.iter().all(|part| {
            part.len() >= 2
                && part
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b == b'-' || b == b'_')
        });
        let named = parts.iter().any(|part| {
            [
                "owner",
                "repo",
                "name",
                "user",
                "org",
                "namespace",
                "path",
                "id",
                "application",
                "text",
                "image",
                "json",
                "refs",
                "heads",
                "tags",
            ]
            .contains(part)
        });
        if words && !named && (parts.len() >= 3 || known.named || parts.len() == 2) {
            return Some(Hit {
                confidence: Confidence::Likely,
                list: List {
                    marked: parts.len(),
                    values: parts,
                    clean: true,
                    ..List::default()
                },
                exhaustive: false,
            });
        }
        return None;
    }
    if !prose.is(at, Kind::Open) {
        return None;
    }
    let list = list::inline(prose, at + 1)?;
    let closed = prose.behind_brackets(at);
    let fits = list.clean && list.len() >= 2 && short(&list) && closed <= at + 2 + 3 * list.len();
    let upper = list
        .values
        .iter()
        .all(|value| value.len() > 1 && value.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'));
    let sample = list.values.iter().any(|value| (known.is_sample)(value));
    // "('1', '2', '5.5' or '11')" of a number.
    let numbers = known.numeric && list.is_marked() && list.values.iter().all(|v| is_numeric(v));
    let good = fits
        && (numbers && list.len() >= 3
            || !list
                .values
                .iter()
                .any(|value| is_range(value) || is_numeric(value)))
        && (numbers
            || sample
            || known.named && (list.is_marked() || list.len() >= 3 || !list.plain)
            || upper && known_constants(&list));
    good.then_some(Hit {
        confidence: Confidence::Likely,
        list,
        exhaustive: false,
    })
}

/// Upper-case words in brackets are abbreviations as often as values; HTTP methods and constants with `_` are values.
pub(super) fn known_constants(list: &List<'_>) -> bool {
    list.values.iter().all(|value| {
        value.contains('_')
            || [
                "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "ASC", "DESC", "TRUE", "FALSE",
                "YES", "NO", "ON", "OFF",
            ]
            .contains(value)
    })
}

/// "`FIRST_WORD` or `SECOND`" without marks, "`public` or `private`" with them, and nothing else.
pub(super) fn constants(prose: Prose<'_>, at: usize, sentence: usize) -> Option<Hit<'_>> {
    if at != 0 || sentence != 0 {
        return None;
    }
    let list = list::inline(prose, at)?;
    let constant = |value: &&str| {
        value.len() > 2
            && value
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_' || b == b'-')
    };
    let constants = list.values.iter().all(constant);
    let marked = list.is_marked() && short(&list) && !list.explained;
    // "auth or auth-int": nothing but two words, of which one is a form of the other.
    let forms = prose.len() == 3 && short(&list) && {
        let (one, two) = (prose.word(0), prose.word(2));
        let longer = |long: &str, short: &str| {
            let rest = long.strip_prefix(short);
            short.len() >= 2 && rest.is_some_and(|rest| rest.starts_with(['-', '_']))
        };
        prose.is_word(1, "or") && (longer(two, one) || longer(one, two))
    };
    (list.clean && list.len() >= 2 && (constants || marked || forms)).then_some(Hit {
        confidence: if constants {
            Confidence::Certain
        } else {
            Confidence::Likely
        },
        list,
        exhaustive: false,
    })
}

/// Words that only ever stand for a closed set: "asc or desc", "true/false".
pub(super) fn vocabulary(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let text = prose.text(at);
    if text.len() > 10 || !(prose.is(at, Kind::Word) || prose.is_literal(at)) {
        return None;
    }
    let family = VOCABULARIES
        .iter()
        .find(|family| family.iter().any(|known| text.eq_ignore_ascii_case(known)))?;
    let list = list::inline(prose, at)?;
    let all = list
        .values
        .iter()
        .all(|value| family.iter().any(|known| value.eq_ignore_ascii_case(known)));
    (all && list.len() >= 2 && list.clean).then_some(Hit {
        confidence: Confidence::Likely,
        list,
        exhaustive: false,
    })
}

/// Whether all values are names of data formats.
pub(super) fn are_formats(list: &List<'_>) -> bool {
    let known = ["json", "xml", "csv", "yaml", "html", "pdf"];
    let is_known = |value: &&str| known.iter().any(|known| value.eq_ignore_ascii_case(known));
    list.values.iter().all(is_known)
}

/// Bullets that each start with a marked value and its meaning.
pub(super) fn bulleted(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    let first = prose.is(at, Kind::Bullet)
        && prose.is_literal(at + 1)
        && matches!(prose.kind(at + 2), Some(Kind::Colon | Kind::Dash));
    if !first {
        return None;
    }
    let list = list::bullets(prose, at)?;
    (list.is_marked() && list.clean && list.explained && list.len() >= 2 && short(&list)).then_some(
        Hit {
            confidence: Confidence::Likely,
            list,
            exhaustive: false,
        },
    )
}

/// "Set to "TLS" to … . Set to "Plaintext" to …".
pub(super) fn set_to(prose: Prose<'_>, at: usize, sentence: usize) -> Option<Hit<'_>> {
    let starts = |at: usize| {
        let behind = if prose.is_one_of(at, &["set", "use", "specify", "pass"])
            && prose.is_word(at + 1, "to")
        {
            at + 2
        } else if prose.is_one_of(at, &["use", "specify", "pass"]) {
            at + 1
        } else {
            return None;
        };
        (prose.is_literal(behind) && prose.is_one_of(behind + 1, &["to", "for", "if", "when"]))
            .then_some(behind)
    };
    // "Set to either `a` or `b`" anywhere, "Use `a` for … or `b` for …" at the start.
    let setting = prose.is_word(at, "set") && prose.is_word(at + 1, "to");
    let using = at == sentence && prose.is_one_of(at, &["use", "specify", "pass", "enter"]);
    if setting || using {
        let mut from = if setting { at + 2 } else { at + 1 };
        while prose.is_one_of(from, &["either", "one", "of"]) {
            from += 1;
        }
        if prose.is_literal(from)
            && let Some(list) = list::inline(prose, from)
            && list.is_marked()
            && list.len() >= 2
            && short(&list)
        {
            return Some(Hit {
                confidence: Confidence::Likely,
                list,
                exhaustive: false,
            });
        }
    }
    if at != sentence {
        return None;
    }
    let mut values = Vec::new();
    let mut place = at;
    while let Some(literal) = starts(place) {
        values.push(prose.text(literal));
        place = prose.sentence_end(literal) + 1;
    }
    (values.len() >= 2).then_some(Hit {
        confidence: Confidence::Likely,
        list: List {
            marked: values.len(),
            values,
            ..List::default()
        },
        exhaustive: false,
    })
}

/// Marked alternatives that nothing introduces: three or more, or two behind "whether", "if" or an opening square bracket.
pub(super) fn unannounced<'t>(
    prose: Prose<'t>,
    at: usize,
    sentence: usize,
    list: &List<'t>,
) -> Option<Hit<'t>> {
    let before = at.checked_sub(1);
    let inside = before.is_some_and(|before| {
        prose.is(before, Kind::Comma)
            || prose.is_literal(before)
            || prose.is_one_of(before, &["or", "and"])
    });
    if inside {
        return None;
    }
    let constant = |value: &&str| {
        value.starts_with(|c: char| c.is_ascii_alphabetic())
            && value
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    if !(list.is_marked() && list.clean && !list.explained && list.values.iter().all(constant)) {
        return None;
    }
    let asked =
        (sentence..at).any(|at| prose.is_one_of(at, &["whether", "if", "defines", "determines"]));
    let bracket =
        before.is_some_and(|before| prose.is(before, Kind::Open) && prose.text(before) == "[");
    let enough = list.len() >= 3 || (list.len() == 2 && (asked || bracket));
    enough.then(|| likely(list))
}

/// "The role of the user, "admin" or "member"." and nothing else.
pub(super) fn apposed<'t>(prose: Prose<'t>, at: usize, list: &List<'t>) -> Option<Hit<'t>> {
    let comma = at.checked_sub(1)?;
    if !prose.is(comma, Kind::Comma) || !(2..=10).contains(&comma) {
        return None;
    }
    let named = (0..comma).all(|at| prose.is(at, Kind::Word));
    let or = prose.is_word(at + 1, "or") && prose.is_literal(at + 2);
    let word = |value: &&str| {
        value.starts_with(|c: char| c.is_ascii_alphabetic())
            && value
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    let ends = prose.kind(at + 3).is_none_or(Kind::ends_sentence);
    let negated = (0..comma).any(|at| {
        prose.is_one_of(
            at,
            &["if", "when", "not", "for", "provide", "specify", "either"],
        )
    });
    (named && or && ends && !negated && list.len() == 2 && list.values.iter().all(word))
        .then(|| likely(list))
}

/// "`a` (default) or `b`": whoever names the default among others lists them all.
pub(super) fn with_default<'t>(prose: Prose<'t>, at: usize, list: &List<'t>) -> Option<Hit<'t>> {
    let named = |at: usize| prose.is(at, Kind::Open) && prose.is_word(at + 1, "default");
    if at > 0 && prose.is(at - 1, Kind::Comma) {
        return None;
    }
    let end = prose.sentence_end(at);
    let defaulted = (at..end.min(at + 4 * list.len())).any(|at| named(at + 1));
    (defaulted && list.is_marked() && list.len() >= 2 && short(list)).then(|| likely(list))
}

/// Lines of the form "word: meaning" below a heading that ends with a colon.
pub(super) fn defined_lines(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    if !prose.is(at, Kind::Colon)
        || !matches!(prose.kind(at + 1), Some(Kind::Line | Kind::Paragraph))
    {
        return None;
    }
    let list = if prose.is(at + 2, Kind::Bullet) {
        list::bullets(prose, at + 2)?
    } else {
        list::lines(prose, at + 2)?
    };
    let shaped = list.explained
        && list
            .values
            .iter()
            .all(|value| !value.contains(' ') && value.len() <= 24);
    (shaped && !has_headings(&list) && list.len() >= 3).then_some(Hit {
        confidence: Confidence::Likely,
        list,
        exhaustive: false,
    })
}

/// Whether the lines are a table of remarks: "Encoding: ASCII", "minLength: 3".
pub(super) fn has_headings(list: &List<'_>) -> bool {
    list.values.iter().any(|value| {
        [
            "note",
            "example",
            "format",
            "default",
            "encoding",
            "minlength",
            "maxlength",
            "required",
            "optional",
        ]
        .iter()
        .any(|known| value.eq_ignore_ascii_case(known))
    })
}

/// Marked alternatives, one of which is the default or an example.
pub(super) fn sampled<'t>(
    prose: Prose<'t>,
    at: usize,
    list: &List<'t>,
    known: Known<'_>,
) -> Option<Hit<'t>> {
    if at > 0
        && (prose.is_literal(at - 1)
            || prose.is(at - 1, Kind::Comma)
            || prose.is_one_of(at - 1, &["or", "and"]))
    {
        return None;
    }
    let plain_ids = list
        .values
        .iter()
        .all(|value| !value.contains(['/', ':', '@', ',', '{', '<', '.']));
    let sample = list.values.iter().any(|value| (known.is_sample)(value));
    (list.is_marked()
        && list.len() >= 2
        && !list.explained
        && plain_ids
        && sample
        && !known.open_name)
        .then(|| likely(list))
}

fn likely<'t>(list: &List<'t>) -> Hit<'t> {
    Hit {
        confidence: Confidence::Likely,
        list: list.clone(),
        exhaustive: false,
    }
}

const VOCABULARIES: &[&[&str]] = &[
    &["asc", "desc"],
    &["ascending", "descending"],
    &["true", "false"],
    &["yes", "no"],
    &["on", "off"],
    &["enabled", "disabled"],
    &["get", "post", "put", "patch", "delete"],
    &["json", "xml", "csv", "yaml"],
    &["low", "medium", "high", "critical"],
    &["daily", "weekly", "monthly", "quarterly", "yearly"],
    &["male", "female", "other"],
    &["public", "private"],
    &["y", "n"],
    &["day", "week", "month", "year"],
    &["hour", "day", "week", "month"],
    &["inbound", "outbound"],
    &["push", "pull"],
    &["open", "closed", "all"],
    &["active", "inactive"],
    &["in", "out"],
];
