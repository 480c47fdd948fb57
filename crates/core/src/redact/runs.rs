//! Long runs of letters and digits that say by their form that they are tokens, whoever issued them.

use std::ops::Range;

use super::auth::base64;
use super::plain::{at, has, slice};
use super::words::Words;
use super::{hint, scan};

/// A token in the run `start..end` of base64 letters.
pub(super) fn token(bytes: &[u8], start: usize, end: usize, depth: u8) -> Option<Range<usize>> {
    // Behind a percent escape the decoded look decides.
    let escaped = start > 0
        && at(bytes, start - 1) == b'%'
        && slice(bytes, start, start + 2)
            .iter()
            .all(u8::is_ascii_hexdigit);
    if end - start <= LONGEST && !escaped {
        let mut from = start;
        for part in slice(bytes, start, end).split(|byte| matches!(byte, b'/' | b'+')) {
            let span = from..from + part.len();
            if part.len() >= SHORTEST && is_token(bytes, part, span.start) {
                return Some(span);
            }
            from = span.end + 1;
        }
    }
    if depth >= DEPTH {
        return None;
    }
    encoded(bytes, start, end, depth).or_else(|| {
        // In a path it is one of the segments.
        let mut from = start;
        slice(bytes, start, end)
            .split(|byte| *byte == b'/')
            .find_map(|part| {
                let segment = from..from + part.len();
                from = segment.end + 1;
                encoded(bytes, segment.start, segment.end, depth)
            })
    })
}

/// Shorter words are not judged by their form.
const SHORTEST: usize = 20;
/// Longer runs are files, such as images.
const LONGEST: usize = 320;

fn is_token(bytes: &[u8], part: &[u8], start: usize) -> bool {
    let marked = |(at, byte): (usize, &u8)| {
        matches!(byte, b'A' | b'J' | b'N') && MARKS.iter().any(|mark| has(part, at, mark))
    };
    if part.len() >= 36 && (part.iter().enumerate().any(marked) || is_coin(part)) {
        return true;
    }
    let dotted =
        start > 1 && at(bytes, start - 1) == b'.' && at(bytes, start - 2).is_ascii_alphanumeric();
    let mut before: Option<&[u8]> = None;
    let mut first: Option<&[u8]> = None;
    let mut marker = Marker::None;
    let mut offset = 0;
    for segment in part.split(|byte| matches!(byte, b'_' | b'-')) {
        if let Some(word) = before {
            marker = marker.or(Marker::of(word));
            let rest = slice(part, offset, part.len());
            let uuid = matches!(marker, Marker::Both | Marker::Strong) && hint::is_uuid(rest);
            let joined = offset > 0 && at(part, offset - 1) == b'_';
            if uuid || marker.fits(segment, joined) {
                return true;
            }
        }
        let prefixed = match first {
            Some(prefix) => is_prefix(prefix),
            None => dotted && segment.len() >= 40,
        };
        if prefixed && is_body(segment) {
            return true;
        }
        first = first.or(Some(segment));
        before = Some(segment);
        offset += segment.len() + 1;
    }
    false
}

/// A private key of Bitcoin, as wallets export it, or of Stellar.
fn is_coin(part: &[u8]) -> bool {
    let mixed = || {
        part.iter().all(u8::is_ascii_alphanumeric)
            && part.iter().any(u8::is_ascii_uppercase)
            && part.iter().any(u8::is_ascii_lowercase)
            && hint::distinct(part) >= 20
    };
    match (part.len(), at(part, 0), at(part, 1)) {
        (51, b'5', b'H' | b'J' | b'K') | (52, b'K' | b'L', _) => mixed(),
        (56, b'S', _) => {
            let base32 = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'2'..=b'7');
            part.iter().all(base32) && hint::distinct(part) >= 16
        }
        _ => false,
    }
}

/// What a word before the random part says about it.
#[derive(Clone, Copy, PartialEq)]
enum Marker {
    None,
    /// It may stand before a hash as well.
    Weak,
    /// Two weak ones.
    Both,
    Strong,
}

