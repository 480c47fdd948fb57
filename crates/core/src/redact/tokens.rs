//! Secrets that are recognised by their own shape, wherever they stand.

use std::ops::Range;

use super::plain::{
    Count, at, has, is_hex, is_placeholder, prior, run_end, run_start, slice, wordy,
};
use super::runs::is_random;
use super::shapes::{Body, Shape, Shapes};
use super::values::trim;

/// Whether anything can begin with the word at `index`: a secret, or a word that one may follow.
pub(super) fn may_follow(shapes: &Shapes, bytes: &[u8], index: usize) -> bool {
    let letters = bytes.get(index..).and_then(<[u8]>::first_chunk);
    letters.is_some_and(|letters| shapes.may_begin(*letters))
}

/// A secret that starts at the word start `index`.
pub(super) fn at_word(shapes: &Shapes, bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let shapes = shapes.beginning_with(at(bytes, index)).iter();
    shapes
        .filter(|shape| has(bytes, index, shape.prefix))
        .filter_map(|shape| shape.end(bytes, index + shape.prefix.len()))
        .max()
        .map(|end| index..end)
        .or_else(|| JOINED.iter().find_map(|joined| joined.at(bytes, index)))
}

/// A JSON Web Token at `index`, or where looking again makes no sense.
pub(super) fn jwt(bytes: &[u8], index: usize) -> Result<Range<usize>, usize> {
    let first = run_end(bytes, index, usize::MAX, wordy(b"-_"));
    let signed = at(bytes, first) == b'.' && has(bytes, first + 1, b"eyJ");
    let mut end = first;
    let mut segments = 1;
    while at(bytes, end) == b'.' && segments < 5 {
        let next = run_end(bytes, end + 1, usize::MAX, wordy(b"-_"));
        if next == end + 1 && segments > 2 {
            break;
        }
        end = next;
        segments += 1;
    }
    if first - index < 10 || !signed && (segments < 3 || end - index < 24) {
        return Err(first);
    }
    // The dot that ends a sentence is not an empty signature.
    let dot = prior(bytes, end) == b'.' && !signed;
    Ok(index..end - usize::from(dot))
}

/// A Telegram bot token around the colon at `index`.
pub(super) fn telegram(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let start = run_start(bytes, index, 11, u8::is_ascii_digit);
    if !(8..=10).contains(&(index - start)) {
        return None;
    }
    let end = run_end(bytes, index + 1, 48, wordy(b"-_"));
    let body = slice(bytes, index + 1, end);
    let fits = (33..=46).contains(&body.len()) && body.iter().any(u8::is_ascii_alphabetic);
    fits.then_some(start..end)
}

/// Two hashes of a password with the colon at `index` between them.
pub(super) fn hashes(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let start = run_start(bytes, index, 65, u8::is_ascii_hexdigit);
    if index - start < 16 || prior(bytes, start).is_ascii_alphanumeric() {
        return None;
    }
    let end = run_end(bytes, index + 1, 1024, u8::is_ascii_hexdigit);
    (end - index > 32).then_some(start..end)
}

impl Body {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Alnum | Self::Mixed => byte.is_ascii_alphanumeric(),
            Self::Url | Self::Irregular => wordy(b"-_")(&byte),
            Self::Dotted => wordy(b"-_.")(&byte),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        }
    }
}

impl Shape {
    fn end(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let inside = |byte: &u8| self.body.has(*byte);
        // A window decides; only a hit is followed to its end, which keeps the whole scan linear.
        let seen = run_end(bytes, start, 128, inside);
        let window = slice(bytes, start, seen);
        if window.len() < self.least || is_placeholder(window) {
            return None;
        }
        let count = Count::of(window);
        let irregular = count.digits + count.upper > 0;
        let fits = match self.body {
            Body::Alnum | Body::Url | Body::Dotted => true,
            Body::Mixed => irregular,
            Body::Irregular => {
                let mut words = window.split(|byte| !byte.is_ascii_alphanumeric());
                irregular || words.any(|word| word.len() >= 20)
            }
            // One letter over and over is an example.
            Body::Hex | Body::Upper => {
                let exact = window.len() == self.least && !at(bytes, seen).is_ascii_alphanumeric();
                exact && window.iter().any(|byte| Some(byte) != window.first())
            }
        };
        fits.then(|| {
            let end = run_end(bytes, start, usize::MAX, inside);
            let dot = matches!(self.body, Body::Dotted) && prior(bytes, end) == b'.';
            end - usize::from(dot)
        })
    }
}

/// A secret of several parts with a mark between each two.
struct Joined {
    prefix: &'static [u8],
    /// The mark in front, the alphabet, the fewest and the most bytes; the first has no mark.
    parts: &'static [(u8, Body, usize, usize)],
}

