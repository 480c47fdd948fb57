//! Secrets that are recognised by their own shape, wherever they stand.

use std::ops::Range;

use super::plain::{at, has, is_base64url, is_placeholder, run_end, slice};
use super::shapes::{HOSTS, SHAPES};

/// What a prefix is followed by.
pub(super) struct Shape {
    pub(super) prefix: &'static [u8],
    /// The fewest bytes after the prefix.
    pub(super) least: usize,
    pub(super) body: Body,
}

/// The alphabet behind a prefix, and what it must contain.
#[derive(Clone, Copy)]
pub(super) enum Body {
    /// Letters and digits.
    Alnum,
    /// Letters and digits, some of them digits or capitals: the prefix is also an ordinary word.
    Mixed,
    /// The base64url alphabet.
    Url,
    /// The base64url alphabet and dots.
    Dotted,
    /// The base64url alphabet, and too irregular for words joined by dashes.
    Irregular,
    /// Hexadecimal, exactly `least` digits.
    Hex,
    /// Capitals and digits, exactly `least`.
    Upper,
}

/// Whether anything can begin with the word at `index`: a secret, or a word that one may follow.
pub(super) fn may_follow(bytes: &[u8], index: usize) -> bool {
    match bytes.get(index..) {
        Some(&[first, second, third, ..]) => may_begin(first, second, third),
        _ => false,
    }
}

/// A secret that starts at the word start `index`.
pub(super) fn at_word(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let first = at(bytes, index);
    let known = SHAPES
        .iter()
        .filter(|shape| shape.prefix.first() == Some(&first) && has(bytes, index, shape.prefix));
    for shape in known {
        if let Some(end) = shape.end(bytes, index + shape.prefix.len()) {
            return Some(index..end);
        }
    }
    match first {
        b'S' => sendgrid(bytes, index),
        b'M' | b'N' | b'O' => discord(bytes, index),
        b'0' => salesforce(bytes, index),
        b'1' => asana(bytes, index),
        b'p' => airtable(bytes, index),
        b'h' | b'd' | b'o' => webhook(bytes, index),
        _ => None,
    }
}

/// A quick no for ordinary words, by their first three letters.
fn may_begin(first: u8, second: u8, third: u8) -> bool {
    // A user number in base64 may go on with any letter.
    if matches!(first, b'M' | b'N' | b'O') {
        return true;
    }
    let (word, bit) = slot(first, second, third);
    BEGINNINGS
        .get(word)
        .is_some_and(|bits| bits >> bit & 1 == 1)
}

/// A bit for three letters; few of those that begin no secret share one with those that do.
const fn slot(first: u8, second: u8, third: u8) -> (usize, usize) {
    let hash = (first as usize) * 1_021 + (second as usize) * 67 + (third as usize) * 3;
    (hash / 64 % BITS, hash % 64)
}

const BITS: usize = 128;

static BEGINNINGS: [u64; BITS] = {
    let mut bits = [0; BITS];
    let mut number = 0;
    while number < SHAPES.len() {
        bits = with(bits, SHAPES[number].prefix);
        number += 1;
    }
    let mut number = 0;
    while number < HOSTS.len() {
        bits = with(bits, HOSTS[number]);
        number += 1;
    }
    let mut number = 0;
    while number < OTHERS.len() {
        bits = with(bits, OTHERS[number]);
        number += 1;
    }
    bits
};

/// What begins the secrets that have functions of their own, and the words that a secret may follow.
#[rustfmt::skip]
const OTHERS: [&[u8]; 29] = [
    b"SG.", b"MT0", b"NT0", b"OT0", b"00D", b"1/", b"pat", b"eyJ",
    b"bea", b"Bea", b"BEA", b"bas", b"Bas", b"BAS", b"dig", b"Dig", b"DIG",
    b"pas", b"Pas", b"PAS", b"sec", b"Sec", b"SEC", b"ide", b"Ide", b"IDE", b"req", b"Req", b"REQ",
];

/// The bits of a beginning; of a short one, for whatever follows.
const fn with(mut bits: [u64; BITS], prefix: &[u8]) -> [u64; BITS] {
    let seconds = if prefix.len() > 1 {
        (prefix[1], prefix[1])
    } else {
        (b' ', b'~')
    };
    let thirds = if prefix.len() > 2 {
        (prefix[2], prefix[2])
    } else {
        (b' ', b'~')
    };
    let mut second = seconds.0;
    while second <= seconds.1 {
        let mut third = thirds.0;
        while third <= thirds.1 {
            let (word, bit) = slot(prefix[0], second, third);
            bits[word] |= 1 << bit;
            third += 1;
        }
        second += 1;
    }
    bits
}

