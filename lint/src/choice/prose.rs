//! What the words of a description say about the values: a small grammar of the shapes in which lists are written, not of vendors' phrases.

mod cues;
mod lists;
mod tokens;
pub(super) mod words;

use std::collections::BTreeSet;

use super::names::last_word;
use lists::{Joined, List};
use tokens::{Kind, Token};

pub(super) use cues::Cue;
pub(super) use lists::{Shape, is_code};

/// What was read in a text.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a sign of its own, and any of them may be there"
)]
#[derive(Clone, Debug, Default)]
pub(super) struct Reading<'t> {
    pub(super) shape: Option<Shape>,
    pub(super) cue: Cue,
    pub(super) values: Vec<&'t str>,
    /// Whether the markup says where each value begins and ends.
    pub(super) marked: bool,
    /// Whether every item was understood.
    pub(super) clean: bool,
    /// Whether every item was understood, and nothing takes back that these are all.
    pub(super) complete: bool,
    /// Whether the words alone say what the values are and how they are spelled.
    pub(super) exact: bool,
    /// Whether the sentence says by law that these are all, so that no sample has to agree.
    pub(super) law: bool,
    /// Whether one text holds several of the values.
    pub(super) several: bool,
    /// Whether the text says that there is a set, elsewhere.
    pub(super) announced: bool,
    /// Whether the text says that the value is free or has a syntax.
    pub(super) open: bool,
    /// Whether the list is all that the text says.
    pub(super) alone: bool,
}

/// Reads a text about an input of this name. None when it says nothing about values.
pub(super) fn read<'t>(text: &'t str, name: &str) -> Option<Reading<'t>> {
    let tokens = &tokens::cut(text);
    // Which words there are decides what has to be asked.
    let classes = tokens.iter().fold(0, |all, token| all | token.class);
    let has = |class: u64| classes & class != 0;
    // A document in a text has a syntax.
    let document = text.contains('{') && ["[{", "{\"", "{'"].iter().any(|sign| text.contains(sign));
    let mut rest = Reading {
        open: document
            || has(words::SYNTAX | words::PHRASE | words::BETWEEN | words::HOST | words::SAMPLES)
                && cues::says_open(tokens),
        announced: has(words::ALLOWED | words::RETURNED | words::FULL) && cues::announced(tokens),
        several: has(words::SEPARATED | words::ONE) && cues::several(tokens),
        ..Reading::default()
    };
    let found = best(tokens, last_word(name));
    match &found.list {
        Some((list, cue)) if *cue > Cue::Against => {
            let mut reading = listed(tokens, &found, list, *cue, &rest);
            reading.law &= cues::is_about_value(tokens, list.start, name);
            Some(reading)
        }
        other => {
            rest.open |= has(words::HELD);
            unlisted(tokens, other.is_some(), &rest)
        }
    }
}

/// The list that says most, and what else there was.
#[derive(Default)]
struct Found<'t> {
    list: Option<(List<'t>, Cue)>,
    /// How many lists count.
    lists: usize,
    /// Where the last one ends that does not.
    passed_over: usize,
}

fn best<'t>(tokens: &[Token<'t>], own: &str) -> Found<'t> {
    let mut found = Found::default();
    let mut at = 0;
    while at < tokens.len() {
        let Some(list) = lists::at(tokens, at) else {
            at += 1;
            continue;
        };
        let behind = tokens.get(list.end..).unwrap_or(&[]);
        let mut cue = cues::before(cues::lead(tokens, list.start), own);
        if list.joined == Joined::Pipe && cue > Cue::Against {
            let all = list.values.len() >= 3;
            cue = cue.max(if all { Cue::All } else { Cue::Told });
        }
        if cues::asked_behind(behind) || names_things(&list, behind, cue) {
            cue = Cue::Against;
        }
        if !counts(tokens, &list, cue) {
            found.passed_over = list.end;
            let long = list.values.len() > 8;
            at = if long { list.end } else { at + 1 };
            continue;
        }
        found.lists += 1;
        at = list.end.max(at + 1);
        let more = |(known, said): &(List<'_>, Cue)| {
            (cue, list.values.len()) > (*said, known.values.len())
        };
        if found.list.as_ref().is_none_or(more) {
            found.list = Some((list, cue));
        }
    }
    found
}

/// Whether the values stand for something else: "the `sid` or `name` of the order", `column:asc`, the words of a comparison.
fn names_things(list: &List<'_>, behind: &[Token<'_>], cue: Cue) -> bool {
    let identity = |value: &&str| words::class(value) & words::IDENTITY != 0;
    let parts = |value: &&str| value.contains([':', ',']);
    let next = behind.iter().find(|token| token.kind != Kind::Close);
    let (two, all) = (list.values.len() == 2, cue == Cue::All);
    two && next.is_some_and(|token| token.of(words::OF))
        || !all && two && list.values.iter().any(identity)
        || !all && (list.values.iter().all(identity) || list.values.iter().all(parts))
}

