//! Codes that open an account once: "your code is 482913", "OTP 482913", "482913 is your login code", "backup code a1b2-c3d4".
//!
//! A number is one only beside a noun that says so; error codes, postal codes and order numbers stay.

use std::ops::Range;

use super::plain::{at, run_end, run_start, slice};
use super::words::Words;

/// The code that begins with the digit at `index`, by the words before or behind it.
pub(super) fn digits(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let end = number(bytes, index)?;
    let (start, prefix) = match index.checked_sub(1).map(|before| at(bytes, before)) {
        None => (index, index),
        Some(b' ' | b'"' | b'\'' | b'*' | b'`') => (index, index - 1),
        // `G-482913`
        Some(b'-') => {
            let letters = run_start(bytes, index - 1, 3, |byte| byte.is_ascii_uppercase());
            let alone = letters == 0 || at(bytes, letters - 1) == b' ';
            (alone && letters < index - 1).then_some((index, letters))?
        }
        Some(_) => return None,
    };
    let short = end - start < 4;
    let told = promised(slice(bytes, prefix.saturating_sub(64), prefix), short)
        || !short && (is_yours(bytes, end) || opens(bytes, prefix, end));
    told.then_some(start..end)
}

/// The code behind the word `code` that starts at `index`: one with letters, which no number begins.
pub(super) fn lettered(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let noun = run_end(bytes, index, 8, |byte| byte.is_ascii_alphabetic());
    if !is_noun(slice(bytes, index, noun)) {
        return None;
    }
    let from = index.saturating_sub(64);
    let mut value = noun;
    for link in [&b": "[..], b" is: ", b" is ", b" was ", b" "] {
        if slice(bytes, noun, noun + link.len()) == link {
            value = noun + link.len();
            break;
        }
    }
    let value = run_end(bytes, value, 1, |byte| matches!(byte, b'"' | b'\'' | b'`'));
    let end = run_end(bytes, value, 40, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'-'
    });
    let word = slice(bytes, value, end);
    let fits = value > noun
        && word.len() >= 6
        && word.iter().any(u8::is_ascii_digit)
        && word.iter().any(u8::is_ascii_alphabetic)
        && word.iter().all(|byte| !byte.is_ascii_uppercase())
            | word.iter().all(|byte| !byte.is_ascii_lowercase());
    (fits && promised(slice(bytes, from, noun), false)).then_some(value..end)
}

/// Three to eight digits, also as two groups: the end.
fn number(bytes: &[u8], index: usize) -> Option<usize> {
    let first = run_end(bytes, index, 9, |byte| byte.is_ascii_digit());
    let length = first - index;
    let mut end = first;
    for _ in 0..3 {
        let next = run_end(bytes, end + 1, 5, |byte| byte.is_ascii_digit());
        let group = matches!(at(bytes, end), b' ' | b'-') && next - end - 1 == length;
        if !(2..=4).contains(&length) || !group {
            break;
        }
        end = next;
    }
    let next = at(bytes, end);
    let goes_on = next.is_ascii_alphanumeric()
        || matches!(next, b'_' | b'%' | b'/' | b':' | b'-')
        || matches!(next, b'.' | b',') && at(bytes, end + 1).is_ascii_digit();
    ((3..=8).contains(&length) || length == 2 && end - index >= 8)
        .then_some(end)
        .filter(|_| !goes_on)
}

/// Whether a text ends with a noun that promises a code, and perhaps with "is".
fn promised(before: &[u8], short: bool) -> bool {
    let before = before
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or(before);
    let mut words = Back(before);
    let mut word = words.next_word();
    while LINKS.has_any_case(word) || word == "é".as_bytes() || word == "è".as_bytes() {
        word = words.next_word();
    }
    if CARD.has_any_case(word) {
        return true;
    }
    if short {
        return false;
    }
    // A `pin` in lower case may be one of a chip.
    if ALONE.has_any_case(word) {
        return word != b"pin";
    }
    let adjective = words.next_word();
    if is_noun(word) {
        let named = YOURS.has_any_case(words.next_word()) && !HARMLESS.has_any_case(adjective);
        return is_secret(word) || is_secret(adjective) || YOURS.has_any_case(adjective) || named;
    }
    if matches!(word, b"password" | b"Passwort") {
        return is_secret(adjective);
    }
    // `código de verificação`
    let linked = matches!(adjective, b"de" | b"di" | b"da" | b"do");
    linked && is_secret(word) && is_noun(words.next_word())
}

