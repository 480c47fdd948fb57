//! Names with values in text: `key=value`, `key: value`, `"key": "value"`, `<key>value</key>`, `--key value`.

use std::ops::Range;

use super::auth::{credentials, line_end, trim};
use super::keys;
use super::plain::{LONGEST, at, has, is_placeholder, is_prose, run_end, run_start, slice};
use super::quotes::enclosed;
use super::spoken::{self, echoed};
use super::words::{Words, list};

/// The secret value of the pair whose wide colon begins at `index`.
pub(super) fn wide_colon(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let key = Key::before(bytes, index).filter(|_| has(bytes, index, "：".as_bytes()))?;
    let secret = keys::sensitive(slice(bytes, key.start, key.end));
    secret.then(|| super::commands::value(bytes, index + 3))?
}

/// The secret value of the pair whose `=` or `:` is at `index`.
pub(super) fn at_separator(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let separator = at(bytes, index);
    let key = Key::before(bytes, index)?;
    let name = slice(bytes, key.start, key.end);
    let lead = if key.start > 0 {
        at(bytes, key.start - 1)
    } else {
        0
    };
    let query = separator == b'=' && matches!(lead, b'?' | b'&');
    let secret = keys::sensitive(name) || query && is_signature(name) || key.is_phrase(bytes);
    if !secret {
        return weak(bytes, index, name, query).or_else(|| named(bytes, index, name));
    }
    let mut value = index + 1;
    match (separator, at(bytes, value)) {
        (b'=', b'=' | b'>') | (b':', b'=') => value += 1,
        (b':', b':') => return None,
        _ => {}
    }
    if separator == b':' && index > 0 && at(bytes, index - 1) == b':' {
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
        return (!is_placeholder(slice(bytes, inner.start, inner.end))).then_some(inner);
    }
    if has(bytes, value, super::REDACTED.as_bytes())
        || is_template(bytes, value)
        || is_list(bytes, value)
    {
        return None;
    }
    if separator == b'='
        && let Some(inner) = braced(bytes, value)
    {
        return Some(inner);
    }
    let word = slice(bytes, value, value_end(bytes, value, query));
    let end = if query {
        value + word.len()
    } else {
        trim(bytes, value, value + word.len())
    };
    if end <= value
        || is_placeholder(slice(bytes, value, end))
        || is_placeholder(word)
        || is_command(bytes, value)
        || is_call(bytes, value, value + word.len())
    {
        return None;
    }
    if is_prose(word) {
        return echoed(bytes, value);
    }
    if separator == b':' {
        let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
        // "3 tests pass: 12" counts.
        let count = name.eq_ignore_ascii_case(b"pass") && digits < 4 && end - value == digits;
        if keys::is_weak(name) && (digits == 0 || count) {
            return None;
        }
        // "token: token was rejected" is a sentence.
        let follows = at(bytes, end) == b' ' && at(bytes, end + 1).is_ascii_lowercase();
        let lower = |byte: &u8| byte.is_ascii_lowercase();
        let spoken = follows && word.len() < 24 && word.iter().all(u8::is_ascii_alphabetic);
        // "invalid token: signature mismatch": no word is a token.
        let token = name.eq_ignore_ascii_case(b"token") && word.iter().all(lower);
        if spoken && (token || keys::sensitive(word)) {
            return None;
        }
        let line = keys::is_cookie(name) && word.contains(&b'=') || is_word_list(name);
        if line {
            let stop = outer_end(bytes, value, lead, usize::MAX);
            return Some(value..value + slice(bytes, value, stop).trim_ascii_end().len());
        }
    }
    Some(value..end)
}

/// Whether the value is what a command says: `$(cat token)`. What is only echoed stands in it.
fn is_command(bytes: &[u8], start: usize) -> bool {
    let word = run_end(bytes, start + 2, 32, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'-'
    });
    has(bytes, start, b"$(")
        && at(bytes, word) == b' '
        && !matches!(slice(bytes, start + 2, word), b"echo" | b"printf")
}

/// Whether the value is the call of a function, `parser.next()`, that ends its name at `end`.
fn is_call(bytes: &[u8], start: usize, end: usize) -> bool {
    let word = slice(bytes, start, end);
    let name = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b':');
    let path = word.strip_suffix(b"(");
    at(bytes, end) == b')' && path.is_some_and(|path| !path.is_empty() && path.iter().all(name))
}