impl Marker {
    fn of(word: &[u8]) -> Self {
        static WEAK: Words = Words::of(
            "access admin api auth key live prod production rw sandbox sbox test refresh client",
        );
        static STRONG: Words = Words::of(
            "apikey bearer cred jwt oauth passwd password pat priv private pw rk secret sk svcacct tkn \
             tok token",
        );
        if STRONG.has_any_case(word) {
            Self::Strong
        } else if WEAK.has_any_case(word) {
            Self::Weak
        } else {
            Self::None
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Strong, _) | (_, Self::None) => self,
            (Self::Weak, Self::Weak) => Self::Both,
            _ => other,
        }
    }

    /// Whether a segment behind it looks random; `joined` says that an underscore stands between, as before hashes it seldom does.
    fn fits(self, segment: &[u8], joined: bool) -> bool {
        if self == Self::None || segment.len() < 14 || hint::distinct(segment) < 8 {
            return false;
        }
        let digits = segment.iter().filter(|byte| byte.is_ascii_digit()).count();
        let letters = segment.len() - digits;
        let turns = segment
            .windows(2)
            .filter(
                |pair| matches!(pair, [a, b] if a.is_ascii_uppercase() != b.is_ascii_uppercase()),
            )
            .count();
        let hex = segment.iter().all(u8::is_ascii_hexdigit);
        let random = digits > 1 && letters > 1 || turns > 6;
        random && (!hex || joined || self == Self::Strong)
    }
}

/// A short name of the issuer, in one case; names of digests are not.
fn is_prefix(word: &[u8]) -> bool {
    let lower = word
        .iter()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let upper = word
        .iter()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (2..=12).contains(&word.len())
        && at(word, 0).is_ascii_alphabetic()
        && (lower || upper)
        && ![&b"sha"[..], b"md5", b"blake", b"SHA", b"MD5"]
            .iter()
            .any(|digest| word.starts_with(digest))
}

/// Thirty letters of both cases and digits, or forty of one case that are not hexadecimal.
fn is_body(segment: &[u8]) -> bool {
    if segment.len() < 30 || hint::distinct(segment) < 16 {
        return false;
    }
    let digits = segment.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = segment.iter().any(u8::is_ascii_uppercase);
    let lower = segment.iter().any(u8::is_ascii_lowercase);
    let hex = segment.iter().all(u8::is_ascii_hexdigit);
    digits >= 2 && !hex && (upper && lower || segment.len() >= 40)
}

/// What stands inside keys that mark themselves.
const MARKS: [&[u8]; 7] = [
    b"JQQJ99", b"AZDO", b"AzFu", b"AzSe", b"AzCa", b"ACDb", b"NRAL",
];

/// A run that is text in base64, and the text holds a secret.
fn encoded(bytes: &[u8], start: usize, end: usize, depth: u8) -> Option<Range<usize>> {
    let text = slice(bytes, start, end);
    if text.len() < SHORTEST || text.len() > MOST {
        return None;
    }
    // The first of every three bytes is ASCII only behind these letters, which tells text from almost everything else.
    // A letter of another script may stand among them.
    let other = |four: &&[u8]| four.len() > 1 && !matches!(at(four, 0), b'A'..=b'Z' | b'a'..=b'f');
    let most = text.len() / 16;
    if text.chunks(4).filter(other).take(most + 1).count() > most {
        return None;
    }
    let decoded = base64(text)?;
    let readable = decoded.iter().copied().all(is_text) && std::str::from_utf8(&decoded).is_ok();
    let secret = || !scan::scan_deep(&decoded, depth + 1).spans.is_empty();
    (readable && secret()).then(|| {
        let pad = slice(bytes, end, end + 2)
            .iter()
            .take_while(|&&byte| byte == b'=')
            .count();
        start..end + pad
    })
}

/// How often text is decoded: what is encoded more than twice is not meant to be read.
const DEPTH: u8 = 2;
/// How much is decoded.
const MOST: usize = 1 << 16;

fn is_text(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte >= 0x80 || matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}