/// Whether a secret may begin with this letter; for the scanner's table.
pub(super) const fn begins(letter: u8) -> bool {
    let mut number = 0;
    while number < SHAPES.len() {
        if SHAPES[number].prefix[0] == letter {
            return true;
        }
        number += 1;
    }
    let mut number = 0;
    while number < OTHERS.len() {
        if OTHERS[number][0] == letter {
            return true;
        }
        number += 1;
    }
    let mut number = 0;
    while number < HOSTS.len() {
        if HOSTS[number][0] == letter {
            return true;
        }
        number += 1;
    }
    false
}

/// A JSON Web Token at `index`, or where looking again makes no sense.
pub(super) fn jwt(bytes: &[u8], index: usize) -> Result<Range<usize>, usize> {
    let first = run_end(bytes, index, usize::MAX, is_base64url);
    let mut end = first;
    let mut segments = 1;
    let mut second = 0;
    while at(bytes, end) == b'.' && segments < 5 {
        let next = run_end(bytes, end + 1, usize::MAX, is_base64url);
        if next == end + 1 && segments != 1 && segments != 2 {
            break;
        }
        if segments == 1 {
            second = end + 1;
        }
        end = next;
        segments += 1;
    }
    let signed = segments >= 2 && has(bytes, second, b"eyJ");
    if first - index >= 10 && (signed || segments >= 3 && end - index >= 24) {
        // The dot that ends a sentence is not an empty signature.
        let end = if at(bytes, end - 1) == b'.' && !signed {
            end - 1
        } else {
            end
        };
        return Ok(index..end);
    }
    Err(first)
}

/// A Telegram bot token around the colon at `index`.
pub(super) fn telegram(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let digits = slice(bytes, index.saturating_sub(11), index)
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let end = run_end(bytes, index + 1, 48, is_base64url);
    let body = slice(bytes, index + 1, end);
    let fits = (8..=10).contains(&digits)
        && (33..=46).contains(&body.len())
        && body.iter().any(u8::is_ascii_alphabetic);
    fits.then(|| index - digits..end)
}

impl Shape {
    fn end(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let inside = |byte: u8| match self.body {
            Body::Alnum | Body::Mixed => byte.is_ascii_alphanumeric(),
            Body::Url | Body::Irregular => is_base64url(byte),
            Body::Dotted => is_base64url(byte) || byte == b'.',
            Body::Hex => byte.is_ascii_hexdigit(),
            Body::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        };
        // A window decides; only a hit is followed to its end, which keeps the whole scan linear.
        let seen = run_end(bytes, start, 128, inside);
        let window = slice(bytes, start, seen);
        if window.len() < self.least || is_placeholder(window) {
            return None;
        }
        let digit = window.iter().any(u8::is_ascii_digit);
        let capital = window.iter().any(u8::is_ascii_uppercase);
        let fits = match self.body {
            Body::Alnum | Body::Url | Body::Dotted => true,
            Body::Mixed => digit || capital,
            Body::Irregular => {
                digit
                    || capital
                    || window
                        .split(|byte| !byte.is_ascii_alphanumeric())
                        .any(|part| part.len() >= 20)
            }
            // One letter over and over is an example.
            Body::Hex | Body::Upper => {
                let exact = window.len() == self.least && !at(bytes, seen).is_ascii_alphanumeric();
                exact && window.iter().any(|byte| Some(byte) != window.first())
            }
        };
        if !fits {
            return None;
        }
        let end = run_end(bytes, start, usize::MAX, inside);
        Some(
            if matches!(self.body, Body::Dotted) && at(bytes, end - 1) == b'.' {
                end - 1
            } else {
                end
            },
        )
    }
}

/// `SG.<id>.<key>`.
fn sendgrid(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    if !has(bytes, index, b"SG.") {
        return None;
    }
    let dot = run_end(bytes, index + 3, 128, is_base64url);
    if dot - index < 15 || at(bytes, dot) != b'.' {
        return None;
    }
    let end = run_end(bytes, dot + 1, usize::MAX, is_base64url);
    (end - dot > 15).then_some(index..end)
}

/// Three parts, of which the first is a user number in base64.
fn discord(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let first = run_end(bytes, index, 40, is_base64url);
    if !(22..=32).contains(&(first - index)) || at(bytes, first) != b'.' {
        return None;
    }
    let second = run_end(bytes, first + 1, 16, is_base64url);
    if !(5..=8).contains(&(second - first - 1)) || at(bytes, second) != b'.' {
        return None;
    }
    let end = run_end(bytes, second + 1, usize::MAX, is_base64url);
    let mixed = slice(bytes, index, end).iter().any(u8::is_ascii_digit);
    (end - second > 24 && mixed).then_some(index..end)
}

/// A session of Salesforce: the organisation, an exclamation mark, the key.
fn salesforce(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let mark = run_end(bytes, index, 20, |byte| byte.is_ascii_alphanumeric());
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
    let end = run_end(bytes, mark + 1, usize::MAX, inside);
    (has(bytes, index, b"00D") && at(bytes, mark) == b'!' && end - mark > 40).then_some(index..end)
}

