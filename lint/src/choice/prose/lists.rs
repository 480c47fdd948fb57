//! The shapes in which lists of values are written.

mod pairs;

use super::tokens::{Kind, Token};
use super::words::{GRAMMAR, LOWER_GRAMMAR};
use crate::choice::table::known;
use pairs::{code, pairs};

/// How a list is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::choice) enum Shape {
    /// `a`, `b` or `c`
    Sequence,
    /// A line for each, with or without a bullet.
    Lines,
    /// `a = meaning, b = meaning`
    Pairs,
    /// A column of a table.
    Table,
    /// Marked words here and there.
    Mentions,
}

/// A list of values in a text.
#[derive(Clone, Debug)]
pub(super) struct List<'t> {
    pub(super) shape: Shape,
    pub(super) values: Vec<&'t str>,
    /// Whether the markup says where each value begins and ends.
    pub(super) marked: bool,
    /// Whether every item was understood.
    pub(super) clean: bool,
    /// Whether another alternative follows that is not a value: "or a date".
    pub(super) open: bool,
    /// The word before the last value.
    pub(super) joined: Joined,
    /// The tokens it takes.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl List<'_> {
    /// `name:asc` is an expression with parts.
    pub(super) fn is_expressions(&self) -> bool {
        self.values.iter().all(|value| value.contains([':', ',']))
    }

    /// Operators of a search, and the ways in which a thing can be named: words that stand for something else.
    pub(super) fn names_no_values(&self) -> bool {
        let all = |known: &[&str]| self.values.iter().all(|value| known.contains(value));
        let pattern = |value: &&str| value.contains('-') && value.ends_with("Id");
        let identity = ["sid", "username", "usernames", "uuid", "slug", "email"];
        self.values.len() == 2 && self.values.iter().any(|value| identity.contains(value))
            || all(&["AND", "OR", "NOT"])
            || all(&["Maximum", "Minimum", "Default", "Max", "Min"])
            || all(&["less", "greater", "more", "equal"])
            || all(&[
                "id",
                "ID",
                "IDs",
                "sid",
                "name",
                "username",
                "usernames",
                "uuid",
                "slug",
                "email",
                "key",
                "number",
                "path",
            ])
            || self.is_expressions()
            || self.values.iter().any(pattern)
    }
}

/// The word that joins the last value of a sequence.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Joined {
    And,
    Or,
    Pipe,
    Neither,
}

/// Reads the list that starts at a token, in any shape.
pub(super) fn at<'t>(tokens: &[Token<'t>], start: usize) -> Option<List<'t>> {
    let first = tokens.get(start)?;
    match first.kind {
        Kind::Cell => table(tokens, start),
        Kind::Bullet => lines(tokens, start, true),
        Kind::Word | Kind::Quoted | Kind::Code | Kind::Strong => {
            let fresh = start == 0 || tokens.get(start - 1).is_some_and(|t| t.kind == Kind::Line);
            let by_line = if fresh {
                lines(tokens, start, false)
            } else {
                None
            };
            by_line.or_else(|| {
                let listed = longer(sequence(tokens, start), bare_words(tokens, start));
                longer(pairs(tokens, start), listed)
            })
        }
        _ => None,
    }
}

fn longer<'t>(a: Option<List<'t>>, b: Option<List<'t>>) -> Option<List<'t>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.values.len() > a.values.len() {
            b
        } else {
            a
        }),
        (a, b) => a.or(b),
    }
}

/// A value: a marked span, or a word that can be one.
fn value<'t>(token: &Token<'t>) -> Option<&'t str> {
    let text = token.text;
    let ok = if token.is_marked() {
        (!text.contains(['\n', '<', '{', '*', '…', '#']) || text == "*")
            && text.len() <= 60
            && !text.ends_with("...")
            && !text.starts_with('.')
    } else {
        token.kind == Kind::Word && is_constant(text) && !is_grammar(token)
    };
    ok.then_some(text)
}

/// A word that can be a value: no path, no address, no sentence.
pub(in crate::choice) fn is_constant(text: &str) -> bool {
    let letters = text.bytes().any(|b| b.is_ascii_alphanumeric());
    let plain = || {
        let signs = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        text.bytes().all(signs)
    };
    letters && text.len() <= 48 && (plain() || is_spelled(text))
}

/// The same for a text with signs in it.
fn is_spelled(text: &str) -> bool {
    !text.contains(['@', '=', '\'', '’', '~', '^'])
        && !text.contains("://")
        && !text.starts_with(['/', '#', '$', '%', '.'])
        && !text.ends_with(['%', '+'])
        && text.matches(':').count() <= 1
        && text.matches('.').count() <= 2
}

