//! One pass over the bytes of a text, looking closer only where something can begin.

use std::ops::Range;

use super::plain::{at, has, run_end, run_start, slice};
use super::shapes::{SHAPES, Shapes};
use super::{auth, card, codes, commands, decoded, keys, pairs, runs, spoken, tokens, uri};

/// What one pass found.
#[derive(Default)]
pub(super) struct Found {
    /// The parts to hide, in order.
    pub(super) spans: Vec<Range<usize>>,
    /// Whether an escape was seen, so that a decoded look makes sense.
    pub(super) escaped: bool,
}

/// Finds the secrets in a text as it stands; `depth` says how often it was taken out of base64. Works on bytes, so that a decoded
/// text need not be UTF-8.
pub(super) fn scan(bytes: &[u8], depth: u8) -> Found {
    scan_as::<TEXT>(bytes, depth)
}

/// Finds all secrets in a text, also behind escapes.
pub(super) fn scan_deep(bytes: &[u8], depth: u8) -> Vec<Range<usize>> {
    let mut found = scan(bytes, depth);
    if found.escaped {
        decoded::scan_decoded(bytes, depth, &mut found.spans);
    }
    found.spans
}

/// Whether a JSON document without escapes holds no secret, no name that promises one, and nothing that has to be decoded.
pub(super) fn is_clean_json(bytes: &[u8]) -> bool {
    let found = scan_as::<JSON>(bytes, 0);
    found.spans.is_empty() && !found.escaped
}

const TEXT: u8 = 0;
const JSON: u8 = 1;

fn scan_as<const KIND: u8>(bytes: &[u8], depth: u8) -> Found {
    let mut found = Found::default();
    let mut index = 0;
    // Start of the current run of base64 letters.
    let mut run = 0;
    let mut no_jwt_before = 0;
    let mut no_pem_end = false;
    // Where the string that is read began, and whether the one before may promise something.
    let mut string = None;
    let mut suspect = true;
    let shapes = &*SHAPES;
    while let Some(&byte) = bytes.get(index) {
        let class = CLASS
            .get(usize::from(byte))
            .copied()
            .unwrap_or(Class::Other);
        let hit = match class {
            Class::Word => {
                let hit = word(shapes, bytes, index, &mut no_jwt_before);
                if hit.is_none() {
                    index = word_end(bytes, index);
                    continue;
                }
                hit
            }
            Class::Run => {
                let dash = byte == b'-' && (index == 0 || at(bytes, index - 1) != b'-');
                let hit = if dash {
                    dashes(bytes, index, &mut no_pem_end)
                } else {
                    None
                };
                if hit.is_none() {
                    index += 1;
                    continue;
                }
                hit
            }
            Class::Slash => {
                let hit = uri::opening(bytes, index);
                if hit.is_none() {
                    index += 1;
                    continue;
                }
                hit
            }
            Class::Other => None,
            Class::Quote if KIND == JSON && string.is_none() => {
                string = Some(index + 1);
                None
            }
            Class::Quote => string.take().and_then(|start| {
                let told = slice(bytes, start, index);
                suspect = may_name(bytes, start, index) && keys::may_promise_by_end(told);
                (suspect && keys::may_promise(told)).then_some(start..index)
            }),
            // Behind a name that was judged.
            Class::Colon if !suspect && string.is_none() && at(bytes, index - 1) == b'"' => None,
            Class::Colon if has(bytes, index, b"://") => uri::userinfo(bytes, index),
            Class::Colon => {
                let next = at(bytes, index + 1);
                let joined = if next.is_ascii_hexdigit() || next == b'*' {
                    tokens::hashes(bytes, index).or_else(|| uri::pgpass(bytes, index))
                } else {
                    None
                };
                joined
                    .or_else(|| tokens::telegram(bytes, index))
                    .or_else(|| pairs::at_separator(bytes, index))
            }
            Class::Equals => pairs::at_separator(bytes, index),
            Class::Semicolon => pairs::cookie(bytes, index),
            Class::At => uri::driver(bytes, index),
            Class::Around => tokens::around(bytes, index),
            Class::Dollar => tokens::crypt(bytes, index),
            Class::Close => pairs::element(bytes, index),
            Class::Comma => pairs::argument(bytes, index),
            Class::Open => pairs::call(bytes, index),
            Class::Percent => {
                let hex = |ahead: usize| at(bytes, index + ahead).is_ascii_hexdigit();
                found.escaped |= hex(1) && hex(2);
                None
            }
            Class::Backslash => {
                found.escaped = true;
                None
            }
            Class::Wide => pairs::wide_colon(bytes, index),
        };
        if index - run >= runs::SHORTEST {
            found.spans.extend(runs::secret(bytes, run, index, depth));
        }
        index += 1;
        if let Some(mut span) = hit {
            span.end = tokens::whole(bytes, span.end);
            index = index.max(span.end);
            found.spans.push(span);
        }
        run = index;
    }
    if index - run >= runs::SHORTEST {
        found.spans.extend(runs::secret(bytes, run, index, depth));
    }
    found
}

/// Whether the string of a JSON document between `start` and `end` may name another value: as a name, or as the first of a pair.
fn may_name(bytes: &[u8], start: usize, end: usize) -> bool {
    let next = at(bytes, end + 1);
    let list = run_start(bytes, start - 1, usize::MAX, |byte| {
        byte.is_ascii_whitespace()
    });
    next == b':' || next.is_ascii_whitespace() || list > 0 && at(bytes, list - 1) == b'['
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let mut index = start + 1;
    while let Some(byte) = bytes.get(index)
        && IN_WORD.get(usize::from(*byte)) == Some(&true)
    {
        index += 1;
    }
    index
}

