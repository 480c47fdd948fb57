//! Secrets that are recognised by their own shape, wherever they stand.

use std::ops::Range;

use super::auth::base64;
use super::plain::{at, has, is_base64url, is_placeholder, run_end, slice};

/// What a prefix is followed by.
struct Shape {
    prefix: &'static [u8],
    /// The fewest bytes after the prefix.
    least: usize,
    body: Body,
}

/// The alphabet behind a prefix, and what it must contain.
#[derive(Clone, Copy)]
enum Body {
    /// Letters and digits.
    Alnum,
    /// Letters and digits, some of them digits or capitals: the prefix is also an ordinary word.
    Mixed,
    /// The base64url alphabet.
    Url,
    /// The base64url alphabet and dots.
    Dotted,
    /// The base64url alphabet, and too irregular for words joined by dashes.
    Irregular,
    /// Hexadecimal, exactly `least` digits.
    Hex,
    /// Capitals and digits, exactly `least`.
    Upper,
}

/// A secret that starts at the word start `index`.
pub(super) fn at_word(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let &[first, second, third, ..] = bytes.get(index..)? else {
        return None;
    };
    if !may_begin(first, second, third) {
        return None;
    }
    // `git` begins one of them, and many names of hosts.
    if [first, second, third] == *b"git" && !has(bytes, index, b"github_pat_") {
        return None;
    }
    let known = SHAPES
        .iter()
        .filter(|shape| shape.prefix.first() == Some(&first) && has(bytes, index, shape.prefix));
    for shape in known {
        if let Some(end) = shape.end(bytes, index + shape.prefix.len()) {
            return Some(index..end);
        }
    }
    match first {
        b'S' => sendgrid(bytes, index),
        b'M' | b'N' | b'O' => discord(bytes, index),
        b'h' | b'd' => webhook(bytes, index),
        _ => None,
    }
}

/// A quick no for ordinary words, by their first three letters. A test holds it against the table.
fn may_begin(first: u8, second: u8, third: u8) -> bool {
    match first {
        b'A' => matches!(
            (second, third),
            (b'K' | b'S' | b'B', b'I')
                | (b'C', _)
                | (b'I', b'z')
                | (b'G', b'E')
                | (b'T', b'A' | b'C')
        ),
        b'M' | b'N' | b'O' => true,
        b'P' => second == b'M' && third == b'A',
        b'S' => second == b'K' || second == b'G' && third == b'.',
        b'd' => matches!(
            (second, third),
            (b'o', b'p' | b'o' | b'r') | (b'c', b'k') | (b'a', b'p') | (b'i', b's')
        ),
        b'f' => second == b'i' && third == b'g',
        b'g' => matches!(
            (second, third),
            (b'h', b'p' | b'o' | b'u' | b's' | b'r')
                | (b'i', b't')
                | (b'l', b'p' | b'd' | b'r' | b's')
                | (b's', b'k')
        ),
        b'h' => matches!(
            (second, third),
            (b'f', b'_') | (b'v', b's' | b'b') | (b'o', b'o')
        ),
        b'k' => second == b'e' && third == b'y',
        b'l' => second == b'i' && third == b'n',
        b'n' => matches!((second, third), (b'p', b'm') | (b'v', b'a')),
        b'p' => matches!((second, third), (b'y', b'p') | (b's', b'c') | (b'u', b'l')),
        b'r' => matches!((second, third), (b'k' | b'8', b'_') | (b'u', b'b')),
        b's' => match second {
            b'k' => matches!(third, b'-' | b'_'),
            b'h' | b'b' => third == b'p',
            b'q' => third == b'0',
            b'n' => third == b't',
            b'e' => third == b'c',
            _ => false,
        },
        b'w' => second == b'h' && third == b's',
        b'x' => matches!((second, third), (b'o', b'x') | (b'a', b'p' | b'i')),
        b'y' => second == b'a' && third == b'2',
        _ => false,
    }
}

/// A JSON Web Token at `index`, or where looking again makes no sense.
pub(super) fn jwt(bytes: &[u8], index: usize) -> Result<Range<usize>, usize> {
    let first = run_end(bytes, index, usize::MAX, is_base64url);
    let mut end = first;
    let mut segments = 1;
    let mut second = 0;
    while at(bytes, end) == b'.' && segments < 5 {
        let next = run_end(bytes, end + 1, usize::MAX, is_base64url);
        if next == end + 1 && segments != 1 && segments != 2 {
            break;
        }
        if segments == 1 {
            second = end + 1;
        }
        end = next;
        segments += 1;
    }
    let signed = segments >= 2 && has(bytes, second, b"eyJ");
    if first - index >= 10 && (signed || segments >= 3 && end - index >= 24) {
        // The dot that ends a sentence is not an empty signature.
        let end = if at(bytes, end - 1) == b'.' && !signed {
            end - 1
        } else {
            end
        };
        return Ok(index..end);
    }
    Err(first)
}