/// Words that hold sentences together and are never a value that nobody marked.
fn is_grammar(token: &Token<'_>) -> bool {
    let word = token.text;
    let written = token.class & LOWER_GRAMMAR != 0 && !word.bytes().any(|b| b.is_ascii_uppercase());
    written || token.class & GRAMMAR != 0 && (!is_upper(word) || word.len() == 1 && word == "a")
}

fn is_upper(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_uppercase()) && !word.bytes().any(|b| b.is_ascii_lowercase())
}

/// Words with nothing but commas between them, from a colon to the end: there `or` and `and` are values as well. Short codes do
/// without commas.
fn bare_words<'t>(tokens: &[Token<'t>], start: usize) -> Option<List<'t>> {
    let before = start.checked_sub(1).and_then(|at| tokens.get(at))?;
    if before.kind != Kind::Colon {
        return None;
    }
    let rest = tokens.get(start..)?;
    let len = rest
        .iter()
        .position(|t| matches!(t.kind, Kind::Stop | Kind::Line))
        .unwrap_or(rest.len());
    let words = rest.get(..len)?;
    if words
        .iter()
        .any(|token| token.any(known!("etc etc. others more")))
    {
        return None;
    }
    let alternate = words
        .iter()
        .enumerate()
        .all(|(at, token)| token.kind == if at % 2 == 0 { Kind::Word } else { Kind::Comma });
    let short = |token: &Token<'_>| {
        token.kind == Kind::Word && token.class == 0 && token.text.len() <= 5 && is_code(token.text)
    };
    let step = if alternate && len % 2 == 1 {
        2
    } else if words.iter().all(short) {
        1
    } else {
        return None;
    };
    (len >= 3).then(|| List {
        shape: Shape::Sequence,
        values: words.iter().step_by(step).map(|token| token.text).collect(),
        marked: false,
        clean: false,
        open: false,
        joined: Joined::Neither,
        start,
        end: start + len,
    })
}

/// `a`, `b` (meaning) or `c`. Items may have a remark in brackets, and `default` before or behind them.
fn sequence<'t>(tokens: &[Token<'t>], start: usize) -> Option<List<'t>> {
    let first = tokens.get(start)?;
    let marked = first.is_marked();
    // Most words are followed by another one that joins nothing.
    let follows = tokens.get(start + 1).is_some_and(|next| {
        matches!(
            next.kind,
            Kind::Comma
                | Kind::Pipe
                | Kind::Semicolon
                | Kind::Slash
                | Kind::Open
                | Kind::Line
                | Kind::Code
                | Kind::Quoted
        ) || joins(next)
    });
    if !follows && !first.text.contains('/') || is_grammar(first) {
        return None;
    }
    let mut values: Vec<&'t str> = Vec::new();
    let mut codes: Vec<Token<'t>> = Vec::new();
    let mut at = start;
    let mut end = start;
    let mut clean = true;
    let mut joined = Joined::Neither;
    let mut open = false;
    loop {
        let token = tokens.get(at)?;
        if token.is_marked() != marked {
            clean = false;
            // "or an empty string" and "and the default is" add no value of another kind.
            let next = tokens.get(at + 1);
            let harmless = next.is_some_and(|next| next.any(known!("empty default")));
            open = matches!(token.kind, Kind::Other | Kind::Open)
                || token.any(known!("a an any your the another other some")) && !harmless;
            break;
        }
        // `narrow/wide/full` is one word to the cutter.
        if !marked && token.kind == Kind::Word && token.text.contains('/') {
            let parts: Vec<&str> = token.text.split('/').collect();
            if parts
                .iter()
                .any(|part| part.is_empty() || !is_constant(part) || part.contains('.'))
            {
                clean = false;
                break;
            }
            values.extend(parts);
        } else if let Some(value) = value(token) {
            values.push(value);
        } else {
            clean = false;
            open = marked
                || token.any(known!("a an any your the another other some"))
                || matches!(token.kind, Kind::Other | Kind::Open | Kind::Dash);
            break;
        }
        codes.extend(code(tokens, at));
        at = remark(tokens, at + 1);
        end = at;
        let mut separated = false;
        // `, or`, `and/or`, `|`, `;`, and `or` alone.
        while let Some(token) = tokens.get(at) {
            // A line may end inside of a list.
            let next = tokens.get(at + 1);
            if token.kind == Kind::Line
                && (separated || next.is_some_and(|t| t.any(known!("or and"))))
            {
                at += 1;
                continue;
            }
            let joins = joins(token);
            let signed = matches!(
                token.kind,
                Kind::Comma | Kind::Pipe | Kind::Semicolon | Kind::Slash
            );
            if token.kind == Kind::Pipe {
                joined = Joined::Pipe;
            } else if joins {
                joined = if token.any(known!("and und y")) {
                    Joined::And
                } else {
                    Joined::Or
                };
            }
            if !joins && !signed {
                break;
            }
            separated = true;
            at += 1;
        }
        // Code spans side by side need nothing between them, nor do quotations behind a colon.
        let listed = first.kind == Kind::Code
            || first.kind == Kind::Quoted
                && start > 0
                && tokens.get(start - 1).is_some_and(|t| t.kind == Kind::Colon);
        if !separated && listed && tokens.get(at).is_some_and(|t| t.kind == first.kind) {
            separated = true;
        }
        if !separated {
            break;
        }
        if tokens.get(at).is_some_and(|t| t.is("either")) {
            at += 1;
        }
        if at >= tokens.len() {
            break;
        }
    }
    if !marked
        && tokens
            .get(end)
            .is_some_and(|t| t.kind == Kind::Word && !t.any(known!(TAILS)))
        && values.len() > 1
    {
        // "narrow, wide or something else", "Wales, Northern Ireland": the last one is the start of a phrase.
        clean = false;
        if values.len() > 2 && joined != Joined::Pipe {
            values.pop();
        }
    }
    if !marked && codes.len() == values.len() {
        let marked = codes.iter().all(Token::is_marked);
        let values = codes.iter().map(|token| token.text).collect();
        return (codes.len() >= 2).then_some(List {
            shape: Shape::Pairs,
            values,
            marked,
            clean,
            open,
            joined,
            start,
            end,
        });
    }
    // "D-daily, W-weekly": each code is the first letter of its meaning.
    let code = |value: &'t str| {
        let (code, meaning) = value.split_once('-')?;
        let first = meaning.get(..1).filter(|_| meaning.len() > 2)?;
        (code.len() == 1 && is_upper(code) && first.eq_ignore_ascii_case(code)).then_some(code)
    };
    if !marked && let Some(codes) = values.iter().map(|value| code(value)).collect() {
        values = codes;
    }
    let enough = values.len() >= 2;
    enough.then_some(List {
        shape: Shape::Sequence,
        values,
        marked,
        clean,
        open,
        joined,
        start,
        end,
    })
}

