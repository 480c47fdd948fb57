//! Secrets in sentences: "the password is …", "password for ann: …", `passphrase "…"`, "invalid value '…' for --token".

use std::ops::Range;

use super::plain::{
    LONGEST, at, contains, has, has_any_case, is_placeholder, is_prose, is_uuid, part, run_end,
    run_start, slice, wordy,
};
use super::values::{enclosed, hidden};
use super::words::{Words, list};
use super::{REDACTED, keys, values};

/// What the sentence may speak of, in lower case. How they begin stands in the table of the scanner as well.
const NOUNS: [&[u8]; 22] = list(
    "password,passwd,passphrase,passcode,passwort,passord,secret,pwd,pin,credentials,creds,kennwort,\
    senha,salasana,contraseña,contrasena,clave,mot de passe,wachtwoord,zugangsdaten,psk,pass",
);

/// What stands between the noun and the secret, also in other languages.
const LINKS: [&[u8]; 22] = list(
    ": , : , is now , is set to , set to , changed to , is: , was: , is , was , -> , → , => , = , lautet: , lautet , ist , es , est : , est , é , è ",
);

/// What stands there when a secret gives way to another; a name may follow as well.
const CHANGES: [&[u8]; 4] = list(" was changed from , changed from , from , to ");

/// What may say whose it is, in front of a link.
const OWNERS: [&[u8]; 10] = list(" for , of , do , da , del , de , für , von , du , pour ");

/// Which of the words stands at `index`.
pub(super) fn which<'a>(bytes: &[u8], index: usize, words: &[&'a [u8]]) -> Option<&'a [u8]> {
    words
        .iter()
        .copied()
        .find(|word| has_any_case(bytes, index, word))
}

/// The secret of the sentence whose noun starts at `index`.
pub(super) fn spoken(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let noun = which(bytes, index, &NOUNS)?;
    let after = index + noun.len();
    if at(bytes, after).is_ascii_alphanumeric() {
        return None;
    }
    behind(bytes, after, noun).or_else(|| before(bytes, index))
}

fn behind(bytes: &[u8], after: usize, noun: &[u8]) -> Option<Range<usize>> {
    let open = run_end(bytes, after, 4, |byte| matches!(byte, b' ' | b'('));
    // `secret "db"` is the name of one; what begins with a bracket is a list.
    if open > after
        && noun != b"secret"
        && at(bytes, open) != b'['
        && let Some(inner) = enclosed(bytes, open)
    {
        let mut words = part(bytes, &inner).split(|byte| *byte == b' ');
        let prose = words.next().is_some_and(is_prose);
        return (!prose).then(|| hidden(bytes, inner))?;
    }
    match noun {
        b"credentials" | b"creds" | b"zugangsdaten" => return pair(bytes, open),
        b"pass" => {
            let before = slice(bytes, after.saturating_sub(64), after);
            let user = contains(before, b"user ") || contains(before, b"ogin ");
            return (open > after && user).then(|| bare(bytes, open))?;
        }
        _ => {}
    }
    if let Some(words) = which(bytes, after, &CHANGES) {
        return changed(bytes, after + words.len());
    }
    let mut verb = after;
    if which(bytes, after, &OWNERS).is_some() {
        let line = run_end(bytes, after, 64, |byte| *byte != b'\n');
        verb = (after + 4..line).find(|&place| which(bytes, place, &LINKS).is_some())?;
    }
    let Some(link) = which(bytes, verb, &LINKS) else {
        if open == after || matches!(noun, b"secret" | b"pin" | b"clave") {
            return None;
        }
        // `Senha incorreta: …`, `password 7 …`
        let word = run_end(bytes, open, 16, u8::is_ascii_alphanumeric);
        let mark = usize::from(at(bytes, word) == b':');
        let next = (mark == 1 || word == open + 1) && at(bytes, word + mark) == b' ';
        return bare(bytes, open).or_else(|| bare(bytes, word + mark + 1).filter(|_| next));
    };
    let value = verb + link.len();
    if let Some(inner) = enclosed(bytes, value) {
        return hidden(bytes, inner);
    }
    let end = word_end(bytes, value);
    let word = slice(bytes, value, end);
    let number = || (4..=8).contains(&word.len()) && word.iter().all(u8::is_ascii_digit);
    let fits = is_chosen(word) || matches!(noun, b"pin" | b"passcode") && number();
    fits.then(|| hidden(bytes, value..end))?
}

/// `from '…' to '…'`: the first that is still shown.
fn changed(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let quoted = enclosed(bytes, start).filter(|_| at(bytes, start) != b'[');
    let (inner, end) = match &quoted {
        Some(inner) => (inner.clone(), inner.end + 1),
        None => (start..word_end(bytes, start), word_end(bytes, start)),
    };
    let told = part(bytes, &inner);
    if is_placeholder(told) {
        let next = has(bytes, end, b" to ") && !told.is_empty();
        return next.then(|| changed(bytes, end + 4))?;
    }
    let fits = match quoted {
        Some(_) => !is_plain(told),
        None => is_chosen(told) && !is_term(told),
    };
    fits.then_some(inner)
}

