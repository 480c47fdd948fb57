//! The shapes in which lists of values are written. A list is a row of values with something between them: signs and joining words in a
//! sequence, meanings in pairs, line breaks in lines and tables.

use super::tokens::{Kind, Token};
use super::words::{
    AND, ANY, DESCRIBES, EMPTY, GRAMMAR, JOINS, LOWER, MEANS, MORE, NOUN, TO, class,
};

/// How a list is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::choice) enum Shape {
    /// `a`, `b` or `c`
    Sequence,
    /// A line for each, with or without a bullet.
    Lines,
    /// The first column of a table.
    Table,
    /// `a = meaning, b = meaning`
    Pairs,
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
    pub(super) joined: Joined,
    /// The tokens it takes.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What stands before the last value of a sequence.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Joined {
    And,
    Or,
    Pipe,
    Neither,
}

impl<'t> List<'t> {
    fn new(shape: Shape, start: usize, marked: bool) -> List<'t> {
        List {
            shape,
            values: Vec::new(),
            marked,
            clean: true,
            open: false,
            joined: Joined::Neither,
            start,
            end: start,
        }
    }

    fn if_enough(self) -> Option<List<'t>> {
        // "minLength: 3" and "Note: …" describe the value.
        let last = |value: &&str| value.rsplit(' ').next().map_or(0, class);
        let described = self.values.iter().any(|value| last(value) & DESCRIBES != 0);
        (self.values.len() >= 2 && !described).then_some(self)
    }
}

/// Reads the list that starts at a token, in any shape.
pub(super) fn at<'t>(tokens: &[Token<'t>], start: usize) -> Option<List<'t>> {
    let first = tokens.get(start)?;
    match first.kind {
        Kind::Bullet | Kind::Cell => lines(tokens, start, first.kind),
        Kind::Word | Kind::Quoted | Kind::Code | Kind::Strong => {
            let fresh = start == 0 || tokens.get(start - 1).is_some_and(|t| t.kind == Kind::Line);
            let by_line = fresh.then(|| lines(tokens, start, Kind::Line)).flatten();
            by_line.or_else(|| {
                let (plain, paired) = (sequence(tokens, start), pairs(tokens, start));
                let more = |list: &List<'_>| {
                    plain
                        .as_ref()
                        .is_none_or(|p| list.values.len() >= p.values.len())
                };
                paired.filter(more).or(plain)
            })
        }
        _ => None,
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
    let spelled = || {
        !text.contains(['@', '=', '\'', '’', '~', '^'])
            && !text.contains("://")
            && !text.starts_with(['/', '#', '$', '%', '.'])
            && !text.ends_with(['%', '+'])
            && text.matches(':').count() <= 1
            && text.matches('.').count() <= 2
    };
    letters && text.len() <= 48 && (plain() || spelled())
}

/// A number, a constant, or a word in lower case.
pub(in crate::choice) fn is_code(text: &str) -> bool {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    digits || is_upper(text) || text.contains('_') || text.starts_with(|c: char| c.is_lowercase())
}

/// Words that hold sentences together and are never a value that nobody marked.
fn is_grammar(token: &Token<'_>) -> bool {
    let lower = token.of(LOWER) && !token.text.bytes().any(|b| b.is_ascii_uppercase());
    lower || token.of(GRAMMAR) && !is_upper(token.text)
}

fn is_upper(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_uppercase()) && !word.bytes().any(|b| b.is_ascii_lowercase())
}

