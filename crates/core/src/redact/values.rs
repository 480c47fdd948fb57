//! Where a value begins and ends: in quotes and brackets, as a bare word, and as the rest of a line.

use std::ops::Range;

use super::REDACTED;
use super::plain::{
    LONGEST, at, has, is_placeholder, is_prose, part, prior, run_end, run_start, slice, wordy,
};
use super::words::list;

/// The span, unless nobody has to hide it.
pub(super) fn hidden(bytes: &[u8], span: Range<usize>) -> Option<Range<usize>> {
    (!is_placeholder(part(bytes, &span))).then_some(span)
}

/// A word or a quoted text behind a few spaces.
pub(super) fn told(bytes: &[u8], start: usize) -> Range<usize> {
    let start = run_end(bytes, start, 8, |byte| *byte == b' ');
    enclosed(bytes, start).unwrap_or_else(|| start..value_end(bytes, start, false))
}

/// The same in a command, unless it is an option, another command, or a word about a secret.
pub(super) fn value(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let span = told(bytes, start);
    let word = part(bytes, &span);
    let bare = prior(bytes, span.start) == b' ' || span.start == start;
    let shown = word.starts_with(b"$(") || bare && (word.starts_with(b"-") || is_prose(word));
    (!shown).then(|| hidden(bytes, span))?
}

/// What stands in a span behind a mark.
pub(super) fn behind(bytes: &[u8], span: &Range<usize>, mark: u8) -> Option<Range<usize>> {
    let sign = run_end(bytes, span.start, span.len(), |byte| *byte != mark);
    (sign < span.end).then(|| hidden(bytes, sign + 1..span.end))?
}

/// The inside of a quoted or bracketed value at `start`.
pub(super) fn enclosed(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let open = run_end(bytes, start, 8, |byte| *byte == b'\\');
    match at(bytes, open) {
        0x80.. => typographic(bytes, open),
        quote @ (b'"' | b'\'' | b'`') => {
            let escapes = open - start;
            let mut slashes = 0;
            let mut index = open + 1;
            while let Some(&byte) = bytes.get(index) {
                let same = slashes <= escapes && slashes % 2 == escapes % 2;
                if byte == quote && (same || slashes < escapes) {
                    return Some(open + 1..index - slashes);
                }
                if byte == b'\n' && quote != b'`' {
                    break;
                }
                slashes = if byte == b'\\' { slashes + 1 } else { 0 };
                index += 1;
            }
            Some(open + 1..index)
        }
        b'[' if open == start => {
            let mut depth = 0_usize;
            let ends = |byte: &u8| {
                match byte {
                    b'[' => depth += 1,
                    b']' => depth -= 1,
                    _ => {}
                }
                depth == 0
            };
            let inner = bytes.get(start..)?.iter().take(4096).position(ends)?;
            // `[redacted]` itself is a value, not a list.
            let label = is_placeholder(slice(bytes, start, start + inner + 1));
            (!label).then_some(start + 1..start + inner)
        }
        _ => None,
    }
}

/// The inside of „…“, «…» and the like at `start`.
fn typographic(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    const PAIRS: [&[u8]; 16] = list("“,”,„,“,„,”,‘,’,‚,‘,«,»,»,«,「,」");
    PAIRS.chunks_exact(2).find_map(|pair| {
        let [open, close] = pair else { return None };
        let inner = start + open.len();
        if !has(bytes, start, open) {
            return None;
        }
        let line = run_end(bytes, inner, 256, |byte| *byte != b'\n');
        let end = (inner..line).find(|&index| has(bytes, index, close))?;
        // French puts spaces inside, some of them without a break.
        let told = slice(bytes, inner, end);
        let told = told
            .strip_prefix("\u{a0}".as_bytes())
            .unwrap_or(told.trim_ascii_start());
        let start = end - told.len();
        let told = told.trim_ascii_end();
        (!told.is_empty()).then_some(start..start + told.len())
    })
}

/// The inside of a value in braces, as connection strings quote them: `Password={a;b};`.
pub(super) fn braced(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    if at(bytes, start) != b'{' {
        return None;
    }
    let line = run_end(bytes, start + 1, 255, |byte| *byte != b'\n');
    let ends = |index: &usize| {
        at(bytes, *index) == b'}' && (at(bytes, index + 1) == b';' || index + 1 == bytes.len())
    };
    hidden(bytes, start + 1..(start + 1..line).find(ends)?)
}

/// Whether a template such as `{token}`, `{{ token }}`, `${{ x }}` or an object starts at `start`.
pub(super) fn is_template(bytes: &[u8], start: usize) -> bool {
    let brace = start + usize::from(at(bytes, start) == b'$');
    let next = at(bytes, brace + 1);
    let label = || {
        let close = run_end(bytes, brace, LONGEST, |byte| *byte != b'}');
        let close = run_end(bytes, close, 2, |byte| *byte == b'}');
        is_placeholder(slice(bytes, start, close))
    };
    at(bytes, brace) == b'{'
        && (brace + 1 >= bytes.len()
            || next.is_ascii_whitespace()
            || matches!(next, b'"' | b'\'' | b'\\')
            || has(bytes, brace + 1, REDACTED.as_bytes())
            || label())
}

