//! Secrets in percent-encoded text: decoded, looked at, and mapped back.

use std::ops::Range;

use super::escapes;
use super::scan::scan_at;

/// Adds what shows only after percent-decoding, also when the text was encoded more than once.
pub(super) fn scan_decoded(bytes: &[u8], depth: u8, spans: &mut Vec<Range<usize>>) {
    let mut levels: Vec<Vec<u8>> = Vec::new();
    for _ in 0..LEVELS {
        let text = levels.last().map_or(bytes, Vec::as_slice);
        let Some(decoded) = decode(text) else {
            return;
        };
        levels.push(decoded);
        let Some((last, earlier)) = levels.split_last() else {
            return;
        };
        let mut found = scan_at(last, depth);
        if last.contains(&b'\\') {
            escapes::scan_decoded(last, depth, &mut found.spans);
        }
        if !found.spans.is_empty() {
            let texts = earlier.iter().rev().map(Vec::as_slice).chain([bytes]);
            let origins: Vec<Vec<usize>> = texts.map(origins).collect();
            let place = |index: usize| {
                let before =
                    |index, level: &Vec<usize>| level.get(index).copied().unwrap_or(bytes.len());
                origins.iter().fold(index, before)
            };
            spans.extend(
                found
                    .spans
                    .iter()
                    .map(|span| place(span.start)..place(span.end)),
            );
        }
        if !found.percent {
            return;
        }
    }
}

/// The decoded bytes. Nothing if there was nothing to decode.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, byte, after)) = escape(rest) {
        out.extend_from_slice(plain);
        out.push(byte);
        rest = after;
    }
    out.extend_from_slice(rest);
    (out.len() < text.len()).then_some(out)
}

/// Where each byte of the decoded text, and its end, is in the text. Only asked for when something was found.
fn origins(text: &[u8]) -> Vec<usize> {
    let mut origins = Vec::with_capacity(text.len() + 1);
    let mut read = 0;
    let mut rest = text;
    while let Some((plain, _, after)) = escape(rest) {
        origins.extend(read..=read + plain.len());
        read = text.len() - after.len();
        rest = after;
    }
    origins.extend(read..=text.len());
    origins
}

/// The first escape: what stands before it, its byte, and what follows.
fn escape(text: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.iter().position(|&byte| byte == b'%')?;
        if let Some(&[high, low]) = text.get(at + 1..at + 3)
            && let Some(byte) = hex(high).zip(hex(low)).map(|(high, low)| high << 4 | low)
        {
            return Some((text.get(..at)?, byte, text.get(at + 3..)?));
        }
        from = at + 1;
    }
}

fn hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// How often text is decoded: encoding three times is seen, more is not meant to be read.
const LEVELS: usize = 3;