/// `a`, `b` (a remark) or `c`.
fn sequence<'t>(tokens: &[Token<'t>], start: usize) -> Option<List<'t>> {
    let first = tokens.get(start)?;
    // Most words are followed by another one that joins nothing.
    let next = tokens.get(start + 1)?;
    if !(next.separates()
        || next.of(JOINS)
        || matches!(next.kind, Kind::Open | Kind::Line | Kind::Code))
    {
        return None;
    }
    let mut list = List::new(Shape::Sequence, start, first.is_marked());
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        // "Red, green, other" may end in a word that holds other sentences together.
        let last = list.values.len() >= 2
            && token.kind == Kind::Word
            && (!token.of(MORE) || token.is("other"));
        let last = last && tokens.get(at + 1).is_none_or(Token::ends_a_list);
        let value = value(token).or_else(|| last.then_some(token.text));
        let Some(value) = value.filter(|_| token.is_marked() == list.marked) else {
            list.clean = false;
            let sign = matches!(token.kind, Kind::Other | Kind::Open | Kind::Dash);
            let harmless = tokens.get(at + 1).is_some_and(|next| next.of(EMPTY));
            list.open = sign || token.is_marked() || token.of(ANY) && !harmless;
            break;
        };
        list.values.push(value);
        let end = remark(tokens, at + 1);
        (list.end, at) = (end, end);
        // `, or`, `and/or`, `|`, `;`, and `or` alone.
        while let Some(token) = tokens.get(at) {
            if token.kind == Kind::Pipe {
                list.joined = Joined::Pipe;
            } else if token.of(AND) {
                list.joined = Joined::And;
            } else if token.of(JOINS) {
                list.joined = Joined::Or;
            } else if !token.separates() {
                break;
            }
            at += 1;
        }
        // Code spans side by side need nothing between them.
        let beside =
            first.kind == Kind::Code && tokens.get(at).is_some_and(|t| t.kind == Kind::Code);
        if at == end && !beside {
            break;
        }
    }
    // "Narrow, wide or something else": the last one is the start of a phrase.
    let phrase = |t: &Token<'_>| t.kind == Kind::Word && !t.of(GRAMMAR | LOWER | NOUN);
    if !list.marked && tokens.get(list.end).is_some_and(phrase) {
        list.clean = false;
        if list.values.len() > 2 && list.joined != Joined::Pipe {
            list.values.pop();
        }
    }
    list.if_enough()
}

/// Skips `(a remark)` and `[default]` behind a value.
fn remark(tokens: &[Token<'_>], from: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(from).take(24) {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            let closed = token.kind == Kind::Close && at > from;
            return if closed { at + 1 } else { from };
        }
    }
    from
}

/// `1 = small, 2 = large`, `gb: British. us: American.`, `0 for public, 1 for private`.
fn pairs<'t>(tokens: &[Token<'t>], start: usize) -> Option<List<'t>> {
    let explains = |token: &Token<'_>| match token.kind {
        Kind::Dash | Kind::Equals | Kind::Colon => Some(token.kind),
        Kind::Word if token.of(MEANS) => Some(Kind::Word),
        _ => None,
    };
    let sign = explains(tokens.get(start + 1)?)?;
    let mut list = List::new(Shape::Pairs, start, tokens.get(start)?.is_marked());
    let is_break =
        |t: &Token<'_>| t.separates() || matches!(t.kind, Kind::Line | Kind::Stop) || t.of(JOINS);
    let mut at = start;
    while let (Some(token), Some(second)) = (tokens.get(at), tokens.get(at + 1)) {
        if explains(second) != Some(sign) || token.is_marked() != list.marked {
            break;
        }
        let short = |value: &&str| list.marked || value.len() <= 24 && !value.contains('/');
        let Some(value) = value(token).filter(short) else {
            break;
        };
        list.values.push(value);
        // The meaning ends where the next pair begins.
        let mut behind = at + 2;
        while let Some(token) = tokens
            .get(behind)
            .filter(|t| t.kind != Kind::Close && behind < at + 30)
        {
            let next = tokens.get(behind + 1).and_then(explains) == Some(sign);
            if is_break(token) || sign != Kind::Word && next && behind > at + 2 {
                break;
            }
            behind = remark(tokens, behind).max(behind + 1);
        }
        list.end = behind;
        at = behind;
        while tokens.get(at).is_some_and(is_break) {
            at += 1;
        }
    }
    // The last value may go on in another way: "or `c`, which leaves it".
    let joined = tokens.get(at.wrapping_sub(1)).is_some_and(|t| t.of(JOINS));
    let goes_on = |token: &&Token<'_>| list.marked && joined && token.is_marked();
    if let Some(value) = tokens.get(at).filter(goes_on).and_then(value) {
        list.values.push(value);
        list.end = at + 1;
    }
    // "0 = lowest, 100 = highest" tells the ends of a scale, "1 to 5, 6 to 10" are ranges.
    let numbers: Option<Vec<i64>> = list.values.iter().map(|value| value.parse().ok()).collect();
    let scale = matches!(numbers.as_deref(), Some([least, most]) if least.abs_diff(*most) > 1);
    let coded = || list.values.iter().all(|value| is_code(value));
    let sure = list.marked || matches!(sign, Kind::Dash | Kind::Equals) || coded();
    list.if_enough().filter(|_| sure && !scale)
}

