//! Reads a list of alternatives out of prose: `a`, `b` or `c`; bullets; lines with meanings.

mod table;

pub(super) use self::table::table;

use super::tokens::{Kind, Token};
use super::words::{is_example, is_filler, is_number, is_range};

/// A cut description.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prose<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: &'t [Token],
}

impl<'t> Prose<'t> {
    pub(super) fn len(self) -> usize {
        self.tokens.len()
    }

    pub(super) fn kind(self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(super) fn is(self, at: usize, kind: Kind) -> bool {
        self.kind(at) == Some(kind)
    }

    pub(super) fn text(self, at: usize) -> &'t str {
        self.tokens
            .get(at)
            .and_then(|token| self.text.get(token.start as usize..token.end as usize))
            .unwrap_or("")
    }

    /// The word at a place; empty for everything that is not a word.
    pub(super) fn word(self, at: usize) -> &'t str {
        if self.is(at, Kind::Word) {
            self.text(at)
        } else {
            ""
        }
    }

    pub(super) fn is_word(self, at: usize, word: &str) -> bool {
        self.word(at).eq_ignore_ascii_case(word)
    }

    pub(super) fn is_one_of(self, at: usize, words: &[&str]) -> bool {
        let own = self.word(at);
        !own.is_empty() && words.iter().any(|word| own.eq_ignore_ascii_case(word))
    }

    pub(super) fn is_literal(self, at: usize) -> bool {
        self.kind(at).is_some_and(Kind::is_literal)
    }

    /// Whether these words stand here, one after the other.
    pub(super) fn has(self, at: usize, words: &[&str]) -> bool {
        words
            .iter()
            .enumerate()
            .all(|(ahead, word)| self.is_word(at + ahead, word))
    }

    /// The place of the end of the sentence that holds `at`.
    pub(super) fn sentence_end(self, at: usize) -> usize {
        (at..self.len())
            .find(|at| self.kind(*at).is_some_and(Kind::ends_sentence))
            .unwrap_or(self.len())
    }

    /// The place behind a closing bracket, when `at` is an opening one.
    pub(super) fn behind_brackets(self, at: usize) -> usize {
        if !self.is(at, Kind::Open) {
            return at;
        }
        let mut depth = 0_usize;
        for place in at..self.len().min(at + 60) {
            match self.kind(place) {
                Some(Kind::Open) => depth += 1,
                Some(Kind::Close) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return place + 1;
                    }
                }
                _ => {}
            }
        }
        at + 1
    }

    fn skip(self, mut at: usize, kinds: &[Kind]) -> usize {
        while self.kind(at).is_some_and(|kind| kinds.contains(&kind)) {
            at += 1;
        }
        at
    }
}

/// What a list holds.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent observations about one list"
)]
#[derive(Clone, Debug, Default)]
pub(super) struct List<'t> {
    /// The values as written, without their marks.
    pub(super) values: Vec<&'t str>,
    /// How many of them were marked as literals.
    pub(super) marked: usize,
    /// Whether it says that there are more (`etc.`, `…`).
    pub(super) open_ended: bool,
    /// Whether it ends in something that is no value: "`a`, `b` or a date".
    pub(super) otherwise: bool,
    /// Whether it is a range of numbers.
    pub(super) range: bool,
    /// Whether it ends where a sentence or bracket ends, so that nothing was misread.
    pub(super) clean: bool,
    /// Whether every value is a plain lower-case English-looking word.
    pub(super) plain: bool,
    /// Whether it is written as bullets or lines.
    pub(super) block: bool,
    /// Whether values are followed by their meanings.
    pub(super) explained: bool,
}

impl<'t> List<'t> {
    pub(super) fn is_marked(&self) -> bool {
        self.marked > 0 && self.marked == self.values.len()
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    fn push(&mut self, value: &'t str, marked: bool) {
        let value = value.trim().trim_matches(['"', '\'']);
        if value.len() > 60 || (!marked && value.eq_ignore_ascii_case("etc")) {
            self.open_ended = true;
            return;
        }
        if !self.values.contains(&value) {
            self.values.push(value);
            self.marked += usize::from(marked);
        }
    }

    fn finish(mut self) -> Option<List<'t>> {
        let real = self.values.iter().filter(|value| !value.is_empty());
        self.plain = real
            .clone()
            .all(|value| value.bytes().all(|b| b.is_ascii_lowercase() || b == b' '));
        let ranges = real.clone().filter(|value| is_range(value)).count();
        self.range |= ranges > 0 && ranges == real.clone().count();
        (self.values.iter().any(|value| !value.is_empty())).then_some(self)
    }
}