/// The value in `("password", "…")`, whose comma is at `index`.
pub(super) fn argument(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let before = index.checked_sub(1).map(|before| at(bytes, before))?;
    if !matches!(before, b'"' | b'\'') {
        return None;
    }
    let key = Key::before(bytes, index)?;
    let name = slice(bytes, key.start, key.end);
    if name.contains(&b' ') || !keys::sensitive(name) {
        return None;
    }
    let flag = name.starts_with(b"--");
    let value = run_end(bytes, index + 1, 64, |byte| byte.is_ascii_whitespace());
    let open = run_end(bytes, value, 8, |byte| byte == b'\\');
    if !matches!(at(bytes, open), b'"' | b'\'') {
        return None;
    }
    let inner = enclosed(bytes, value)?;
    let told = slice(bytes, inner.start, inner.end);
    if keys::is_authorization(name) {
        return credentials(bytes, inner.start, inner.end, true);
    }
    // In a list of names the next is a name.
    let word = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.');
    let listed = told.iter().all(word) && !flag || told.starts_with(b"-");
    (!listed && !is_placeholder(told)).then_some(inner)
}

/// The second argument of the function whose bracket is at `index`, where it asks for a secret: `db.auth("ann", "…")`.
pub(super) fn call(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let name = slice(
        bytes,
        run_start(bytes, index, 32, |byte| {
            byte.is_ascii_alphanumeric() || byte == b'_'
        }),
        index,
    );
    let asks = keys::weak(name) == Some(keys::Weak::Loose)
        || keys::sensitive(name)
        || keys::ends_with(name, "login");
    if !asks || !matches!(at(bytes, index + 1), b'"' | b'\'') {
        return None;
    }
    let first = enclosed(bytes, index + 1)?;
    let second = run_end(bytes, first.end + 1, 8, |byte| matches!(byte, b',' | b' '));
    let inner = enclosed(bytes, second).filter(|_| second > first.end + 1)?;
    let told = slice(bytes, inner.start, inner.end);
    let word = told
        .iter()
        .all(|byte| byte.is_ascii_lowercase() || b" _-.".contains(byte));
    (!word && !is_placeholder(told)).then_some(inner)
}

/// A value that looks like a credential behind a name that may promise one.
fn weak(bytes: &[u8], index: usize, name: &[u8], query: bool) -> Option<Range<usize>> {
    let value = run_end(bytes, index + 1, 8, |byte| byte == b' ');
    let span = || {
        enclosed(bytes, value).unwrap_or_else(|| {
            let end = value_end(bytes, value, query);
            value..if query { end } else { trim(bytes, value, end) }
        })
    };
    let weak = match keys::weak(name) {
        // In an address such names are seldom harmless.
        Some(_) if query => keys::Weak::Loose,
        Some(weak) => weak,
        None if query && name.eq_ignore_ascii_case(b"code") => keys::Weak::Strict,
        None if BLOCK.has(name)
            && is_block(
                bytes,
                slice(bytes, 0, index).trim_ascii_end().len() - name.len(),
            ) =>
        {
            keys::Weak::Strict
        }
        None => return None,
    };
    let span = span();
    weak.hides(slice(bytes, span.start, span.end))
        .then_some(span)
}

static BLOCK: Words<64> = Words::of("default value");

/// Whether the block that begins before `index` is named after a secret: `variable "db_password" { default = … }`.
fn is_block(bytes: &[u8], index: usize) -> bool {
    let before = slice(bytes, index.saturating_sub(LONGEST), index).trim_ascii_end();
    let name = before
        .strip_suffix(b"{")
        .and_then(|before| before.trim_ascii_end().strip_suffix(b"\""));
    let name = name.and_then(|name| name.rsplit(|byte| *byte == b'"').next());
    name.is_some_and(keys::sensitive)
}

/// The value of a cookie whatever its name, by the attribute behind the semicolon at `index`: `li=…; Path=/`.
pub(super) fn cookie(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    const ATTRIBUTES: [&[u8]; 7] =
        list("; path=,; httponly,; secure,; samesite=,; domain=,; max-age=,; expires=");
    spoken::which(bytes, index, &ATTRIBUTES)?;
    let inside = |byte: u8| !byte.is_ascii_whitespace() && !b";,\"'".contains(&byte);
    let pair = run_start(bytes, index, 1024, inside);
    let value = run_end(bytes, pair, index - pair, |byte| byte != b'=') + 1;
    let secret = value < index && keys::Weak::Strict.hides(slice(bytes, value, index));
    secret.then_some(value..index)
}

