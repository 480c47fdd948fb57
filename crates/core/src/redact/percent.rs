//! Secrets in percent-encoded text: decoded, looked at, and mapped back.

use std::borrow::Cow;
use std::ops::Range;

use super::plain::at;
use super::scan::scan;

/// Adds what shows only after percent-decoding, also when the text was encoded more than once.
pub(super) fn scan_decoded(bytes: &[u8], spans: &mut Vec<Range<usize>>) {
    let mut text = Cow::Borrowed(bytes);
    let mut origin: Option<Vec<u32>> = None;
    for _ in 0..LEVELS {
        let Some((decoded, mut back)) = decode(&text) else {
            return;
        };
        if let Some(earlier) = origin {
            for index in &mut back {
                *index = earlier.get(*index as usize).copied().unwrap_or(u32::MAX);
            }
        }
        text = Cow::Owned(decoded);
        let found = scan(&text);
        let place = |index: usize| {
            let place = back.get(index).map_or(bytes.len(), |place| *place as usize);
            place.min(bytes.len())
        };
        spans.extend(
            found
                .spans
                .iter()
                .map(|span| place(span.start)..place(span.end)),
        );
        if !found.percent {
            return;
        }
        origin = Some(back);
    }
}

/// The decoded bytes and, for each of them and for the end, where it began. Nothing if there was nothing to decode.
fn decode(text: &[u8]) -> Option<(Vec<u8>, Vec<u32>)> {
    // A place is four bytes wide: a text of four gigabytes is not looked at decoded.
    let end = u32::try_from(text.len()).ok()?;
    let mut out = Vec::with_capacity(text.len());
    let mut back = Vec::with_capacity(text.len() + 1);
    let mut index = 0;
    let mut changed = false;
    while let Some(&byte) = text.get(index) {
        back.push(u32::try_from(index).unwrap_or(end));
        let pair = if byte == b'%' {
            hex(at(text, index + 1)).zip(hex(at(text, index + 2)))
        } else {
            None
        };
        if let Some((high, low)) = pair {
            out.push(high << 4 | low);
            index += 3;
            changed = true;
        } else {
            out.push(byte);
            index += 1;
        }
    }
    back.push(end);
    changed.then_some((out, back))
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

/// How often text is decoded: encoding three times is seen, more is not meant to be read.
const LEVELS: usize = 3;
