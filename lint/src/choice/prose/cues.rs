//! The words before and behind a list that say what it is: all values, a few of them, or something else.

use crate::choice::names::Words;
use crate::choice::table::among;

use super::lists::{List, Shape, is_constant};
use super::tokens::{Kind, Token};
use super::words::{
    AGAINST, ALLOWED, AMOUNT, AND, BE, BETWEEN, CALLED, CASE, CONDITION, DOUBT, EITHER, ELSEWHERE,
    EXAMPLE, FILL, FORM, FULL, GIVEN, GRAMMAR, GROWS, HELD, HOST, IDENTITY, IN, IS, JOINS, LAW,
    LIST, MEANS, MODAL, MORE, MUST, NEVER, NOUN, OF, ONE, OPEN, OTHER, PHRASE, PLAIN, REGISTRY,
    RETURNED, SAMPLES, SEPARATED, SET, SOME, SYNTAX, TO,
};

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
pub(super) fn before(words: &[Token<'_>], own: &str) -> Cue {
    let last = |reach: usize| words.iter().rev().take(reach);
    let near = |reach: usize, class: u64| last(reach).any(|token| token.of(class));
    // "Required if `type` is `a` or `b`" speaks about another place; "if you want the type, use one of" does not.
    let clause = words.rsplit(|token| token.kind == Kind::Comma).next();
    let condition = clause.is_some_and(|clause| clause.iter().any(|token| token.of(CONDITION)));
    // What stands in brackets is about the word before them: "unit system (metric or imperial)" lists no units.
    let reach = if near_kind(words.last(), Kind::Open) {
        2
    } else {
        10
    };
    let others = last(reach).any(|token| token.of(OTHER) && !is_own(token, own));
    // "A policy you created, or one of": the list is not all.
    let beside = pair(words.get(words.len().saturating_sub(6)..), JOINS, ONE);
    // "In the form `a-b` or `a_b`" tells how a text is written.
    let written = near(2, FORM) && near(4, IN);
    // "The values for this field are" tells its values, "the fields are" what it is made of.
    let three = words.get(words.len().saturating_sub(4)..).unwrap_or(&[]);
    // "Must not be one of", "must start with one of".
    let never = |token: &Token<'_>| token.of(NEVER) && !is_own(token, own);
    let parted = clause.is_some_and(|clause| clause.iter().rev().take(6).any(never));
    let against = near(3, AGAINST)
        && !three
            .windows(2)
            .any(|two| matches!(two, [a, b] if a.is("this") && b.is("field")));
    if against || near(8, EXAMPLE) || condition || others || beside || written || parted {
        return Cue::Against;
    }
    let named = last(6).any(|token| is_own(token, own));
    let noun = near(6, NOUN) || near(3, LIST) || named;
    let leads = words.last().is_some_and(Token::starts_a_list) || near(3, IS | TO);
    let one_of = pair(words.get(words.len().saturating_sub(8)..), ONE, OF);
    let modal = pair(words.get(words.len().saturating_sub(3)..), MODAL, BE);
    // "May be used to fetch, update or delete it" tells what it is for.
    let set_to = near(1, TO) && near(3, BE) && !three.iter().any(|token| token.is("used"));
    let allowed = near(7, ALLOWED);
    if one_of || near(2, EITHER) || allowed && noun && leads || near(3, CALLED) && leads {
        Cue::All
    } else if modal || set_to || allowed || noun && leads || near(1, CALLED) {
        Cue::Told
    } else if words.iter().any(|token| token.of(CONDITION)) {
        Cue::Against
    } else {
        Cue::None
    }
}

fn near_kind(token: Option<&Token<'_>>, kind: Kind) -> bool {
    token.is_some_and(|token| token.kind == kind)
}

/// Whether a word of one class stands right before one of another.
fn pair(words: Option<&[Token<'_>]>, first: u64, second: u64) -> bool {
    let two = words.unwrap_or(&[]).windows(2);
    two.into_iter()
        .any(|two| matches!(two, [a, b] if a.of(first) && b.of(second)))
}

/// Whether a word is the last one of the name, in the singular or the plural.
fn is_own(token: &Token<'_>, own: &str) -> bool {
    let stem = |word: &str| {
        let low = word.to_ascii_lowercase();
        let ends = ["ies", "es", "s", "y"];
        let cut = ends.iter().find_map(|end| low.strip_suffix(end));
        cut.unwrap_or(&low).to_owned()
    };
    let first = |word: &str| word.bytes().next().map(|b| b.to_ascii_lowercase());
    token.kind == Kind::Word
        && own.len() > 1
        && first(token.text) == first(own)
        && token.text.len().abs_diff(own.len()) <= 3
        && stem(token.text) == stem(own)
}

/// Whether the sentence says by law that the list is all: "must be one of", "the allowed values are". What is merely
/// "possible" or "supported" may be told in part. Two values alone may be the two that matter here ("either `a` or `b`"), unless they
/// are called the values or "one of" these.
pub(super) fn is_law(words: &[Token<'_>], list: &List<'_>) -> bool {
    let has = |class: u64| words.iter().any(|token| token.of(class));
    let one_of = pair(Some(words), ONE, OF);
    has(LAW) && has(CALLED)
        || one_of && (list.marked || has(MUST))
        || list.values.len() > 2 && (one_of || has(LAW | MUST | EITHER))
}

/// Whether the clause that announces a list is about the value itself. Any word that it does not need may make it one about something
/// else: "the scheme must be one of", "must contain one of", "each must be one of".
pub(super) fn is_about_value(tokens: &[Token<'_>], start: usize, name: &str) -> bool {
    let words = lead(tokens, start);
    let before = tokens.get(..start - words.len()).and_then(<[_]>::last);
    // A sentence may go on from the line above.
    let wrapped = before.is_some_and(|token| token.kind == Kind::Line)
        && words
            .first()
            .is_some_and(|t| t.text.starts_with(char::is_lowercase));
    let clause = words.rsplit(|token| token.kind == Kind::Comma).next();
    let names = |token: &Token<'_>| Words::of(name).any(|word| is_own(token, word));
    let plain = |t: &Token<'_>| t.of(PLAIN) || names(t) || t.kind != Kind::Word && !t.is_marked();
    !wrapped && clause.is_some_and(|clause| clause.iter().all(plain))
}

/// Whether the announcement speaks of what there is today, or of some cases only ("For pages,").
pub(super) fn may_grow(words: &[Token<'_>]) -> bool {
    words.first().is_some_and(|token| token.of(SOME)) || words.iter().any(|token| token.of(GROWS))
}

/// Whether the words behind a list ask for one of several inputs: "either `a` or `b` must be given".
pub(super) fn asked_behind(behind: &[Token<'_>]) -> bool {
    sentence(behind).iter().take(6).any(|token| token.of(GIVEN))
}

/// Whether the words behind a list open it again: "etc.", "or any other".
pub(super) fn opened_behind(behind: &[Token<'_>]) -> bool {
    let mut near = sentence(behind).iter().take(5);
    near.any(|token| token.kind == Kind::Ellipsis || token.of(MORE))
}

/// The tokens up to the end of the sentence.
fn sentence<'s, 't>(tokens: &'s [Token<'t>]) -> &'s [Token<'t>] {
    let ends = |token: &Token<'_>| matches!(token.kind, Kind::Stop | Kind::Line);
    let len = tokens.iter().position(ends).unwrap_or(tokens.len());
    tokens.get(..len).unwrap_or(tokens)
}

/// Whether a text takes back that it lists everything, or lets the values be written in other ways.
pub(super) fn doubts(tokens: &[Token<'_>]) -> bool {
    tokens
        .iter()
        .any(|token| token.kind == Kind::Ellipsis || token.of(DOUBT))
}

/// Whether the meanings of values take back that these are all. A line for each value says more about it than a remark in a sentence.
pub(super) fn takes_back(remarks: &[Token<'_>], shape: Shape) -> bool {
    match shape {
        Shape::Lines | Shape::Table => remarks
            .iter()
            .any(|t| t.kind == Kind::Ellipsis || t.of(MORE)),
        _ => doubts(remarks),
    }
}

/// The only value that a text allows: "must equal `a`", "must be `a`." and "can be: `a`" as sentences of their own, "only `a` is
/// supported".
pub(super) fn constant<'t>(tokens: &[Token<'t>]) -> Option<&'t str> {
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let coded = |t: &Token<'_>| t.is_marked() || t.text.contains('_');
    let starts = (0..tokens.len()).filter_map(|at| tokens.get(at..));
    let mut found = starts.filter_map(|from| {
        let (value, rest) = match from {
            [only, value, is, allowed, ..]
                if only.is("only") && is.is("is") && allowed.of(ALLOWED) =>
            {
                return (coded(value) || number(value.text)).then_some(value);
            }
            [modal, be, colon, value, rest @ ..]
                if modal.of(MODAL) && be.of(BE) && colon.kind == Kind::Colon =>
            {
                (value, rest)
            }
            [must, be, value, rest @ ..] if must.of(MUST) && be.of(BE) => (value, rest),
            _ => return None,
        };
        let ends = rest.first().is_none_or(Token::ends_a_list);
        (ends && coded(value)).then_some(value)
    });
    found
        .find(|value| is_constant(value.text))
        .map(|value| value.text)
}

/// The values that a text explains one by one: "If set to `a`, … If `b`, …", "1 to include old ones, 0 to leave them out". Of marked
/// values most have to be explained; numbers have to be all, and without a gap from 0 or 1 on, because others are amounts.
pub(super) fn explained<'t>(tokens: &[Token<'t>], numbers: bool) -> Vec<&'t str> {
    let never = if numbers { AMOUNT } else { REGISTRY };
    let mut values: Vec<&'t str> = Vec::new();
    let mut told = 0;
    for (at, token) in tokens.iter().enumerate() {
        let numeral = token.text.trim_start_matches(['-', '+']);
        let digits = numeral.starts_with(|c: char| c.is_ascii_digit());
        let asked = numbers && digits || !numbers && token.is_marked() && is_constant(token.text);
        if token.of(never) || numbers && token.kind == Kind::Ellipsis {
            return Vec::new();
        }
        if !asked || values.contains(&token.text) {
            continue;
        }
        let is_told = is_explained(tokens, at, numbers);
        if numbers && !is_told {
            return Vec::new();
        }
        told += usize::from(is_told);
        values.push(token.text);
    }
    if numbers {
        let mut codes: Vec<u8> = values.iter().flat_map(|value| value.parse()).collect();
        codes.sort_unstable();
        values.sort_unstable();
        let row = codes.len() == values.len() && codes.windows(2).all(|two| two[1] - two[0] == 1);
        if !row || codes.first().is_none_or(|first| *first > 1) {
            values.clear();
        }
    }
    if told < 2 || told * 3 < values.len() * 2 {
        values.clear();
    }
    values
}

/// Whether words or signs beside a value say what it stands for.
fn is_explained(tokens: &[Token<'_>], at: usize, numbers: bool) -> bool {
    let before = |by: usize| at.checked_sub(by).and_then(|at| tokens.get(at));
    let behind = |by: usize| tokens.get(at + by);
    let edge = |t: Option<&Token<'_>>| {
        t.is_none_or(|t| t.separates() || t.starts_a_list() || t.kind == Kind::Stop)
    };
    let sign = |t: Option<&Token<'_>>| {
        t.is_some_and(|t| matches!(t.kind, Kind::Equals | Kind::Colon | Kind::Dash))
    };
    let number = |t: Option<&Token<'_>>| t.is_some_and(|t| t.text.parse::<f64>().is_ok());
    let joined = before(1).is_some_and(|t| t.of(JOINS));
    // "If set to 1", "otherwise 0"
    let mut words = tokens.get(..at).unwrap_or(&[]).iter().rev();
    let case = words.find(|t| !t.of(FILL)).is_some_and(|t| t.of(CASE));
    // "0 unknown, 1 old"
    let named = behind(1).is_some_and(|t| {
        t.kind == Kind::Word && !t.of(if numbers { GRAMMAR } else { JOINS | IS | MUST })
    });
    // "1 = old", "1 to include", and not "1 to 5".
    let meant = sign(behind(1)) || behind(1).is_some_and(|t| t.of(MEANS | TO | IS | CASE));
    // "old = 1", "old (1), new (2)"
    let told = sign(before(1)) && before(2).is_some_and(|t| t.kind == Kind::Word);
    let enclosed = near_kind(before(1), Kind::Open)
        && near_kind(behind(1), Kind::Close)
        && (edge(before(2)) || edge(behind(2)));
    case || named && (edge(before(1)) || numbers && joined)
        || numbers && (meant && !number(behind(2)) || told || enclosed)
}

