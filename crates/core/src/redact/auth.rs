//! Values of `Authorization`, and credentials that stand in text behind their scheme.

use std::ops::Range;

use super::plain::{
    Count, LONGEST, at, has_any_case, is_placeholder, is_prose, run_end, slice, wordy,
};
use super::runs::is_random;
use super::values::{line_end, trim, word_end};
use super::words::{Words, list};

/// Schemes followed by one credential.
static SINGLE: Words<64> = Words::of("bearer basic token apikey negotiate ntlm dpop");
/// Schemes followed by several parts.
static SEVERAL: Words<64> = Words::of("digest hawk oauth");

/// The marks of a credential besides letters and digits (RFC 9110 section 11.2).
const TOKEN68: &[u8; 7] = b"-._~+/=";

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
    let skip_space = |at| run_end(bytes, at, usize::MAX, u8::is_ascii_whitespace);
    let skip_word = |at| run_end(bytes, at, usize::MAX, |byte| !byte.is_ascii_whitespace());
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
        word_end(bytes, second, usize::MAX, b"\"'`<>\\|")
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
        return Some(second..stop);
    }
    let named = scheme.len() <= 24
        && at(scheme, 0).is_ascii_alphabetic()
        && Count::of(scheme).digits <= 4
        && scheme.iter().all(wordy(b"-_"));
    Some(if named { second } else { first }..rest_end)
}

/// A credential behind `Bearer` or `Basic` somewhere in text, or the parameters behind `Digest`.
pub(super) fn standalone(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let scheme = ["bearer", "basic", "digest"]
        .into_iter()
        .find(|scheme| has_any_case(bytes, start, scheme.as_bytes()))?;
    let space = start + scheme.len();
    let value = run_end(bytes, space, 8, |byte| b" \t+".contains(byte));
    if value == space {
        return None;
    }
    match scheme {
        "digest" => has_any_case(bytes, value, b"username=").then(|| value..line_end(bytes, value)),
        "basic" => {
            let end = run_end(bytes, value, usize::MAX, wordy(b"+/="));
            // The pair as it is sent, or not yet encoded.
            if at(bytes, end) == b':' {
                let next = run_end(bytes, end + 1, 128, wordy(TOKEN68));
                return is_random(slice(bytes, end + 1, next)).then_some(end + 1..next);
            }
            let sent = base64(slice(bytes, value, end.min(value + 1024)))
                .is_some_and(|pair| pair.contains(&b':'));
            (sent && end - value >= 6).then_some(value..end)
        }
        _ => {
            // Looked at in a window first, so that a repeated scheme cannot make the scan quadratic.
            let seen = run_end(bytes, value, 256, wordy(TOKEN68));
            let word = slice(bytes, value, trim(bytes, value, seen));
            // `Bearer realm="…"` asks for one.
            let sign = run_end(word, 0, usize::MAX, |byte| *byte != b'=');
            let next = at(bytes, value + sign + 1);
            let quoted = matches!(next, b'"' | b'\'' | b'\\');
            let challenge = sign < word.len()
                && (quoted || word.get(sign + 1).is_some_and(|&next| next != b'='));
            let count = Count::of(word);
            let capitals = count.upper - usize::from(at(word, 0).is_ascii_uppercase());
            let mixed = word.len() >= 24
                || count.digits + count.marks > 0
                || capitals > 0 && count.lower > 0;
            if word.len() < 8
                || challenge
                || !mixed
                || is_placeholder(word)
                || is_prose(word)
                || is_noun(word)
            {
                return None;
            }
            let end = run_end(bytes, value, usize::MAX, wordy(TOKEN68));
            Some(value..trim(bytes, value, end))
        }
    }
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

/// "Bearer token", "bearer token-based", "Basic authentication".
fn is_noun(word: &[u8]) -> bool {
    const NOUNS: [&[u8]; 4] = list("token,credential,auth,access-token");
    let letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'-';
    NOUNS.iter().any(|noun| has_any_case(word, 0, noun)) && word.iter().all(letter)
}
