//! Passwords inside connection strings.

use std::ops::Range;

use super::plain::{at, has, is_placeholder, run_end, slice};

/// The password of the userinfo behind the `://` whose colon is at `index`.
pub(super) fn userinfo(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let start = index + 3;
    let authority = run_end(bytes, start, usize::MAX, |byte| {
        inside(byte) && !matches!(byte, b'/' | b'?' | b'#')
    });
    let colon = slice(bytes, start, authority)
        .iter()
        .position(|&byte| byte == b':')
        .map(|offset| start + offset);
    if let Some(mark) = slice(bytes, start, authority)
        .iter()
        .rposition(|&byte| byte == b'@')
        .map(|offset| start + offset)
    {
        return match colon.filter(|&colon| colon < mark) {
            Some(colon) => hidden(bytes, colon + 1, mark),
            None => (super::hint::is_random(slice(bytes, start, mark))).then_some(start..mark),
        };
    }
    // A password may hold a raw slash: then what follows the colon is no port.
    let colon = colon?;
    let port = run_end(bytes, colon + 1, 6, |byte| byte.is_ascii_digit());
    if port == authority || at(bytes, start) == b'[' {
        return None;
    }
    let end = run_end(bytes, authority, 256, inside);
    let mark = slice(bytes, authority, end)
        .iter()
        .rposition(|&byte| byte == b'@')
        .map(|offset| authority + offset)?;
    hidden(bytes, colon + 1, mark)
}

/// The password in `user:password@tcp(host)`, whose `@` is at `index`.
pub(super) fn driver(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    if !has(bytes, index + 1, b"tcp(") && !has(bytes, index + 1, b"unix(") {
        return None;
    }
    let from = index.saturating_sub(128);
    let before = slice(bytes, from, index);
    let word = before
        .iter()
        .rposition(|&byte| !inside(byte))
        .map_or(0, |offset| offset + 1);
    let colon = slice(before, word, before.len())
        .iter()
        .position(|&byte| byte == b':')?;
    hidden(bytes, from + word + colon + 1, index)
}

/// The password in `-u user:password`, where `index` is at the dash.
pub(super) fn curl_user(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let start = [&b"-u "[..], b"--user ", b"--proxy-user "]
        .iter()
        .find(|flag| has(bytes, index, flag))
        .map(|flag| index + flag.len())?;
    let start = run_end(bytes, start, 2, |byte| matches!(byte, b' ' | b'"' | b'\''));
    let user = run_end(bytes, start, 64, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@')
    });
    if user == start || at(bytes, user) != b':' {
        return None;
    }
    hidden(bytes, user + 1, run_end(bytes, user + 1, 256, inside))
}

fn hidden(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    (start < end && !is_placeholder(slice(bytes, start, end))).then_some(start..end)
}

fn inside(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
}
