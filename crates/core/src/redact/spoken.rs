//! Secrets in sentences: "the password is …", "password for ann: …", `passphrase "…"`, "invalid value '…' for --token".

use std::ops::Range;

use super::auth::trim;
use super::keys;
use super::plain::{LONGEST, at, has, has_any_case, is_placeholder, is_prose, run_end, slice};
use super::quotes::enclosed;
use super::words::Words;

/// What the sentence may speak of, in lower case. How they begin stands in the table of the scanner as well.
const NOUNS: [&str; 22] = [
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
    "zugangsdaten",
    "psk",
    "pass",
];

/// What stands between the noun and the secret.
const LINKS: [&str; 22] = [
    ": ",
    " : ",
    " is: ",
    " was: ",
    " is ",
    " was ",
    " -> ",
    " → ",
    " => ",
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

/// What stands there when a secret gives way to another; a name may follow as well.
const CHANGES: [&str; 4] = [" from ", " changed from ", " was changed from ", " to "];

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
    if noun.starts_with("cred") || noun == "zugangsdaten" {
        return pair(bytes, open);
    }
    if noun == "pass" {
        let before = slice(bytes, after.saturating_sub(64), after);
        let said = |said: &[u8]| before.windows(said.len()).any(|part| part == said);
        let user = open > after && (said(b"user ") || said(b"login "));
        return user.then(|| bare(bytes, open, noun))?;
    }
    if let Some(words) = CHANGES
        .iter()
        .find(|words| has(bytes, after, words.as_bytes()))
    {
        return changed(bytes, after + words.len());
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
        if open == after {
            return None;
        }
        // `Senha incorreta: …`, `password 7 …`
        let word = run_end(bytes, open, 16, |byte| byte.is_ascii_alphanumeric());
        let mark = usize::from(at(bytes, word) == b':');
        let next = (mark == 1 || word == open + 1) && at(bytes, word + mark) == b' ';
        let other = || bare(bytes, word + mark + 1, noun).filter(|_| next);
        return bare(bytes, open, noun).or_else(other);
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

/// `from '…' to '…'`: the first that is still shown.
fn changed(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let (inner, end) = match quoted(bytes, start) {
        Some(inner) => (inner.clone(), inner.end + 1),
        None => (start..word_end(bytes, start), word_end(bytes, start)),
    };
    let told = slice(bytes, inner.start, inner.end);
    if is_placeholder(told) {
        let next = has(bytes, end, b" to ") && !told.is_empty();
        return next.then(|| changed(bytes, end + 4))?;
    }
    let word = |byte: &u8| byte.is_ascii_lowercase() || b" _-.".contains(byte);
    let fits = if inner.start > start {
        !told.iter().all(word)
    } else {
        is_chosen(told) && !is_term(told)
    };
    fits.then_some(inner)
}

/// What stands alone on the lines behind `Password:` or `Recovery codes:`, whose line ends at `start`.
pub(super) fn next_line(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let mut from = start;
    for _ in 0..32 {
        let value = run_end(bytes, from, 16, |byte| {
            byte.is_ascii_whitespace() || matches!(byte, b'-' | b'*')
        });
        let end = run_end(bytes, value, LONGEST, |byte| !byte.is_ascii_whitespace());
        let word = slice(bytes, value, end);
        let alone = end == bytes.len() || matches!(at(bytes, end), b'\n' | b'\r');
        if !alone || word.contains(&b':') || word.contains(&b'=') {
            return None;
        }
        if word != super::REDACTED.as_bytes() {
            return (is_chosen(word) && !is_placeholder(word)).then_some(value..end);
        }
        from = end;
    }
    None
}

/// The words of a wallet behind the noun at `index`: a dozen, each of three to eight letters.
pub(super) fn phrase(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    const NOUNS: [&str; 4] = ["mnemonic", "phrase", "seed", "words"];
    let noun = NOUNS
        .iter()
        .find(|noun| has_any_case(bytes, index, noun.as_bytes()))?;
    let letter = |byte: u8| byte.is_ascii_lowercase();
    let near = index + noun.len() + 24;
    let mut start = index + noun.len();
    let (mut first, mut count) = (start, 0);
    loop {
        let end = run_end(bytes, start, 9, letter);
        let long = (3..=8).contains(&(end - start));
        if long {
            first = if count == 0 { start } else { first };
            count += 1;
        }
        let space = run_end(bytes, end, 2, |byte| matches!(byte, b' ' | b',' | b'\n'));
        let goes_on = long && space > end;
        if !goes_on && count >= 12 {
            return Some(first..end);
        }
        if !goes_on {
            count = 0;
        }
        start = if space > end { space } else { end + 1 };
        if count == 0 && start > near || start >= bytes.len() {
            return (count >= 12).then_some(first..end);
        }
    }
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

/// The value that a sentence about a secret repeats: "password: expected hex, got 'hunter2'".
pub(super) fn echoed(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    const VERBS: [&[u8]; 8] = [
        b" got ",
        b" got: ",
        b" received ",
        b" found ",
        b" was ",
        b" given ",
        b" value ",
        b" not ",
    ];
    let line = run_end(bytes, start, LONGEST, |byte| !matches!(byte, b'\n' | b'\r'));
    (start..line).find_map(|index| {
        let verb = VERBS.iter().find(|verb| has(bytes, index, verb))?;
        let open = index + verb.len();
        let inner = enclosed(bytes, open).filter(|_| at(bytes, open) != b'[')?;
        let told = slice(bytes, inner.start, inner.end);
        let word = told
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || b" _-".contains(byte));
        (!word && !is_placeholder(told)).then_some(inner)
    })
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
    let mark = super::REDACTED.as_bytes();
    if has(bytes, start, mark) {
        return start + mark.len();
    }
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
    TERMS.has_any_case(word) || digits > 0 && at(word, digits) == b'-' || super::hint::is_uuid(word)
}
