//! Passwords in commands and statements: `PASSWORD '…'`, `mysql -p…`, `sshpass -p …`, `echo … | login`, `IDENTIFIED BY '…'`,
//! `INSERT INTO users (name, password) VALUES ('ann', '…')`.

use std::ops::Range;

use super::keys;
use super::plain::{
    LONGEST, at, contains, has_any_case, is_prose, part, prior, run_end, run_start, slice, wordy,
};
use super::spoken::{is_chosen, which};
use super::values::{behind, enclosed, hidden, value, value_end};
use super::words::list;

/// Words that a secret follows.
const BEFORE: [&[u8]; 8] = list(
    "requirepass ,masterauth ,securestring -string ,securestring ,snmp-server community ,\
    identified by ,pragma key = ,pragma key=",
);

/// Words that a name and its value follow.
const SETTERS: [&[u8]; 7] =
    list("env ,setx ,set -x ,config set ,config --global ,config ,configure set ");

/// Whether one of the words, with commas between them, stands somewhere in the text.
fn said(text: &[u8], words: &str) -> bool {
    words.split(',').any(|word| contains(text, word.as_bytes()))
}

/// The password in the statement whose word starts at `index`.
pub(super) fn statement(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    if let Some(words) = which(bytes, index, &BEFORE) {
        return value(bytes, index + words.len());
    }
    if let Some(words) = which(bytes, index, &SETTERS) {
        return setting(bytes, index + words.len());
    }
    match at(bytes, index) | 0x20 {
        b'e' => piped(bytes, index, "echo "),
        b'i' => identified(bytes, index),
        b'n' => net(bytes, index),
        b'p' => piped(bytes, index, "printf ").or_else(|| password(bytes, index)),
        b'v' => inserted(bytes, index),
        _ => None,
    }
}

fn password(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let after = index + which(bytes, index, &[b"password ", b"password("])?.len();
    // `SET PASSWORD FOR ann = '…'`
    if has_any_case(bytes, after, b"for ") {
        let sign = run_end(bytes, after, LONGEST, |byte| !matches!(byte, b'=' | b'\n'));
        return (at(bytes, sign) == b'=').then(|| value(bytes, sign + 1))?;
    }
    // `machine a.example login ann password …`
    let before = slice(bytes, index.saturating_sub(LONGEST), index);
    contains(before, b" login ").then(|| value(bytes, after))?
}

/// `ENV DB_PASSWORD …`, `setx TOKEN …`, `config set db.password …`, `configure set aws_secret_access_key …`
fn setting(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let end = run_end(bytes, start, LONGEST, wordy(b"_-.:/@"));
    let name = slice(bytes, start, end)
        .rsplit(|byte| *byte == b':')
        .next()?;
    (at(bytes, end) == b' ' && keys::sensitive(name)).then(|| value(bytes, end))?
}

/// What is echoed into a command that reads a password: `echo … | docker login --password-stdin`.
fn piped(bytes: &[u8], index: usize, command: &str) -> Option<Range<usize>> {
    const READERS: &str = "passw,-stdin,passphrase-fd,sudo -S,secret, login,with-token,-pass";
    if !has_any_case(bytes, index, command.as_bytes()) {
        return None;
    }
    let line = run_end(bytes, index, 512, |byte| *byte != b'\n');
    let pipe = run_end(bytes, index, line - index, |byte| *byte != b'|');
    let reader = slice(bytes, pipe, line);
    if !said(reader, READERS) {
        return None;
    }
    let mut start = index + command.len();
    while at(bytes, start) == b'-' {
        let flag = run_end(bytes, start, 8, |byte| *byte != b' ');
        start = run_end(bytes, flag, 4, |byte| *byte == b' ');
    }
    let span = value(bytes, start).filter(|span| span.end <= pipe)?;
    // `ann:…` for chpasswd.
    let user = contains(reader, b"chpasswd") && part(bytes, &span).contains(&b':');
    if user {
        behind(bytes, &span, b':')
    } else {
        Some(span)
    }
}

