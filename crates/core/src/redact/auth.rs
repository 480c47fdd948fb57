//! Values of `Authorization`, and credentials that stand in text behind their scheme.

use std::ops::Range;

use super::plain::{
    LONGEST, at, has, has_any_case, is_placeholder, is_prose, run_end, run_start, slice,
};
use super::words::Words;

/// Schemes followed by one credential.
static SINGLE: Words<64> = Words::of("bearer basic token apikey negotiate ntlm dpop");
/// Schemes followed by several parts.
static SEVERAL: Words<64> = Words::of("digest hawk oauth");

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
    let bytes = slice(bytes, 0, end);
    let skip_space = |at: usize| run_end(bytes, at, usize::MAX, |byte| byte.is_ascii_whitespace());
    let skip_word = |at: usize| run_end(bytes, at, usize::MAX, |byte| !byte.is_ascii_whitespace());
    let first = skip_space(start);
    let first_end = skip_word(first);
    let scheme = slice(bytes, first, first_end);
    let shown = is_placeholder(slice(bytes, first, end.min(first + LONGEST + 1)));
    if shown || !whole && is_prose(scheme) {
        return None;
    }
    let single = SINGLE.has_any_case(scheme);
    let second = skip_space(first_end);
    if second >= end {
        let bare = single || SEVERAL.has_any_case(scheme) || is_placeholder(scheme);
        let end = if whole {
            end
        } else {
            trim(bytes, first, first_end)
        };
        return (!bare).then_some(first..end);
    }
    let rest_end = second + slice(bytes, second, end).trim_ascii_end().len();
    let stop = if single && !whole {
        text_end(bytes, second)
    } else {
        rest_end
    };
    let value = slice(bytes, second, stop);
    let word = slice(bytes, second, skip_word(second));
    let said = || is_placeholder(word) || is_prose(word) || is_prose(value) || is_noun(value);
    if is_placeholder(value) || !whole && said() {
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
    let scheme = ["bearer", "basic", "digest"]
        .into_iter()
        .find(|scheme| has_any_case(bytes, start, scheme.as_bytes()))?;
    let space = start + scheme.len();
    let value = run_end(bytes, space, 8, |byte| matches!(byte, b' ' | b'\t' | b'+'));
    if value == space {
        return None;
    }
    match scheme {
        "digest" => has_any_case(bytes, value, b"username=").then(|| value..line_end(bytes, value)),
        "basic" => {
            let end = run_end(bytes, value, usize::MAX, |byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
            });
            // The pair as it is sent, or not yet encoded.
            let sent = base64(slice(bytes, value, end.min(value + 1024)))
                .is_some_and(|pair| pair.contains(&b':'));
            if at(bytes, end) != b':' {
                return (sent && end - value >= 6).then_some(value..end);
            }
            let next = run_end(bytes, end + 1, 128, is_token68);
            super::runs::is_random(slice(bytes, end + 1, next)).then_some(end + 1..next)
        }
        _ => {
            // Looked at in a window first, so that a repeated scheme cannot make the scan quadratic.
            let seen = run_end(bytes, value, 256, is_token68);
            let word = slice(bytes, value, trim(bytes, value, seen));
            let mut sign = word.iter().enumerate().filter(|(_, byte)| **byte == b'=');
            let challenge = sign.next().is_some_and(|(index, _)| {
                matches!(at(bytes, value + index + 1), b'"' | b'\'' | b'\\')
                    || word.get(index + 1).is_some_and(|&next| next != b'=')
            });
            let mixed = word.len() >= 24
                || word.iter().any(|byte| !byte.is_ascii_alphabetic())
                || word.iter().skip(1).any(u8::is_ascii_uppercase)
                    && word.iter().any(u8::is_ascii_lowercase);
            let said = is_placeholder(word) || is_prose(word) || is_noun(word);
            if word.len() < 8 || challenge || !mixed || said {
                return None;
            }
            let end = run_end(bytes, value, usize::MAX, is_token68);
            Some(value..trim(bytes, value, end))
        }
    }
}

/// The end of the line, also when the line end is written as an escape.
pub(super) fn line_end(bytes: &[u8], start: usize) -> usize {
    let ends = |index: &usize| match at(bytes, *index) {
        b'\n' | b'\r' => true,
        b'\\' => matches!(at(bytes, index + 1), b'n' | b'r'),
        _ => false,
    };
    (start..bytes.len())
        .find(ends)
        .unwrap_or(bytes.len().max(start))
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
    run_start(bytes, end, end.saturating_sub(start), |byte| {
        matches!(
            byte,
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b')' | b']' | b'}'
        )
    })
}

/// The end of one credential inside a line of text.
fn text_end(bytes: &[u8], start: usize) -> usize {
    // `Bearer [redacted], then` was hidden before: only the mark counts.
    let mark = super::REDACTED.as_bytes();
    if has(bytes, start, mark) {
        return start + mark.len();
    }
    let inside = |byte: u8| !byte.is_ascii_whitespace() && !b"\"'`<>\\|".contains(&byte);
    trim(bytes, start, run_end(bytes, start, usize::MAX, inside))
}

fn is_token68(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)
}

/// "Bearer token", "bearer token-based", "Basic authentication".
fn is_noun(word: &[u8]) -> bool {
    const NOUNS: [&str; 4] = ["token", "credential", "auth", "access-token"];
    NOUNS
        .iter()
        .any(|noun| has_any_case(word, 0, noun.as_bytes()))
        && word
            .iter()
            .all(|&byte| byte.is_ascii_alphabetic() || byte == b'-')
}