/// The value beside a name that is itself a value: `name="password" value="…"`, `- name: TOKEN` and `value: …` on the next
/// line, a part of a multipart form.
fn named(bytes: &[u8], index: usize, name: &[u8]) -> Option<Range<usize>> {
    if !NAMES.has_any_case(name) {
        return None;
    }
    let start = run_end(bytes, index + 1, 8, |byte| byte == b' ');
    let told =
        enclosed(bytes, start).unwrap_or_else(|| start..run_end(bytes, start, LONGEST, is_name));
    if !keys::sensitive(slice(bytes, told.start, told.end)) {
        return None;
    }
    let after = slice(bytes, told.end, bytes.len().min(told.end + 160));
    for blank in [&b"\r\n\r\n"[..], b"\n\n", b"\\r\\n\\r\\n", b"\\n\\n"] {
        if let Some(offset) = after.windows(blank.len()).position(|part| part == blank) {
            let value = told.end + offset + blank.len();
            let end = line_end(bytes, value);
            return (!is_placeholder(slice(bytes, value, end)) && value < end)
                .then_some(value..end);
        }
    }
    let near = after.get(..after.len().min(64)).unwrap_or(after);
    let word = near
        .windows(5)
        .position(|part| part.eq_ignore_ascii_case(b"value"))?;
    let sign = told.end + word + 5;
    let sign = run_end(bytes, sign, 3, |byte| {
        matches!(byte, b'"' | b'\'' | b' ' | b'\\')
    });
    if !matches!(at(bytes, sign), b'=' | b':') {
        return None;
    }
    let value = run_end(bytes, sign + 1, 8, |byte| byte == b' ');
    let span = enclosed(bytes, value).unwrap_or_else(|| value..value_end(bytes, value, false));
    let told = slice(bytes, span.start, span.end);
    (!told.is_empty() && !is_placeholder(told) && !is_prose(told)).then_some(span)
}

/// What a name stands behind.
static NAMES: Words<64> = Words::of("name key id field header param");

/// The secret text of the element whose start tag ends with the `>` at `index`.
pub(super) fn element(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let from = index.saturating_sub(LONGEST);
    let before = slice(bytes, from, index);
    let open = before.iter().rposition(|&byte| byte == b'<')? + 1;
    let name_end = run_end(before, open, LONGEST, |byte| !byte.is_ascii_whitespace());
    let name = slice(before, open, name_end);
    if !at(name, 0).is_ascii_alphabetic() || !keys::sensitive(name) {
        return None;
    }
    let end = run_end(bytes, index + 1, usize::MAX, |byte| byte != b'<');
    let value = slice(bytes, index + 1, end);
    (has(bytes, end, b"</") && !is_placeholder(value)).then_some(index + 1..end)
}

/// The secret argument of the flag whose first dash is at `index`.
pub(super) fn flag(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let name_end = run_end(bytes, index + 2, LONGEST, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
    });
    if !keys::sensitive(slice(bytes, index + 2, name_end)) {
        return None;
    }
    if let Some(told) = spoken::before(bytes, index) {
        return Some(told);
    }
    if at(bytes, name_end) != b' ' {
        return None;
    }
    let value = run_end(bytes, name_end, 8, |byte| byte == b' ');
    if let Some(inner) = enclosed(bytes, value) {
        return (!is_placeholder(slice(bytes, inner.start, inner.end))).then_some(inner);
    }
    if matches!(at(bytes, value), b'-' | b'|' | b'&') || is_template(bytes, value) {
        return None;
    }
    let word = slice(bytes, value, value_end(bytes, value, false));
    let end = trim(bytes, value, value + word.len());
    (end > value
        && !is_placeholder(word)
        && !is_prose(word)
        && !has(bytes, value, super::REDACTED.as_bytes()))
    .then_some(value..end)
}

