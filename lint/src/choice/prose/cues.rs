//! The words before and behind a list that say what it is: all values, a few of them, or something else.

use super::lists::{List, Shape};
use super::tokens::{Kind, Token};
use super::words;
use crate::choice::table::{Known, known};

/// What the words before a list say about it.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(in crate::choice) enum Cue {
    /// It lists examples, or the values of something else.
    Against,
    /// Nothing.
    #[default]
    None,
    /// "The options are", "can be".
    Told,
    /// "Must be one of", "allowed values": these are all.
    All,
}

/// Reads the words before a list, back to the start of the sentence.
///
/// `own` is the last word of the name: "valid operators are" tells the values of an `operator`.
pub(super) fn before(tokens: &[Token<'_>], start: usize, own: &str) -> Cue {
    let from = sentence_start(tokens, start);
    let words = tokens.get(from..start).unwrap_or(&[]);
    let near =
        |reach: usize, known: &Known| words.iter().rev().take(reach).any(|token| token.any(known));
    let near_of =
        |reach: usize, class: u16| words.iter().rev().take(reach).any(|token| token.of(class));
    // "Required for `a` and `b`", "also accepts `a`", "formatted as `a`".
    let required =
        near(1, known!("for")) && near(3, known!("required optional only mandatory needed"));
    if required || near(3, known!("also")) || near(4, known!("formatted")) {
        return Cue::Against;
    }
    if near(2, known!(EXAMPLES))
        || near(4, known!("default defaults"))
        || near(
            8,
            known!("e.g e.g. eg ex example examples instance typical"),
        )
    {
        return Cue::Against;
    }
    // "Required if `type` is `a` or `b`" speaks about another place; "if you want the type, use one of" does not.
    let comma = words
        .iter()
        .rposition(|token| token.kind == Kind::Comma)
        .unwrap_or(0);
    let condition = words
        .iter()
        .skip(comma)
        .any(|token| token.any(known!("if when unless whenever")));
    if condition
        || near(3, known!("not cannot except than"))
        || near(8, known!("depends depending varies"))
    {
        return Cue::Against;
    }
    // "A policy you created, or one of": the list is not all.
    let beside = words.windows(2).rev().take(5).any(
        |two| matches!(two, [or, one] if or.any(known!("or and")) && one.any(known!("one any"))),
    );
    if beside {
        return Cue::Against;
    }
    // What stands in brackets is about the word before them: "unit system (metric or imperial)" lists no units.
    let enclosed = words.last().is_some_and(|token| token.kind == Kind::Open);
    // "Type of files:" tells the types, and not the files.
    let of_own = |at: usize| {
        let before = words.get(..at).unwrap_or(&[]).iter().rev();
        let mut before = before.filter(|token| !token.any(known!("the a an")));
        before.next().is_some_and(|token| token.is("of"))
            && before.next().is_some_and(|token| is_own(token, own))
    };
    let others = words
        .iter()
        .enumerate()
        .rev()
        .take(if enclosed { 2 } else { 10 })
        .any(|(at, token)| token.of(words::OTHER) && !is_own(token, own) && !of_own(at));
    if others || near(8, known!("special")) {
        return Cue::Against;
    }
    // "The chart in some format (JSON or XML)" tells how a text is written.
    let written = words.iter().any(|token| token.is("in")) && near(2, known!("format form"));
    if written && (enclosed || near(4, known!("the"))) {
        return Cue::Against;
    }
    // "That is" tells the values, but who writes so may mean an example.
    if near(1, known!("i.e i.e.")) {
        return Cue::Told;
    }
    if near(8, known!("i.e i.e.")) {
        return Cue::Against;
    }
    let adjective = near_of(7, words::ADJECTIVE);
    let noun = near_of(6, words::NOUN);
    let named = words.iter().rev().take(6).any(|token| is_own(token, own));
    let one_of = words
        .windows(2)
        .rev()
        .take(7)
        .any(|pair| matches!(pair, [one, of] if one.is("one") && of.is("of")));
    let set_to =
        words.windows(3).rev().take(1).any(
            |three| matches!(three, [be, set, to] if be.is("be") && set.is("set") && to.is("to")),
        );
    let modal = set_to || words.windows(2).rev().take(2).any(|pair| {
        matches!(pair, [modal, be] if modal.any(known!("must can may should could only shall")) && be.any(known!("be equal either")))
    });
    let colon = words.last().is_some_and(|token| {
        matches!(
            token.kind,
            Kind::Colon | Kind::Open | Kind::Line | Kind::Dash
        )
    });
    let is = near(
        3,
        known!("are is include includes be of following either to"),
    );
    if one_of
        || near(2, known!("either"))
        || adjective && (noun || named) && (colon || is)
        || adjective && near(2, known!("are"))
        || near(3, known!("enum oneof options choices")) && (colon || is)
    {
        if near(3, known!("include includes including")) {
            Cue::Told
        } else {
            Cue::All
        }
    } else if modal
        || noun && (colon || is)
        || adjective
        || near(1, known!("set specify specifies values options choices"))
        || named && (colon || near(1, known!("are is")))
        || near(3, known!("following list")) && colon
    {
        Cue::Told
    } else if words
        .iter()
        .any(|token| token.any(known!("if when unless whenever")))
    {
        // "If it failed, `why` or `when`" announces nothing.
        Cue::Against
    } else {
        Cue::None
    }
}

/// Whether a word is the last one of the name, in the singular or the plural.
fn is_own(token: &Token<'_>, own: &str) -> bool {
    let endings = ["ies", "es", "s", "y", ""];
    let stem = |word: &'_ str| {
        endings.iter().map(|end| end.len()).find(|end| {
            word.len() > end + 2
                && word.get(word.len() - end..).is_some_and(|tail| {
                    endings
                        .iter()
                        .any(|known| known.len() == *end && known.eq_ignore_ascii_case(tail))
                })
        })
    };
    let cut = |word: &str| {
        stem(word).and_then(|end| word.get(..word.len() - end).map(str::to_ascii_lowercase))
    };
    token.kind == Kind::Word
        && token.text.len().abs_diff(own.len()) <= 3
        && token.text.bytes().next().is_some_and(|first| {
            own.bytes()
                .next()
                .is_some_and(|b| b.eq_ignore_ascii_case(&first))
        })
        && cut(token.text).is_some_and(|word| Some(word) == cut(own))
}

