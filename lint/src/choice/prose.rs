//! What the words of a description say about the values: a small grammar of the shapes in which lists are written, not of vendors' phrases.

mod cues;
mod lists;
mod numbers;
mod tokens;
mod words;

use super::table::known;
use lists::Joined;
use tokens::Kind;

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
    /// Whether three or more values are set apart from the sentence.
    pub(super) many: bool,
    /// Whether one text holds several of the values.
    pub(super) several: bool,
    /// Whether the text says that there is a set, elsewhere.
    pub(super) announced: bool,
    /// Whether the text says that the value is free or has a syntax.
    pub(super) open: bool,
    /// Whether the list is all that the text says.
    pub(super) alone: bool,
}

/// Reads a text. None when it says nothing about values.
///
/// `own` is the last word of the name it is about.
pub(super) fn read<'t>(text: &'t str, own: &str) -> Option<Reading<'t>> {
    let mut cut = Vec::with_capacity(64);
    tokens::cut(text, MAX_TOKENS, &mut cut);
    let tokens = cut.as_slice();
    // Which words there are decides what has to be asked.
    let classes = tokens.iter().fold(0, |all, token| all | token.class);
    let mut open =
        classes & words::OPENS != 0 && (cues::says_open(tokens) || cues::samples_a_syntax(tokens));
    // A document in a text has a syntax.
    open |= text.contains('{') && ["[{", "{\"", "{'"].iter().any(|sign| text.contains(sign));
    let mut best: Option<(lists::List<'_>, Cue, bool)> = None;
    let mut lists = 0;
    let mut passed_over = 0;
    let mut at = 0;
    while at < tokens.len() {
        let Some(list) = lists::at(tokens, at) else {
            at += 1;
            continue;
        };
        let mut cue = cues::before(tokens, list.start, own);
        let said = cue;
        if list.joined == Joined::Pipe && cue > Cue::Against {
            cue = if list.values.len() >= 3 {
                Cue::All
            } else {
                cue.max(Cue::Told)
            };
        }
        if cues::asked_behind(tokens, &list) {
            cue = Cue::Against;
        }
        if cue == Cue::None && cues::told_behind(tokens, &list) {
            cue = if cues::only_these(tokens, &list) {
                Cue::All
            } else {
                Cue::Told
            };
        }
        let plain = !list.marked && list.shape == Shape::Sequence;
        // "The `sid` or `name` of the thing" names parts of it.
        let mut behind = tokens.get(list.end..).unwrap_or(&[]).iter();
        let parts = list.values.len() == 2
            && behind
                .find(|t| t.kind != Kind::Close)
                .is_some_and(|t| t.is("of"));
        let the = list.start > 0 && tokens.get(list.start - 1).is_some_and(|t| t.is("the"));
        if parts && the || cue < Cue::All && (parts || list.names_no_values()) {
            cue = Cue::Against;
            open |= list.marked && list.is_expressions();
        }
        let start = list.start;
        let enclosed = start > 0
            && tokens.get(start - 1).is_some_and(|t| t.kind == Kind::Open)
            && tokens.get(list.end).is_some_and(|t| t.kind == Kind::Close);
        let starts = start == 0
            || tokens
                .get(start - 1)
                .is_some_and(|t| matches!(t.kind, Kind::Colon | Kind::Dash | Kind::Line));
        let ends = tokens
            .get(list.end)
            .is_none_or(|t| matches!(t.kind, Kind::Stop | Kind::Line | Kind::Close));
        // Words that nobody marked are a list of values only where something says so.
        // "The fields `a` and `b`" tells of two things, not of alternatives.
        let and = list.shape == Shape::Sequence && list.joined == Joined::And;
        let summed = cue == Cue::Told
            && list.values.len() >= 3
            && start > 0
            && tokens
                .get(start - 1)
                .is_some_and(|t| t.any(known!("are accepts supports")));
        // "E-mail or T-shirt." is a sentence of two words; "auth or auth-int" is a list of two values.
        let coded = cue > Cue::None
            || start > 0
            || list.values.len() > 2
            || list.values.iter().all(|value| is_code(value))
            // "Horizontal or Vertical" is all that is said.
            || list.end == tokens.len()
                && list.joined == Joined::Or
                && list.values.iter().all(|value| !value.contains('-'));
        let both = and
            && (cue < Cue::Told && list.values.len() == 2
                || plain && cue < Cue::All && !starts && !summed);
        let follows = cue > Cue::None
            && (cues::is_adjacent(tokens, start) || list.joined == Joined::Pipe)
            || cues::told_behind(tokens, &list);
        // "Must be booked, depending on it": a comma alone joins no two values.
        // "The people to be added or removed as guests" chooses between no values.
        let phrase = plain
            && cue == Cue::Told
            && list.joined == Joined::Or
            && list.values.len() == 2
            && !ends
            && tokens.get(list.end).is_some_and(|t| t.kind == Kind::Word)
            && !tokens
                .get(list.end)
                .is_some_and(|t| t.any(known!("are is to for depending only values")));
        let joined = cue == Cue::All
            || list.joined != Joined::Neither
            || list.values.len() > 2
            || starts
            || enclosed;
        let counts = (!plain || joined)
            && (!plain || follows || enclosed || starts && ends && coded)
            && !both
            && !phrase;
        if !counts {
            passed_over = list.end;
            at = if list.values.len() > 8 {
                list.end
            } else {
                at + 1
            };
            continue;
        }
        lists += 1;
        at = list.end.max(at + 1);
        match &mut best {
            // "Must be one of `a`, `b` for x. Must be one of `b`, `c` for y."
            Some((known, Cue::All, _)) if cue == Cue::All && known.marked && list.marked => {
                let mut more = list.values;
                more.retain(|value| !known.values.contains(value));
                known.values.extend(more);
            }
            Some((known, known_cue, _))
                if (cue, list.values.len()) <= (*known_cue, known.values.len()) => {}
            _ => best = Some((list, cue, said == Cue::All)),
        }
    }
    let announced = classes & words::ANNOUNCES != 0 && cues::announced(tokens);
    let several = classes & words::SEPARATES != 0 && cues::several(tokens);
    let marks = tokens.iter().filter(|token| token.is_marked());
    let constant = cues::constant(tokens);
    let Some((list, cue, said)) = best.filter(|(_, cue, _)| *cue > Cue::Against) else {
        let mut mentioned: Vec<&str> = Vec::new();
        for token in marks {
            if lists::is_constant(token.text)
                && !token.text.contains(' ')
                && !mentioned.contains(&token.text)
            {
                mentioned.push(token.text);
            }
        }
        let mentions = mentioned.len() >= 2 && lists == 0;
        let mut values: Vec<&str> = constant.into_iter().collect();
        let mut shape = mentions.then_some(Shape::Mentions);
        if constant.is_some() {
            shape = Some(Shape::Sequence);
        } else if mentions {
            let told = cues::conditions(tokens);
            if told.len() >= 2 && told.len() * 3 >= mentioned.len() * 2 {
                (shape, values) = (Some(Shape::Pairs), mentioned);
            }
        }
        return (shape.is_some() || announced || open).then_some(Reading {
            shape,
            cue: if !values.is_empty() {
                Cue::Told
            } else if lists > 0 {
                Cue::Against
            } else {
                Cue::None
            },
            values,
            several,
            announced,
            open,
            ..Reading::default()
        });
    };
    // Marked words outside of the list may be further values.
    let more = marks
        .filter(|token| !list.values.contains(&token.text))
        .count()
        > 0;
    let custom = tokens.iter().enumerate().any(|(at, token)| {
        !(list.start..list.end).contains(&at) && token.any(known!("custom arbitrary user-defined"))
    });
    let opened = list.open || custom || cues::opened_behind(tokens, &list);
    let ends = tokens
        .get(list.end)
        .is_none_or(|t| matches!(t.kind, Kind::Stop | Kind::Line | Kind::Close));
    let mut values = list.values.clone();
    values.dedup();
    let from_colon = list.start > 0
        && tokens
            .get(list.start - 1)
            .is_some_and(|t| t.kind == Kind::Colon);
    let many =
        values.len() >= 3 && (list.marked || from_colon && ends && list.joined == Joined::Or);
    // The next sentence may name another value; of words that nobody marked a remark may, and a capital may be that of a sentence.
    let behind = tokens.get(list.end..).unwrap_or(&[]);
    let remarks = tokens.get(list.start..list.end).unwrap_or(&[]);
    let ended = behind.iter().all(|token| token.kind != Kind::Word);
    let exact = said
        && ended
        && !cues::may_grow(tokens, list.start)
        && (list.marked
            || list
                .values
                .iter()
                .all(|value| is_code(value) || value.parse::<f64>().is_ok())
                && remarks.iter().all(|token| token.kind != Kind::Open)
                && cues::is_named(tokens, list.start));
    let last = (list.marked || behind.len() <= 7) && passed_over <= list.end;
    let complete = list.clean
        && last
        && !opened
        && !more
        && lists == 1
        && ends
        && cue == Cue::All
        && tokens.len() < MAX_TOKENS
        && !several
        && !cues::doubts(tokens.get(..list.start).unwrap_or(&[]))
        && !cues::doubts(behind)
        && !cues::takes_back(remarks, list.shape);
    Some(Reading {
        shape: Some(list.shape),
        cue: if opened { Cue::None } else { cue },
        marked: list.marked,
        clean: list.clean && !opened,
        complete,
        several,
        announced,
        exact,
        law: cues::is_law(tokens, &list),
        many,
        open: open || opened,
        alone: list.end - list.start + 4 >= tokens.len(),
        values,
    })
}