/// The inside of a value in braces, as connection strings quote them: `Password={a;b};`.
fn braced(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    if at(bytes, start) != b'{' {
        return None;
    }
    let line = slice(bytes, start, bytes.len().min(start + 256));
    let ends = |offset: usize| {
        at(line, offset) == b'}'
            && (at(line, offset + 1) == b';' || start + offset + 1 == bytes.len())
    };
    let close = (1..line.len())
        .take_while(|&offset| at(line, offset) != b'\n')
        .find(|&offset| ends(offset))?;
    (close > 1 && !is_placeholder(slice(bytes, start + 1, start + close)))
        .then_some(start + 1..start + close)
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
        let end = run_start(bytes, end, 2, |byte| byte == b'*');
        let quote = if end > 0 { at(bytes, end - 1) } else { 0 };
        let quoted = matches!(quote, b'"' | b'\'' | b'`');
        let end = if quoted {
            run_start(bytes, end - 1, 8, |byte| byte == b'\\')
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
                byte != quote && byte != b'\n'
            } else {
                is_name(byte)
            }
        });
        let opened = !quoted || start > 0 && at(bytes, start - 1) == quote;
        (opened && start < end).then_some(Self { start, end, quoted })
    }

    /// Whether the words in front make it a secret: `access key: …`, `token value: …`.
    fn is_phrase(&self, bytes: &[u8]) -> bool {
        static LAST: Words<64> = Words::of(
            "key keys number code codes phrase value string pin passe acceso acesso accesso",
        );
        let name = slice(bytes, self.start, self.end);
        if self.quoted || !LAST.has_any_case(name) {
            return false;
        }
        let from = self.start.saturating_sub(24);
        let before = slice(bytes, from, self.start);
        let same = before
            .iter()
            .rposition(|&byte| !is_name(byte) && byte != b' ')
            .map_or(0, |offset| offset + 1);
        keys::sensitive(slice(bytes, from + same, self.end))
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']' | b'$')
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

/// Whether a template such as `{token}`, `{{ token }}`, `${{ x }}` or an object starts at `start`.
fn is_template(bytes: &[u8], start: usize) -> bool {
    let brace = if at(bytes, start) == b'$' {
        start + 1
    } else {
        start
    };
    if at(bytes, brace) != b'{' {
        return false;
    }
    if brace + 1 >= bytes.len() || has(bytes, brace + 1, super::REDACTED.as_bytes()) {
        return true;
    }
    if matches!(
        at(bytes, brace + 1),
        b'"' | b'\'' | b'\\' | b' ' | b'\n' | b'\r' | b'\t'
    ) {
        return true;
    }
    let close = run_end(bytes, brace, LONGEST, |byte| byte != b'}');
    let close = run_end(bytes, close, 2, |byte| byte == b'}');
    is_placeholder(slice(bytes, start, close))
}

/// Whether an empty list, the head of a list on more lines, or a label such as `[hidden]` starts at `start`.
fn is_list(bytes: &[u8], start: usize) -> bool {
    if at(bytes, start) != b'[' {
        return false;
    }
    let close = run_end(bytes, start, LONGEST, |byte| byte != b']');
    let next = at(bytes, start + 1);
    start + 1 >= bytes.len()
        || next.is_ascii_whitespace()
        || next == b']'
        || is_placeholder(slice(bytes, start, close + 1))
}

/// The end of a bare value: white space ends it, and so does punctuation that is followed by something new.
pub(super) fn value_end(bytes: &[u8], start: usize, query: bool) -> usize {
    let mut index = start;
    while let Some(&byte) = bytes.get(index) {
        let stops = match byte {
            b'"' | b'<' | b'`' => true,
            b'&' | b'#' if query => true,
            b';' => !query,
            b'\\' => matches!(at(bytes, index + 1), b'n' | b'r' | b't' | b'"' | b'\''),
            b',' | b'&' | b'\'' | b')' | b']' | b'}' | b'>' | b'|' => is_break(bytes, index + 1),
            _ => byte.is_ascii_whitespace(),
        };
        if stops {
            break;
        }
        index += 1;
    }
    index
}

/// Whether something new begins here: the end, more punctuation, or the next pair.
fn is_break(bytes: &[u8], index: usize) -> bool {
    let next = at(bytes, index);
    if index >= bytes.len()
        || next.is_ascii_whitespace()
        || matches!(
            next,
            b'"' | b'\'' | b',' | b')' | b']' | b'}' | b'.' | b';' | b'<' | b'>' | b'\\'
        )
    {
        return true;
    }
    let end = run_end(bytes, index, 40, is_name);
    end > index && matches!(at(bytes, end), b'=' | b':')
}

/// The end of the line, or the quote that was opened in front of the name.
fn outer_end(bytes: &[u8], start: usize, lead: u8, limit: usize) -> usize {
    let window = bytes
        .get(..bytes.len().min(start.saturating_add(limit)))
        .unwrap_or(bytes);
    let line = line_end(window, start);
    if !matches!(lead, b'"' | b'\'' | b'`') {
        return line;
    }
    let quote = run_end(bytes, start, line - start, |byte| byte != lead);
    quote - usize::from(quote < line && quote > start && at(bytes, quote - 1) == b'\\')
}
