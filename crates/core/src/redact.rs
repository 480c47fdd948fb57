//! Takes secrets out of what leaves the program (contract clauses [P7], [P9], [L9]).
//!
//! A secret is known by the name in front of it ([`sensitive_key`]) or by its own shape: tokens with a known prefix,
//! JSON Web Tokens, private key blocks, passwords in connection strings, `Authorization` and cookie headers, payment
//! cards. Random-looking text is hidden only next to a word such as "secret". What is not secret stays: the scheme,
//! the user, the host, the rest of the sentence, and placeholders such as `<your-api-key>` or `$TOKEN`.
//!
//! Everything here is linear in its input, never panics, and is stable: redacting twice changes nothing more.
//!
//! ```
//! use aon_core::redact;
//!
//! assert_eq!(redact::text("postgres://app:hunter2@db/main refused"), "postgres://app:[redacted]@db/main refused");
//! assert_eq!(redact::header("Authorization", "Bearer abc"), "Bearer [redacted]");
//! assert_eq!(redact::json_text(r#"{ "pin": 1234, "n": 1 }"#), r#"{ "pin": "[redacted]", "n": 1 }"#);
//! ```
//!
//! [P7]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p7
//! [P9]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p9
//! [L9]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l9

use std::borrow::Cow;
use std::ops::Range;

mod auth;
mod card;
mod codes;
mod commands;
mod decoded;
mod document;
mod echo;
mod keys;
mod names;
mod pairs;
mod plain;
mod problem;

mod runs;
mod scan;
mod shapes;
mod spoken;
mod tokens;
mod uri;
mod values;
mod words;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod headers;
#[cfg(test)]
mod innocent;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod unseen;
#[cfg(test)]
mod wild;

pub use self::document::{json, json_text};
pub use self::echo::{MAX_ECHO, echo};
pub use self::keys::sensitive_key;
pub(crate) use self::problem::{MAX_SENTENCE, is_secret_member, shortened};
pub use self::problem::{Policy, event, member, problem};
pub use crate::problem::write_redacted as write;

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";

/// Hides the secrets in free text and keeps everything around them.
///
/// ```
/// use aon_core::redact::text;
///
/// assert_eq!(text("GET /v1?token=abc123&page=2"), "GET /v1?token=[redacted]&page=2");
/// assert_eq!(text("set the password field"), "set the password field");
/// ```
pub fn text(input: &str) -> Cow<'_, str> {
    if !is_document(input) {
        return plain_text(input);
    }
    // The names in it say more than they do in a text, and what stands across its members is seen only there.
    match json_text(input) {
        Cow::Borrowed(input) => plain_text(input),
        Cow::Owned(hidden) => Cow::Owned(plain_text(&hidden).into_owned()),
    }
}

/// Whether a text may be a JSON document.
fn is_document(input: &str) -> bool {
    ["{", "[{", "[\"", "[["]
        .iter()
        .any(|head| input.starts_with(head))
}

/// [`text`] for what is not JSON.
fn plain_text(input: &str) -> Cow<'_, str> {
    let Some(mut hidden) = pass(input) else {
        return Cow::Borrowed(input);
    };
    // Hiding one secret can bring another into view; a few rounds settle it.
    for _ in 0..ROUNDS {
        match pass(&hidden) {
            Some(next) => hidden = next,
            None => break,
        }
    }
    Cow::Owned(hidden)
}

/// Hides the secret in the value of a header, and keeps the authentication scheme.
///
/// ```
/// use aon_core::redact::header;
///
/// assert_eq!(header("authorization", "Bearer abc"), "Bearer [redacted]");
/// assert_eq!(header("Cookie", "sid=abc"), "[redacted]");
/// assert_eq!(header("Accept", "application/json"), "application/json");
/// ```
pub fn header<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    let name = name.as_bytes();
    let bytes = value.as_bytes();
    if !keys::sensitive(name) {
        let Some(weak) = keys::weak(name) else {
            return text(value);
        };
        let shown = text(value);
        // What is left of a value is judged by its name too, so that a second look finds nothing more.
        return if weak.hides(bytes) || weak.hides(shown.as_bytes()) {
            Cow::Owned(REDACTED.to_owned())
        } else {
            shown
        };
    }
    if plain::is_placeholder(bytes) {
        return Cow::Borrowed(value);
    }
    if !keys::is_authorization(name) {
        return Cow::Owned(REDACTED.to_owned());
    }
    match auth::credentials(bytes, 0, bytes.len(), true) {
        Some(span) => Cow::Owned(replace(value, vec![span])),
        None => text(value),
    }
}

