//! Values of `Authorization`, and credentials that stand in text behind their scheme.

use std::ops::Range;

use super::plain::{LONGEST, at, has_any_case, is_placeholder, is_prose, run_end, slice};

/// What to hide of an authorization value between `start` and `end`.
///
/// `whole` says that the range is exactly the value; otherwise it is the rest of a line of text, and a scheme with a
/// single credential ends with its word.
pub(super) fn credentials(
    bytes: &[u8],
    start: usize,
    end: usize,
    whole: bool,
) -> Option<Range<usize>> {
    let first = skip_space(bytes, start, end);
    let first_end = word_end(bytes, first, end);
    let scheme = slice(bytes, first, first_end);
    if scheme.is_empty()
        || (!whole && is_prose(scheme))
        || is_placeholder(slice(bytes, first, end.min(first + LONGEST + 1)))
    {
        return None;
    }
    let second = skip_space(bytes, first_end, end);
    if second >= end {
        let bare = SINGLE
            .iter()
            .chain(&["digest", "hawk", "oauth"])
            .any(|name| scheme.eq_ignore_ascii_case(name.as_bytes()));
        let shown = bare || is_placeholder(scheme);
        return (!shown).then_some(
            first..if whole {
                end
            } else {
                trim(bytes, first, first_end)
            },
        );
    }
    let rest_end = trim_space(bytes, second, end);
    let single = SINGLE
        .iter()
        .any(|name| scheme.eq_ignore_ascii_case(name.as_bytes()));
    let stop = if single && !whole {
        text_end(bytes, second, end)
    } else {
        rest_end
    };
    let value = slice(bytes, second, stop);
    if is_placeholder(value)
        || is_placeholder(slice(bytes, second, word_end(bytes, second, rest_end))) && !whole
    {
        return None;
    }
    if !whole
        && (is_prose(value)
            || is_prose(slice(bytes, second, word_end(bytes, second, rest_end)))
            || is_noun(value))
    {
        return None;
    }
    if single {
        return (stop > second).then_some(second..stop);
    }
    let named = scheme.len() <= 24
        && at(scheme, 0).is_ascii_alphabetic()
        && scheme.iter().filter(|byte| byte.is_ascii_digit()).count() <= 4
        && scheme
            .iter()
            .all(|&byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    Some(if named { second } else { first }..rest_end)
}

/// A credential behind `Bearer` or `Basic` somewhere in text, or the parameters behind `Digest`.
pub(super) fn standalone(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let (scheme, value) = ["bearer", "basic", "digest"].iter().find_map(|scheme| {
        let space = start + scheme.len();
        if !has_any_case(bytes, start, scheme.as_bytes())
            || !matches!(at(bytes, space), b' ' | b'\t' | b'+')
        {
            return None;
        }
        Some((
            *scheme,
            run_end(bytes, space, 8, |byte| matches!(byte, b' ' | b'\t' | b'+')),
        ))
    })?;
    match scheme {
        "digest" => has_any_case(bytes, value, b"username=").then(|| value..line_end(bytes, value)),
        "basic" => {
            let end = run_end(bytes, value, usize::MAX, |byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
            });
            let pair = base64(slice(bytes, value, end.min(value + 1024)))?;
            (end - value >= 6 && pair.contains(&b':')).then_some(value..end)
        }
        _ => {
            // Looked at in a window first, so that a repeated scheme cannot make the scan quadratic.
            let seen = run_end(bytes, value, 256, is_token68);
            let word = slice(bytes, value, trim(bytes, value, seen));
            let challenge = word
                .iter()
                .position(|&byte| byte == b'=')
                .is_some_and(|index| {
                    matches!(at(bytes, value + index + 1), b'"' | b'\'' | b'\\')
                        || word.get(index + 1).is_some_and(|&next| next != b'=')
                });
            let mixed = word.iter().any(u8::is_ascii_digit)
                || word.iter().skip(1).any(u8::is_ascii_uppercase)
                    && word.iter().any(u8::is_ascii_lowercase)
                || word.iter().any(|byte| !byte.is_ascii_alphanumeric())
                || word.len() >= 24;
            if word.len() < 8
                || challenge
                || !mixed
                || is_placeholder(word)
                || is_prose(word)
                || is_noun(word)
            {
                return None;
            }
            let end = run_end(bytes, value, usize::MAX, is_token68);
            Some(value..trim(bytes, value, end))
        }
    }
}

/// The end of the line, also when the line end is written as an escape.
pub(super) fn line_end(bytes: &[u8], start: usize) -> usize {
    let mut index = start;
    while let Some(&byte) = bytes.get(index) {
        if matches!(byte, b'\n' | b'\r')
            || byte == b'\\' && matches!(at(bytes, index + 1), b'n' | b'r')
        {
            break;
        }
        index += 1;
    }
    index
}

/// Decodes either base64 alphabet; nothing if a byte belongs to neither.
pub(super) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let (mut bits, mut count) = (0_u32, 0_u32);
    for &byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0x3_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xff).unwrap_or(0));
        }
    }
    Some(out)
}

/// Cuts sentence punctuation off the end of a word.
pub(super) fn trim(bytes: &[u8], start: usize, end: usize) -> usize {
    let word = slice(bytes, start, end);
    let kept = word.iter().rposition(|byte| {
        !matches!(
            byte,
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b')' | b']' | b'}'
        )
    });
    kept.map_or(start, |last| start + last + 1)
}

fn trim_space(bytes: &[u8], start: usize, end: usize) -> usize {
    start + slice(bytes, start, end).trim_ascii_end().len()
}

fn skip_space(bytes: &[u8], start: usize, end: usize) -> usize {
    run_end(bytes, start, end.saturating_sub(start), |byte| {
        byte.is_ascii_whitespace()
    })
}

fn word_end(bytes: &[u8], start: usize, end: usize) -> usize {
    run_end(bytes, start, end.saturating_sub(start), |byte| {
        !byte.is_ascii_whitespace()
    })
}

/// The end of one credential inside a line of text.
fn text_end(bytes: &[u8], start: usize, end: usize) -> usize {
    let inside = |byte: u8| {
        !byte.is_ascii_whitespace()
            && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|')
    };
    let stop = run_end(bytes, start, end.saturating_sub(start), inside);
    // `Bearer [redacted], then` was hidden before: only the mark counts.
    let mark = super::REDACTED.as_bytes();
    if slice(bytes, start, stop).starts_with(mark) {
        start + mark.len()
    } else {
        trim(bytes, start, stop)
    }
}

fn is_token68(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
}

/// "Bearer token", "bearer token-based", "Basic authentication".
fn is_noun(word: &[u8]) -> bool {
    [
        &b"token"[..],
        b"tokens",
        b"credential",
        b"auth",
        b"access-token",
    ]
    .iter()
    .any(|noun| {
        has_any_case(word, 0, noun)
            && !at(word, noun.len()).is_ascii_digit()
            && word
                .iter()
                .all(|&byte| byte.is_ascii_alphabetic() || byte == b'-')
    })
}

/// Schemes followed by one credential.
const SINGLE: [&str; 7] = [
    "bearer",
    "basic",
    "token",
    "apikey",
    "negotiate",
    "ntlm",
    "dpop",
];
