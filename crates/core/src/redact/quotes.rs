//! Values in quotes and brackets.

use std::ops::Range;

use super::plain::{at, has, is_placeholder, run_end, slice};

/// The inside of a quoted or bracketed value at `start`.
pub(super) fn enclosed(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let open = run_end(bytes, start, 8, |byte| byte == b'\\');
    let quote = at(bytes, open);
    if quote >= 0x80 {
        return typographic(bytes, open);
    }
    if matches!(quote, b'"' | b'\'' | b'`') {
        let escapes = open - start;
        let mut slashes = 0;
        let mut index = open + 1;
        while let Some(&byte) = bytes.get(index) {
            if byte == quote
                && (slashes <= escapes && slashes % 2 == escapes % 2 || slashes < escapes)
            {
                return Some(open + 1..index - slashes);
            }
            if byte == b'\n' && quote != b'`' {
                break;
            }
            slashes = if byte == b'\\' { slashes + 1 } else { 0 };
            index += 1;
        }
        return Some(open + 1..index);
    }
    if open > start || quote != b'[' {
        return None;
    }
    let mut depth = 0_usize;
    for (offset, &byte) in slice(bytes, start, bytes.len().min(start + 4096))
        .iter()
        .enumerate()
    {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            b'\n' if depth == 0 => break,
            _ => {}
        }
        if depth == 0 {
            // `[redacted]` itself is a value, not a list.
            return (!is_placeholder(slice(bytes, start, start + offset + 1)))
                .then_some(start + 1..start + offset);
        }
    }
    None
}

/// The inside of „…“, «…» and the like at `start`.
fn typographic(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    const PAIRS: [(&str, &str); 8] = [
        ("“", "”"),
        ("„", "“"),
        ("„", "”"),
        ("‘", "’"),
        ("‚", "‘"),
        ("«", "»"),
        ("»", "«"),
        ("「", "」"),
    ];
    PAIRS.iter().find_map(|(open, close)| {
        let inner = start + open.len();
        if !has(bytes, start, open.as_bytes()) {
            return None;
        }
        let line = run_end(bytes, inner, 256, |byte| byte != b'\n');
        let end = (inner..line).find(|&index| has(bytes, index, close.as_bytes()))?;
        let told = slice(bytes, inner, end);
        // French puts spaces inside, some of them without a break.
        let space = |text: &[u8]| text.len() - text.trim_ascii_start().len();
        let lead = if told.starts_with("\u{a0}".as_bytes()) {
            2
        } else {
            space(told)
        };
        let tail = told.len() - told.trim_ascii_end().len();
        (inner + lead < end - tail).then_some(inner + lead..end - tail)
    })
}
