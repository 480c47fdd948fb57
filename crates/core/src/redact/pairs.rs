//! Names with values in text: `key=value`, `key: value`, `"key": "value"`, `<key>value</key>`, `--key value`.

use std::ops::Range;

use super::auth::credentials;
use super::keys::{self, Weak};
use super::plain::{
    Count, LONGEST, at, has, is_placeholder, is_prose, part, prior, run_end, run_start, slice,
    wordy,
};
use super::spoken::{self, echoed, is_plain};
use super::values::{
    IS_NAME, braced, enclosed, hidden, is_code, is_list, is_template, line_end, outer_end, trim,
    value, value_end,
};
use super::words::{Words, list};
use super::{REDACTED, values};

/// The secret value of the pair whose `=` or `:` is at `index`.
pub(super) fn at_separator(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let wide = "：".as_bytes();
    let (separator, mut value) = match at(bytes, index) {
        b'=' => (b'=', index + 1),
        b':' => (b':', index + 1),
        _ => (b':', index + wide.len()),
    };
    let key = Key::before(bytes, index)?;
    let name = slice(bytes, key.start, key.end);
    let lead = prior(bytes, key.start);
    let query = separator == b'=' && matches!(lead, b'?' | b'&');
    let secret = keys::sensitive(name) || query && is_signature(name) || key.is_phrase(bytes);
    if !secret {
        return weak(bytes, value, &key, query).or_else(|| named(bytes, value, name));
    }
    match (separator, at(bytes, value)) {
        (b'=', b'=' | b'>') | (b':', b'=') => value += 1,
        (b':', b':') => return None,
        _ => {}
    }
    if separator == b':' && prior(bytes, index) == b':' {
        return None;
    }
    if separator == b':' && !key.quoted && matches!(at(bytes, value), b'\n' | b'\r') {
        return spoken::next_line(bytes, value);
    }
    value = run_end(bytes, value, 64, |byte| {
        matches!(byte, b' ' | b'\t') || key.quoted && matches!(byte, b'\n' | b'\r')
    });
    if separator == b'=' && matches!(name, b"PWD" | b"OLDPWD") && at(bytes, value) == b'/' {
        return None;
    }
    let inner = enclosed(bytes, value);
    if keys::is_authorization(name) {
        if let Some(inner) = inner {
            return credentials(bytes, inner.start, inner.end, true);
        }
        // A window says whether there is a credential at all before the line is read to its end.
        let seen = |limit| credentials(bytes, value, outer_end(bytes, value, lead, limit), false);
        return seen(256).and_then(|_| seen(usize::MAX));
    }
    if let Some(inner) = inner {
        return hidden(bytes, inner);
    }
    if has(bytes, value, REDACTED.as_bytes()) || is_template(bytes, value) || is_list(bytes, value)
    {
        return None;
    }
    if let Some(inner) = braced(bytes, value).filter(|_| separator == b'=') {
        return Some(inner);
    }
    let stop = value_end(bytes, value, query);
    let word = slice(bytes, value, stop);
    let end = if query {
        stop
    } else {
        trim(bytes, value, stop)
    };
    let span = hidden(bytes, value..end)?;
    if is_placeholder(word) || is_code(bytes, value, stop) {
        return None;
    }
    if is_prose(word) {
        return echoed(bytes, value);
    }
    if separator == b':' {
        let count = Count::of(word);
        // "3 tests pass: 12" counts.
        let counts =
            name.eq_ignore_ascii_case(b"pass") && count.digits < 4 && span.len() == count.digits;
        if keys::is_weak(name) && (count.digits == 0 || counts) {
            return None;
        }
        // "token: token was rejected" is a sentence; "invalid token: signature mismatch": no word is a token.
        let follows = at(bytes, end) == b' ' && at(bytes, end + 1).is_ascii_lowercase();
        let spoken = follows && word.len() < 24 && count.letters() == word.len();
        let token = name.eq_ignore_ascii_case(b"token") && count.upper == 0;
        if spoken && (token || keys::sensitive(word)) {
            return None;
        }
        if keys::is_cookie(name) && word.contains(&b'=') || is_word_list(name) {
            let line = slice(bytes, value, outer_end(bytes, value, lead, usize::MAX));
            return Some(value..value + line.trim_ascii_end().len());
        }
    }
    Some(span)
}