/// The values of the lines of a list, or of the first column of a table: what stands before the dash, the colon or the border of each.
fn lines<'t>(tokens: &[Token<'t>], start: usize, kind: Kind) -> Option<List<'t>> {
    let bullets = kind != Kind::Line;
    let rest = |at: usize| tokens.get(at..).unwrap_or(&[]);
    let line_end = |at: usize| {
        let ends = |t: &Token<'_>| matches!(t.kind, Kind::Line | Kind::Bullet);
        at + rest(at).iter().position(ends).unwrap_or(rest(at).len())
    };
    let shape = if kind == Kind::Cell {
        Shape::Table
    } else {
        Shape::Lines
    };
    let mut list = List::new(shape, start, true);
    let mut items = 0;
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        if bullets && token.kind != kind {
            // A line that goes on before the next bullet is a part of its item; otherwise the list has ended.
            let next = line_end(at) + 1;
            if tokens.get(next).is_none_or(|t| t.kind != kind) {
                break;
            }
            at = next;
            continue;
        }
        let from = at + usize::from(matches!(token.kind, Kind::Bullet | Kind::Cell));
        let stop = line_end(from);
        let item = tokens.get(from..stop).unwrap_or(&[]);
        at = stop + usize::from(tokens.get(stop).is_some_and(|t| t.kind == Kind::Line));
        let Some(first) = item.first() else { continue };
        let head = head(item, bullets);
        if head.is_none() && !bullets {
            break;
        }
        items += 1;
        list.end = stop;
        // The rule below the head of a table takes the head back.
        if kind == Kind::Cell && matches!(first.kind, Kind::Dash | Kind::Other | Kind::Colon) {
            (items, list.clean) = (0, true);
            list.values.clear();
        } else if let Some(head) = head {
            list.values.push(head.text);
            list.marked &= head.is_marked();
        } else {
            list.clean = false;
        }
    }
    list.if_enough()
        .filter(|list| list.values.len() * 4 >= items * 3)
}

/// The value at the start of an item.
fn head<'t>(item: &[Token<'t>], bullet: bool) -> Option<Token<'t>> {
    let first = item.first()?;
    // "- Geocentric coordinates (GEO)" says first what the code means.
    if let [_, .., open, code, close] = item
        && bullet
        && (open.kind, code.kind, close.kind) == (Kind::Open, Kind::Word, Kind::Close)
        && is_upper(code.text)
        && !is_upper(first.text)
    {
        return Some(*code);
    }
    let text = value(first).or_else(|| first.is("default").then_some(first.text))?;
    let second = item.get(1);
    let sure = second.is_some_and(|t| match t.kind {
        Kind::Stop => is_upper(text),
        kind => matches!(kind, Kind::Dash | Kind::Colon | Kind::Equals),
    });
    let parted = |t: &Token<'_>| {
        t.separates()
            || matches!(t.kind, Kind::Open | Kind::Stop | Kind::Cell | Kind::Other)
            || (t.of(MEANS | TO) || t.is("is") || t.is("are")) && !first.is_marked()
    };
    let separated = sure || second.is_none_or(parted);
    let found = match (first.is_marked(), bullet) {
        (true, _) => bullet || separated,
        (false, true) => separated,
        (false, false) => sure && is_code(text) && item.len() > 2,
    };
    found.then_some(*first)
}