impl Joined {
    fn at(&self, bytes: &[u8], index: usize) -> Option<Range<usize>> {
        if !has(bytes, index, self.prefix) {
            return None;
        }
        let mut end = index + self.prefix.len();
        for &(mark, body, least, most) in self.parts {
            let start = end + usize::from(mark != 0);
            let next = run_end(bytes, start, most.saturating_add(1), |byte| body.has(*byte));
            if mark != 0 && at(bytes, end) != mark || !(least..=most).contains(&(next - start)) {
                return None;
            }
            end = next;
        }
        let mixed = slice(bytes, index, end).iter().any(u8::is_ascii_digit);
        mixed.then_some(index..end)
    }
}

/// `SendGrid`, Salesforce sessions, Asana, Airtable, and Discord, whose first part is a user number in base64.
#[rustfmt::skip]
const JOINED: [Joined; 7] = {
    const ANY: usize = usize::MAX;
    const DISCORD: &[(u8, Body, usize, usize)] =
        &[(0, Body::Url, 21, 31), (b'.', Body::Url, 5, 8), (b'.', Body::Url, 24, ANY)];
    [
        Joined { prefix: b"SG.", parts: &[(0, Body::Url, 12, 125), (b'.', Body::Url, 15, ANY)] },
        Joined { prefix: b"00D", parts: &[(0, Body::Alnum, 0, 17), (b'!', Body::Dotted, 40, ANY)] },
        Joined { prefix: b"1/", parts: &[(0, Body::Hex, 8, 18), (b':', Body::Hex, 31, ANY)] },
        Joined { prefix: b"pat", parts: &[(0, Body::Alnum, 14, 14), (b'.', Body::Hex, 60, ANY)] },
        Joined { prefix: b"M", parts: DISCORD },
        Joined { prefix: b"N", parts: DISCORD },
        Joined { prefix: b"O", parts: DISCORD },
    ]
};

/// A secret that is known by what stands in it: of Azure around the tilde, of Terraform around the dot at `index`.
pub(super) fn around(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let terraform = has(bytes, index, b".atlasv1.");
    let azure = at(bytes, index) == b'~'
        && prior(bytes, index) == b'Q'
        && prior(bytes, index - 1).is_ascii_digit();
    let (before, start, end, least) = if terraform {
        let end = run_end(bytes, index + 9, usize::MAX, wordy(b"-_"));
        (
            14,
            run_start(bytes, index, 40, u8::is_ascii_alphanumeric),
            end,
            41,
        )
    } else if azure {
        let end = run_end(bytes, index + 1, 40, wordy(b"-_.~"));
        (5, run_start(bytes, index, 40, wordy(b"_.")), end, 30)
    } else {
        return None;
    };
    // The digits of a percent escape are not part of it.
    let start = start + if prior(bytes, start) == b'%' { 2 } else { 0 };
    (index >= start + before && end - index >= least).then_some(start..end)
}

/// A key of Mailchimp around the dash at `index`: 32 digits, and where its data stands.
pub(super) fn mailchimp(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let start = index.checked_sub(32)?;
    let end = run_end(bytes, index + 3, 3, u8::is_ascii_digit);
    let fits = has(bytes, index, b"-us") && end > index + 3 && is_hex(slice(bytes, start, index));
    fits.then_some(start..end)
}

/// A password as systems keep it, from the dollar at `index`: `$2b$12$…`, `$argon2id$…`, `$6$…`.
pub(super) fn crypt(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    const KINDS: &str =
        "$krb5 $P$ $S$ $2a$ $2b$ $2y$ $1$ $5$ $6$ $y$ $7$ $apr1$ $argon2 $pbkdf2 $scrypt$";
    // `pbkdf2_sha256$260000$…`, `SCRAM-SHA-256$4096:…`: how often it was hashed.
    let rounds = run_end(bytes, index + 1, 8, u8::is_ascii_digit);
    let counted = rounds > index + 4 && matches!(at(bytes, rounds), b'$' | b':');
    let mut kinds = KINDS.split(' ').map(str::as_bytes);
    if !counted && !kinds.any(|kind| has(bytes, index, kind)) {
        return None;
    }
    let marks = if counted { b"$./+=,-_:" } else { b"$./+=,-_$" };
    let end = run_end(bytes, index, usize::MAX, wordy(marks));
    (end - index >= 30).then(|| index..trim(bytes, index, end))
}

/// Where a secret ends that goes on behind a mark: with its other half as in `AKIA…:…`, with more of its base64, with the rest of
/// what stands on the stripe of a card. The first part ends at `end`.
pub(super) fn whole(bytes: &[u8], end: usize) -> usize {
    let mark = at(bytes, end);
    if !matches!(mark, b':' | b'/' | b'+' | b'.' | b'=') {
        return end;
    }
    let next = run_end(bytes, end + 1, 256, wordy(b"-_+/="));
    let part = slice(bytes, end + 1, next);
    let stripe = mark == b'=' && part.len() >= 7 && part.iter().all(u8::is_ascii_digit);
    if stripe || is_random(part) { next } else { end }
}
