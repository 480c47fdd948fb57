//! What stands in the place of a secret without being one: placeholders, and ordinary words.

use super::keys;
use super::words::{Words, list};

/// A byte, or zero beyond the end.
pub(super) fn at(bytes: &[u8], index: usize) -> u8 {
    bytes.get(index).copied().unwrap_or(0)
}

/// A slice, or nothing where the range does not fit.
pub(super) fn slice(bytes: &[u8], start: usize, end: usize) -> &[u8] {
    bytes.get(start..end).unwrap_or_default()
}

/// Whether `bytes` has `prefix` at `index`.
pub(super) fn has(bytes: &[u8], index: usize, prefix: &[u8]) -> bool {
    // Most differ in their first letter, which is cheaper to compare than to call.
    at(bytes, index) == at(prefix, 0)
        && bytes
            .get(index..)
            .is_some_and(|rest| rest.starts_with(prefix))
}

/// Whether `bytes` has `prefix` at `index`, in any case.
pub(super) fn has_any_case(bytes: &[u8], index: usize, prefix: &[u8]) -> bool {
    at(bytes, index) | 0x20 == at(prefix, 0) | 0x20
        && slice(bytes, index, index.saturating_add(prefix.len())).eq_ignore_ascii_case(prefix)
}

/// First index at or after `start` whose byte does not satisfy `inside`, looking at no more than `limit` bytes.
pub(super) fn run_end(
    bytes: &[u8],
    start: usize,
    limit: usize,
    inside: impl Fn(u8) -> bool,
) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    start
        + rest
            .iter()
            .take(limit)
            .take_while(|&&byte| inside(byte))
            .count()
}

/// First index of the run that ends before `end`, looking back over no more than `limit` bytes.
pub(super) fn run_start(
    bytes: &[u8],
    end: usize,
    limit: usize,
    inside: impl Fn(u8) -> bool,
) -> usize {
    let before = slice(bytes, end.saturating_sub(limit), end);
    end - before
        .iter()
        .rev()
        .take_while(|&&byte| inside(byte))
        .count()
}

/// A byte of the base64url alphabet.
pub(super) fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// A value nobody has to hide: empty, a constant, a template, or what a redactor left behind.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let (Some(&first), Some(&last)) = (value.first(), value.last()) else {
        return true;
    };
    // Longer values are never placeholders; this also keeps the scan linear.
    if value.len() > LONGEST {
        return false;
    }
    if value == super::REDACTED.as_bytes() || is_mask(value) {
        return true;
    }
    let inner = slice(value, 1, value.len().saturating_sub(1));
    match (first, last) {
        (b'<', b'>') | (b'[', b']') => is_label(inner),
        (b'{', b'}') => is_label(
            inner
                .trim_ascii_start()
                .strip_prefix(b"{")
                .and_then(|rest| rest.strip_suffix(b"}"))
                .unwrap_or(inner),
        ),
        (b'%', b'%') => is_constant(inner),
        (b'$', b'}') => {
            inner.first() == Some(&b'{') && !inner.contains(&b'}') || value.starts_with(b"${{")
        }
        (b'$', b')') => inner.first() == Some(&b'(') && is_label(slice(inner, 1, inner.len())),
        (b'$', _) => {
            let name = slice(value, 1, value.len());
            is_constant(name) || (is_label(name) && keys::sensitive(name))
        }
        // `:token`, `@password` in a statement.
        (b':' | b'@', _) => is_label(inner) && keys::sensitive(slice(value, 1, value.len())),
        _ => {
            CONSTANT.has_any_case(value)
                || has_any_case(value, 0, b"your-")
                || has_any_case(value, 0, b"your_")
                || has_any_case(value, 0, b"your ")
                || is_lookup(value)
        }
    }
}

/// Code that reads the value from the environment.
fn is_lookup(value: &[u8]) -> bool {
    const CALLS: [&[u8]; 8] = list(
        "process.env.,process.env[,os.environ,os.getenv(,os.Getenv(,System.getenv(,getenv(,ENV[",
    );
    CALLS.iter().any(|call| value.starts_with(call))
}

/// The longest value that may be taken for a placeholder or a word.
pub(super) const LONGEST: usize = 96;

/// `xxxx`, `****`, `....`: one masking character throughout.
fn is_mask(value: &[u8]) -> bool {
    let first = at(value, 0);
    matches!(first, b'*' | b'x' | b'X' | b'.' | b'-' | b'_' | b'#' | b'?')
        && value.iter().all(|&byte| byte == first)
}

/// The inside of `<your-api-key>` or `{token}`: words, not a value.
fn is_label(inner: &[u8]) -> bool {
    !inner.is_empty()
        && inner.iter().filter(|byte| byte.is_ascii_digit()).count() <= 2
        && inner.iter().all(|&byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-' | b'.' | b':')
        })
}

fn is_constant(name: &[u8]) -> bool {
    !name.is_empty()
        && name
            .iter()
            .all(|&byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && at(name, 0).is_ascii_uppercase()
}

static CONSTANT: Words =
    Words::of("null none nil true false undefined redacted hidden masked include omit same-origin");

/// A word of a sentence about a secret, such as the one after the colon in "password: must be longer".
pub(super) fn is_prose(word: &[u8]) -> bool {
    let end = word
        .iter()
        .rposition(u8::is_ascii_alphanumeric)
        .map_or(0, |last| last + 1);
    let word = slice(word, usize::from(at(word, 0) == b'&'), end);
    PROSE.has_any_case(word)
}

static PROSE: Words = Words::of(
    "a absent accepted after all already an and any are as at auth authentication be before bool \
     boolean but by bytes can can't cannot challenge changed could credentials denied did \
     disabled do does empty enabled error expected expired failed failure field for format found \
     from granted has have header if in incorrect int integer invalid is it length malformed \
     match may mismatch missing must needed needs never no not number of ok on only option \
     optional or please present provided realm refused rejected required requires reset revoked \
     scheme see sent set should str string the then this to too type unauthorized unknown unset \
     unsupported use used valid value was when which will with without wrong yes you your zero",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders() {
        let yes = [
            "",
            "  ",
            "<your-api-key>",
            "<token>",
            "{token}",
            "{{ token }}",
            "${TOKEN}",
            "${{ secrets.TOKEN }}",
            "$TOKEN",
            "$token",
            "%TOKEN%",
            "[redacted]",
            "[REDACTED]",
            "***",
            "xxxxxxxx",
            "...",
            "null",
            "YOUR_API_KEY",
            "your-token-here",
            "$(secret)",
        ];
        for value in yes {
            assert!(is_placeholder(value.as_bytes()), "{value}");
        }
        let no = [
            "hunter2",
            "<a8f7g6h5>",
            "{a1b2c3}",
            "$ecret",
            "$2b$12$abc",
            "xxy",
            "[1234]",
            "Yourself",
        ];
        for value in no {
            assert!(!is_placeholder(value.as_bytes()), "{value}");
        }
    }
}