/// Whether what looks like a list is one. Words that nobody marked are a list only where something says so.
fn counts(tokens: &[Token<'_>], list: &List<'_>, cue: Cue) -> bool {
    let before = list.start.checked_sub(1).and_then(|at| tokens.get(at));
    let behind = tokens.get(list.end);
    let two = list.values.len() == 2;
    let plain = !list.marked && list.shape == Shape::Sequence;
    let starts = before.is_none_or(Token::starts_a_list);
    let ends = behind.is_none_or(Token::ends_a_list);
    // "The fields `a` and `b`" tells of two things, not of alternatives.
    let and = list.shape == Shape::Sequence && list.joined == Joined::And;
    let summed = before.is_some_and(|t| t.of(words::ALLOWED));
    let both = and && (two && cue < Cue::Told || plain && cue < Cue::All && !starts && !summed);
    // "Must be booked, depending on it": a comma alone joins no two values. "To be added or removed as guests": the sentence goes on.
    let all = cue == Cue::All;
    let goes_on = words::IS | (u64::from(all) * (words::GRAMMAR | words::NOUN));
    let joined = all || list.joined != Joined::Neither || starts;
    let joined = !two || joined && (ends || behind.is_some_and(|t| t.of(goes_on)));
    let near = words::IS | words::CALLED | words::TO | words::ALLOWED | words::NOUN | words::LEADS;
    let follows = cue > Cue::None && (list.joined == Joined::Pipe || follows(before, near));
    // "E-mail or T-shirt." is a sentence of two words, "auth or auth-int" a list.
    let coded = cue > Cue::None || !two || list.values.iter().all(|value| is_code(value));
    let alone = starts && ends && (coded || behind.is_none());
    !both && (!plain || joined && (follows || alone))
}

/// Whether a list follows a sign or one of these words at once, so that nothing between them belongs to the first value.
fn follows(before: Option<&Token<'_>>, classes: u64) -> bool {
    before.is_none_or(|t| t.starts_a_list() || t.kind == Kind::Equals || t.of(classes))
}

/// A list, with what the rest of the text makes of it.
fn listed<'t>(
    tokens: &[Token<'t>],
    found: &Found<'_>,
    list: &List<'t>,
    cue: Cue,
    rest: &Reading<'t>,
) -> Reading<'t> {
    let behind = tokens.get(list.end..).unwrap_or(&[]);
    let remarks = tokens.get(list.start..list.end).unwrap_or(&[]);
    let before = tokens.get(..list.start).unwrap_or(&[]);
    let lead = cues::lead(tokens, list.start);
    let custom = |tokens: &[Token<'_>]| tokens.iter().any(|token| token.of(words::CUSTOM));
    let opened = list.open || cues::opened_behind(behind) || custom(before) || custom(behind);
    // Marked words outside of the list may be further values.
    let more = tokens
        .iter()
        .any(|t| t.is_marked() && !list.values.contains(&t.text));
    // The next sentence may name another value; of words that nobody marked a remark may, and a capital may be that of a sentence.
    let coded = |value: &&str| is_code(value) || value.parse::<f64>().is_ok();
    // "One of in progress or done" has a value of two words.
    let follows = follows(before.last(), words::IS | words::CALLED);
    let spelled =
        follows && list.values.iter().all(coded) && remarks.iter().all(|t| t.kind != Kind::Open);
    let ended = behind.iter().all(|token| token.kind != Kind::Word);
    let last =
        (list.marked || behind.len() <= 7) && found.passed_over <= list.end && found.lists == 1;
    let sure = list.clean && !opened && !more && cue == Cue::All && !rest.several;
    let ends = behind.first().is_none_or(Token::ends_a_list);
    let doubted =
        cues::doubts(before) || cues::doubts(behind) || cues::takes_back(remarks, list.shape);
    // "Required." says nothing about values.
    let said = match tokens {
        [first, stop, said @ ..] if first.kind == Kind::Word && stop.kind == Kind::Stop => {
            said.len()
        }
        all => all.len(),
    };
    let mut values = list.values.clone();
    values.dedup();
    Reading {
        shape: Some(list.shape),
        cue: if opened { Cue::None } else { cue },
        marked: list.marked,
        clean: list.clean && !opened,
        complete: sure && last && ends && !doubted && tokens.len() < tokens::MOST,
        exact: ended && !cues::may_grow(lead) && (list.marked || spelled),
        law: cues::is_law(lead, list),
        open: rest.open || opened,
        alone: list.end - list.start + 5 >= said,
        several: rest.several,
        announced: rest.announced,
        values,
    }
}

/// What a text says that has no list: one value, values here and there, or that they are elsewhere.
fn unlisted<'t>(tokens: &[Token<'t>], against: bool, rest: &Reading<'t>) -> Option<Reading<'t>> {
    let marked = tokens.iter().filter(|t| t.is_marked()).map(|t| t.text);
    let coded = |text: &&str| !text.contains(' ') && lists::is_constant(text);
    let marked: BTreeSet<&str> = marked.filter(coded).collect();
    let mentions = marked.len() >= 2 && !against;
    let (shape, values) = match cues::constant(tokens) {
        Some(only) => (Some(Shape::Sequence), vec![only]),
        None if mentions => match cues::explained(tokens, false) {
            values if values.is_empty() => (Some(Shape::Mentions), values),
            values => (Some(Shape::Pairs), values),
        },
        None => (None, Vec::new()),
    };
    let cue = match (values.is_empty(), against) {
        (false, _) => Cue::Told,
        (true, true) => Cue::Against,
        (true, false) => Cue::None,
    };
    (shape.is_some() || rest.announced || rest.open).then_some(Reading {
        shape,
        cue,
        values,
        ..*rest
    })
}

/// Reads the numbers that a text explains, where it has no list of them.
pub(super) fn codes(text: &str) -> Option<Reading<'_>> {
    // Most texts about numbers name neither.
    if !text.contains(['0', '1']) {
        return None;
    }
    let values = cues::explained(&tokens::cut(text), true);
    (!values.is_empty()).then(|| Reading {
        cue: Cue::Told,
        values,
        shape: Some(Shape::Pairs),
        clean: true,
        ..Reading::default()
    })
}
