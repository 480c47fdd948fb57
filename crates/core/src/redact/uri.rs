//! Passwords inside connection strings.

use std::ops::Range;

use super::keys::Weak;
use super::plain::{at, has, is_placeholder, run_end, run_start, slice};
use super::words::Words;

/// The password of the userinfo behind the `://` whose colon is at `index`.
pub(super) fn userinfo(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let start = index + 3;
    let authority = run_end(bytes, start, usize::MAX, |byte| {
        inside(byte) && !matches!(byte, b'/' | b'?' | b'#')
    });
    let colon = slice(bytes, start, authority)
        .iter()
        .position(|&byte| byte == b':')
        .map(|offset| start + offset);
    if let Some(mark) = slice(bytes, start, authority)
        .iter()
        .rposition(|&byte| byte == b'@')
        .map(|offset| start + offset)
    {
        return match colon.filter(|&colon| colon < mark) {
            // In front of a word such as `x-oauth-basic` the user is the secret.
            Some(colon) if super::runs::is_random(slice(bytes, start, colon)) => Some(start..mark),
            Some(colon) => hidden(bytes, colon + 1, mark),
            None => (super::runs::is_random(slice(bytes, start, mark))).then_some(start..mark),
        };
    }
    // A password may hold a raw slash: then what follows the colon is not a port.
    let colon = colon?;
    let port = run_end(bytes, colon + 1, 6, |byte| byte.is_ascii_digit());
    if port == authority || at(bytes, start) == b'[' {
        return None;
    }
    let end = run_end(bytes, authority, 256, inside);
    let mark = slice(bytes, authority, end)
        .iter()
        .rposition(|&byte| byte == b'@')
        .map(|offset| authority + offset)?;
    hidden(bytes, colon + 1, mark)
}

/// The password in `user:password@tcp(host)`, whose `@` is at `index`.
pub(super) fn driver(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let from = index.saturating_sub(128);
    let before = slice(bytes, from, index);
    let word = before
        .iter()
        .rposition(|&byte| !inside(byte))
        .map_or(0, |offset| offset + 1);
    if !has(bytes, index + 1, b"tcp(") && !has(bytes, index + 1, b"unix(") {
        return oracle(bytes, from + word, index).or_else(|| bare(bytes, from + word, index));
    }
    let colon = slice(before, word, before.len())
        .iter()
        .position(|&byte| byte == b':')?;
    hidden(bytes, from + word + colon + 1, index)
}

/// The password in `jdbc:oracle:thin:user/password@host` and `sqlplus user/password@host`.
fn oracle(bytes: &[u8], word: usize, mark: usize) -> Option<Range<usize>> {
    let given = slice(bytes, word, mark);
    let command = slice(bytes, word.saturating_sub(8), word) == b"sqlplus ";
    if !command && !given.windows(7).any(|part| part == b"oracle:") {
        return None;
    }
    let slash = given.iter().position(|&byte| byte == b'/')?;
    hidden(bytes, word + slash + 1, mark)
}

/// The password in `user:password@host:5432` without a scheme in front.
fn bare(bytes: &[u8], word: usize, mark: usize) -> Option<Range<usize>> {
    let host = run_end(bytes, mark + 1, 253, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
    });
    let port = at(bytes, host) == b':' && at(bytes, host + 1).is_ascii_digit();
    let given = slice(bytes, word, mark);
    let colon = given.iter().position(|&byte| byte == b':')?;
    let (user, password) = given.split_at(colon);
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let context = || {
        let before = slice(bytes, word.saturating_sub(40), word);
        let said = |said: &&[u8]| before.windows(said.len()).any(|part| part == *said);
        [&b"auth"[..], b"login", b"log in", b"cred"]
            .iter()
            .any(said)
            && password.iter().any(u8::is_ascii_digit)
            && slice(bytes, mark, host).contains(&b'.')
    };
    let fits = (port || context())
        && host > mark + 1
        && !user.is_empty()
        && user.iter().all(name)
        && password.len() > 4
        && !password.contains(&b'/');
    fits.then(|| hidden(bytes, word + colon + 1, mark))?
}