/// The value in `("password", "…")`, whose comma is at `index`.
pub(super) fn argument(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    if !matches!(prior(bytes, index), b'"' | b'\'') {
        return None;
    }
    let key = Key::before(bytes, index)?;
    let name = slice(bytes, key.start, key.end);
    if name.contains(&b' ') || !keys::sensitive(name) {
        return None;
    }
    let value = run_end(bytes, index + 1, 64, u8::is_ascii_whitespace);
    let open = run_end(bytes, value, 8, |byte| *byte == b'\\');
    if !matches!(at(bytes, open), b'"' | b'\'') {
        return None;
    }
    let inner = enclosed(bytes, value)?;
    if keys::is_authorization(name) {
        return credentials(bytes, inner.start, inner.end, true);
    }
    // In a list of names the next is a name.
    let word = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.');
    let told = part(bytes, &inner);
    let listed = told.iter().all(word) && !name.starts_with(b"--") || told.starts_with(b"-");
    (!listed).then(|| hidden(bytes, inner))?
}

/// The second argument of the function whose bracket is at `index`, where it asks for a secret: `db.auth("ann", "…")`.
pub(super) fn call(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let name = slice(bytes, run_start(bytes, index, 32, wordy(b"_")), index);
    let asks = keys::weak(name) == Some(Weak::Loose)
        || keys::sensitive(name)
        || keys::ends_with(name, "login");
    if !asks || !matches!(at(bytes, index + 1), b'"' | b'\'') {
        return None;
    }
    let first = enclosed(bytes, index + 1)?.end + 1;
    let second = run_end(bytes, first, 8, |byte| matches!(byte, b',' | b' '));
    let inner = enclosed(bytes, second).filter(|_| second > first)?;
    (!is_plain(part(bytes, &inner))).then(|| hidden(bytes, inner))?
}

/// The value at `start` where it looks like a credential, behind a name that may promise one.
fn weak(bytes: &[u8], start: usize, key: &Key, query: bool) -> Option<Range<usize>> {
    static BLOCK: Words<64> = Words::of("default value");
    let name = slice(bytes, key.start, key.end);
    let weak = match keys::weak(name) {
        // In an address such names are seldom harmless.
        Some(_) if query => Weak::Loose,
        Some(weak) => weak,
        None if query && name.eq_ignore_ascii_case(b"code") => Weak::Strict,
        None if BLOCK.has(name) && is_block(bytes, key.start) => Weak::Strict,
        None => return None,
    };
    let start = run_end(bytes, start, 8, |byte| *byte == b' ');
    let span = enclosed(bytes, start).unwrap_or_else(|| {
        let end = value_end(bytes, start, query);
        start..if query { end } else { trim(bytes, start, end) }
    });
    weak.hides(part(bytes, &span)).then_some(span)
}

/// Whether the block that begins before `index` is named after a secret: `variable "db_password" { default = … }`.
fn is_block(bytes: &[u8], index: usize) -> bool {
    let before = slice(bytes, index.saturating_sub(LONGEST), index).trim_ascii_end();
    let named = before.strip_suffix(b"{").map(<[u8]>::trim_ascii_end);
    let named = named.and_then(|before| before.strip_suffix(b"\""));
    let name = named.and_then(|before| before.rsplit(|byte| *byte == b'"').next());
    name.is_some_and(keys::sensitive)
}

/// The value of a cookie whatever its name, by the attribute behind the semicolon at `index`: `li=…; Path=/`.
pub(super) fn cookie(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    const ATTRIBUTES: [&[u8]; 7] =
        list("; path=,; httponly,; secure,; samesite=,; domain=,; max-age=,; expires=");
    spoken::which(bytes, index, &ATTRIBUTES)?;
    let inside = |byte: &u8| !byte.is_ascii_whitespace() && !b";,\"'".contains(byte);
    let pair = run_start(bytes, index, 1024, inside);
    let value = run_end(bytes, pair, index - pair, |byte| *byte != b'=') + 1;
    Weak::Strict
        .hides(slice(bytes, value, index))
        .then_some(value..index)
}

/// The value beside the name at `start` that is itself a value: `name="password" value="…"`, `<entry key="password">…</entry>`,
/// `- name: TOKEN` and `value: …` on the next line, a part of a multipart form.
fn named(bytes: &[u8], start: usize, name: &[u8]) -> Option<Range<usize>> {
    /// What a name stands behind.
    static NAMES: Words<64> = Words::of("name key id field header param");
    const BLANKS: [&[u8]; 4] = [b"\r\n\r\n", b"\n\n", b"\\r\\n\\r\\n", b"\\n\\n"];
    if !NAMES.has_any_case(name) {
        return None;
    }
    let start = run_end(bytes, start, 8, |byte| *byte == b' ');
    let told = enclosed(bytes, start);
    let told = told.unwrap_or_else(|| start..run_end(bytes, start, LONGEST, IS_NAME));
    if !keys::sensitive(part(bytes, &told)) {
        return None;
    }
    // What is neither a word nor a number is not a label.
    if at(bytes, told.end + 1) == b'>'
        && let Some(text) = text_of(bytes, told.end + 1, 256)
        && Weak::Loose.hides(part(bytes, &text))
    {
        return Some(text);
    }
    let after = slice(bytes, told.end, bytes.len().min(told.end + 160));
    for blank in BLANKS {
        if let Some(offset) = after.windows(blank.len()).position(|part| part == blank) {
            let body = told.end + offset + blank.len();
            return hidden(bytes, body..line_end(bytes, body));
        }
    }
    let mut words = after.windows(5).take(60);
    let word = words.position(|part| part.eq_ignore_ascii_case(b"value"))?;
    let sign = run_end(bytes, told.end + word + 5, 3, |byte| {
        b"\"' \\".contains(byte)
    });
    let span = Some(values::told(bytes, sign + 1)).filter(|span| !is_prose(part(bytes, span)))?;
    matches!(at(bytes, sign), b'=' | b':').then(|| hidden(bytes, span))?
}

