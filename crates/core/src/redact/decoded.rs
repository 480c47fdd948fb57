//! Secrets behind the escapes of addresses, of JSON and of programs: decoded, looked at, and mapped back.
//!
//! `AKIA\u0041…` inside of a string that is JSON itself, or of a line of a log, is the same key, and so is `AKIA%41…`.

use std::ops::Range;

use super::scan::scan;

/// Adds what shows only after the escapes are decoded, also when the text was escaped more than once.
pub(super) fn scan_decoded(bytes: &[u8], depth: u8, spans: &mut Vec<Range<usize>>) {
    let Some((mut text, mut places)) = decode(bytes) else {
        return;
    };
    for _ in 0..LEVELS {
        let place = |at: usize| places.get(at).copied().unwrap_or(bytes.len());
        let found = scan(&text, depth);
        let back = |span: &Range<usize>| place(span.start)..place(span.end);
        spans.extend(found.spans.iter().map(back));
        if !found.escaped {
            return;
        }
        let Some((decoded, origins)) = decode(&text) else {
            return;
        };
        places = origins.into_iter().map(place).collect();
        text = decoded;
    }
}

/// The decoded bytes, and where each of them, and the end, was. Nothing if there was nothing to decode.
fn decode(text: &[u8]) -> Option<(Vec<u8>, Vec<usize>)> {
    let mut out = Vec::with_capacity(text.len());
    let mut origins = Vec::with_capacity(text.len() + 1);
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let plain = rest.iter().position(|byte| matches!(byte, b'%' | b'\\'));
        let plain = plain.unwrap_or(rest.len());
        let (before, rest) = rest.split_at(plain);
        out.extend_from_slice(before);
        origins.extend(at..at + plain);
        at += plain;
        let Some(&byte) = rest.first() else {
            break;
        };
        let mut letter = [byte, 0, 0, 0];
        let (taken, length) = match byte {
            // One byte of a letter, and perhaps not the whole of it.
            b'%' => match rest.get(1..3).and_then(digits).map(u8::try_from) {
                Some(Ok(decoded)) => {
                    letter = [decoded, 0, 0, 0];
                    (3, 1)
                }
                _ => (1, 1),
            },
            b'\\' => match escape(rest) {
                Some((taken, decoded)) => (taken, decoded.encode_utf8(&mut letter).len()),
                None => (1, 1),
            },
            _ => (1, 1),
        };
        out.extend(letter.iter().take(length));
        origins.extend(std::iter::repeat_n(at, length));
        at += taken;
    }
    origins.push(text.len());
    (out.len() < text.len()).then_some((out, origins))
}

/// How many bytes an escape takes, and the letter it stands for.
fn escape(text: &[u8]) -> Option<(usize, char)> {
    let letter = match text.get(1)? {
        b'u' => {
            let high = digits(text.get(2..6)?)?;
            if !(0xd800..=0xdbff).contains(&high) {
                return char::from_u32(high).map(|letter| (6, letter));
            }
            let low = text.get(6..12)?.strip_prefix(b"\\u").and_then(digits)?;
            let pair = 0x1_0000 + ((high - 0xd800) << 10) + low.checked_sub(0xdc00)?;
            return char::from_u32(pair).map(|letter| (12, letter));
        }
        b'x' => return char::from_u32(digits(text.get(2..4)?)?).map(|letter| (4, letter)),
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        byte @ (b'"' | b'\\' | b'/' | b'\'') => char::from(*byte),
        _ => return None,
    };
    Some((2, letter))
}

fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |number, &byte| {
        Some(number * 16 + char::from(byte).to_digit(16)?)
    })
}

/// How often text is decoded: encoding three times is seen, more is not meant to be read.
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
