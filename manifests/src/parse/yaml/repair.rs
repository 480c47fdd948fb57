//! Going on behind a mistake: what is broken is blanked in a copy of the text, as little as possible, and the copy is read.
//!
//! Blanks keep every offset, so that the nodes still point into the file as it is.

use saphyr_parser::{Parser, StrInput};

use super::Mistake;
use super::cursor::Cursor;

/// How much text may be read again for the sake of mistakes.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new(text: &str) -> Budget {
        Budget((text.len() * REREADS).max(MIN_REREAD))
    }

    fn spend(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// A text in which a mistake does not stand in the way any more.
pub(super) struct Repaired {
    pub(super) text: String,
    /// The bracket or quote that was to blame.
    pub(super) open: Option<usize>,
}

/// Something to blank.
struct Way {
    start: usize,
    end: usize,
    open: Option<usize>,
}

/// A copy of the text without the mistake. None when there is no way past it.
pub(super) fn repair(
    text: &str,
    from: usize,
    mistake: &Mistake,
    budget: &mut Budget,
) -> Option<Repaired> {
    // The run that found the mistake is going to be repeated.
    let read = mistake.at.saturating_sub(from);
    if !budget.spend(read) {
        return None;
    }
    if mistake.tab {
        let text = spaces_for_tabs(text, from)?;
        return Some(Repaired { text, open: None });
    }
    let wanted = mistake.at + FAR;
    let mut best: Option<(usize, Repaired)> = None;
    for way in ways(text, from, mistake) {
        if loss(text, &way) == 0 {
            continue;
        }
        if !budget.spend(read + FAR) {
            return None;
        }
        let blanked = blank(text, &way);
        if blanked
            .get(from..)
            .is_none_or(|rest| rest.trim().is_empty())
        {
            // Half of something is more than nothing.
            continue;
        }
        let reached = next_mistake(&blanked, from, wanted).unwrap_or(usize::MAX);
        let open = way.open;
        let repaired = Repaired {
            text: blanked,
            open,
        };
        if reached >= wanted {
            return Some(repaired);
        }
        if reached > mistake.at && best.as_ref().is_none_or(|(far, _)| reached > *far) {
            best = Some((reached, repaired));
        }
    }
    best.map(|(_, repaired)| repaired)
}

/// A copy of the text in which the brackets around an indentation that YAML refuses stand on one line. Inside of brackets other
/// parsers do not look at it, so this is not a mistake: a `}` may stand under its key. Every byte keeps its place.
pub(super) fn join_flow(
    text: &str,
    from: usize,
    mistake: &Mistake,
    budget: &mut Budget,
) -> Option<String> {
    if !mistake.message.contains("indentation") {
        return None;
    }
    let open = mistake.flow?;
    let close = closing(text, open)?;
    let inside = text.get(open..close)?;
    let remark = inside.contains(" #") || inside.contains("\n#");
    if remark || !inside.contains('\n') || !budget.spend(mistake.at.saturating_sub(from)) {
        return None;
    }
    let mut joined = String::with_capacity(text.len());
    joined.push_str(text.get(..open)?);
    joined.extend(
        inside
            .chars()
            .map(|c| if c == '\n' || c == '\r' { ' ' } else { c }),
    );
    joined.push_str(text.get(close..)?);
    Some(joined)
}

/// The bracket that closes the one at a place.
fn closing(text: &str, open: usize) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, byte) in text.as_bytes().iter().enumerate().skip(open) {
        match (quote, byte) {
            (Some(b'"'), b'\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(mark), _) if *byte == mark && !escaped => quote = None,
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        escaped = false;
    }
    None
}

/// What may be to blame, the likeliest first: something on the line itself, a bracket or quote that was opened and not closed,
/// the line before, and at last everything between them.
fn ways(text: &str, from: usize, mistake: &Mistake) -> Vec<Way> {
    let at = mistake.at.min(text.len());
    let way = |start, end| Way {
        start,
        end,
        open: None,
    };
    let here = line_start(text, last_content(text, from, at));
    let before = line_start(text, last_content(text, from, here.saturating_sub(1)));
    let of_line = |line: usize| {
        let (end, block) = (line_end(text, line), block_end(text, line));
        let value = value_start(text, line).into_iter();
        let values = value.flat_map(move |value| [way(value, end), way(value, block)]);
        let mut ways: Vec<_> = values.chain([way(line, end), way(line, block)]).collect();
        ways.sort_by_key(|way| loss(text, way));
        ways
    };
    let mut found = Vec::new();
    // A word in the middle of a value; without the first word of a line the rest would join the line before.
    let quoted = matches!(text.as_bytes().get(at), Some(b'"' | b'\''));
    if !quoted && value_start(text, here).is_some_and(|value| value <= at) {
        found.push(way(at, word_end(text, at)));
    }
    found.extend(of_line(here));
    for open in [mistake.flow, mistake.quote].into_iter().flatten() {
        let ends = [
            line_end(text, open),
            block_end(text, line_start(text, open)),
            line_end(text, at),
        ];
        found.extend(ends.map(|end| Way {
            start: open,
            end,
            open: Some(open),
        }));
    }
    found.extend(of_line(before));
    let start = found.iter().map(|way| way.start).min().unwrap_or(at);
    let end = found.iter().map(|way| way.end).max().unwrap_or(at);
    found.push(way(start, end));
    found
}

/// Where the next mistake is, if there is one before `enough`.
fn next_mistake(text: &str, from: usize, enough: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let mut cursor = Cursor::new(rest, from);
    let mut parser: Parser<'_, StrInput<'_>> = Parser::new_from_str(rest);
    while let Some(next) = parser.next_event() {
        match next {
            Ok((_, span)) if cursor.byte(span.start.index()) >= enough => return None,
            Ok(_) => {}
            Err(error) => return Some(cursor.byte(error.marker().index())),
        }
    }
    None
}

/// Whoever indents with tabs does so everywhere, and means it.
fn spaces_for_tabs(text: &str, from: usize) -> Option<String> {
    let mut changed = text.as_bytes().to_vec();
    let mut inside = true;
    let mut any = false;
    for byte in changed.iter_mut().skip(from) {
        match *byte {
            b'\n' => inside = true,
            b'\t' if inside => {
                *byte = b' ';
                any = true;
            }
            b' ' | b'\r' => {}
            _ => inside = false,
        }
    }
    String::from_utf8(changed).ok().filter(|_| any)
}

fn blank(text: &str, way: &Way) -> String {
    let mut changed = text.as_bytes().to_vec();
    for byte in changed.get_mut(way.start..way.end).unwrap_or(&mut []) {
        if !matches!(*byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    String::from_utf8(changed).unwrap_or_default()
}

/// How many bytes that are not blank a way costs.
fn loss(text: &str, way: &Way) -> usize {
    let bytes = text.as_bytes().get(way.start..way.end).unwrap_or(&[]);
    let kept = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
    kept.count()
}

/// The last byte before `at` (inclusive) that is not blank.
fn last_content(text: &str, from: usize, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = at.min(bytes.len().saturating_sub(1));
    while at > from && bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at -= 1;
    }
    at
}

fn line_start(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(&[]);
    memchr::memrchr(b'\n', before).map_or(0, |found| found + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or(&[]);
    memchr::memchr(b'\n', rest).map_or(text.len(), |found| at + found)
}

/// The end of the lines that are indented deeper than this one.
fn block_end(text: &str, line: usize) -> usize {
    let indent = |line: usize| {
        let rest = text.as_bytes().get(line..).unwrap_or(&[]);
        rest.iter().position(|byte| *byte != b' ')
    };
    let own = indent(line).unwrap_or(0);
    let mut end = line_end(text, line);
    while end < text.len() {
        let next = end + 1;
        let stop = line_end(text, next);
        let empty = text
            .get(next..stop)
            .is_none_or(|line| line.trim().is_empty());
        if !empty && indent(next).is_none_or(|deep| deep <= own) {
            break;
        }
        end = stop;
    }
    end
}

/// Behind the first `: ` of a line, or its dash.
fn value_start(text: &str, line: usize) -> Option<usize> {
    let whole = text.get(line..line_end(text, line))?;
    if let Some(colon) = whole.find(": ") {
        return Some(line + colon + 1);
    }
    let dash = whole.trim_start();
    dash.starts_with("- ")
        .then(|| line + (whole.len() - dash.len()) + 1)
}

fn word_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    let stops = |c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}');
    let first = rest.chars().next().map_or(0, char::len_utf8);
    let more = rest.get(first..).unwrap_or("");
    at + first + more.find(stops).unwrap_or(more.len())
}

/// A mistake is behind us when this much text follows without another.
const FAR: usize = 4 << 10;
/// A large file is read again this often for the sake of its mistakes, a small one until so many bytes are read.
const REREADS: usize = 6;
const MIN_REREAD: usize = 6 << 20;
