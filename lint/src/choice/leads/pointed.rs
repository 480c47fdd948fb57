//! A set that the text speaks of without listing it: "see X for the allowed values", "from a fixed set".

use super::super::list::{List, Prose};
use super::super::tokens::Kind;
use super::{Hit, SUPPORTED};
use crate::finding::Confidence;

/// "For possible values, refer to …", "To get valid values, use …", "Look at … for allowed values".
///
/// `noun` is the place of "values" behind its adjective.
pub(super) fn values_elsewhere(prose: Prose<'_>, adjective: usize, noun: usize) -> Option<Hit<'_>> {
    if !prose.is_one_of(noun, &["values", "options", "value"]) || says_range(prose, noun + 1) {
        return None;
    }
    let start = sentence_start(prose, adjective);
    let end = prose.sentence_end(noun).min(noun + 24);
    let linked = prose.tokens.get(noun).is_some_and(|token| token.link);
    let pointed = (start..end).any(|at| prose.is_one_of(at, POINTERS) || is_link(prose, at));
    let typed = (noun + 1..end).any(|at| {
        let name = prose.word(at).strip_suffix("Enum");
        name.is_some_and(|name| !name.is_empty())
    });
    (linked || pointed || typed).then(|| Hit {
        exhaustive: true,
        confidence: if typed {
            Confidence::Certain
        } else {
            Confidence::Likely
        },
        ..named_only()
    })
}

/// "Discover the list of available services with …", "To list available sizes, use `GET …`", "from the fixed set".
pub(super) fn elsewhere(prose: Prose<'_>, at: usize) -> Option<Hit<'_>> {
    if prose.is_one_of(at, &["fixed", "closed", "predefined", "pre-defined"])
        && prose.is_one_of(at + 1, &["set", "list", "vocabulary"])
        || prose.has(at, &["controlled", "vocabulary"])
    {
        return Some(named_only());
    }
    // "the [supported OS list](…)": the link is the list.
    if prose.is_one_of(at, SUPPORTED) && is_link(prose, at) {
        let listed = (at + 1..at + 4).any(|at| {
            is_link(prose, at) && prose.is_one_of(at, &["list", "values", "options", "types"])
        });
        return listed.then(named_only);
    }
    // "Check all available styles at …", "See … for more about supported events."
    if prose.is_one_of(at, SUPPORTED) {
        let start = sentence_start(prose, at);
        let all = at > start && prose.is_word(at - 1, "all");
        let about = (start..at).any(|at| prose.is_one_of(at, &["on", "about", "of", "for"]));
        let end = prose.sentence_end(at);
        let plural = prose.word(end.saturating_sub(1)).ends_with('s') && end <= at + 4;
        let pointed = (start..at).any(|at| prose.is_one_of(at, &["see", "refer"]))
            || prose.is_one_of(start, &["check", "find"]);
        let identifier = (start..end).any(|at| prose.is_one_of(at, &["id", "ids", "formats"]));
        let known = all || about && plural;
        return (pointed && known && !identifier).then(named_only);
    }
    // "[Complete list of attribute values](…)".
    if prose.has(at, &["list", "of"]) && is_link(prose, at) {
        let whole = at > 0 && prose.is_one_of(at - 1, &["complete", "full"]);
        let values = (at + 2..at + 6).any(|at| is_link(prose, at) && prose.is_word(at, "values"));
        return (whole && values).then(named_only);
    }
    let of = prose.has(at, &["list", "of"]) && prose.is_one_of(at + 2, SUPPORTED);
    let verb = prose.has(at, &["to", "list"]) && prose.is_one_of(at + 2, SUPPORTED);
    if !of && !verb {
        return None;
    }
    let end = prose.sentence_end(at);
    let pointed = (at..end).any(|at| {
        prose.is_one_of(at, &["endpoint", "api", "operation"])
            || is_link(prose, at)
            || verb && is_request(prose, at)
    });
    let identifier =
        (at..end).any(|at| prose.is_one_of(at, &["id", "ids", "identifier", "identifiers"]));
    (pointed && !identifier).then(named_only)
}

/// A set without its values.
pub(super) fn named_only<'t>() -> Hit<'t> {
    Hit {
        confidence: Confidence::Likely,
        list: List {
            clean: true,
            ..List::default()
        },
        exhaustive: false,
    }
}

/// `GET …` as code.
fn is_request(prose: Prose<'_>, at: usize) -> bool {
    prose.is(at, Kind::Code) && prose.text(at).starts_with("GET ")
}

fn is_link(prose: Prose<'_>, at: usize) -> bool {
    prose.tokens.get(at).is_some_and(|token| token.link)
}

/// Numbers and lengths have ranges, not sets.
fn says_range(prose: Prose<'_>, at: usize) -> bool {
    (at..at + 4).any(|at| {
        prose.is_one_of(
            at,
            &[
                "range", "ranges", "between", "depend", "depends", "integers", "numbers", "vary",
                "any",
            ],
        )
    })
}

fn sentence_start(prose: Prose<'_>, at: usize) -> usize {
    (at.saturating_sub(24)..at)
        .rev()
        .find(|at| prose.kind(*at).is_some_and(Kind::ends_sentence))
        .map_or_else(|| at.saturating_sub(24), |stop| stop + 1)
}

const POINTERS: &[&str] = &[
    "see",
    "refer",
    "look",
    "check",
    "consult",
    "documented",
    "returned",
    "returns",
    "endpoint",
    "documentation",
    "docs",
    "get",
    "retrieve",
    "visit",
];