/// Whether the sentence says by law that the list is all: "must be one of", "only", "the allowed values are". What is merely
/// "possible" or "supported" may be told in part. Two values alone may be the two that matter here ("either `a` or `b`"), unless they
/// are called the values or "one of" these.
pub(super) fn is_law(tokens: &[Token<'_>], list: &List<'_>) -> bool {
    let start = list.start;
    let words = tokens
        .get(sentence_start(tokens, start)..start)
        .unwrap_or(&[]);
    let has = |known: &Known| words.iter().any(|token| token.any(known));
    let one_of = words
        .windows(2)
        .any(|two| matches!(two, [one, of] if one.is("one") && of.is("of")));
    let allowed = has(known!(
        "allowed valid permitted accepted acceptable allowable legal permissible"
    ));
    allowed && has(known!("values value options choices"))
        || one_of && list.marked
        || has(known!("enum oneof"))
        || has(known!("must")) && one_of
        || list.values.len() > 2 && (allowed || one_of || has(known!("must only either")))
}

/// Whether the announcement speaks of what there is today, which may grow ("known", "available"), or of some cases only ("For pages,").
pub(super) fn may_grow(tokens: &[Token<'_>], start: usize) -> bool {
    let words = tokens.get(sentence_start(tokens, start)..start);
    let words = words.unwrap_or(&[]);
    let some =
        known!("for in until since as on with during under before after from within at to by");
    words.first().is_some_and(|token| token.any(some))
        || words.iter().any(|token| {
            token.any(known!("available known recognized eligible predefined supports accepts default today now until since"))
        })
}

/// Whether a list of words that nobody marked follows its announcement at once.
pub(super) fn is_adjacent(tokens: &[Token<'_>], start: usize) -> bool {
    let Some(token) = start.checked_sub(1).and_then(|at| tokens.get(at)) else {
        return true;
    };
    let before = start.checked_sub(2).and_then(|at| tokens.get(at));
    if token.kind == Kind::Comma
        && before.is_some_and(|noun| noun.any(known!("values options choices")))
    {
        return true;
    }
    matches!(
        token.kind,
        Kind::Colon | Kind::Open | Kind::Line | Kind::Dash | Kind::Equals
    ) || token.any(known!("are is be of either following include includes values value options enum equal accepts supports allowed supported to use specify set by as in choices"))
}

/// Whether nothing stands between a list and its announcement that may belong to the first value: "one of in progress or done".
pub(super) fn is_named(tokens: &[Token<'_>], start: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| tokens.get(at));
    before.is_none_or(|token| {
        matches!(
            token.kind,
            Kind::Colon | Kind::Line | Kind::Dash | Kind::Bullet | Kind::Open
        ) || token.any(known!(
            "of are is be either following values options choices enum equal"
        ))
    })
}

/// Whether the words behind a list say what it is: "`a`, `b` and `c` are supported".
pub(super) fn told_behind(tokens: &[Token<'_>], list: &List<'_>) -> bool {
    let behind = tokens.get(list.end..).unwrap_or(&[]);
    let mut near = behind
        .iter()
        .take(4)
        .take_while(|token| token.kind == Kind::Word && !token.any(known!("not also")));
    near.any(|token| {
        token.any(known!(
            "supported allowed accepted permitted valid possible"
        ))
    })
}

/// Whether nothing else is taken: "only `a` and `b` are supported".
pub(super) fn only_these(tokens: &[Token<'_>], list: &List<'_>) -> bool {
    let before = list.start.checked_sub(1).and_then(|at| tokens.get(at));
    before.is_some_and(|token| token.is("only")) && told_behind(tokens, list)
}

/// Whether the words behind a list ask for one of several inputs: "either `a` or `b` must be given".
pub(super) fn asked_behind(tokens: &[Token<'_>], list: &List<'_>) -> bool {
    let behind = tokens.get(list.end..).unwrap_or(&[]);
    let sentence = behind
        .iter()
        .take(12)
        .position(|token| matches!(token.kind, Kind::Stop | Kind::Line))
        .unwrap_or(12);
    let near = behind.get(..sentence.min(behind.len())).unwrap_or(&[]);
    let asks = |token: &Token<'_>| token.any(known!("must is are should has needs needed"));
    let given =
        known!("specified provided given present required needed set supplied defined mandatory");
    near.windows(2)
        .any(|two| matches!(two, [is, given_] if asks(is) && given_.any(given)))
        || near.windows(3).any(
            |three| matches!(three, [must, be, given_] if asks(must) && be.any(known!("be to")) && given_.any(given)),
        )
}

/// The only value a text allows: "must equal `a`", "the only supported value is `a`", "only `a` is supported", "can be: `a`".
pub(super) fn constant<'t>(tokens: &[Token<'t>]) -> Option<&'t str> {
    if !tokens
        .iter()
        .any(|token| token.any(known!("only must be omitted")))
    {
        return None;
    }
    let at = |at: Option<usize>| at.and_then(|at| tokens.get(at));
    tokens.iter().enumerate().find_map(|(here, value)| {
        let coded = value.is_marked() && !value.text.contains(' ')
            || value.kind == Kind::Word
                && value.text.bytes().any(|b| b.is_ascii_digit() || b == b'_');
        let (before, two) = (at(here.checked_sub(1)), at(here.checked_sub(2)));
        let was = |token: Option<&Token<'_>>, known: &Known| token.is_some_and(|t| t.any(known));
        let equal = was(before, known!("equal"))
            && was(two, known!("must"))
            && value.text.len() > 1
            && !value.any(known!("the a an to"));
        // Most words are neither, and need no further look.
        if !coded && !equal || !super::lists::is_constant(value.text) {
            return None;
        }
        let behind = tokens.get(here + 1..).unwrap_or(&[]);
        let ends = behind
            .first()
            .is_none_or(|token| matches!(token.kind, Kind::Stop | Kind::Line));
        let from = here.saturating_sub(6);
        let earlier = tokens.get(from..here).unwrap_or(&[]);
        let only_before = earlier.windows(3).any(|three| {
            matches!(three, [only, adjective, noun] if only.is("only") && adjective.of(words::ADJECTIVE) && noun.any(known!("value option choice")))
        }) && was(before, known!("is"));
        let only_behind = behind.windows(5).next().is_some_and(|five| {
            matches!(five, [is, the, only, adjective, noun] if is.is("is") && the.is("the") && only.is("only") && adjective.of(words::ADJECTIVE) && noun.any(known!("value option choice")))
        });
        let alone = was(before, known!("only"))
            && matches!(behind, [is, adjective, ..] if is.is("is") && adjective.of(words::ADJECTIVE));
        let omitted = was(before, known!("to"))
            && was(two, known!("set"))
            && earlier.iter().any(|token| token.is("omitted"))
            && ends;
        let listed = value.is_marked()
            && before.is_some_and(|token| token.kind == Kind::Colon)
            && was(two, known!("be"))
            && behind.is_empty();
        // "Must be `a`." as a sentence of its own, "only accepts the value `a`".
        let ruled = value.is_marked()
            && was(before, known!("be"))
            && was(two, known!("must"))
            && ends
            && at(here.checked_sub(3)).is_none_or(|token| token.kind == Kind::Stop || token.any(known!("value it this")));
        let accepted = value.is_marked()
            && was(before, known!("value"))
            && earlier.windows(2).any(|two| matches!(two, [only, accepts] if only.is("only") && accepts.any(known!("accepts supports allows"))));
        let sure = coded && (only_before && ends || only_behind || alone || omitted || listed);
        (equal || sure || ruled || accepted).then_some(value.text)
    })
}

/// The values that a text tells one by one: "If set to `a`, … If `b`, …", "Use `a` to … Use `b` to …", "`a` means … `b` leaves …".
pub(super) fn conditions<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let mut values: Vec<&'t str> = Vec::new();
    if tokens.iter().any(|token| token.any(known!(REGISTRIES))) {
        return values;
    }
    for (at, token) in tokens.iter().enumerate() {
        if !token.is_marked()
            || !super::lists::is_constant(token.text)
            || values.contains(&token.text)
        {
            continue;
        }
        let before = tokens.get(..at).unwrap_or(&[]).iter().rev();
        let mut words = before.skip_while(|t| {
            t.any(known!(
                "set to the a of value is it this equal specified as"
            ))
        });
        let before = words.next();
        let asked = before.is_some_and(|t| t.any(known!("if when use pass choose")));
        let first = at.checked_sub(1).and_then(|at| tokens.get(at));
        let starts = first.is_none_or(|t| {
            matches!(
                t.kind,
                Kind::Stop | Kind::Line | Kind::Semicolon | Kind::Bullet
            )
        });
        let goes_on = tokens
            .get(at + 1)
            .is_some_and(|t| t.kind == Kind::Word && !t.any(known!("or and is are must")));
        if asked || starts && goes_on {
            values.push(token.text);
        }
    }
    values
}

/// Whether the words behind a list open it again: "etc.", "or any other".
pub(super) fn opened_behind(tokens: &[Token<'_>], list: &List<'_>) -> bool {
    let behind = tokens.get(list.end..).unwrap_or(&[]);
    let mut near = behind
        .iter()
        .take(5)
        .take_while(|token| !matches!(token.kind, Kind::Stop | Kind::Line));
    near.any(|token| {
        token.kind == Kind::Ellipsis
            || token.any(known!("etc etc. more others other any custom another"))
    })
}

/// The values a sentence says are elsewhere: "see the list of", "returned by", "`GET /x` lists the available".
pub(super) fn announced(tokens: &[Token<'_>]) -> bool {
    if tokens.iter().any(|token| token.any(known!(REGISTRIES))) {
        return false;
    }
    tokens.split(|token| token.kind == Kind::Stop).any(|sentence| {
        let has = |known: &Known| sentence.iter().any(|token| token.any(known));
        let has_of = |class: u16| sentence.iter().any(|token| token.of(class));
        let full_list = sentence
            .windows(2)
            .any(|two| matches!(two, [full, list] if full.any(known!("full complete")) && list.is("list")));
        // "The list of supported things", "valid values are in", "must be a supported thing".
        let set = sentence.iter().enumerate().any(|(at, token)| {
            let near = |from: usize, to: usize, known: &Known| {
                let words = sentence.get(from..to.min(sentence.len())).unwrap_or(&[]);
                words.iter().any(|token| token.any(known))
            };
            token.of(words::ADJECTIVE)
                && (sentence.iter().skip(at + 1).take(3).any(|token| token.of(words::NOUN))
                    || near(at.saturating_sub(1), at, known!("all"))
                    || near(at + 1, at + 4, known!("list"))
                    || near(at.saturating_sub(4), at, known!("list"))
                    || near(at.saturating_sub(2), at, known!("be")) && near(at.saturating_sub(1), at, known!("a an one")))
        }) || full_list;
        let one_of_those = sentence.windows(3).any(|three| {
            matches!(three, [one, of, the] if one.is("one") && of.is("of") && the.any(known!("the those our")))
        });
        let elsewhere = has(known!("see refer returned endpoint retrieve obtained documentation here listed get use find check look"))
            || sentence.iter().any(|token| token.kind == Kind::Close && token.text == "]")
            || has(known!("list")) && has_of(words::NOUN)
            || full_list;
        !has_of(words::OTHER) && (set && elsewhere || one_of_those && has(known!("returned listed supported available defined provided")) && !has(known!("id ids")))
            || has(known!("fixed predefined")) && has(known!("set list values"))
    })
}

/// Words in which a text takes back that it lists everything, or lets the values be written in other ways.
pub(super) fn doubts(tokens: &[Token<'_>]) -> bool {
    tokens
        .iter()
        .any(|token| token.kind == Kind::Ellipsis || token.of(words::DOUBT))
}

/// Whether the meanings of values take back that these are all. A line for each value says more about it than a remark in a sentence.
pub(super) fn takes_back(remarks: &[Token<'_>], shape: Shape) -> bool {
    if !matches!(shape, Shape::Lines | Shape::Table) {
        return doubts(remarks);
    }
    let more = known!("etc etc. other others custom any combination multiple prefix");
    remarks
        .iter()
        .any(|token| token.kind == Kind::Ellipsis || token.any(more))
}

/// Whether one text holds several values.
pub(super) fn several(tokens: &[Token<'_>]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        token.any(known!("comma-separated comma-delimited space-separated space-delimited separated delimited seperated combination combined")) || token.any(known!("one"))
            && tokens.get(at + 1).is_some_and(|t| t.is("or"))
            && tokens.get(at + 2).is_some_and(|t| t.is("more"))
    })
}

/// Words that say the value is free, or has a syntax of its own.
pub(super) fn says_open(tokens: &[Token<'_>]) -> bool {
    let has = |known: &Known| tokens.iter().any(|token| token.any(known));
    let pair = |first: &Known, second: &Known| {
        tokens
            .windows(2)
            .any(|two| matches!(two, [a, b] if a.any(first) && b.any(second)))
    };
    has(known!("between"))
        && has(known!("and"))
        && tokens
            .iter()
            .any(|t| t.text.starts_with(|c: char| c.is_ascii_digit()))
        || has(known!("regex regexp rrule cron iso8601 iso-8601 wildcard wildcards base64 base-64 iata iana two-letter three-letter mime opaque csrf nonce"))
        || pair(known!("output"), known!("only"))
        || pair(known!("any arbitrary free"), known!("string text value name valid form"))
        || pair(known!("range ranges ranging"), known!("from of is are between"))
        || pair(known!("followed"), known!("by"))
        || tokens.windows(4).any(|four| {
            matches!(four, [from, least, to, most]
                if from.is("from") && to.is("to") && is_number(least) && is_number(most))
        })
        || pair(known!("regular filter cron sort query search"), known!("expression expressions syntax string query"))
        || has(known!("replacing"))
        // What the host, a driver or a project supports is not a set of the API.
        || pair(known!("depend depends depending"), known!("on"))
        || pair(known!("supported"), known!("by")) && has(known!("host driver server operating"))
        || pair(known!("additional"), known!("values types names"))
}

fn is_number(token: &Token<'_>) -> bool {
    token.text.parse::<f64>().is_ok()
}

/// Whether a sample that the text gives has parts: "such as `name,asc`".
pub(super) fn samples_a_syntax(tokens: &[Token<'_>]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        let before = tokens.get(at.saturating_sub(2)..at).unwrap_or(&[]);
        token.is_marked()
            && token.text.contains([',', '=', ':'])
            && !token.text.contains(' ')
            && before
                .iter()
                .any(|word| word.any(known!("such like e.g e.g. eg example")))
    })
}

fn sentence_start(tokens: &[Token<'_>], start: usize) -> usize {
    let mut at = start;
    let mut lines = 0;
    while at > 0 && start - at < 24 {
        let Some(token) = tokens.get(at - 1) else {
            break;
        };
        match token.kind {
            Kind::Stop | Kind::Bullet | Kind::Semicolon => break,
            // A list may stand on the lines behind its announcement.
            Kind::Line => {
                let announced = at >= 2
                    && tokens
                        .get(at - 2)
                        .is_some_and(|t| matches!(t.kind, Kind::Colon | Kind::Word | Kind::Dash));
                if start - at > 1 || lines > 0 || !announced {
                    break;
                }
                lines += 1;
            }
            _ => {}
        }
        at -= 1;
    }
    at
}

/// A registry outside of the API is not a set of it.
const REGISTRIES: &str = "iso bcp";
const EXAMPLES: &str = "such like typical typically ex including instance fields field similar";
