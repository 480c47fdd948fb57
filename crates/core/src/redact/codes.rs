//! Codes that open an account once: "your code is 482913", "OTP 482913", "482913 is your login code", "backup code a1b2-c3d4".
//!
//! A number is one only beside a noun that says so; error codes, postal codes and order numbers stay.

use std::ops::Range;

use super::plain::{Count, at, has_any_case, prior, run_end, run_start, slice, wordy};
use super::spoken::which;
use super::words::{Words, list};

/// The code that begins with the digit at `index`, by the words before or behind it.
pub(super) fn digits(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let end = number(bytes, index)?;
    let prefix = match prior(bytes, index) {
        _ if index == 0 => 0,
        b' ' | b'"' | b'\'' | b'*' | b'`' => index - 1,
        // `G-482913`
        b'-' => {
            let letters = run_start(bytes, index - 1, 3, u8::is_ascii_uppercase);
            let alone = letters == 0 || prior(bytes, letters) == b' ';
            (alone && letters < index - 1).then_some(letters)?
        }
        _ => return None,
    };
    let before = slice(bytes, prefix.saturating_sub(64), prefix);
    let told = if end - index < 4 {
        CARD.has_any_case(nouns(before)[0])
    } else {
        promised(before)
            || at(bytes, end) == b' ' && (is_yours(bytes, end) || opens(bytes, before, end))
    };
    told.then_some(index..end)
}

/// The code behind the word `code` that starts at `index`: one with letters, which no number begins.
pub(super) fn lettered(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    const LINKS: [&[u8]; 5] = list(": , is: , is , was , ");
    let noun = run_end(bytes, index, 8, u8::is_ascii_alphabetic);
    if !is_noun(slice(bytes, index, noun)) {
        return None;
    }
    let link = which(bytes, noun, &LINKS)?;
    let value = run_end(bytes, noun + link.len(), 1, |byte| b"\"'`".contains(byte));
    let end = run_end(bytes, value, 40, wordy(b"-"));
    let count = Count::of(slice(bytes, value, end));
    let one_case = count.upper == 0 || count.lower == 0;
    let fits = end - value >= 6 && count.digits > 0 && count.letters() > 0 && one_case;
    (fits && promised(slice(bytes, index.saturating_sub(64), noun))).then_some(value..end)
}

/// Three to eight digits, also in groups: the end.
fn number(bytes: &[u8], index: usize) -> Option<usize> {
    let first = run_end(bytes, index, 9, u8::is_ascii_digit);
    let length = first - index;
    let mut end = first;
    for _ in 0..3 {
        let next = run_end(bytes, end + 1, 5, u8::is_ascii_digit);
        let group = matches!(at(bytes, end), b' ' | b'-') && next - end - 1 == length;
        if !(2..=4).contains(&length) || !group {
            break;
        }
        end = next;
    }
    let next = at(bytes, end);
    let goes_on = wordy(b"_%/:-")(&next)
        || matches!(next, b'.' | b',') && at(bytes, end + 1).is_ascii_digit();
    let long = (3..=8).contains(&length) || length == 2 && end - index >= 8;
    (long && !goes_on).then_some(end)
}

/// The words of a sentence.
fn words(text: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || *byte == b'-';
    text.split(move |byte| !inside(byte))
        .filter(|word| !word.is_empty())
}

/// The last three words of a sentence without "is" and the like, from the end.
fn nouns(before: &[u8]) -> [&[u8]; 3] {
    #[rustfmt::skip]
    let ends = |byte: &u8| matches!(byte, b'\n' | b'.' | b';' | b'!' | b'?' | b',' | b'(' | b')' | b'/' | b'|' | b'<' | b'>' | b'=');
    let sentence = before.rsplit(ends).next();
    let mut words = words(sentence.unwrap_or_default())
        .rev()
        .skip_while(|word| LINKS.has_any_case(word));
    [(); 3].map(|()| words.next().unwrap_or_default())
}

/// Whether a text ends with a noun that promises a code, and perhaps with "is".
fn promised(before: &[u8]) -> bool {
    let [noun, adjective, other] = nouns(before);
    // `código de verificação`, `OTP for login`
    let linked = matches!(adjective, b"de" | b"di" | b"da" | b"do" | b"for");
    let linked = linked && is_secret(noun) && (is_noun(other) || ALONE.has_any_case(other));
    let yours = is_noun(noun) && YOURS.has_any_case(other) && !HARMLESS.has_any_case(adjective);
    CARD.has_any_case(noun) || names(adjective, noun) || linked || yours
}

/// Whether two words name a code that opens something.
fn names(adjective: &[u8], noun: &[u8]) -> bool {
    // A `pin` in lower case may be one of a chip.
    ALONE.has_any_case(noun) && noun != b"pin"
        || is_noun(noun)
            && (is_secret(noun) || is_secret(adjective) || YOURS.has_any_case(adjective))
        || matches!(noun, b"password" | b"Passwort") && is_secret(adjective)
}

/// Whether "is your login code" or "as your one-time password" follows.
fn is_yours(bytes: &[u8], end: usize) -> bool {
    let rest = slice(bytes, end, bytes.len().min(end + 64));
    let mut parts = rest.split(|byte| matches!(byte, b'\n' | b'.' | b';'));
    let mut words = words(parts.next().unwrap_or_default()).take(8);
    if !words.next().is_some_and(|link| LINKS.has_any_case(link)) {
        return false;
    }
    let mut before = words.next().unwrap_or_default();
    if matches!(before, b"o" | b"a" | b"il" | b"la" | b"le") {
        before = words.next().unwrap_or_default();
    }
    YOURS.has_any_case(before)
        && words.any(|word| names(std::mem::replace(&mut before, word), word))
}

/// "Enter 482913 to sign in", "the code 482913 you entered".
fn opens(bytes: &[u8], before: &[u8], end: usize) -> bool {
    const ENDS: [&[u8]; 9] = list(
        "to verify,to sign in,to log in,to login,to confirm,to unlock,to authenticate,to reset,you entered",
    );
    let word = || nouns(before)[0];
    which(bytes, end + 1, &ENDS).is_some() && (is_noun(word()) || ENTER.has_any_case(word()))
}

fn is_noun(word: &[u8]) -> bool {
    const NOUNS: [&[u8]; 7] = list("code,codes,código,codigo,codice,kode,kod");
    NOUNS.iter().any(|noun| {
        let start = word.len().checked_sub(noun.len());
        start.is_some_and(|start| has_any_case(word, start, noun))
    })
}

/// Whether a word says that a code opens something.
fn is_secret(word: &[u8]) -> bool {
    const STEMS: [&[u8]; 30] = list(
        "pin-,anmelde,verif,vérif,securit,sicherheit,bestätig,confirm,login,log-in,sign-in,signin,one-time,\
        onetime,einmal,auth,2fa,two-factor,mfa,otp,totp,recovery,backup,reset,access,sms,pairing,seguran,segurid,sécurit",
    );
    STEMS.iter().any(|stem| has_any_case(word, 0, stem))
}

static LINKS: Words<64> = Words::of("is was ist lautet es est as ready wie é è");
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