/// Whether a word or sign joins the values of a list.
fn joins(token: &Token<'_>) -> bool {
    token.any(known!("or and and/or oder und ou o y"))
        || token.kind == Kind::Other && token.text == "&"
}

/// Words that go on behind a list without belonging to its last value.
const TAILS: &str = "are is to for depending as when if respectively only in on by and where values value will can must with which that it";

/// Skips `(a remark)`, `[a remark]` and `[default]` behind a value.
fn remark(tokens: &[Token<'_>], mut at: usize) -> usize {
    while tokens.get(at).is_some_and(|token| token.kind == Kind::Open) {
        let mut depth = 0;
        let from = at;
        while let Some(token) = tokens.get(at) {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                break;
            }
        }
        if depth != 0 || at - from > 24 {
            return from;
        }
    }
    at
}

/// The values of the lines of a list: what stands before the dash, the colon or the bracket of each.
fn lines<'t>(tokens: &[Token<'t>], start: usize, bullets: bool) -> Option<List<'t>> {
    let mut values: Vec<&'t str> = Vec::new();
    let mut clean = true;
    let (mut heads, mut marks, mut items) = (0, 0, 0);
    let mut at = start;
    let mut end = start;
    while let Some(token) = tokens.get(at) {
        let is_item = token.kind == Kind::Bullet;
        if bullets && !is_item {
            // A line that goes on before the next bullet is a part of its item; otherwise the list has ended.
            let rest = tokens.get(at..).unwrap_or(&[]);
            let len = rest
                .iter()
                .position(|t| matches!(t.kind, Kind::Line | Kind::Bullet))
                .unwrap_or(rest.len());
            let next = rest.get(len + 1).is_some_and(|t| t.kind == Kind::Bullet);
            if !next {
                break;
            }
            at += len + 1;
            continue;
        }
        let from = if is_item { at + 1 } else { at };
        let next = |from: usize| {
            let rest = tokens.get(from..).unwrap_or(&[]);
            from + rest
                .iter()
                .position(|t| matches!(t.kind, Kind::Line | Kind::Bullet))
                .unwrap_or(rest.len())
        };
        let stop = next(from);
        let item = tokens.get(from..stop).unwrap_or(&[]);
        if item.is_empty() {
            at = stop + 1;
            continue;
        }
        items += 1;
        // Behind "the values are:" a line of one word is a value.
        let told = start >= 2 && tokens.get(start - 2).is_some_and(|t| t.kind == Kind::Colon);
        match head(item, bullets || told && item.len() == 1) {
            Head::Value(value, marked) => {
                values.push(value);
                heads += 1;
                marks += usize::from(marked);
            }
            Head::Unknown if bullets => clean = false,
            Head::Unknown | Head::Nothing if !bullets => break,
            _ => {}
        }
        end = stop;
        at = stop;
        if tokens.get(at).is_some_and(|t| t.kind == Kind::Line) {
            at += 1;
        }
    }
    // "minLength: 3" describes the value.
    let described = values.iter().any(|value| {
        let last = value.rsplit(' ').next().unwrap_or("");
        [
            "minlength",
            "maxlength",
            "encoding",
            "minimum",
            "maximum",
            "pattern",
            "note",
            "example",
        ]
        .iter()
        .any(|known| last.eq_ignore_ascii_case(known))
    });
    let enough = heads >= 2 && heads * 4 >= items * 3 && !described;
    enough.then_some(List {
        shape: Shape::Lines,
        marked: marks == heads,
        clean,
        open: false,
        joined: Joined::Neither,
        values,
        start,
        end,
    })
}

