//! Random-looking runs: secret only next to a word that says so.

use std::ops::Range;

use super::keys;
use super::plain::{at, run_start, slice};
use super::words::Words;

/// What to hide of the run `start..end` of base64 letters, judged by the words in front of it.
pub(super) fn run(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let text = slice(bytes, start, end);
    // Behind a percent escape the decoded look decides.
    if start > 0 && at(bytes, start - 1) == b'%' && text.iter().take(2).all(u8::is_ascii_hexdigit) {
        return None;
    }
    let from = if is_random(text) {
        start
    } else {
        let tail = text
            .iter()
            .rposition(|&byte| byte == b'/')
            .map(|slash| start + slash + 1)?;
        is_random(slice(bytes, tail, end)).then_some(tail)?
    };
    let end = end
        + slice(bytes, end, end + 2)
            .iter()
            .take_while(|&&byte| byte == b'=')
            .count();
    hinted(bytes, from).then_some(from..end)
}

/// Whether a word that says so stands anywhere in the text.
fn anywhere(bytes: &[u8]) -> bool {
    // Three letters rule out almost every place. A byte of `seen` has a bit for each beginning that its letters fit so far: the
    // lowest after one letter, the third after all.
    let mut seen = 0_u32;
    bytes.iter().enumerate().any(|(index, byte)| {
        let fits = LETTERS.get(usize::from(*byte)).copied().unwrap_or(0);
        seen = ((seen << 8) | 0xff) & fits;
        seen >> 16 != 0 && begins(slice(bytes, index - 2, bytes.len()))
    })
}

/// Whether a text begins with one of the words.
fn begins(text: &[u8]) -> bool {
    // The fourth letter tells most of the others from `api.` and the like.
    let fourth = at(text, 3) | 0x20;
    HINTS.iter().any(|hint| {
        at(hint, 3) | 0x20 == fourth
            && text
                .get(..hint.len())
                .is_some_and(|word| word.eq_ignore_ascii_case(hint))
    })
}

/// Whether a text looks drawn at random: long hexadecimal, or letters of both cases with digits.
pub(super) fn is_random(text: &[u8]) -> bool {
    if text.len() < 20 || is_uuid(text) {
        return false;
    }
    let (mut digits, mut marks, mut upper, mut lower) = (0, 0, false, false);
    for byte in text {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'A'..=b'Z' => upper = true,
            b'a'..=b'z' => lower = true,
            _ => marks += 1,
        }
    }
    if text.len() >= 32 && text.iter().all(u8::is_ascii_hexdigit) {
        return digits > 0 && distinct(text) >= 6;
    }
    marks * 7 <= text.len()
        && (digits > 0 && upper && lower || text.len() >= 32 && digits >= 4)
        && distinct(text) >= 10
}

/// How many different bytes there are.
pub(super) fn distinct(text: &[u8]) -> u32 {
    // A bit for each byte.
    let mut seen = [0_u64; 4];
    for &byte in text {
        if let Some(bits) = seen.get_mut(usize::from(byte >> 6)) {
            *bits |= 1 << (byte & 63);
        }
    }
    seen.iter().map(|bits| bits.count_ones()).sum()
}

/// What is random and not secret.
static OTHER: Words = Words::of(
    "commit sha sha1 sha256 sha384 sha512 md5 digest hash checksum etag id uuid trace traceid \
     trace_id trace-id span request request_id fingerprint revision rev",
);

fn hinted(bytes: &[u8], start: usize) -> bool {
    let from = start.saturating_sub(56);
    let before = slice(bytes, from, start);
    let line = before
        .iter()
        .rposition(|byte| matches!(byte, b'\n' | b'\r'))
        .map_or(0, |offset| offset + 1);
    let before = slice(before, line, before.len());
    let mut end = before.len();
    while end > 0
        && matches!(
            at(before, end - 1),
            b' ' | b'\t' | b'"' | b'\'' | b'`' | b'(' | b'=' | b':' | b'\\'
        )
    {
        end -= 1;
    }
    let assigned = slice(before, end, before.len())
        .iter()
        .any(|byte| matches!(byte, b'=' | b':'));
    let word = end
        - slice(before, 0, end)
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
            .count();
    let nearest = slice(before, word, end);
    // A value with a name of its own was judged by that name.
    if assigned && !nearest.is_empty() && !keys::sensitive(nearest) {
        return false;
    }
    if OTHER.has_any_case(nearest) {
        return false;
    }
    anywhere(before) || spoken(before, word, end)
}

/// Whether the nearest word, from `word` to `end`, and the one before it name a secret: "HMAC key …".
fn spoken(before: &[u8], word: usize, end: usize) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let nearest = slice(before, word, end);
    let space = word
        .checked_sub(1)
        .filter(|&space| at(before, space) == b' ');
    let known = matches!(nearest.last(), Some(b'y' | b'Y' | b'e' | b'E'));
    known
        && space.is_some_and(|space| {
            keys::sensitive(slice(before, run_start(before, space, 32, inside), end))
        })
}

pub(super) fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(index, byte)| {
            if matches!(index, 8 | 13 | 18 | 23) {
                *byte == b'-'
            } else {
                byte.is_ascii_hexdigit()
            }
        })
}

/// The three letters the words begin with.
const BEGINNINGS: [[u8; 3]; 8] = [
    *b"sec", *b"pas", *b"tok", *b"api", *b"acc", *b"pri", *b"cre", *b"bea",
];

/// For every letter the beginnings it is in: a byte for each of the three places, a bit in it for each beginning.
static LETTERS: [u32; 256] = {
    let mut table = [0; 256];
    let mut number = 0;
    while number < BEGINNINGS.len() {
        let mut place = 0;
        while place < 3 {
            let letter = BEGINNINGS[number][place];
            let bit = 1 << (8 * place + number);
            table[letter as usize] |= bit;
            table[letter.to_ascii_uppercase() as usize] |= bit;
            place += 1;
        }
        number += 1;
    }
    table
};

/// The words, in lower case. Their first three letters stand in [`BEGINNINGS`] as well.
const HINTS: [&[u8]; 13] = [
    b"secret",
    b"password",
    b"passwd",
    b"token",
    b"api key",
    b"apikey",
    b"api_key",
    b"api-key",
    b"access key",
    b"private key",
    b"credential",
    b"bearer",
    b"passphrase",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hint_is_found_anywhere() {
        for hint in HINTS {
            let text = [b"1 ", hint.to_ascii_uppercase().as_slice(), b" 2"].concat();
            assert!(anywhere(hint) && anywhere(&text));
        }
        assert!(!anywhere(b"") && !anywhere(b"the commit 0f1e2d3c4b5a69788796a5b4c3d2e1f0"));
    }
}