/// The secret text of the element whose start tag ends with the `>` at `index`.
pub(super) fn element(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let open = run_start(bytes, index, LONGEST, |byte| *byte != b'<');
    let space = run_end(bytes, open, index - open, |byte| {
        !byte.is_ascii_whitespace()
    });
    let name = slice(bytes, open, space);
    let opened = prior(bytes, open) == b'<' && at(name, 0).is_ascii_alphabetic();
    if !opened || !keys::sensitive(name) {
        return None;
    }
    // The next tag ends it, so that no text is read twice.
    text_of(bytes, index, usize::MAX)
}

/// What stands between the `>` at `index` and the end tag.
fn text_of(bytes: &[u8], index: usize, limit: usize) -> Option<Range<usize>> {
    let end = run_end(bytes, index + 1, limit, |byte| *byte != b'<');
    has(bytes, end, b"</").then(|| hidden(bytes, index + 1..end))?
}

/// The secret argument of the flag whose first dash is at `index`.
pub(super) fn flag(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let name_end = run_end(bytes, index + 2, LONGEST, wordy(b"-_"));
    if !keys::sensitive(slice(bytes, index + 2, name_end)) {
        return None;
    }
    if let Some(told) = spoken::before(bytes, index) {
        return Some(told);
    }
    let start = run_end(bytes, name_end, 8, |byte| *byte == b' ');
    let other = matches!(at(bytes, start), b'|' | b'&')
        || is_template(bytes, start)
        || has(bytes, start, REDACTED.as_bytes());
    if start == name_end || other {
        return None;
    }
    let mut span = value(bytes, start)?;
    if span.start == start {
        span.end = trim(bytes, start, span.end);
    }
    Some(span)
}

/// Where the name of a pair stands.
struct Key {
    start: usize,
    end: usize,
    quoted: bool,
}

impl Key {
    fn before(bytes: &[u8], index: usize) -> Option<Self> {
        let end = run_start(bytes, index, 4, |byte| matches!(byte, b' ' | b'\t'));
        let end = run_start(bytes, end, 2, |byte| *byte == b'*');
        let quote = prior(bytes, end);
        let quoted = matches!(quote, b'"' | b'\'' | b'`');
        let end = if quoted {
            run_start(bytes, end - 1, 8, |byte| *byte == b'\\')
        } else {
            end
        };
        if !keys::may_promise_by_end(slice(bytes, 0, end)) {
            return None;
        }
        if let (Some(name), false) = (keys::foreign(slice(bytes, 0, end)), quoted) {
            let start = end - name.len();
            return Some(Self { start, end, quoted });
        }
        let start = run_start(bytes, end, LONGEST, |byte| {
            if quoted {
                *byte != quote && *byte != b'\n'
            } else {
                IS_NAME(byte)
            }
        });
        let opened = !quoted || prior(bytes, start) == quote;
        (opened && start < end).then_some(Self { start, end, quoted })
    }

    /// Whether the words in front make it a secret: `access key: …`, `token value: …`.
    fn is_phrase(&self, bytes: &[u8]) -> bool {
        static LAST: Words<64> = Words::of(
            "key keys number code codes phrase value string pin passe acceso acesso accesso",
        );
        if self.quoted || !LAST.has_any_case(slice(bytes, self.start, self.end)) {
            return false;
        }
        let words = |byte: &u8| IS_NAME(byte) || *byte == b' ';
        let start = run_start(bytes, self.start, 24, words);
        keys::sensitive(slice(bytes, start, self.end))
    }
}

/// Parameters that sign an address and so open it.
fn is_signature(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"sig") || name.eq_ignore_ascii_case(b"signature")
}

/// Names whose value is a list of plain words.
fn is_word_list(name: &[u8]) -> bool {
    ["phrase", "mnemonic", "codes"]
        .iter()
        .any(|end| keys::ends_with(name, end))
}