enum Head<'t> {
    Value(&'t str, bool),
    Unknown,
    Nothing,
}

fn head<'t>(item: &[Token<'t>], bullet: bool) -> Head<'t> {
    let Some(first) = item.first() else {
        return Head::Nothing;
    };
    let second = item.get(1);
    // "- Geocentric coordinates (GEO)" says first what the code means.
    if let [_, .., open, code, close] = item
        && bullet
        && (open.kind, code.kind, close.kind) == (Kind::Open, Kind::Word, Kind::Close)
        && is_upper(code.text)
        && !is_upper(first.text)
    {
        return Head::Value(code.text, false);
    }
    let Some(text) = value(first).or_else(|| first.is("default").then_some(first.text)) else {
        // "Empty string means …" is an item of the list that has no value to show.
        return Head::Unknown;
    };
    let separated = second.is_none_or(|t| {
        matches!(
            t.kind,
            Kind::Dash
                | Kind::Colon
                | Kind::Equals
                | Kind::Open
                | Kind::Comma
                | Kind::Stop
                | Kind::Semicolon
                | Kind::Cell
        ) || t.any(known!("for means to is")) && !first.is_marked()
            || t.kind == Kind::Other
    });
    let sure = second.is_some_and(|t| {
        matches!(t.kind, Kind::Dash | Kind::Colon | Kind::Equals)
            || t.kind == Kind::Stop && is_upper(text)
    });
    if first.is_marked() {
        return if bullet || separated {
            Head::Value(text, true)
        } else {
            Head::Unknown
        };
    }
    let code = text.bytes().all(|b| b.is_ascii_digit())
        || is_upper(text)
        || !text.starts_with(|c: char| c.is_uppercase());
    // "- KeepAll removes nothing" begins with a name that nobody uses in a sentence.
    let compound = text.len() > 3
        && text.bytes().skip(1).any(|b| b.is_ascii_uppercase())
        && text.bytes().any(|b| b.is_ascii_lowercase());
    if bullet && (separated || compound) || !bullet && sure && code && item.len() > 2 {
        Head::Value(text, false)
    } else {
        Head::Unknown
    }
}

/// A number, a constant, or a word in lower case.
pub(in crate::choice) fn is_code(text: &str) -> bool {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    digits || is_upper(text) || text.contains('_') || text.starts_with(|c: char| c.is_lowercase())
}

/// The column of a table that holds the values: the one whose head says so, else the first.
fn table<'t>(tokens: &[Token<'t>], start: usize) -> Option<List<'t>> {
    let mut rows: Vec<Vec<Token<'t>>> = Vec::new();
    let mut at = start;
    while tokens.get(at).is_some_and(|t| t.kind == Kind::Cell) {
        let rest = tokens.get(at..).unwrap_or(&[]);
        let len = rest
            .iter()
            .position(|t| t.kind == Kind::Line)
            .unwrap_or(rest.len());
        let row = rest.get(..len).unwrap_or(&[]);
        let cells = row.split(|t| t.kind == Kind::Cell).skip(1);
        rows.push(cells.filter_map(|cell| cell.first().copied()).collect());
        at += len + 1;
    }
    rows.retain(|row| {
        !row.iter()
            .all(|cell| matches!(cell.kind, Kind::Dash | Kind::Other | Kind::Colon))
    });
    let (head, body) = rows.split_first()?;
    let column = head
        .iter()
        .position(|cell| cell.any(known!("value values code option key enum")))
        .unwrap_or(0);
    let cells: Vec<Token<'t>> = body
        .iter()
        .filter_map(|row| row.get(column).copied())
        .collect();
    let values: Vec<&'t str> = cells.iter().filter_map(value).collect();
    let enough = values.len() >= 2 && values.len() == body.len();
    enough.then(|| List {
        shape: Shape::Table,
        marked: cells.iter().all(Token::is_marked),
        clean: true,
        open: false,
        joined: Joined::Neither,
        values,
        start,
        end: at,
    })
}
