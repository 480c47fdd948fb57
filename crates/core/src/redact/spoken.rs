//! Secrets in sentences: "the password is …", "password for ann: …", `passphrase "…"`, "invalid value '…' for --token".

use std::ops::Range;

use super::auth::trim;
use super::keys;
use super::pairs::enclosed;
use super::plain::{LONGEST, at, has, has_any_case, is_placeholder, is_prose, run_end, slice};
use super::words::Words;

/// What the sentence may speak of, in lower case. How they begin stands in the table of the scanner as well.
const NOUNS: [&str; 19] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "passord",
    "secret",
    "pwd",
    "pin",
    "credentials",
    "creds",
    "kennwort",
    "senha",
    "salasana",
    "contraseña",
    "contrasena",
    "clave",
    "mot de passe",
    "wachtwoord",
];

/// What stands between the noun and the secret.
const LINKS: [&str; 20] = [
    ": ",
    " : ",
    " is: ",
    " was: ",
    " is ",
    " was ",
    " to ",
    " is now ",
    " is set to ",
    " set to ",
    " changed to ",
    " lautet: ",
    " lautet ",
    " ist ",
    " es ",
    " est : ",
    " est ",
    " é ",
    " è ",
    " = ",
];

/// What may say whose it is, in front of a link.
const OWNERS: [&str; 10] = [
    " for ", " of ", " do ", " da ", " del ", " de ", " für ", " von ", " du ", " pour ",
];

/// The secret of the sentence whose noun starts at `index`.
pub(super) fn spoken(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let noun = NOUNS
        .iter()
        .find(|noun| has_any_case(bytes, index, noun.as_bytes()))?;
    let after = index + noun.len();
    if at(bytes, after).is_ascii_alphanumeric() {
        return None;
    }
    behind(bytes, after, noun).or_else(|| before(bytes, index))
}

fn behind(bytes: &[u8], after: usize, noun: &str) -> Option<Range<usize>> {
    let open = run_end(bytes, after, 4, |byte| matches!(byte, b' ' | b'('));
    // `secret "db"` is the name of one.
    if open > after
        && noun != "secret"
        && let Some(inner) = quoted(bytes, open)
    {
        let told = slice(bytes, inner.start, inner.end);
        let word = told.split(|byte| *byte == b' ').next().unwrap_or_default();
        return (!is_placeholder(told) && !is_prose(word)).then_some(inner);
    }
    if noun.starts_with("cred") {
        return pair(bytes, open);
    }
    let link = |place: usize| {
        let mut links = LINKS.iter();
        links.find(|link| has(bytes, place, link.as_bytes()))
    };
    let mut verb = after;
    if OWNERS.iter().any(|of| has(bytes, after, of.as_bytes())) {
        let line = run_end(bytes, after, 64, |byte| byte != b'\n');
        verb = (after + 4..line).find(|&place| link(place).is_some())?;
    }
    let Some(link) = link(verb) else {
        return bare(bytes, open, noun).filter(|_| open > after);
    };
    let value = verb + link.len();
    if let Some(inner) = enclosed(bytes, value) {
        return (!is_placeholder(slice(bytes, inner.start, inner.end))).then_some(inner);
    }
    let end = word_end(bytes, value);
    let word = slice(bytes, value, end);
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let number =
        matches!(noun, "pin" | "passcode") && (4..=8).contains(&digits) && digits == word.len();
    (is_chosen(word) || number)
        .then_some(value..end)
        .filter(|_| !is_placeholder(word))
}

/// `password hunter2`, without anything between.
fn bare(bytes: &[u8], start: usize, noun: &str) -> Option<Range<usize>> {
    if matches!(noun, "secret" | "pin" | "clave") {
        return None;
    }
    let end = word_end(bytes, start);
    let word = slice(bytes, start, end);
    let fits = word.len() >= 6 && is_chosen(word) && !is_term(word) && !is_placeholder(word);
    fits.then_some(start..end)
}

/// `credentials ann/hunter2`: the part behind the mark.
fn pair(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let start = run_end(bytes, start, 2, |byte| matches!(byte, b':' | b' '));
    let user = run_end(bytes, start, 64, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@')
    });
    let mark = run_end(bytes, user, 1, |byte| byte == b' ');
    if user == start || !matches!(at(bytes, mark), b'/' | b':') {
        return None;
    }
    let value = run_end(bytes, mark + 1, 1, |byte| byte == b' ');
    let end = word_end(bytes, value);
    let word = slice(bytes, value, end);
    (is_chosen(word) && !word.contains(&b'/') && !is_placeholder(word)).then_some(value..end)
}

/// The quoted value in front of the name at `index`: "invalid value '…' for --token".
pub(super) fn before(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    static FILLERS: Words<64> = Words::of(
        "the a field key parameter option argument flag header variable member property setting",
    );
    let from = index.saturating_sub(160);
    let mut rest = slice(bytes, from, index);
    for _ in 0..3 {
        rest = unquoted(rest);
        let space = rest.iter().rposition(|&byte| byte == b' ')?;
        let word = slice(rest, space + 1, rest.len());
        rest = slice(rest, 0, space);
        if word == b"for" {
            break;
        }
        if !FILLERS.has_any_case(word) {
            return None;
        }
    }
    let quote = *rest.last()?;
    if !matches!(quote, b'"' | b'\'' | b'`') {
        return None;
    }
    let mut end = rest.len() - 1;
    let escapes = slice(rest, 0, end)
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'\\')
        .count();
    end -= escapes;
    let start = slice(rest, 0, end).iter().rposition(|&b| b == quote)? + 1;
    let told = slice(rest, start, end);
    let plain = |byte: &u8| byte.is_ascii_lowercase() || b" _-".contains(byte);
    let shown = told.contains(&b'\n') || told.iter().all(plain) || is_placeholder(told);
    (!shown && !keys::sensitive(told)).then_some(from + start..from + end)
}

/// Without the space, the dashes and the opening quotes at its end.
fn unquoted(text: &[u8]) -> &[u8] {
    let kept = text
        .iter()
        .rposition(|byte| !matches!(byte, b' ' | b'-' | b'"' | b'\'' | b'`' | b'\\'));
    slice(text, 0, kept.map_or(0, |last| last + 1))
}

/// A value in quotes; not a list.
fn quoted(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    enclosed(bytes, start).filter(|_| at(bytes, start) != b'[')
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let end = run_end(bytes, start, LONGEST, |byte| {
        !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'<' | b'`')
    });
    trim(bytes, start, end)
}

/// Letters with digits or marks among them, as nobody writes words.
pub(super) fn is_chosen(word: &[u8]) -> bool {
    let mark = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'#' | b'$' | b'^' | b'!');
    word.len() >= 5 && word.iter().any(mark) && word.iter().any(u8::is_ascii_alphabetic)
}

/// Names of methods, and measures such as `12-digit`.
fn is_term(word: &[u8]) -> bool {
    static TERMS: Words<64> = Words::of(
        "sha256 sha384 sha512 sha-256 sha-512 argon2 argon2i argon2id pbkdf2 blake2b blake3 aes128 \
         aes256 aes-256 base32 base64 oauth2 scram-sha-256 ripemd160",
    );
    let digits = run_end(word, 0, 16, |byte| byte.is_ascii_digit());
    TERMS.has_any_case(word)
        || digits > 0 && at(word, digits) == b'-'
        || super::hint::is_uuid(word)
}
