//! Passwords in statements and commands: `IDENTIFIED BY '…'`, `PASSWORD '…'`, `mysql -p…`, `sshpass -p …`.

use std::ops::Range;

use super::keys;
use super::pairs::{enclosed, value_end};
use super::plain::{LONGEST, at, has_any_case, is_placeholder, is_prose, run_end, slice};

/// The password in the statement whose word starts at `index`.
pub(super) fn statement(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    if has_any_case(bytes, index, b"identified by ") {
        return value(bytes, index + 14);
    }
    if has_any_case(bytes, index, b"requirepass ") {
        return value(bytes, index + 12);
    }
    if has_any_case(bytes, index, b"securestring ") {
        let named = has_any_case(bytes, index + 13, b"-string ");
        return value(bytes, index + 13 + if named { 8 } else { 0 });
    }
    if !has_any_case(bytes, index, b"password") {
        return None;
    }
    let after = index + 8;
    let open = run_end(bytes, after, 4, |byte| matches!(byte, b' ' | b'('));
    if open == after {
        return None;
    }
    // `SET PASSWORD FOR ann = '…'`
    if has_any_case(bytes, open, b"for ") {
        let sign = run_end(bytes, open, LONGEST, |byte| byte != b'=' && byte != b'\n');
        return (at(bytes, sign) == b'=').then(|| value(bytes, sign + 1))?;
    }
    // `machine a.example login ann password …`
    let before = slice(bytes, index.saturating_sub(LONGEST), index);
    let login = before.windows(7).any(|word| word == b" login ");
    login.then(|| value(bytes, open))?
}

/// The password behind the dash at `index`, where the command or the name of the flag says that it is one.
pub(super) fn flag(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    if index == 0 || !matches!(at(bytes, index - 1), b' ' | b'"' | b'\'') {
        return None;
    }
    let name = run_end(bytes, index + 1, 24, |byte| byte.is_ascii_alphabetic());
    let space = at(bytes, name) == b' ';
    let word = slice(bytes, index + 1, name);
    if space && word.len() > 2 && (word.ends_with(b"pass") || keys::sensitive(word)) {
        return value(bytes, name + 1);
    }
    let line = slice(bytes, index.saturating_sub(160), index);
    let line = line.rsplit(|byte| *byte == b'\n').next().unwrap_or(line);
    let called = |commands: &[&[u8]]| {
        let called = |command: &&[u8]| line.windows(command.len()).any(|part| part == *command);
        commands.iter().any(called)
    };
    match (at(bytes, index + 1), space && word.len() == 1) {
        (b'p', false) if called(&[b"mysql", b"mariadb", b"7z "]) => value(bytes, index + 2),
        (b'p', true) if called(&[b"sshpass", b" login"]) => value(bytes, name + 1),
        (b'P', true) if called(&[b"zip ", b"sqlcmd", b"bcp "]) => value(bytes, name + 1),
        (b'a', true) if called(&[b"redis-cli", b"valkey-cli"]) => value(bytes, name + 1),
        (b'w', true) if called(&[b"ldap"]) => value(bytes, name + 1),
        (b'k', true) if called(&[b"openssl"]) => value(bytes, name + 1),
        (b'U', true) if called(&[b"smbclient", b"rpcclient"]) => {
            let whole = value(bytes, name + 1)?;
            let sign = run_end(bytes, whole.start, LONGEST, |byte| byte != b'%');
            (sign + 1 < whole.end).then_some(sign + 1..whole.end)
        }
        _ => None,
    }
}

/// A word or a quoted text.
fn value(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let start = run_end(bytes, start, 4, |byte| byte == b' ');
    let span = match enclosed(bytes, start) {
        Some(inner) => inner,
        None => start..value_end(bytes, start, false),
    };
    let told = slice(bytes, span.start, span.end);
    (!told.is_empty() && at(told, 0) != b'-' && !is_placeholder(told) && !is_prose(told))
        .then_some(span)
}
