//! Passwords in commands: `PASSWORD '…'`, `mysql -p…`, `sshpass -p …`, `echo … | login`.

use std::ops::Range;

use super::keys;
use super::pairs::value_end;
use super::plain::{LONGEST, at, has_any_case, is_placeholder, is_prose, run_end, slice};
use super::quotes::enclosed;
use super::spoken::is_chosen;

/// Words that a secret follows.
const BEFORE: [&str; 5] = [
    "requirepass ",
    "masterauth ",
    "securestring -string ",
    "securestring ",
    "snmp-server community ",
];

/// Words that a name and its value follow.
const SETTERS: [&str; 6] = [
    "env ",
    "setx ",
    "set -x ",
    "config set ",
    "config --global ",
    "config ",
];

/// The password in the statement whose word starts at `index`.
pub(super) fn statement(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let begins = |words: &&str| has_any_case(bytes, index, words.as_bytes());
    if let Some(words) = BEFORE.iter().find(|words| begins(words)) {
        return value(bytes, index + words.len());
    }
    if let Some(words) = SETTERS.iter().find(|words| begins(words)) {
        return setting(bytes, index + words.len());
    }
    match at(bytes, index) | 0x20 {
        b'e' => piped(bytes, index, b"echo "),
        b'n' => net(bytes, index),
        b'p' => piped(bytes, index, b"printf ").or_else(|| password(bytes, index)),
        _ => None,
    }
}