/// Whether "is your login code" or "as your one-time password" follows.
fn is_yours(bytes: &[u8], end: usize) -> bool {
    let rest = slice(bytes, end, bytes.len().min(end + 64));
    let line = rest
        .split(|byte| matches!(byte, b'\n' | b'.' | b';'))
        .next()
        .unwrap_or(rest);
    let mut words = line.split(|byte| *byte == b' ').filter(|w| !w.is_empty());
    let mut next = || words.next().unwrap_or_default();
    let link = next();
    let mut word = next();
    if matches!(word, b"o" | b"a" | b"il" | b"la" | b"le") {
        word = next();
    }
    if !(LINKS.has_any_case(link) || link == "é".as_bytes()) || !YOURS.has_any_case(word) {
        return false;
    }
    let mut before: &[u8] = b"";
    for word in line.split(|byte| *byte == b' ').skip(2).take(6) {
        let end = run_end(word, 0, 40, |byte| byte != b',' && byte != b':');
        let word = slice(word, 0, end);
        let told = is_noun(word) && (is_secret(word) || is_secret(before));
        if told || ALONE.has_any_case(word) || word == b"password" && is_secret(before) {
            return true;
        }
        if is_noun(word) && YOURS.has_any_case(before) {
            return true;
        }
        before = word;
    }
    false
}

/// "Enter 482913 to sign in", "the code 482913 you entered".
fn opens(bytes: &[u8], prefix: usize, end: usize) -> bool {
    const ENDS: [&[u8]; 9] = [
        b" to verify",
        b" to sign in",
        b" to log in",
        b" to login",
        b" to confirm",
        b" to unlock",
        b" to authenticate",
        b" to reset",
        b" you entered",
    ];
    if !ENDS
        .iter()
        .any(|words| slice(bytes, end, end + words.len()) == *words)
    {
        return false;
    }
    let word = Back(slice(bytes, prefix.saturating_sub(24), prefix)).next_word();
    is_noun(word) || ENTER.has_any_case(word)
}

/// The words of a text from its end.
struct Back<'a>(&'a [u8]);

impl<'a> Back<'a> {
    fn next_word(&mut self) -> &'a [u8] {
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || *byte == b'-';
        let end = self.0.iter().rposition(inside).map_or(0, |last| last + 1);
        // A full stop ends what belongs together.
        let gap = slice(self.0, end, self.0.len());
        if gap.iter().any(|byte| b".;!?,()/|<>=".contains(byte)) {
            self.0 = b"";
            return b"";
        }
        let text = slice(self.0, 0, end);
        let start = text
            .iter()
            .rposition(|byte| !inside(byte))
            .map_or(0, |at| at + 1);
        self.0 = slice(text, 0, start);
        slice(text, start, end)
    }
}

fn is_noun(word: &[u8]) -> bool {
    const NOUNS: [&str; 8] = [
        "code", "codes", "código", "codigo", "codice", "kode", "kod", "codes",
    ];
    NOUNS.iter().any(|noun| {
        let start = word.len().checked_sub(noun.len());
        start.is_some_and(|start| {
            slice(word, start, word.len()).eq_ignore_ascii_case(noun.as_bytes())
        })
    })
}

/// Whether a word says that a code opens something.
fn is_secret(word: &[u8]) -> bool {
    const STEMS: [&str; 30] = [
        "pin-",
        "anmelde",
        "verif",
        "vérif",
        "securit",
        "sicherheit",
        "best\u{e4}tig",
        "confirm",
        "login",
        "log-in",
        "sign-in",
        "signin",
        "one-time",
        "onetime",
        "einmal",
        "auth",
        "2fa",
        "two-factor",
        "mfa",
        "otp",
        "totp",
        "recovery",
        "backup",
        "reset",
        "access",
        "sms",
        "pairing",
        "seguran",
        "segurid",
        "s\u{e9}curit",
    ];
    STEMS.iter().any(|stem| {
        word.get(..stem.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(stem.as_bytes()))
    })
}

static LINKS: Words<64> = Words::of("is was ist lautet es est as ready wie");
static YOURS: Words<64> =
    Words::of("your my ihr dein tu su seu sua teu votre ton tuo suo je jouw din");
static ALONE: Words<64> =
    Words::of("otp totp pin puk mtan smstan tan passcode einmalpasswort one-time-password");
static ENTER: Words<64> = Words::of("enter use type code");
/// Codes that open nothing.
static HARMLESS: Words<64> = Words::of(
    "promo discount coupon voucher order product postal zip area country color colour error exit \
     status response tracking booking language currency referral customer source bar qr tax",
);
static CARD: Words<64> = Words::of("cvv cvc cvv2 cvc2 csc");