/// Reads the numbers that a text explains, where it has no list of them.
pub(super) fn codes(text: &str) -> Option<Reading<'_>> {
    // Most texts about numbers name neither.
    if !text.contains(['0', '1']) {
        return None;
    }
    let mut cut = Vec::with_capacity(64);
    tokens::cut(text, MAX_TOKENS, &mut cut);
    let values = numbers::codes(&cut)?;
    Some(Reading {
        cue: Cue::Told,
        values,
        shape: Some(Shape::Pairs),
        clean: true,
        ..Reading::default()
    })
}

/// Whether a text asks for something that the caller has from elsewhere: ids of things, or what an earlier call returned.
pub(super) fn asks_for_what_the_caller_has(text: &str) -> bool {
    let mut words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(24);
    let has = |word: &str, known: &[&str]| known.iter().any(|k| word.eq_ignore_ascii_case(k));
    let mut earlier = 0;
    words.any(|word| {
        earlier |= u8::from(has(word, &["returned", "received", "response"]));
        earlier |= u8::from(has(word, &["previous", "earlier"])) << 1;
        earlier == 3
            || has(
                word,
                &["ids", "uuids", "guids", "identifiers", "slug", "slugs"],
            )
    })
}

/// The part of a description that is read.
const MAX_TOKENS: usize = 1_500;