/// The password in `host:5432:database:user:password`, whose first colon is at `index`.
pub(super) fn pgpass(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let any = |start: usize| at(bytes, start) == b'*' && at(bytes, start + 1) == b':';
    let host = index.checked_sub(1).map(|host| at(bytes, host))?;
    if !host.is_ascii_alphanumeric() && host != b'*' {
        return None;
    }
    let mut end = run_end(bytes, index + 1, 5, |byte| byte.is_ascii_digit());
    if any(index + 1) {
        end = index + 2;
    }
    for _ in 0..2 {
        let start = end + 1;
        if at(bytes, end) != b':' {
            return None;
        }
        let name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        end = run_end(bytes, start, 64, name);
        if any(start) {
            end = start + 1;
        } else if !at(bytes, start).is_ascii_alphabetic() {
            return None;
        }
    }
    let start = end + 1;
    let stop = super::auth::trim(bytes, start, run_end(bytes, start, 256, inside));
    (at(bytes, end) == b':' && stop > start + 3).then(|| hidden(bytes, start, stop))?
}

/// What opens an account in a path: the segment behind the slash at `index`, where the one before says so, and those behind it
/// where the address is one of a webhook.
pub(super) fn opening(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    static BEFORE: Words = Words::of(
        "reset-password password-reset reset_password password_reset resetpassword forgot-password \
         set-password change-password reset verify-email verify_email email-verification \
         verify verification confirm confirm-email confirmation activate activation magic-link \
         magic magiclink invite invitation one-time-login autologin login unlock recover token \
         integration key",
    );
    static HOOKS: Words<64> = Words::of("hook hooks webhook webhooks webhookb2 incomingwebhook");
    let is_segment = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~=@".contains(&byte);
    let start = index + 1;
    let mut end = run_end(bytes, start, 512, is_segment);
    // Most segments are short words; one that is not has a digit.
    let segment = slice(bytes, start, end);
    let digits = segment.iter().filter(|byte| byte.is_ascii_digit()).count();
    if segment.len() < 8 || digits == 0 {
        return None;
    }
    let word = run_start(bytes, index, 24, |byte| is_segment(byte) && byte != b'.');
    let before = slice(bytes, word, index);
    let letters = segment.iter().any(u8::is_ascii_alphabetic);
    if !(letters && word > 0 && at(bytes, word - 1) == b'/' && BEFORE.has_any_case(before)) {
        let address = slice(bytes, run_start(bytes, index, 160, inside), index);
        let mut parts = address.split(|byte| matches!(byte, b'/' | b'.'));
        // What stands behind `webhooks` alone may be the id of one.
        let id = super::runs::is_uuid(segment);
        let number =
            digits >= 15 || segment.len() >= 9 && !segment.iter().any(u8::is_ascii_lowercase);
        let issued = if id {
            before != b"webhooks"
        } else {
            number || Weak::Strict.hides(segment)
        };
        if !issued || !parts.any(|part| HOOKS.has_any_case(part)) {
            return None;
        }
        while at(bytes, end) == b'/' {
            let next = run_end(bytes, end + 1, 512, is_segment);
            if next < end + 9 {
                break;
            }
            end = next;
        }
    }
    hidden(bytes, start, super::auth::trim(bytes, start, end))
}

/// The password in `-u user:password`, where `index` is at the dash.
pub(super) fn curl_user(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let start = [&b"-u"[..], b"--user ", b"--user=", b"--proxy-user "]
        .iter()
        .find(|flag| has(bytes, index, flag))
        .map(|flag| index + flag.len())?;
    if index > 0 && at(bytes, index - 1).is_ascii_alphanumeric() {
        return None;
    }
    let start = run_end(bytes, start, 2, |byte| matches!(byte, b' ' | b'"' | b'\''));
    let user = run_end(bytes, start, 64, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@' | b'\\')
    });
    if user == start || at(bytes, user) != b':' {
        return None;
    }
    let end = run_end(bytes, user + 1, 256, inside);
    // `-u 1000:1000` are the numbers of a user and a group.
    let digits = |start: usize, end: usize| slice(bytes, start, end).iter().all(u8::is_ascii_digit);
    if digits(start, user) && digits(user + 1, end) {
        return None;
    }
    hidden(bytes, user + 1, end)
}

fn hidden(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    (start < end && !is_placeholder(slice(bytes, start, end))).then_some(start..end)
}

fn inside(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
}
