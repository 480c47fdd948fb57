//! One pass over the bytes of a text, looking closer only where something can begin.

use std::ops::Range;

use super::plain::{at, contains, has, prior, run_end, run_start, slice, wordy};
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
    look::<false>(bytes, depth)
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
    let found = look::<true>(bytes, 0);
    found.spans.is_empty() && !found.escaped
}

fn look<const JSON: bool>(bytes: &[u8], depth: u8) -> Found {
    let mut found = Found::default();
    let mut index = 0;
    // Start of the current run of base64 letters.
    let mut run = 0;
    let mut ends = Ends::default();
    // Where the string that is read began, and whether the one before may promise something.
    let mut string = None;
    let mut suspect = true;
    let shapes = &*SHAPES;
    while let Some(&byte) = bytes.get(index) {
        // Looks closer at what a byte may begin or end.
        let hit = match byte {
            _ if in_word(byte) => {
                let hit = word(shapes, bytes, index, &mut ends);
                if hit.is_none() {
                    index += 1;
                    while let Some(byte) = bytes.get(index)
                        && in_word(*byte)
                    {
                        index += 1;
                    }
                    continue;
                }
                hit
            }
            b'+' | b'_' | b'-' | b'/' => {
                let hit = match byte {
                    b'/' => uri::opening(bytes, index),
                    b'-' if prior(bytes, index) != b'-' => dashes(bytes, index, &mut ends),
                    _ => None,
                };
                if hit.is_none() {
                    index += 1;
                    continue;
                }
                hit
            }
            b'"' if JSON && string.is_none() => {
                string = Some(index + 1);
                None
            }
            b'"' => string.take().and_then(|start| {
                let told = slice(bytes, start, index);
                suspect = may_name(bytes, start, index) && keys::may_promise_by_end(told);
                (suspect && keys::may_promise(told)).then_some(start..index)
            }),
            // Behind a name that was judged.
            b':' if !suspect && string.is_none() && prior(bytes, index) == b'"' => None,
            b':' if has(bytes, index, b"://") => uri::userinfo(bytes, index),
            b':' => {
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
            b'=' => pairs::at_separator(bytes, index),
            b';' => pairs::cookie(bytes, index),
            b'@' => uri::driver(bytes, index),
            b'.' | b'~' => tokens::around(bytes, index),
            b'$' => tokens::crypt(bytes, index),
            b'>' => pairs::element(bytes, index),
            b',' => pairs::argument(bytes, index),
            b'(' => pairs::call(bytes, index),
            b'%' => {
                let hex = |ahead| at(bytes, index + ahead).is_ascii_hexdigit();
                found.escaped |= hex(1) && hex(2);
                None
            }
            b'\\' => {
                found.escaped = true;
                None
            }
            // A colon as wide as the letters of Chinese.
            0xef if has(bytes, index, "：".as_bytes()) => pairs::at_separator(bytes, index),
            _ => None,
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

/// Letters and digits, told by a table, because all bytes are asked about.
fn in_word(byte: u8) -> bool {
    static IN_WORD: [bool; 256] = {
        let mut table = [false; 256];
        let mut value = 0_u8;
        while value < 128 {
            table[value as usize] = value.is_ascii_alphanumeric();
            value += 1;
        }
        table
    };
    IN_WORD.get(usize::from(byte)) == Some(&true)
}

/// What was looked for in vain, so that no text is looked through twice.
#[derive(Default)]
struct Ends {
    no_jwt_before: usize,
    no_pem_end: bool,
}

/// Whether the string of a JSON document between `start` and `end` may name another value: as a name, or as the first of a pair.
fn may_name(bytes: &[u8], start: usize, end: usize) -> bool {
    let next = at(bytes, end + 1);
    let list = run_start(bytes, start - 1, usize::MAX, u8::is_ascii_whitespace);
    next == b':' || next.is_ascii_whitespace() || prior(bytes, list) == b'['
}

fn word(shapes: &Shapes, bytes: &[u8], index: usize, ends: &mut Ends) -> Option<Range<usize>> {
    let first = at(bytes, index);
    if first.is_ascii_digit()
        && let Some(number) = card::number(bytes, index).or_else(|| codes::digits(bytes, index))
    {
        return Some(number);
    }
    if !tokens::may_follow(shapes, bytes, index) {
        return following(bytes, index);
    }
    let known = match first {
        b'e' if index >= ends.no_jwt_before && has(bytes, index, b"eyJ") => {
            let token = tokens::jwt(bytes, index);
            token.map_err(|end| ends.no_jwt_before = end).ok()
        }
        b'b' | b'B' | b'D' | b'd' => auth::standalone(bytes, index),
        _ => None,
    };
    known
        .or_else(|| tokens::at_word(shapes, bytes, index))
        .or_else(|| following(bytes, index))
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

fn dashes(bytes: &[u8], index: usize, ends: &mut Ends) -> Option<Range<usize>> {
    match (at(bytes, index + 1), at(bytes, index + 2)) {
        (b'-', b'-') => pem(bytes, index, ends),
        (b'-', _) => uri::curl_user(bytes, index).or_else(|| pairs::flag(bytes, index)),
        (b'u', _) => tokens::mailchimp(bytes, index).or_else(|| uri::curl_user(bytes, index)),
        _ => commands::flag(bytes, index),
    }
}

/// A private key block, whole; without its last line as far as the key material goes.
fn pem(bytes: &[u8], index: usize, ends: &mut Ends) -> Option<Range<usize>> {
    let label = |start| run_end(bytes, start, 64, |byte| !matches!(byte, b'-' | b'\n'));
    let label_end = label(index + 11);
    let name = slice(bytes, index + 11, label_end);
    let private = contains(name, b"PRIVATE KEY") || contains(name, b"SECRET KEY");
    if !has(bytes, index, b"-----BEGIN ") || !private {
        return None;
    }
    let rest = slice(bytes, label_end, bytes.len());
    if !ends.no_pem_end {
        if let Some(offset) = rest.windows(9).position(|window| window == b"-----END ") {
            let last = label(label_end + offset + 9);
            return Some(index..run_end(bytes, last, 5, |byte| *byte == b'-'));
        }
        ends.no_pem_end = true;
    }
    let end = run_end(bytes, label_end, usize::MAX, wordy(b"+/=-\n\r\\"));
    (end - label_end >= 24).then_some(index..end)
}