/// A Telegram bot token around the colon at `index`.
pub(super) fn telegram(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let digits = slice(bytes, index.saturating_sub(11), index)
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let end = run_end(bytes, index + 1, 48, is_base64url);
    let body = slice(bytes, index + 1, end);
    let fits = (8..=10).contains(&digits)
        && (33..=46).contains(&body.len())
        && body.iter().any(u8::is_ascii_alphabetic);
    fits.then(|| index - digits..end)
}

impl Shape {
    fn end(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let inside = |byte: u8| match self.body {
            Body::Alnum | Body::Mixed => byte.is_ascii_alphanumeric(),
            Body::Url | Body::Irregular => is_base64url(byte),
            Body::Dotted => is_base64url(byte) || byte == b'.',
            Body::Hex => byte.is_ascii_hexdigit(),
            Body::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        };
        // A window decides; only a hit is followed to its end, which keeps the whole scan linear.
        let seen = run_end(bytes, start, 128, inside);
        let window = slice(bytes, start, seen);
        if window.len() < self.least || is_placeholder(window) {
            return None;
        }
        let digit = window.iter().any(u8::is_ascii_digit);
        let capital = window.iter().any(u8::is_ascii_uppercase);
        let fits = match self.body {
            Body::Alnum | Body::Url | Body::Dotted => true,
            Body::Mixed => digit || capital,
            Body::Irregular => {
                digit
                    || capital
                    || window
                        .split(|byte| !byte.is_ascii_alphanumeric())
                        .any(|part| part.len() >= 20)
            }
            // One letter over and over is an example.
            Body::Hex | Body::Upper => {
                let exact = window.len() == self.least && !at(bytes, seen).is_ascii_alphanumeric();
                exact && window.iter().any(|byte| Some(byte) != window.first())
            }
        };
        if !fits {
            return None;
        }
        let end = run_end(bytes, start, usize::MAX, inside);
        Some(
            if matches!(self.body, Body::Dotted) && at(bytes, end - 1) == b'.' {
                end - 1
            } else {
                end
            },
        )
    }
}

/// `SG.<id>.<key>`.
fn sendgrid(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    if !has(bytes, index, b"SG.") {
        return None;
    }
    let dot = run_end(bytes, index + 3, 128, is_base64url);
    if dot - index < 15 || at(bytes, dot) != b'.' {
        return None;
    }
    let end = run_end(bytes, dot + 1, usize::MAX, is_base64url);
    (end - dot > 15).then_some(index..end)
}

/// Three parts, of which the first is a user number in base64.
fn discord(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let first = run_end(bytes, index, 40, is_base64url);
    if !(22..=32).contains(&(first - index)) || at(bytes, first) != b'.' {
        return None;
    }
    let second = run_end(bytes, first + 1, 16, is_base64url);
    if !(5..=8).contains(&(second - first - 1)) || at(bytes, second) != b'.' {
        return None;
    }
    let user = base64(slice(bytes, index, first))?;
    let end = run_end(bytes, second + 1, usize::MAX, is_base64url);
    (end - second > 24 && user.iter().all(u8::is_ascii_digit)).then_some(index..end)
}

/// The secret path of an incoming webhook.
fn webhook(bytes: &[u8], index: usize) -> Option<Range<usize>> {
    let host = HOSTS.iter().find(|host| has(bytes, index, host))?;
    let start = index + host.len();
    let end = run_end(bytes, start, usize::MAX, |byte| {
        is_base64url(byte) || byte == b'/'
    });
    (end - start >= 8).then_some(start..end)
}

const fn shape(prefix: &'static [u8], least: usize, body: Body) -> Shape {
    Shape {
        prefix,
        least,
        body,
    }
}

const HOSTS: [&[u8]; 5] = [
    b"hooks.slack.com/services/",
    b"hooks.slack.com/workflows/",
    b"hooks.slack.com/triggers/",
    b"discord.com/api/webhooks/",
    b"discordapp.com/api/webhooks/",
];