/// The password in `net use Z: \\host\share … /user:ann` and `net user ann … /add`.
fn net(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let share = has_any_case(bytes, index, b"net use ");
    if !share && !has_any_case(bytes, index, b"net user ") {
        return None;
    }
    let mut start = index + 8;
    let line = run_end(bytes, start, 256, |byte| *byte != b'\n');
    if share && !contains(slice(bytes, start, line), br"\\") {
        return None;
    }
    if !share {
        start = run_end(bytes, start + 1, LONGEST, |byte| *byte != b' ');
    }
    while start < line {
        start = run_end(bytes, start, 8, |byte| *byte == b' ');
        let end = run_end(bytes, start, line.saturating_sub(start), |byte| {
            *byte != b' '
        });
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
const OPTIONS: [(u8, bool, &str); 13] = [
    (b'p', true, "mysql,mariadb,7z ,7za ,rar ,sshpass"),
    (b'p', false, "sshpass, login,mongo,twine,rabbitmqadmin"),
    (b'P', false, "zip ,sqlcmd,bcp ,mosquitto_,isql,ssh-keygen"),
    (b'a', false, "redis-cli,valkey-cli"),
    (b'a', false, "http ,https ,xh "),
    (b'w', false, "ldap"),
    (b'k', false, "openssl"),
    (b'A', false, "snmp"),
    (b'X', false, "snmp"),
    (b'c', false, "snmp"),
    (b'b', false, "curl"),
    (b'N', false, "ssh-keygen"),
    (b'U', false, "smbclient,rpcclient"),
];

/// The password behind the dash at `index`, where the command or the name of the flag says that it is one.
pub(super) fn flag(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    if !matches!(prior(bytes, index), b' ' | b'"' | b'\'') {
        return None;
    }
    let name = run_end(bytes, index + 1, 24, u8::is_ascii_alphabetic);
    let space = at(bytes, name) == b' ';
    let word = slice(bytes, index + 1, name);
    if space && word.len() > 2 && (word.ends_with(b"pass") || keys::sensitive(word)) {
        return value(bytes, name + 1);
    }
    // `-passin pass:…`; a file or a variable may follow as well.
    if space && matches!(word, b"passin" | b"passout") {
        let span = value(bytes, name + 1)?;
        return has_any_case(bytes, span.start, b"pass:").then(|| behind(bytes, &span, b':'))?;
    }
    let letter = at(bytes, index + 1);
    let spaced = space && word.len() == 1;
    if !matches!(letter, b'p' | b'P') && !spaced && !word.contains(&b'b') {
        return None;
    }
    let line = run_start(bytes, index, 160, |byte| *byte != b'\n');
    let line = slice(bytes, line, index);
    if word.contains(&b'b') && contains(line, b"htpasswd") {
        return last_word(bytes, index, if word.contains(&b'n') { 2 } else { 3 });
    }
    let span = value(bytes, if spaced { name + 1 } else { index + 2 })?;
    let told = part(bytes, &span);
    let option = |(known, joined, commands): &(u8, bool, &str)| {
        *known == letter && *joined != spaced && said(line, commands)
    };
    if OPTIONS.iter().any(option) {
        return match letter {
            // `-U ann%…`
            b'U' => behind(bytes, &span, b'%'),
            // A file of cookies has no pairs.
            b'b' => told.contains(&b'=').then_some(span),
            // `-a ann:…`
            b'a' if !contains(line, b"-cli") => behind(bytes, &span, b':'),
            _ => Some(span),
        };
    }
    // `-u ann -p …`: after the name of a user it is not a port. A program that asks for its password takes no value.
    let user = spaced
        && matches!(letter, b'p' | b'P')
        && said(line, " -u , -U , --user, --login")
        && !said(line, "mysql,mariadb,psql");
    let port = |byte: &u8| byte.is_ascii_digit() || b":-,./".contains(byte);
    (user && !told.iter().all(port) && !told.contains(&b'/')).then_some(span)
}

/// The argument with this number behind the flags at `index`.
fn last_word(bytes: &[u8], index: usize, number: usize) -> Option<Range<usize>> {
    let mut start = index;
    let mut left = number;
    for _ in 0..8 {
        if at(bytes, start) != b'-' {
            left -= 1;
            if left == 0 {
                return value(bytes, start);
            }
        }
        let end = run_end(bytes, start, 256, |byte| !byte.is_ascii_whitespace());
        start = run_end(bytes, end, 4, |byte| *byte == b' ');
    }
    None
}

/// `IDENTIFIED WITH plugin BY '…'`
fn identified(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let words = which(bytes, index, &[b"identified with "])?;
    let plugin = run_end(bytes, index + words.len(), LONGEST, |byte| *byte != b' ');
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
    let columns = slice(columns, open + 1, columns.len()).split(|byte| *byte == b',');
    let space = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b',');
    let mut start = run_end(bytes, index + 6, 64, space);
    for column in columns {
        let (inner, end) = if let Some(inner) = enclosed(bytes, start) {
            (inner.clone(), inner.end + (inner.start - start))
        } else {
            let end = value_end(bytes, start, false);
            let comma = run_end(bytes, start, end - start, |byte| *byte != b',');
            (start..comma, comma)
        };
        let mut names = column.split(|byte| b"\"`[] \n\\".contains(byte));
        let secret = names
            .find(|name| !name.is_empty())
            .is_some_and(keys::sensitive);
        if secret
            && inner.len() >= 3
            && part(bytes, &inner) != b"DEFAULT"
            && let Some(inner) = hidden(bytes, inner)
        {
            return Some(inner);
        }
        start = run_end(bytes, end, 64, space);
    }
    None
}
