//! Long runs of letters and digits: tokens by their form, whoever issued them, and what looks drawn at random beside a word
//! that says what it is.

use std::ops::Range;

use super::auth::base64;
use super::plain::{
    Count, at, distinct, has, has_any_case, is_hex, is_prose, is_uuid, prior, run_end, run_start,
    slice, wordy,
};
use super::words::{Words, list};
use super::{keys, scan};

/// Shorter runs are not judged.
pub(super) const SHORTEST: usize = 20;
/// Longer runs are files, such as images.
const LONGEST: usize = 320;

/// What to hide of the run `start..end` of base64 letters; `depth` says how often it was taken out of base64.
pub(super) fn secret(bytes: &[u8], start: usize, end: usize, depth: u8) -> Option<Range<usize>> {
    let run = slice(bytes, start, end);
    // Behind a percent escape the decoded look decides.
    let escaped = prior(bytes, start) == b'%' && run.iter().take(2).all(u8::is_ascii_hexdigit);
    if escaped || is_uuid(run) {
        return None;
    }
    let parts = |mark: fn(&u8) -> bool| {
        let mut from = start;
        run.split(mark).map(move |part| {
            let span = from..from + part.len();
            from = span.end + 1;
            span
        })
    };
    let long = |span: &Range<usize>| span.len() >= SHORTEST;
    if run.len() <= LONGEST
        && let Some(span) = parts(|byte| matches!(byte, b'/' | b'+'))
            .find(|span| long(span) && is_token(bytes, span))
    {
        return Some(span);
    }
    // In a path it is one of the segments.
    let shorter = |span: &Range<usize>| span.len() < run.len();
    let segments = parts(|byte| *byte == b'/').filter(shorter);
    let mut segments = std::iter::once(start..end).chain(segments);
    if depth < DEPTH
        && let Some(span) = segments.find(|span| long(span) && is_encoded(bytes, span, depth))
    {
        return Some(padded(bytes, span));
    }
    let last = run_start(bytes, end, run.len(), |byte| *byte != b'/');
    let mut starts = [start, last].into_iter();
    let from = starts.find(|from| is_random(slice(bytes, *from, end)))?;
    hinted(bytes, from).then(|| padded(bytes, from..end))
}

/// With the marks that fill up the last four letters of base64.
fn padded(bytes: &[u8], span: Range<usize>) -> Range<usize> {
    span.start..run_end(bytes, span.end, 2, |byte| *byte == b'=')
}

fn is_token(bytes: &[u8], span: &Range<usize>) -> bool {
    let part = slice(bytes, span.start, span.end);
    let marked = |(at, byte): (usize, &u8)| {
        matches!(byte, b'A' | b'J' | b'N') && MARKS.iter().any(|mark| has(part, at, mark))
    };
    if part.len() >= 36 && (part.iter().enumerate().any(marked) || is_coin(part)) {
        return true;
    }
    let dot = span.start.saturating_sub(1);
    let earlier = match at(bytes, dot) {
        b'.' => dot - run_start(bytes, dot, 64, u8::is_ascii_alphanumeric),
        _ => 0,
    };
    // Two random parts in a row are not names of modules.
    if earlier >= SHORTEST && is_random(part) {
        return true;
    }
    let mut before: Option<&[u8]> = None;
    let (mut issued, mut weak, mut strong) = (false, 0, false);
    let mut offset = 0;
    for segment in part.split(|byte| matches!(byte, b'_' | b'-')) {
        match before {
            Some(word) => {
                strong |= STRONG.has_any_case(word);
                weak += usize::from(WEAK.has_any_case(word));
                let uuid = (strong || weak > 1) && is_uuid(slice(part, offset, part.len()));
                // Before hashes an underscore seldom stands.
                let hash = is_hex(segment) && at(part, offset - 1) != b'_';
                let marked = strong || weak > 0 && !hash;
                if uuid || marked && is_varied(segment) || issued && is_body(segment) {
                    return true;
                }
            }
            None if earlier > 0 && segment.len() >= 40 && is_body(segment) => return true,
            None => issued = is_issuer(segment),
        }
        before = Some(segment);
        offset += segment.len() + 1;
    }
    false
}

/// Words before a random part that may stand before a hash as well.
static WEAK: Words =
    Words::of("access admin api auth key live prod production rw sandbox sbox test refresh client");
/// Words that say that the random part is a secret.
static STRONG: Words = Words::of(
    "apikey bearer cred jwt oauth passwd password pat priv private pw rk secret sk svcacct tk tkn \
     tok token esecret pwd sess",
);

/// What stands inside keys that mark themselves.
const MARKS: [&[u8]; 7] = list("JQQJ99,AZDO,AzFu,AzSe,AzCa,ACDb,NRAL");

/// A private key of Bitcoin, as wallets export it, or of Stellar and NATS.
fn is_coin(part: &[u8]) -> bool {
    let count = Count::of(part);
    match (part.len(), at(part, 0), at(part, 1)) {
        (51, b'5', b'H' | b'J' | b'K') | (52, b'K' | b'L', _) => {
            count.marks == 0 && count.upper > 0 && count.lower > 0 && distinct(part) >= 20
        }
        (56 | 58, b'S', _) => count.marks + count.lower == 0 && distinct(part) >= 16,
        _ => false,
    }
}