/// A token of Asana: `1/<user>:<key>`.
fn asana(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let colon = run_end(bytes, index + 2, 20, |byte| byte.is_ascii_digit());
    let end = run_end(bytes, colon + 1, usize::MAX, |byte| {
        byte.is_ascii_hexdigit()
    });
    let fits = has(bytes, index, b"1/") && at(bytes, colon) == b':' && colon - index > 9;
    (fits && end - colon > 31).then_some(index..end)
}

/// A token of Airtable: `pat<id>.<key>`.
fn airtable(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let dot = run_end(bytes, index, 24, |byte| byte.is_ascii_alphanumeric());
    let end = run_end(bytes, dot + 1, usize::MAX, |byte| byte.is_ascii_hexdigit());
    let fits = has(bytes, index, b"pat") && at(bytes, dot) == b'.' && dot - index == 17;
    (fits && end - dot > 60).then_some(index..end)
}

/// A secret that is known by what stands in it: of Azure around the tilde, of Terraform around the dot at `index`.
pub(super) fn around(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let back = |least: usize, inside: fn(u8) -> bool| {
        let before = slice(bytes, index.saturating_sub(40), index);
        let count = before
            .iter()
            .rev()
            .take_while(|&&byte| inside(byte))
            .count();
        // The digits of a percent escape are not part of it.
        let escape = index > count && at(bytes, index - count - 1) == b'%';
        let count = count - if escape { 2.min(count) } else { 0 };
        (count >= least).then(|| index - count)
    };
    if at(bytes, index) == b'.' {
        if !has(bytes, index, b".atlasv1.") {
            return None;
        }
        let start = back(14, |byte| byte.is_ascii_alphanumeric())?;
        let end = run_end(bytes, index + 9, usize::MAX, is_base64url);
        return (end - index > 40).then_some(start..end);
    }
    let marked = index > 1 && at(bytes, index - 1) == b'Q' && at(bytes, index - 2).is_ascii_digit();
    if !marked {
        return None;
    }
    let start = back(5, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')
    })?;
    let inside = |byte: u8| is_base64url(byte) || matches!(byte, b'.' | b'~');
    let end = run_end(bytes, index + 1, 40, inside);
    (end - index >= 30).then_some(start..end)
}

/// A key of Mailchimp around the dash at `index`: 32 digits, and where its data stands.
pub(super) fn mailchimp(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let start = index.checked_sub(32)?;
    let digits = slice(bytes, start, index).iter().all(u8::is_ascii_hexdigit);
    let end = run_end(bytes, index + 3, 3, |byte| byte.is_ascii_digit());
    (digits && has(bytes, index, b"-us") && end > index + 3).then_some(start..end)
}

/// A password as systems keep it, from the dollar at `index`: `$2b$12$…`, `$argon2id$…`, `$6$…`.
pub(super) fn crypt(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    const KINDS: [&[u8]; 12] = [
        b"$2a$",
        b"$2b$",
        b"$2y$",
        b"$1$",
        b"$5$",
        b"$6$",
        b"$y$",
        b"$7$",
        b"$apr1$",
        b"$argon2",
        b"$pbkdf2",
        b"$scrypt$",
    ];
    KINDS.iter().find(|kind| has(bytes, index, kind))?;
    let end = run_end(bytes, index, usize::MAX, |byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'$' | b'.' | b'/' | b'+' | b'=' | b',' | b'-' | b'_')
    });
    (end - index >= 30).then(|| index..super::auth::trim(bytes, index, end))
}

/// The secret path of an incoming webhook.
fn webhook(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let host = HOSTS.iter().find(|host| has(bytes, index, host))?;
    let start = index + host.len();
    let end = run_end(bytes, start, usize::MAX, |byte| {
        is_base64url(byte) || byte == b'/'
    });
    (end - start >= 8).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_look_lets_every_beginning_through() {
        let beginnings = SHAPES.iter().map(|shape| shape.prefix).chain(HOSTS);
        let mut count = 0;
        for prefix in beginnings.chain(OTHERS) {
            for rest in [&b"aa"[..], b"00", b"__"] {
                let text = [prefix, rest].concat();
                assert!(may_begin(at(&text, 0), at(&text, 1), at(&text, 2)));
                assert!(begins(at(&text, 0)));
                count += 1;
            }
        }
        assert!(count > 400, "{count}");
        let all = (b'a'..=b'z').flat_map(|a| (b'a'..=b'z').map(move |b| (a, b)));
        let passed = all.filter(|(a, b)| may_begin(*a, *b, b'e')).count();
        assert!(passed < 90, "{passed} of 676 word beginnings are looked at");
    }

    #[test]
    fn of_prefixes_that_begin_alike_the_longest_comes_first() {
        for pair in SHAPES.windows(2) {
            if let [before, after] = pair {
                assert!(
                    !after.prefix.starts_with(before.prefix),
                    "{}",
                    after.prefix.escape_ascii()
                );
            }
        }
    }
}