/// Reads the list that starts at a place, in whatever way it is written.
pub(super) fn read(prose: Prose<'_>, at: usize) -> Option<List<'_>> {
    let before = prose.skip(at, &[Kind::Colon, Kind::Comma, Kind::Line]);
    if matches!(prose.kind(before), Some(Kind::Dash))
        && let Some(found) = dashed(prose, before)
    {
        return Some(found);
    }
    let at = prose.skip(at, &[Kind::Colon, Kind::Dash, Kind::Comma, Kind::Open]);
    let behind = prose.skip(at, &[Kind::Line, Kind::Paragraph, Kind::Colon]);
    if prose.is(behind, Kind::Bullet) {
        return bullets(prose, behind)
            .filter(|list| list.len() > 1 || list.is_marked())
            .or_else(|| dashed(prose, behind));
    }
    if prose.is(behind, Kind::Pipe) {
        return table(prose, behind).map(|(_, list)| list);
    }
    if behind > at
        && let Some(found) = lines(prose, behind).or_else(|| stacked(prose, behind))
    {
        return Some(found);
    }
    inline(prose, behind)
}

/// One word or literal on each of three or more lines.
fn stacked(prose: Prose<'_>, from: usize) -> Option<List<'_>> {
    let mut list = List {
        block: true,
        ..List::default()
    };
    let mut at = from;
    while prose.is_literal(at) || prose.is(at, Kind::Word) && !is_filler(prose.word(at)) {
        let next = prose.skip(at + 1, &[Kind::Line, Kind::Paragraph]);
        if next == at + 1 && next < prose.len() {
            break;
        }
        list.push(prose.text(at), prose.is_literal(at));
        at = next;
    }
    list.finish().filter(|list| list.len() >= 3)
}

/// `* a: meaning`, one bullet after the other.
pub(super) fn bullets(prose: Prose<'_>, from: usize) -> Option<List<'_>> {
    let mut list = List {
        block: true,
        clean: true,
        ..List::default()
    };
    let mut at = from;
    while prose.is(at, Kind::Bullet) {
        let Some(item) = item(prose, at + 1, &mut list) else {
            list.clean = false;
            break;
        };
        // On to the next bullet: over the meaning, over nested lines, but not over a new paragraph of prose.
        let mut next = item;
        while next < prose.len() && !prose.is(next, Kind::Bullet) {
            if prose.is(next, Kind::Paragraph) && !prose.is(next + 1, Kind::Bullet) {
                break;
            }
            next += 1;
        }
        at = next;
    }
    list.finish()
}

/// `- a: meaning - b: meaning`, bullets that lost their line breaks.
fn dashed(prose: Prose<'_>, from: usize) -> Option<List<'_>> {
    let mut list = List {
        block: true,
        explained: true,
        ..List::default()
    };
    for at in from..prose.len() {
        if !matches!(prose.kind(at), Some(Kind::Dash | Kind::Bullet)) {
            continue;
        }
        let marked = prose.is_literal(at + 1);
        let value = marked || (prose.is(at + 1, Kind::Word) && !is_filler(prose.word(at + 1)));
        let explained = matches!(
            prose.kind(at + 2),
            Some(Kind::Colon | Kind::Dash | Kind::Open)
        );
        if value && explained {
            list.push(prose.text(at + 1), marked);
        }
    }
    list.finish()
}

/// `a - meaning`, one line after the other.
pub(super) fn lines(prose: Prose<'_>, from: usize) -> Option<List<'_>> {
    let mut list = List {
        block: true,
        clean: true,
        explained: true,
        ..List::default()
    };
    let mut at = from;
    loop {
        let value_end = at + 1;
        let marked = prose.is_literal(at);
        let is_value = marked || (prose.is(at, Kind::Word) && !is_filler(prose.word(at)));
        let explained = matches!(prose.kind(value_end), Some(Kind::Dash | Kind::Colon));
        if !(is_value && explained) {
            break;
        }
        list.push(prose.text(at), marked);
        let end = (value_end..prose.len())
            .find(|at| matches!(prose.kind(*at), Some(Kind::Line | Kind::Paragraph)))
            .unwrap_or(prose.len());
        at = end + 1;
        if end == prose.len() {
            break;
        }
    }
    if list.len() < 2 {
        // Several on one line: `A - x. B - y.`
        return None;
    }
    list.finish()
}

/// The value at the start of a bullet. Gives the place behind it, or nothing when the bullet is prose.
fn item<'t>(prose: Prose<'t>, at: usize, list: &mut List<'t>) -> Option<usize> {
    if prose.is_literal(at) {
        let mut at = at;
        // `* **a** or **b**` and `* `a`, `b``.
        loop {
            list.push(prose.text(at), true);
            let next = at + 1;
            let joined = prose.is(next, Kind::Comma)
                || prose.is_one_of(next, &["or", "and"])
                || prose.is(next, Kind::Slash);
            if joined && prose.is_literal(next + 1) {
                at = next + 1;
            } else {
                list.explained |= matches!(prose.kind(next), Some(Kind::Dash | Kind::Colon));
                return Some(next);
            }
        }
    }
    let ends = |kind: Option<Kind>| {
        matches!(
            kind,
            None | Some(
                Kind::Line
                    | Kind::Paragraph
                    | Kind::Bullet
                    | Kind::Colon
                    | Kind::Dash
                    | Kind::Open
                    | Kind::Comma
                    | Kind::Semicolon
                    | Kind::Stop
            )
        )
    };
    for words in 1..=3 {
        if !prose.is(at + words - 1, Kind::Word) {
            return None;
        }
        if ends(prose.kind(at + words)) {
            let first = prose.tokens.get(at)?;
            let last = prose.tokens.get(at + words - 1)?;
            let text = prose.text.get(first.start as usize..last.end as usize)?;
            if words == 1 && is_filler(text) {
                return None;
            }
            list.push(text, false);
            list.explained |= matches!(prose.kind(at + words), Some(Kind::Dash | Kind::Colon));
            return Some(at + words);
        }
    }
    None
}

/// `a`, `b` (default) or `c`; also with meanings: 'a' - does x; 'b' - does y.
pub(super) fn inline(prose: Prose<'_>, from: usize) -> Option<List<'_>> {
    let mut list = List::default();
    let mut at = from;
    loop {
        // In front of an item.
        if prose.is(at, Kind::Ellipsis) {
            list.open_ended = true;
            at += 1;
        } else if prose.is_literal(at) {
            whole_list(prose.text(at), &mut list);
            at += 1;
        } else if prose.is(at, Kind::Word) {
            match bare(prose, at) {
                Some(end) => {
                    let text = prose
                        .tokens
                        .get(at)
                        .zip(prose.tokens.get(end - 1))
                        .and_then(|(a, b)| prose.text.get(a.start as usize..b.end as usize));
                    if is_number(text.unwrap_or(""))
                        && prose.is_one_of(end, &["to", "through", "thru"])
                    {
                        list.range = true;
                        return list.finish_range();
                    }
                    list.push(text.unwrap_or(""), false);
                    at = end;
                }
                None if prose.has(at, &["an", "empty", "string"])
                    || prose.has(at, &["empty", "string"]) =>
                {
                    at += if prose.is_word(at, "an") { 3 } else { 2 };
                    list.push("", true);
                }
                None => break,
            }
        } else {
            break;
        }
        // Behind an item: a remark, a meaning, then a separator.
        at = prose.behind_brackets(at);
        if prose.is(at, Kind::Ellipsis) {
            list.open_ended = true;
            at += 1;
        }
        match separator(prose, at) {
            Some(next) => at = next,
            None => match next_marked(prose, at, &list) {
                Some(next) => {
                    list.explained = true;
                    at = next;
                }
                None => break,
            },
        }
    }
    // "a, b, or - in rare cases - what you sent".
    let dangling = at > from && prose.is_word(at - 1, "or") && prose.is(at, Kind::Dash);
    list.otherwise = dangling || otherwise(prose, at);
    list.clean = at >= prose.len()
        || matches!(
            prose.kind(at),
            Some(
                Kind::Stop
                    | Kind::Paragraph
                    | Kind::Close
                    | Kind::Semicolon
                    | Kind::Open
                    | Kind::Dash
                    | Kind::Line
                    | Kind::Bullet
            )
        );
    list.finish()
}

impl<'t> List<'t> {
    fn finish_range(mut self) -> Option<List<'t>> {
        self.values.push("0-0");
        self.finish()
    }
}

/// "or a date range": an alternative that is described instead of written down.
fn otherwise(prose: Prose<'_>, at: usize) -> bool {
    at > 0
        && prose.is_word(at - 1, "or")
        && prose.is_one_of(at, &["a", "an", "any", "another"])
        && !prose.is_one_of(
            at + 1,
            &[
                "combination",
                "comma",
                "comma-separated",
                "list",
                "mix",
                "of",
                "empty",
                "null",
            ],
        )
}

/// `a b c`, with nothing but spaces between them, up to the end of the sentence.
pub(super) fn spaced(prose: Prose<'_>, from: usize) -> Option<List<'_>> {
    let mut list = List::default();
    let mut at = from;
    while prose.is(at, Kind::Word) {
        let word = prose.word(at);
        if is_filler(word) || word.len() > 24 {
            return None;
        }
        list.push(word, false);
        at += 1;
    }
    list.clean = at >= prose.len() || prose.kind(at).is_some_and(Kind::ends_sentence);
    list.finish().filter(|list| list.clean)
}

/// One code span may hold a whole comma list.
fn whole_list<'t>(text: &'t str, list: &mut List<'t>) {
    // Behind other values it is one of them: `name,asc`, `name,date,asc`.
    let parts = text.split([',', '|']);
    if list.values.is_empty()
        && parts.clone().count() >= 3
        && parts.clone().all(|part| {
            !part.trim().is_empty() && part.trim().len() <= 40 && !part.trim().contains(' ')
        })
    {
        for part in parts {
            list.push(part, true);
        }
    } else {
        list.push(text, true);
    }
}

/// The place behind a separator, when there is one here.
fn separator(prose: Prose<'_>, at: usize) -> Option<usize> {
    let mut next = at;
    let mut seen = false;
    loop {
        match prose.kind(next) {
            Some(Kind::Comma | Kind::Semicolon | Kind::Pipe | Kind::Slash) => {
                seen = true;
                next += 1;
            }
            Some(Kind::Word)
                if prose.is_one_of(next, &["or", "and", "nor", "oder", "und", "ou"]) =>
            {
                seen = true;
                next += 1;
            }
            // A wrapped line inside a list, or one value per line.
            Some(Kind::Line) if seen => next += 1,
            Some(Kind::Line) if separator(prose, next + 1).is_some() => next += 1,
            _ => break,
        }
    }
    if seen && prose.is_one_of(next, &["or", "and"]) {
        next += 1;
    }
    seen.then_some(next)
}

/// Looks over the meaning of a marked value for the next marked one: `0` to read errors or `1` to read warnings.
fn next_marked(prose: Prose<'_>, at: usize, list: &List<'_>) -> Option<usize> {
    if !list.is_marked() {
        return None;
    }
    let limit = prose.sentence_end(at).min(at + 30);
    let mut place = at;
    while place < limit {
        // `'a': ['x', 'y'], 'b': ['z']` is a table, not a list.
        if prose.is(place, Kind::Open) && prose.text(place) == "[" && prose.is_literal(place + 1) {
            return None;
        }
        if let Some(next) = separator(prose, place)
            && prose.is_literal(next)
        {
            return Some(next);
        }
        place += 1;
    }
    None
}

/// The end of a bare value that starts here: one word, or up to three when they are capitalised.
fn bare(prose: Prose<'_>, at: usize) -> Option<usize> {
    let word = prose.word(at);
    let alone = separator(prose, at + 1).is_some() || ends(prose, at + 1);
    if is_example(word) {
        return None;
    }
    if alone {
        // `a, b or c`: an article that stands alone is a value.
        let is_article = ["the", "any", "this", "an"]
            .iter()
            .any(|w| word.eq_ignore_ascii_case(w));
        return (!is_article).then_some(at + 1);
    }
    if is_filler(word) {
        return None;
    }
    if prose.is(at + 1, Kind::Open) || matches!(prose.kind(at + 1), Some(Kind::Dash)) {
        return Some(at + 1);
    }
    if is_number(word) && prose.is_one_of(at + 1, &["to", "through", "thru"]) {
        return Some(at + 1);
    }
    let capital = |at: usize| {
        prose
            .word(at)
            .starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
    };
    for words in 2..=3 {
        if !(0..words).all(|ahead| capital(at + ahead)) {
            break;
        }
        if separator(prose, at + words).is_some() || ends(prose, at + words) {
            return Some(at + words);
        }
    }
    // "DAY or LISTING Examples …": a constant ends the list although the sentence goes on.
    let constant = |at: usize| {
        let word = prose.word(at);
        word.len() > 2 && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
    };
    let last = at >= 2 && prose.is_one_of(at - 1, &["or", "and"]) && constant(at - 2);
    (last && constant(at) && !constant(at + 1)).then_some(at + 1)
}

fn ends(prose: Prose<'_>, at: usize) -> bool {
    matches!(
        prose.kind(at),
        None | Some(
            Kind::Stop
                | Kind::Paragraph
                | Kind::Close
                | Kind::Line
                | Kind::Semicolon
                | Kind::Ellipsis
                | Kind::Bullet
        )
    )
}

#[cfg(test)]
mod tests;