/// Letters and digits, as a table, because most bytes are asked about.
static IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut value = 0_u8;
    while value < 128 {
        table[value as usize] = value.is_ascii_alphanumeric();
        value += 1;
    }
    table
};

fn word(
    shapes: &Shapes,
    bytes: &[u8],
    index: usize,
    no_jwt_before: &mut usize,
) -> Option<Range<usize>> {
    let first = at(bytes, index);
    let card = if first.is_ascii_digit() {
        card::number(bytes, index).or_else(|| codes::digits(bytes, index))
    } else {
        None
    };
    if card.is_some() {
        return card;
    }
    if !tokens::may_follow(shapes, bytes, index) {
        return following(bytes, index);
    }
    let shaped = match first {
        b'e' if index >= *no_jwt_before && has(bytes, index, b"eyJ") => {
            match tokens::jwt(bytes, index) {
                Ok(span) => Some(span),
                Err(end) => {
                    *no_jwt_before = end;
                    None
                }
            }
        }
        b'b' | b'B' | b'D' | b'd' => {
            auth::standalone(bytes, index).or_else(|| tokens::at_word(shapes, bytes, index))
        }
        _ => tokens::at_word(shapes, bytes, index),
    };
    shaped.or_else(|| following(bytes, index))
}

/// A secret behind the word at `index`, which says by its first letters who knows it.
fn following(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let letter = |ahead: usize| at(bytes, index + ahead) | 0x20;
    let spoken = || spoken::spoken(bytes, index);
    let command = || commands::statement(bytes, index);
    match &[letter(0), letter(1), letter(2)] {
        b"pas" | b"sec" => spoken().or_else(command),
        b"con" if matches!(letter(3), b't' | b'f') => spoken().or_else(command),
        b"sen" if letter(3) != b'h' => None,
        b"sen" | b"pwd" | b"pin" | b"psk" | b"ken" | b"wac" | b"zug" | b"sal" | b"cla" | b"mot"
        | b"cre" => spoken(),
        b"env" | b"set" | b"req" | b"mas" | b"snm" | b"ech" | b"net" | b"pri" | b"ide" | b"val"
        | b"pra" => command(),
        b"mne" | b"see" | b"phr" | b"wor" => spoken::phrase(bytes, index),
        b"cod" => codes::lettered(bytes, index),
        _ => None,
    }
}

fn dashes(bytes: &[u8], index: usize, no_pem_end: &mut bool) -> Option<Range<usize>> {
    match (at(bytes, index + 1), at(bytes, index + 2)) {
        (b'-', b'-') => pem(bytes, index, no_pem_end),
        (b'-', _) => uri::curl_user(bytes, index).or_else(|| pairs::flag(bytes, index)),
        (b'u', b's') => tokens::mailchimp(bytes, index).or_else(|| uri::curl_user(bytes, index)),
        (b'u', _) => uri::curl_user(bytes, index),
        _ => commands::flag(bytes, index),
    }
}

/// A private key block, whole; without its last line as far as the key material goes.
fn pem(bytes: &[u8], index: usize, no_pem_end: &mut bool) -> Option<Range<usize>> {
    if !has(bytes, index, b"-----BEGIN ") {
        return None;
    }
    let label_end = run_end(bytes, index + 11, 64, |byte| byte != b'-' && byte != b'\n');
    let label = slice(bytes, index + 11, label_end);
    let private = [&b"PRIVATE KEY"[..], b"SECRET KEY"]
        .iter()
        .any(|name| label.windows(name.len()).any(|window| window == *name));
    if !private {
        return None;
    }
    let rest = slice(bytes, label_end, bytes.len());
    if !*no_pem_end {
        if let Some(offset) = rest.windows(9).position(|window| window == b"-----END ") {
            let last = label_end + offset + 9;
            let name = run_end(bytes, last, 64, |byte| byte != b'-' && byte != b'\n');
            return Some(index..run_end(bytes, name, 5, |byte| byte == b'-'));
        }
        *no_pem_end = true;
    }
    let end = run_end(bytes, label_end, usize::MAX, |byte| {
        byte.is_ascii_alphanumeric() || b"+/=-\n\r\\".contains(&byte)
    });
    (end - label_end >= 24).then_some(index..end)
}

/// What a byte may begin or end.
#[derive(Clone, Copy)]
enum Class {
    Other,
    Word,
    Run,
    Colon,
    Equals,
    At,
    /// A dot or a tilde that stands inside some secrets.
    Around,
    Dollar,
    Slash,
    Close,
    Open,
    Semicolon,
    Comma,
    Percent,
    Quote,
    Backslash,
    /// The first byte of a colon as wide as the letters of Chinese.
    Wide,
}

const CLASS: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut value = 0_u8;
    while value < 128 {
        table[value as usize] = if value.is_ascii_alphanumeric() {
            Class::Word
        } else {
            match value {
                b'+' | b'_' | b'-' => Class::Run,
                b'/' => Class::Slash,
                b'.' | b'~' => Class::Around,
                b'$' => Class::Dollar,
                b':' => Class::Colon,
                b'=' => Class::Equals,
                b'@' => Class::At,
                b'>' => Class::Close,
                b'(' => Class::Open,
                b';' => Class::Semicolon,
                b',' => Class::Comma,
                b'%' => Class::Percent,
                b'"' => Class::Quote,
                b'\\' => Class::Backslash,
                _ => Class::Other,
            }
        };
        value += 1;
    }
    table[0xef] = Class::Wide;
    table
};