fn password(bytes: &[u8], index: usize) -> Option<Range<usize>> {
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

/// `ENV DB_PASSWORD …`, `setx TOKEN …`, `config set db.password …`
fn setting(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let end = run_end(bytes, start, LONGEST, |byte| {
        byte.is_ascii_alphanumeric() || b"_-.:/@".contains(&byte)
    });
    let name = slice(bytes, start, end);
    let name = name.rsplit(|byte| *byte == b':').next().unwrap_or(name);
    (at(bytes, end) == b' ' && keys::sensitive(name)).then(|| value(bytes, end))?
}

/// What is echoed into a command that reads a password: `echo … | docker login --password-stdin`.
fn piped(bytes: &[u8], index: usize, command: &[u8]) -> Option<Range<usize>> {
    const READERS: [&[u8]; 8] = [
        b"passw",
        b"-stdin",
        b"passphrase-fd",
        b"sudo -S",
        b"secret",
        b" login",
        b"with-token",
        b"-pass",
    ];
    if !has_any_case(bytes, index, command) {
        return None;
    }
    let line = run_end(bytes, index, 512, |byte| byte != b'\n');
    let pipe = run_end(bytes, index, line - index, |byte| byte != b'|');
    let reader = slice(bytes, pipe, line);
    let reads = |word: &&[u8]| reader.windows(word.len()).any(|part| part == *word);
    if !READERS.iter().any(reads) {
        return None;
    }
    let mut start = index + command.len();
    while at(bytes, start) == b'-' {
        let flag = run_end(bytes, start, 8, |byte| byte != b' ');
        start = run_end(bytes, flag, 4, |byte| byte == b' ');
    }
    let span = value(bytes, start)?;
    // `ann:…` for chpasswd.
    let colon = run_end(bytes, span.start, span.len(), |byte| byte != b':');
    let user = reads(&&b"chpasswd"[..]) && colon + 1 < span.end;
    let start = if user { colon + 1 } else { span.start };
    let shown = span.end > pipe || is_placeholder(slice(bytes, start, span.end));
    (!shown).then_some(start..span.end)
}

/// The password in `net use Z: \\host\share … /user:ann` and `net user ann … /add`.
fn net(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let share = has_any_case(bytes, index, b"net use ");
    if !share && !has_any_case(bytes, index, b"net user ") {
        return None;
    }
    let mut start = if share {
        index + 8
    } else {
        run_end(bytes, index + 9, LONGEST, |byte| byte != b' ')
    };
    let line = run_end(bytes, start, 256, |byte| byte != b'\n');
    if share
        && !slice(bytes, start, line)
            .windows(2)
            .any(|part| part == b"\\\\")
    {
        return None;
    }
    while start < line {
        start = run_end(bytes, start, 8, |byte| byte == b' ');
        let end = start
            + slice(bytes, start, line)
                .iter()
                .take_while(|&&byte| byte != b' ')
                .count();
        let word = slice(bytes, start, end);
        let other = matches!(word.first(), None | Some(b'/' | b'\\' | b'*' | b'-'))
            || word.ends_with(b":")
            || is_prose(word);
        if !other {
            return (share || is_chosen(word)).then(|| value(bytes, start))?;
        }
        start = end + 1;
    }
    None
}

/// Options of one letter that a password follows: the letter, whether it follows without a space, and the commands.
const OPTIONS: [(u8, bool, &[&[u8]]); 14] = [
    (
        b'p',
        true,
        &[b"mysql", b"mariadb", b"7z ", b"7za ", b"rar ", b"sshpass"],
    ),
    (
        b'p',
        false,
        &[b"sshpass", b" login", b"mongo", b"twine", b"rabbitmqadmin"],
    ),
    (
        b'P',
        false,
        &[b"zip ", b"sqlcmd", b"bcp ", b"mosquitto_", b"isql"],
    ),
    (b'a', false, &[b"redis-cli", b"valkey-cli"]),
    (b'a', false, &[b"http ", b"https ", b"xh "]),
    (b'w', false, &[b"ldap"]),
    (b'k', false, &[b"openssl"]),
    (b'A', false, &[b"snmp"]),
    (b'X', false, &[b"snmp"]),
    (b'c', false, &[b"snmp"]),
    (b'b', false, &[b"curl"]),
    (b'N', false, &[b"ssh-keygen"]),
    (b'P', false, &[b"ssh-keygen"]),
    (b'U', false, &[b"smbclient", b"rpcclient"]),
];

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
    // `-passin pass:…`; a file or a variable may follow as well.
    if space && matches!(word, b"passin" | b"passout") {
        let span = value(bytes, name + 1)?;
        let start = span.start + 5;
        let given = has_any_case(bytes, span.start, b"pass:") && start < span.end;
        let shown = is_placeholder(slice(bytes, start, span.end));
        return (given && !shown).then_some(start..span.end);
    }
    let letter = at(bytes, index + 1);
    let spaced = space && word.len() == 1;
    if !matches!(letter, b'p' | b'P') && !spaced && !word.contains(&b'b') {
        return None;
    }
    let line = slice(bytes, index.saturating_sub(160), index);
    let line = line.rsplit(|byte| *byte == b'\n').next().unwrap_or(line);
    let called = |commands: &[&[u8]]| {
        let called = |command: &&[u8]| line.windows(command.len()).any(|part| part == *command);
        commands.iter().any(called)
    };
    if word.contains(&b'b') && called(&[b"htpasswd"]) {
        return last_word(bytes, index, if word.contains(&b'n') { 2 } else { 3 });
    }
    let start = if spaced { name + 1 } else { index + 2 };
    let option = |(known, joined, commands): &&(u8, bool, &[&[u8]])| {
        *known == letter && *joined != spaced && called(commands)
    };
    if OPTIONS.iter().any(|known| option(&known)) {
        let span = value(bytes, start)?;
        let told = slice(bytes, span.start, span.end);
        return match letter {
            // `-U ann%…`
            b'U' => {
                let sign = run_end(bytes, span.start, LONGEST, |byte| byte != b'%');
                (sign + 1 < span.end).then_some(sign + 1..span.end)
            }
            // A file of cookies has no pairs.
            b'b' => told.contains(&b'=').then_some(span),
            // `-a ann:…`
            b'a' if !called(&[b"-cli"]) => {
                let colon = run_end(bytes, span.start, LONGEST, |byte| byte != b':');
                (colon + 1 < span.end).then_some(colon + 1..span.end)
            }
            _ => Some(span),
        };
    }
    // `-u ann -p …`: behind the name of a user it is no port.
    let user = || called(&[b" -u ", b" -U ", b" --user", b" --login"]);
    if spaced && matches!(letter, b'p' | b'P') && user() {
        let span = value(bytes, start)?;
        let told = slice(bytes, span.start, span.end);
        let port = |byte: &u8| byte.is_ascii_digit() || b":-,./".contains(byte);
        return (!told.iter().all(port) && !told.contains(&b'/')).then_some(span);
    }
    None
}

/// The argument with this number behind the flags at `index`.
fn last_word(bytes: &[u8], index: usize, number: usize) -> Option<Range<usize>> {
    let mut start = index;
    let mut left = number;
    for _ in 0..8 {
        let end = run_end(bytes, start, 256, |byte| !byte.is_ascii_whitespace());
        if at(bytes, start) != b'-' {
            left -= 1;
            if left == 0 {
                return value(bytes, start);
            }
        }
        start = run_end(bytes, end, 4, |byte| byte == b' ');
        if start == end {
            return None;
        }
    }
    None
}

/// A word or a quoted text.
pub(super) fn value(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let start = run_end(bytes, start, 4, |byte| byte == b' ');
    let span = match enclosed(bytes, start) {
        Some(inner) => inner,
        None => start..value_end(bytes, start, false),
    };
    let told = slice(bytes, span.start, span.end);
    let shown = told.is_empty() || at(told, 0) == b'-' || told.starts_with(b"$(");
    (!shown && !is_placeholder(told) && !is_prose(told)).then_some(span)
}