/// What stands alone on the lines behind `Password:` or `Recovery codes:`, whose line ends at `start`.
pub(super) fn next_line(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let mut from = start;
    for _ in 0..32 {
        let space = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'-' | b'*');
        let value = run_end(bytes, from, 16, space);
        let end = run_end(bytes, value, LONGEST, |byte| !byte.is_ascii_whitespace());
        let word = slice(bytes, value, end);
        let alone = end == bytes.len() || matches!(at(bytes, end), b'\n' | b'\r');
        if !alone || word.contains(&b':') || word.contains(&b'=') {
            return None;
        }
        if word != REDACTED.as_bytes() {
            return is_chosen(word).then(|| hidden(bytes, value..end))?;
        }
        from = end;
    }
    None
}

/// The words of a wallet behind the noun at `index`: a dozen, each of three to eight letters.
pub(super) fn phrase(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let noun = which(bytes, index, &[b"mnemonic", b"phrase", b"seed", b"words"])?;
    let mut start = index + noun.len();
    let near = start + 24;
    let (mut first, mut last, mut count) = (start, start, 0);
    while count > 0 || start <= near && start < bytes.len() {
        let end = run_end(bytes, start, 9, u8::is_ascii_lowercase);
        let space = run_end(bytes, end, 2, |byte| matches!(byte, b' ' | b',' | b'\n'));
        let word = (3..=8).contains(&(end - start));
        if word {
            first = if count == 0 { start } else { first };
            (last, count) = (end, count + 1);
        }
        if !word || space == end {
            if count >= 12 {
                return Some(first..last);
            }
            count = 0;
        }
        start = if space > end { space } else { end + 1 };
    }
    None
}

/// `password hunter2`, without anything between.
fn bare(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let end = word_end(bytes, start);
    let word = slice(bytes, start, end);
    let fits = word.len() >= 6 && is_chosen(word) && !is_term(word);
    fits.then(|| hidden(bytes, start..end))?
}

/// `credentials ann/hunter2`: the part behind the mark.
fn pair(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let start = run_end(bytes, start, 2, |byte| matches!(byte, b':' | b' '));
    let user = run_end(bytes, start, 64, wordy(b"_-.@"));
    let mark = run_end(bytes, user, 1, |byte| *byte == b' ');
    let value = run_end(bytes, mark + 1, 1, |byte| *byte == b' ');
    let end = word_end(bytes, value);
    let word = slice(bytes, value, end);
    let marked = user > start && matches!(at(bytes, mark), b'/' | b':');
    (marked && is_chosen(word) && !word.contains(&b'/')).then(|| hidden(bytes, value..end))?
}

/// The quoted value in front of the name at `index`: "invalid value '…' for --token".
pub(super) fn before(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    static FILLERS: Words<64> = Words::of(
        "the a field key parameter option argument flag header variable member property setting",
    );
    let from = index.saturating_sub(160);
    let mut rest = slice(bytes, from, index);
    for _ in 0..3 {
        // Without the space, the dashes and the opening quotes at its end.
        let end = run_start(rest, rest.len(), usize::MAX, |byte| {
            b" -\"'`\\".contains(byte)
        });
        let word = run_start(rest, end, usize::MAX, |byte| *byte != b' ');
        let told = slice(rest, word, end);
        rest = slice(rest, 0, word.checked_sub(1)?);
        if told == b"for" {
            break;
        }
        if !FILLERS.has_any_case(told) {
            return None;
        }
    }
    let (&quote, inner) = rest.split_last()?;
    if !matches!(quote, b'"' | b'\'' | b'`') {
        return None;
    }
    let end = run_start(inner, inner.len(), usize::MAX, |byte| *byte == b'\\');
    let start = run_start(inner, end, usize::MAX, |byte| *byte != quote);
    let told = slice(inner, start, end);
    let shown = start == 0 || told.contains(&b'\n') || is_plain(told) || keys::sensitive(told);
    (!shown).then(|| hidden(bytes, from + start..from + end))?
}

/// The value that a sentence about a secret repeats: "password: expected hex, got 'hunter2'".
pub(super) fn echoed(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    const VERBS: [&[u8]; 8] = list(" got , got: , received , found , was , given , value , not ");
    let line = run_end(bytes, start, LONGEST, |byte| !matches!(byte, b'\n' | b'\r'));
    (start..line).find_map(|index| {
        let open = index + which(bytes, index, &VERBS)?.len();
        let inner = enclosed(bytes, open).filter(|_| at(bytes, open) != b'[')?;
        (!is_plain(part(bytes, &inner))).then(|| hidden(bytes, inner))?
    })
}

/// Words in lower case.
pub(super) fn is_plain(told: &[u8]) -> bool {
    told.iter()
        .all(|byte| byte.is_ascii_lowercase() || b" _-.".contains(byte))
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    values::word_end(bytes, start, LONGEST, b"\"<`")
}

/// Letters with digits or marks among them, as nobody writes words.
pub(super) fn is_chosen(word: &[u8]) -> bool {
    let mark = |byte: &u8| byte.is_ascii_digit() || b"#$^!".contains(byte);
    word.len() >= 5 && word.iter().any(mark) && word.iter().any(u8::is_ascii_alphabetic)
}

/// Names of methods, and measures such as `12-digit`.
fn is_term(word: &[u8]) -> bool {
    static TERMS: Words<64> = Words::of(
        "sha256 sha384 sha512 sha-256 sha-512 argon2 argon2i argon2id pbkdf2 blake2b blake3 aes128 \
         aes256 aes-256 base32 base64 oauth2 scram-sha-256 ripemd160",
    );
    let digits = run_end(word, 0, 16, u8::is_ascii_digit);
    TERMS.has_any_case(word) || digits > 0 && at(word, digits) == b'-' || is_uuid(word)
}