/// Whether an empty list, the head of a list on more lines, or a label such as `[hidden]` starts at `start`.
pub(super) fn is_list(bytes: &[u8], start: usize) -> bool {
    let next = at(bytes, start + 1);
    let label = || {
        let close = run_end(bytes, start, LONGEST, |byte| *byte != b']');
        is_placeholder(slice(bytes, start, close + 1))
    };
    at(bytes, start) == b'['
        && (start + 1 >= bytes.len() || next.is_ascii_whitespace() || next == b']' || label())
}

/// Whether the value is what a command says, `$(cat token)`, or the call of a function, `parser.next()`, that ends its name at
/// `end`. What is only echoed stands in the command.
pub(super) fn is_code(bytes: &[u8], start: usize, end: usize) -> bool {
    let word = run_end(bytes, start + 2, 32, wordy(b"-"));
    let echo = matches!(slice(bytes, start + 2, word), b"echo" | b"printf");
    let name = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b':');
    let path = slice(bytes, start, end).strip_suffix(b"(");
    has(bytes, start, b"$(") && at(bytes, word) == b' ' && !echo
        || at(bytes, end) == b')'
            && path.is_some_and(|path| !path.is_empty() && path.iter().all(name))
}

/// The end of a bare value: white space ends it, and so does punctuation that is followed by something new.
pub(super) fn value_end(bytes: &[u8], start: usize, query: bool) -> usize {
    let mut index = start;
    while let Some(&byte) = bytes.get(index) {
        let stops = match byte {
            b'"' | b'<' | b'`' => true,
            b'&' | b'#' if query => true,
            b';' => !query,
            b'\\' => matches!(at(bytes, index + 1), b'n' | b'r' | b't' | b'"' | b'\''),
            b',' | b'&' | b'\'' | b')' | b']' | b'}' | b'>' | b'|' => is_break(bytes, index + 1),
            _ => byte.is_ascii_whitespace(),
        };
        if stops {
            break;
        }
        index += 1;
    }
    index
}

/// Whether something new begins here: the end, more punctuation, or the next pair.
fn is_break(bytes: &[u8], index: usize) -> bool {
    let next = at(bytes, index);
    let pair = || {
        let end = run_end(bytes, index, 40, IS_NAME);
        end > index && matches!(at(bytes, end), b'=' | b':')
    };
    index >= bytes.len() || next.is_ascii_whitespace() || b"\"',)]}.;<>\\".contains(&next) || pair()
}

/// What the name of a pair consists of.
pub(super) const IS_NAME: fn(&u8) -> bool =
    |byte| byte.is_ascii_alphanumeric() || b"_-.[]$".contains(byte);

/// What is left of a word in a sentence: up to its quote, without the punctuation behind it. Of what was hidden before only the mark.
pub(super) fn word_end(bytes: &[u8], start: usize, limit: usize, stops: &[u8]) -> usize {
    if has(bytes, start, REDACTED.as_bytes()) {
        return start + REDACTED.len();
    }
    let inside = |byte: &u8| !byte.is_ascii_whitespace() && !stops.contains(byte);
    trim(bytes, start, run_end(bytes, start, limit, inside))
}

/// Cuts sentence punctuation off the end of a word.
pub(super) fn trim(bytes: &[u8], start: usize, end: usize) -> usize {
    let most = end.saturating_sub(start);
    run_start(bytes, end, most, |byte| b".,;:!?)]}".contains(byte))
}

/// The end of the line, also when the line end is written as an escape.
pub(super) fn line_end(bytes: &[u8], start: usize) -> usize {
    let ends = |index: &usize| match at(bytes, *index) {
        b'\n' | b'\r' => true,
        b'\\' => matches!(at(bytes, index + 1), b'n' | b'r'),
        _ => false,
    };
    let end = (start..bytes.len()).find(ends);
    end.unwrap_or(bytes.len().max(start))
}

/// The end of the line, or the quote that was opened in front of the name.
pub(super) fn outer_end(bytes: &[u8], start: usize, lead: u8, limit: usize) -> usize {
    let window = slice(bytes, 0, bytes.len().min(start.saturating_add(limit)));
    let line = line_end(window, start);
    if !matches!(lead, b'"' | b'\'' | b'`') {
        return line;
    }
    let quote = run_end(bytes, start, line - start, |byte| *byte != lead);
    quote - usize::from(quote < line && quote > start && prior(bytes, quote) == b'\\')
}