/// Whether a part is neither a word nor a number.
fn is_varied(segment: &[u8]) -> bool {
    let count = Count::of(segment);
    let turns = || segment.chunk_by(|a, b| a.is_ascii_uppercase() == b.is_ascii_uppercase());
    segment.len() >= 14
        && distinct(segment) >= 8
        && (count.digits > 1 && count.letters() > 1 || turns().count() > 7)
}

/// A short name of the issuer, in one case; names of digests are not.
fn is_issuer(word: &[u8]) -> bool {
    const DIGESTS: [&[u8]; 3] = list("sha,md5,blake");
    let count = Count::of(word);
    (2..=12).contains(&word.len())
        && at(word, 0).is_ascii_alphabetic()
        && count.marks == 0
        && (count.upper == 0 || count.lower == 0)
        && !DIGESTS.iter().any(|digest| has_any_case(word, 0, digest))
}

/// Thirty letters of both cases and digits, or forty of one case that are not hexadecimal.
fn is_body(segment: &[u8]) -> bool {
    let count = Count::of(segment);
    segment.len() >= 30
        && count.digits >= 2
        && (count.upper > 0 && count.lower > 0 || segment.len() >= 40)
        && !is_hex(segment)
        && distinct(segment) >= 16
}

/// Whether a run is text in base64, and the text holds a secret.
fn is_encoded(bytes: &[u8], span: &Range<usize>, depth: u8) -> bool {
    let text = slice(bytes, span.start, span.end);
    // The first of every three bytes is ASCII only behind these letters, which tells text from almost everything else.
    // A letter of another script may stand among them.
    let other = |four: &&[u8]| four.len() > 1 && !matches!(at(four, 0), b'A'..=b'Z' | b'a'..=b'f');
    let most = text.len() / 16;
    if text.len() > MOST || text.chunks(4).filter(other).take(most + 1).count() > most {
        return false;
    }
    let readable = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    base64(text).is_some_and(|decoded| {
        decoded.iter().all(readable)
            && std::str::from_utf8(&decoded).is_ok()
            && !scan::scan_deep(&decoded, depth + 1).is_empty()
    })
}

/// How often text is decoded: what is encoded more than twice is not meant to be read.
const DEPTH: u8 = 2;
/// How much is decoded.
const MOST: usize = 1 << 16;

/// Whether a text looks drawn at random: long hexadecimal, or letters of both cases with digits.
pub(super) fn is_random(text: &[u8]) -> bool {
    if text.len() < SHORTEST || is_uuid(text) {
        return false;
    }
    let count = Count::of(text);
    if text.len() >= 32 && is_hex(text) {
        return count.digits > 0 && distinct(text) >= 6;
    }
    let mixed = count.digits > 0 && count.upper > 0 && count.lower > 0;
    count.marks * 7 <= text.len()
        && (mixed || text.len() >= 32 && count.digits >= 4)
        && distinct(text) >= 10
}

/// What is random and not secret.
static OTHER: Words = Words::of(
    "commit sha sha1 sha256 sha384 sha512 md5 digest hash checksum etag id uuid trace traceid \
     trace_id trace-id span request request_id fingerprint revision rev",
);

/// Whether the words in front of what looks random say that it is secret.
fn hinted(bytes: &[u8], start: usize) -> bool {
    let line = run_start(bytes, start, 56, |byte| !matches!(byte, b'\n' | b'\r'));
    let before = slice(bytes, line, start);
    let end = run_start(before, before.len(), usize::MAX, |byte| {
        b" \t\"'`(=:\\".contains(byte)
    });
    let word = run_start(before, end, usize::MAX, wordy(b"_-"));
    let nearest = slice(before, word, end);
    // "HMAC key …", "session id …"
    let named = || {
        let space = word.saturating_sub(1);
        let name = slice(before, run_start(before, space, 32, wordy(b"_-")), end);
        at(before, space) == b' '
            && (keys::sensitive(name) || keys::weak(name) == Some(keys::Weak::Loose))
    };
    if keys::sensitive(nearest) || word > 0 && named() {
        return true;
    }
    // A value with a name of its own was judged by that name.
    let mut marks = slice(before, end, before.len()).iter();
    let assigned = marks.any(|byte| b"=:".contains(byte));
    let other = assigned && !nearest.is_empty() && !is_prose(nearest);
    if other || OTHER.has_any_case(nearest) {
        return false;
    }
    let key = nearest.eq_ignore_ascii_case(b"key") && !keys::public(slice(before, 0, word));
    key || is_told(before)
}

/// Whether a word that says so stands anywhere in the text.
fn is_told(text: &[u8]) -> bool {
    const HINTS: [&[u8]; 13] = list(
        "secret,password,passwd,token,api key,apikey,api_key,api-key,access key,private key,credential,bearer,passphrase",
    );
    (0..text.len()).any(|index| {
        let first = at(text, index) | 0x20;
        b"sptacb".contains(&first) && HINTS.iter().any(|hint| has_any_case(text, index, hint))
    })
}
