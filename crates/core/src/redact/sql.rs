//! Passwords in statements for databases: `IDENTIFIED BY '…'`, `INSERT INTO users (name, password) VALUES ('ann', '…')`.

use std::ops::Range;

use super::commands::value;
use super::keys;
use super::pairs::value_end;
use super::plain::{LONGEST, at, has_any_case, is_placeholder, run_end, slice};
use super::quotes::enclosed;

/// The password in the statement whose word starts at `index`.
pub(super) fn statement(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    match at(bytes, index) | 0x20 {
        b'i' => identified(bytes, index),
        b'v' => inserted(bytes, index),
        b'p' => [&b"pragma key = "[..], b"pragma key="]
            .iter()
            .find(|words| has_any_case(bytes, index, words))
            .and_then(|words| value(bytes, index + words.len())),
        _ => None,
    }
}

/// `IDENTIFIED BY '…'`, `IDENTIFIED WITH plugin BY '…'`
fn identified(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    if has_any_case(bytes, index, b"identified by ") {
        return value(bytes, index + 14);
    }
    if !has_any_case(bytes, index, b"identified with ") {
        return None;
    }
    let plugin = run_end(bytes, index + 16, LONGEST, |byte| byte != b' ');
    has_any_case(bytes, plugin, b" by ").then(|| value(bytes, plugin + 4))?
}

/// The first value that stands where the columns in front of `VALUES` have a name that promises a secret.
fn inserted(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    if !has_any_case(bytes, index, b"values") {
        return None;
    }
    let before = slice(bytes, index.saturating_sub(1024), index).trim_ascii_end();
    let columns = before.strip_suffix(b")")?;
    let open = columns.iter().rposition(|&byte| byte == b'(')?;
    let columns = slice(columns, open + 1, columns.len());
    let secret = |name: &[u8]| {
        let marks = |byte: &u8| b"\"`[] \n\\".contains(byte);
        let name = name.split(marks).find(|part| !part.is_empty());
        name.is_some_and(keys::sensitive)
    };
    if !columns.split(|byte| *byte == b',').any(secret) {
        return None;
    }
    let space = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b',');
    let mut start = run_end(bytes, index + 6, 64, space);
    for column in columns.split(|byte| *byte == b',') {
        let (inner, end) = if let Some(inner) = enclosed(bytes, start) {
            let end = inner.end + (inner.start - start);
            (inner, end)
        } else {
            let end = value_end(bytes, start, false);
            let comma = run_end(bytes, start, end - start, |byte| byte != b',');
            (start..comma, comma)
        };
        let told = slice(bytes, inner.start, inner.end);
        let plain = is_placeholder(told) || told.len() < 3 || told == b"DEFAULT";
        if secret(column) && !plain {
            return Some(inner);
        }
        start = run_end(bytes, end, 64, space);
    }
    None
}
