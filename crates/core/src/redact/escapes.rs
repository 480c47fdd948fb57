//! Secrets in text with the escapes of JSON and of programs: decoded, looked at, and mapped back.
//!
//! `AKIA\u0041…` inside of a string that is JSON itself, or of a line of a log, is the same key.

use std::ops::Range;

use super::scan::scan_at;

/// Adds what shows only after the escapes are decoded, also when the text was escaped more than once.
pub(super) fn scan_decoded(bytes: &[u8], depth: u8, spans: &mut Vec<Range<usize>>) {
    let mut text = bytes.to_vec();
    let mut places: Vec<usize> = (0..=bytes.len()).collect();
    for _ in 0..LEVELS {
        let Some((decoded, origins)) = decode(&text) else {
            return;
        };
        let place = |at: usize| places.get(at).copied().unwrap_or(bytes.len());
        let origins: Vec<usize> = origins.into_iter().map(place).collect();
        let back = |at: usize| origins.get(at).copied().unwrap_or(bytes.len());
        let found = scan_at(&decoded, depth).spans;
        spans.extend(found.iter().map(|span| back(span.start)..back(span.end)));
        text = decoded;
        places = origins;
    }
}

/// The decoded bytes, and where each of them, and the end, was. Nothing if there was nothing to decode.
fn decode(text: &[u8]) -> Option<(Vec<u8>, Vec<usize>)> {
    if !text.contains(&b'\\') {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut origins = Vec::with_capacity(text.len() + 1);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let (taken, letter) = match escape(text.get(at..).unwrap_or_default()) {
            Some(decoded) if byte == b'\\' => decoded,
            _ => {
                out.push(byte);
                origins.push(at);
                at += 1;
                continue;
            }
        };
        let mut buffer = [0; 4];
        for byte in letter.encode_utf8(&mut buffer).bytes() {
            out.push(byte);
            origins.push(at);
        }
        at += taken;
    }
    origins.push(text.len());
    (out.len() < text.len()).then_some((out, origins))
}

/// How many bytes an escape takes, and the letter it stands for.
fn escape(text: &[u8]) -> Option<(usize, char)> {
    let letter = match text.get(1)? {
        b'u' => {
            let high = unit(text, 2)?;
            if !(0xd800..=0xdbff).contains(&high) {
                return char::from_u32(high).map(|letter| (6, letter));
            }
            let low = unit(text, 8).filter(|low| (0xdc00..=0xdfff).contains(low))?;
            let pair = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            return char::from_u32(pair).map(|letter| (12, letter));
        }
        b'x' => {
            let byte = digits(text.get(2..4)?)?;
            return char::from_u32(byte).map(|letter| (4, letter));
        }
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        byte @ (b'"' | b'\\' | b'/' | b'\'') => char::from(*byte),
        _ => return None,
    };
    Some((2, letter))
}

fn unit(text: &[u8], at: usize) -> Option<u32> {
    if text.get(at - 2..at)? != b"\\u" {
        return None;
    }
    digits(text.get(at..at + 4)?)
}

fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |number, &byte| {
        Some(number * 16 + char::from(byte).to_digit(16)?)
    })
}

/// How often text is decoded: JSON in JSON in a log is seen, more is not meant to be read.
const LEVELS: usize = 3;

#[cfg(test)]
mod tests {
    use crate::redact::text;

    #[test]
    fn an_escape_in_the_middle_hides_nothing() {
        let key = ["AKIA", "QYZ7KFJ2P4XWM5ND"].concat();
        let (head, tail) = key.split_at(9);
        let letter = u32::from(tail.chars().next().unwrap());
        for escaped in [
            format!("{head}\\u{letter:04x}{}", &tail[1..]),
            format!("{head}\\\\u{letter:04x}{}", &tail[1..]),
            format!("{head}\\x{letter:02x}{}", &tail[1..]),
        ] {
            for around in [("", ""), ("{\"note\":\"", "\"}"), ("key ", " was used")] {
                let given = format!("{}{escaped}{}", around.0, around.1);
                assert_eq!(text(&given), format!("{}[redacted]{}", around.0, around.1));
            }
        }
    }

    #[test]
    fn what_only_looks_like_an_escape_is_left_alone() {
        for given in [
            r"C:\new\users\table",
            r"\d+\.\w*",
            r"a \ b",
            r"\u12",
            r"\ud800",
            r"\",
            r#"{"a":"line\nline"}"#,
        ] {
            assert_eq!(text(given), given);
        }
    }
}
