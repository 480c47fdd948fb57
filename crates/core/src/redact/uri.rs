//! Passwords INSIDE connection strings, and addresses that open an account.

use std::ops::Range;

use super::keys::Weak;
use super::plain::{Count, at, contains, is_uuid, prior, run_end, run_start, slice, wordy};
use super::runs::is_random;
use super::values::{hidden, trim};
use super::words::{Words, list};

/// The password of the userinfo behind the `://` whose colon is at `index`.
pub(super) fn userinfo(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let start = index + 3;
    let in_host = |byte: &u8| INSIDE(byte) && !matches!(byte, b'/' | b'?' | b'#');
    let authority = run_end(bytes, start, usize::MAX, in_host);
    let colon = run_end(bytes, start, authority - start, |byte| *byte != b':');
    if let Some(mark) = last_at(bytes, start, authority) {
        // In front of a word such as `x-oauth-basic`, or alone, the user may be the secret.
        let user = start..colon.min(mark);
        if is_random(slice(bytes, user.start, user.end)) {
            return Some(start..mark);
        }
        return hidden(bytes, user.end + 1..mark);
    }
    // A password may hold a raw slash: then what follows the colon is not a port.
    let port = run_end(bytes, colon + 1, 6, u8::is_ascii_digit);
    if colon == authority || port == authority || at(bytes, start) == b'[' {
        return None;
    }
    let mark = last_at(bytes, authority, run_end(bytes, authority, 256, INSIDE))?;
    hidden(bytes, colon + 1..mark)
}

/// The last `@` between two places.
fn last_at(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let behind = run_start(bytes, end, end - start, |byte| *byte != b'@');
    (behind > start).then(|| behind - 1)
}

/// The password in front of the `@` at `index`, where no scheme tells: `user:password@tcp(host)`, `user:password@host:5432`,
/// `jdbc:oracle:thin:user/password@host`.
pub(super) fn driver(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let word = run_start(bytes, index, 128, INSIDE);
    let given = slice(bytes, word, index);
    let before = slice(bytes, word.saturating_sub(40), word);
    let behind = |mark: u8| {
        let place = run_end(bytes, word, given.len(), |byte| *byte != mark);
        hidden(bytes, place + 1..index)
    };
    let host = run_end(bytes, index + 1, 253, wordy(b".-"));
    if matches!(slice(bytes, index + 1, host), b"tcp" | b"unix") && at(bytes, host) == b'(' {
        return behind(b':');
    }
    if (before.ends_with(b"sqlplus ") || contains(given, b"oracle:"))
        && let Some(password) = behind(b'/')
    {
        return Some(password);
    }
    let port = at(bytes, host) == b':' && at(bytes, host + 1).is_ascii_digit();
    let user = run_end(bytes, word, given.len(), wordy(b"_-."));
    let password = slice(bytes, user + 1, index);
    let context = || {
        const LOGIN: [&[u8]; 4] = list("auth,login,log in,cred");
        LOGIN.iter().any(|said| contains(before, said))
            && password.iter().any(u8::is_ascii_digit)
            && slice(bytes, index, host).contains(&b'.')
    };
    let fits = host > index + 1
        && user > word
        && at(bytes, user) == b':'
        && password.len() > 3
        && !password.contains(&b'/')
        && (port || context());
    fits.then(|| hidden(bytes, user + 1..index))?
}

/// The password in `host:5432:database:user:password`, whose first colon is at `index`.
pub(super) fn pgpass(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let any = |start| at(bytes, start) == b'*' && at(bytes, start + 1) == b':';
    let host = prior(bytes, index);
    if !host.is_ascii_alphanumeric() && host != b'*' {
        return None;
    }
    let mut end = run_end(bytes, index + 1, 5, u8::is_ascii_digit);
    if any(index + 1) {
        end = index + 2;
    }
    for _ in 0..2 {
        let start = end + 1;
        if at(bytes, end) != b':' || !any(start) && !at(bytes, start).is_ascii_alphabetic() {
            return None;
        }
        end = if any(start) {
            start + 1
        } else {
            run_end(bytes, start, 64, wordy(b"_-"))
        };
    }
    let start = end + 1;
    let stop = trim(bytes, start, run_end(bytes, start, 256, INSIDE));
    (at(bytes, end) == b':' && stop > start + 3).then(|| hidden(bytes, start..stop))?
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
    let is_segment = wordy(b"-_.~=@");
    let start = index + 1;
    let mut end = run_end(bytes, start, 512, &is_segment);
    // Most segments are short words; one that is not has a digit.
    let segment = slice(bytes, start, end);
    if segment.len() < 8 || !segment.iter().any(u8::is_ascii_digit) {
        return None;
    }
    let count = Count::of(segment);
    let word = run_start(bytes, index, 24, |byte| is_segment(byte) && *byte != b'.');
    let before = slice(bytes, word, index);
    let named = prior(bytes, word) == b'/' && BEFORE.has_any_case(before);
    if !named || count.letters() == 0 {
        let address = slice(bytes, run_start(bytes, index, 160, INSIDE), index);
        let mut parts = address.split(|byte| matches!(byte, b'/' | b'.'));
        let number = count.digits >= 15 || segment.len() >= 9 && count.lower == 0;
        let issued = if is_uuid(segment) {
            // What stands behind `webhooks` alone may be the id of one.
            before != b"webhooks"
        } else {
            number || Weak::Strict.hides(segment)
        };
        if !issued || !parts.any(|part| HOOKS.has_any_case(part)) {
            return None;
        }
        while at(bytes, end) == b'/' {
            let next = run_end(bytes, end + 1, 512, &is_segment);
            if next < end + 9 {
                break;
            }
            end = next;
        }
    }
    hidden(bytes, start..trim(bytes, start, end))
}

/// The password in `-u user:password`, where `index` is at the dash.
pub(super) fn curl_user(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    const FLAGS: [&[u8]; 4] = list("-u,--user ,--user=,--proxy-user ");
    let rest = bytes.get(index..)?;
    let flag = FLAGS.iter().find(|flag| rest.starts_with(flag))?;
    if prior(bytes, index).is_ascii_alphanumeric() {
        return None;
    }
    let start = run_end(bytes, index + flag.len(), 2, |byte| {
        matches!(byte, b' ' | b'"' | b'\'')
    });
    let user = run_end(bytes, start, 64, wordy(b"_-.@\\"));
    let end = run_end(bytes, user + 1, 256, INSIDE);
    // `-u 1000:1000` are the numbers of a user and a group.
    let digits = |byte: &u8| byte.is_ascii_digit() || *byte == b':';
    let numbers = slice(bytes, start, end).iter().all(digits);
    (user > start && at(bytes, user) == b':' && !numbers).then(|| hidden(bytes, user + 1..end))?
}

/// What an address consists of.
const INSIDE: fn(&u8) -> bool = |byte| {
    !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
};