/// Whether a text holds a secret: whether [`text`] would change it.
pub fn is_secret(input: &str) -> bool {
    pass(input).is_some() || is_document(input) && text(input) != input
}

/// [`is_secret`] for a request id; most are UUIDs.
pub(crate) fn is_secret_id(id: &str) -> bool {
    !plain::is_uuid(id.as_bytes()) && is_secret(id)
}

/// [`is_secret`] for the inside of a JSON string.
pub(crate) fn is_secret_escaped(inner: &[u8]) -> bool {
    if !inner.contains(&b'\\') {
        let found = scan::scan(inner, 0);
        // Behind an escape may stand anything; a second look tells.
        return !found.spans.is_empty() || found.escaped;
    }
    let quoted = [b"\"", inner, b"\""].concat();
    serde_json::from_slice::<String>(&quoted).map_or(true, |text| is_secret(&text))
}

/// Whether a text is a plain lower-case word such as `hosted` or `read_only`, which may stand under any name.
pub(crate) fn is_word(text: &str) -> bool {
    let letters = text
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-' | b'.' | b':'));
    letters && text.len() <= 24
}

/// [`text`] for a name that a caller may choose, such as that of a method or a header: one that looks random goes too.
pub(crate) fn clean_name(kept: &mut Cow<'static, str>) {
    if !clean(kept) && runs::is_random(kept.as_bytes()) {
        *kept = Cow::Borrowed(REDACTED);
    }
}

/// Hides the secrets in a text in place; says whether there were any.
pub(crate) fn clean(kept: &mut Cow<'static, str>) -> bool {
    match text(kept) {
        Cow::Borrowed(_) => false,
        Cow::Owned(hidden) => {
            *kept = Cow::Owned(hidden);
            true
        }
    }
}

/// One look at the text; nothing if there was nothing to hide.
fn pass(input: &str) -> Option<String> {
    let bytes = input.as_bytes();
    let mut spans = scan::scan_deep(bytes, 0);
    for span in &mut spans {
        *span = around_marks(bytes, span);
    }
    spans.retain(|span| {
        span.start < span.end && bytes.get(span.clone()) != Some(REDACTED.as_bytes())
    });
    if spans.is_empty() {
        return None;
    }
    let hidden = replace(input, spans);
    (hidden != input).then_some(hidden)
}

/// Widens a span that would cut an earlier [`REDACTED`] in two; so a mark is never left in pieces.
fn around_marks(bytes: &[u8], span: &Range<usize>) -> Range<usize> {
    let mark = REDACTED.as_bytes();
    let cut = |index: usize| {
        (1..mark.len())
            .filter_map(|back| index.checked_sub(back))
            .find(|&start| plain::has(bytes, start, mark))
    };
    let start = cut(span.start).unwrap_or(span.start);
    let end = cut(span.end).map_or(span.end, |start| start + mark.len());
    start..end
}

/// Puts [`REDACTED`] in the place of each span; spans that meet become one.
fn replace(input: &str, mut spans: Vec<Range<usize>>) -> String {
    spans.sort_unstable_by_key(|span| span.start);
    let mut out = String::with_capacity(input.len());
    let mut copied = 0;
    let mut spans = spans.into_iter().peekable();
    while let Some(mut span) = spans.next() {
        while let Some(next) = spans.next_if(|next| next.start <= span.end) {
            span.end = span.end.max(next.end);
        }
        // Spans begin and end at ASCII; this only guards against cutting a character in half.
        let start = (0..=span.start)
            .rev()
            .find(|&index| input.is_char_boundary(index))
            .unwrap_or(0);
        let end = (span.end..=input.len())
            .find(|&index| input.is_char_boundary(index))
            .unwrap_or(input.len());
        out.push_str(input.get(copied..start).unwrap_or_default());
        out.push_str(REDACTED);
        copied = end.max(copied);
    }
    out.push_str(input.get(copied..).unwrap_or_default());
    out
}

/// How often a changed text is looked at again.
const ROUNDS: usize = 8;