const SHAPES: [Shape; 71] = [
    shape(b"AKIA", 16, Body::Upper),
    shape(b"ASIA", 16, Body::Upper),
    shape(b"ABIA", 16, Body::Upper),
    shape(b"ACCA", 16, Body::Upper),
    shape(b"AIza", 30, Body::Url),
    shape(b"AC", 32, Body::Hex),
    shape(b"AGE-SECRET-KEY-1", 16, Body::Alnum),
    shape(b"ATATT3", 24, Body::Url),
    shape(b"ATCTT3", 24, Body::Url),
    shape(b"SK", 32, Body::Hex),
    shape(b"NRAK-", 20, Body::Alnum),
    shape(b"PMAK-", 24, Body::Url),
    shape(b"dop_v1_", 16, Body::Alnum),
    shape(b"doo_v1_", 16, Body::Alnum),
    shape(b"dor_v1_", 16, Body::Alnum),
    shape(b"dckr_pat_", 16, Body::Url),
    shape(b"dapi", 32, Body::Hex),
    shape(b"ghp_", 16, Body::Alnum),
    shape(b"gho_", 16, Body::Alnum),
    shape(b"ghu_", 16, Body::Alnum),
    shape(b"ghs_", 16, Body::Alnum),
    shape(b"ghr_", 16, Body::Alnum),
    shape(b"github_pat_", 16, Body::Url),
    shape(b"glpat-", 12, Body::Dotted),
    shape(b"gldt-", 16, Body::Irregular),
    shape(b"glrt-", 16, Body::Irregular),
    shape(b"glptt-", 16, Body::Irregular),
    shape(b"glsa_", 20, Body::Url),
    shape(b"gsk_", 24, Body::Mixed),
    shape(b"sk_live_", 8, Body::Url),
    shape(b"sk_test_", 8, Body::Url),
    shape(b"sk-ant-", 8, Body::Url),
    shape(b"sk-proj-", 8, Body::Url),
    shape(b"sk-svcacct-", 8, Body::Url),
    shape(b"sk-or-", 12, Body::Irregular),
    shape(b"sk-", 16, Body::Irregular),
    shape(b"shpat_", 16, Body::Alnum),
    shape(b"shpss_", 16, Body::Alnum),
    shape(b"shpca_", 16, Body::Alnum),
    shape(b"shppa_", 16, Body::Alnum),
    shape(b"sq0atp-", 16, Body::Url),
    shape(b"sq0csp-", 16, Body::Url),
    shape(b"sntrys_", 16, Body::Url),
    shape(b"sbp_", 24, Body::Mixed),
    shape(b"secret_", 32, Body::Mixed),
    shape(b"figd_", 20, Body::Url),
    shape(b"hf_", 20, Body::Mixed),
    shape(b"hvs.", 20, Body::Url),
    shape(b"hvb.", 20, Body::Url),
    shape(b"key-", 32, Body::Hex),
    shape(b"lin_api_", 16, Body::Alnum),
    shape(b"npm_", 20, Body::Mixed),
    shape(b"nvapi-", 24, Body::Url),
    shape(b"pypi-AgE", 16, Body::Url),
    shape(b"pypi-", 40, Body::Irregular),
    shape(b"pscale_tkn_", 16, Body::Url),
    shape(b"pul-", 40, Body::Hex),
    shape(b"r8_", 24, Body::Mixed),
    shape(b"rk_live_", 8, Body::Url),
    shape(b"rk_test_", 8, Body::Url),
    shape(b"rubygems_", 24, Body::Mixed),
    shape(b"whsec_", 8, Body::Mixed),
    shape(b"xoxa-", 10, Body::Url),
    shape(b"xoxb-", 10, Body::Url),
    shape(b"xoxe-", 10, Body::Url),
    shape(b"xoxp-", 10, Body::Url),
    shape(b"xoxr-", 10, Body::Url),
    shape(b"xoxs-", 10, Body::Url),
    shape(b"xapp-", 16, Body::Irregular),
    shape(b"xai-", 24, Body::Mixed),
    shape(b"ya29.", 10, Body::Dotted),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_look_lets_every_prefix_through() {
        for shape in &SHAPES {
            let third = shape.prefix.get(2).copied().unwrap_or(b'0');
            assert!(
                may_begin(at(shape.prefix, 0), at(shape.prefix, 1), third),
                "{}",
                shape.prefix.escape_ascii()
            );
        }
        for host in &HOSTS {
            assert!(
                may_begin(at(host, 0), at(host, 1), at(host, 2)),
                "{}",
                host.escape_ascii()
            );
        }
        assert!(may_begin(b'S', b'G', b'.') && !SHAPES.is_empty());
    }
}