/// The values a sentence says are elsewhere: "see the list of", "returned by", "`GET /x` lists the available".
pub(super) fn announced(tokens: &[Token<'_>]) -> bool {
    let registry = tokens.iter().any(|token| token.of(REGISTRY));
    let mut sentences = tokens.split(|token| token.kind == Kind::Stop);
    !registry
        && sentences.any(|words| {
            let has = |class: u64| words.iter().any(|token| token.of(class));
            // "The list of supported things", "valid values are in".
            let mut allowed = words
                .iter()
                .enumerate()
                .filter(|(_, token)| token.of(ALLOWED));
            let set = allowed.any(|(at, _)| {
                let before = words.get(at.saturating_sub(4)..at).unwrap_or(&[]);
                let mut behind = words.iter().skip(at + 1).take(3);
                before.iter().any(|token| token.of(LIST) || token.is("all"))
                    || behind.any(|token| token.of(NOUN | LIST))
            });
            let link = words
                .iter()
                .any(|token| token.kind == Kind::Close && token.text == "]");
            let one_of = pair(Some(words), ONE, OF) && has(RETURNED | ALLOWED) && !has(IDENTITY);
            !has(OTHER | HELD)
                && (set && (has(ELSEWHERE) || link || has(LIST) && has(NOUN)) || one_of)
                || pair(Some(words), FULL, SET)
        })
}

/// Whether one text holds several values.
pub(super) fn several(tokens: &[Token<'_>]) -> bool {
    let more = |three: &[Token<'_>]| matches!(three, [one, or, more] if one.of(ONE) && or.of(JOINS) && more.of(MORE));
    tokens.iter().any(|token| token.of(SEPARATED)) || tokens.windows(3).any(more)
}

/// Words that say the value is free, or has a syntax of its own.
pub(super) fn says_open(tokens: &[Token<'_>]) -> bool {
    let number = |token: &Token<'_>| token.text.parse::<f64>().is_ok();
    let phrase = |first: &Token<'_>, second: &Token<'_>| {
        let opens = |(a, b): &(&str, &str)| among(first.text, a) && among(second.text, b);
        first.of(PHRASE) && second.kind == Kind::Word && OPEN.iter().any(opens)
    };
    let between = |four: &[Token<'_>]| matches!(four, [word, least, and, most] if word.of(BETWEEN) && number(least) && and.of(AND | TO) && number(most));
    // "Such as `name,asc`" has parts.
    let sample = |such: &Token<'_>, sample: &Token<'_>| {
        let parts = sample.text.contains([',', '=', ':']) && !sample.text.contains(' ');
        such.of(SAMPLES) && sample.is_marked() && parts
    };
    let host = || tokens.iter().any(|token| token.of(HOST));
    tokens
        .iter()
        .any(|token| token.of(SYNTAX) || token.is("supported") && host())
        || tokens
            .windows(2)
            .any(|two| matches!(two, [a, b] if phrase(a, b) || sample(a, b)))
        || tokens.windows(4).any(between)
}

/// The words before a list, back to the start of the sentence.
pub(super) fn lead<'s, 't>(tokens: &'s [Token<'t>], start: usize) -> &'s [Token<'t>] {
    let mut at = start;
    let mut lines = 0;
    while let Some(token) = at.checked_sub(1).and_then(|at| tokens.get(at)) {
        if matches!(token.kind, Kind::Stop | Kind::Bullet | Kind::Semicolon) || start - at >= 24 {
            break;
        }
        // A list may stand on the lines behind its announcement.
        if token.kind == Kind::Line {
            let before = at.checked_sub(2).and_then(|at| tokens.get(at));
            let leads =
                before.is_some_and(|t| matches!(t.kind, Kind::Colon | Kind::Word | Kind::Dash));
            if start - at > 1 || lines > 0 || !leads {
                break;
            }
            lines += 1;
        }
        at -= 1;
    }
    tokens.get(at..start).unwrap_or(&[])
}
