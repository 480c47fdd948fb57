//! What stands in the place of a secret without being one: placeholders, and ordinary words.

use super::keys;

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
    bytes
        .get(index..)
        .is_some_and(|rest| rest.starts_with(prefix))
}

/// Whether `bytes` has `prefix` at `index`, in any case.
pub(super) fn has_any_case(bytes: &[u8], index: usize, prefix: &[u8]) -> bool {
    slice(bytes, index, index.saturating_add(prefix.len())).eq_ignore_ascii_case(prefix)
        && !prefix.is_empty()
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
        _ => {
            is_constant_word(value)
                || has_any_case(value, 0, b"your-")
                || has_any_case(value, 0, b"your_")
                || has_any_case(value, 0, b"your ")
                || is_lookup(value)
        }
    }
}

/// Code that reads the value from the environment.
fn is_lookup(value: &[u8]) -> bool {
    const CALLS: [&[u8]; 8] = [
        b"process.env.",
        b"process.env[",
        b"os.environ",
        b"os.getenv(",
        b"os.Getenv(",
        b"System.getenv(",
        b"getenv(",
        b"ENV[",
    ];
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

fn is_constant_word(value: &[u8]) -> bool {
    [
        &b"null"[..],
        b"none",
        b"nil",
        b"true",
        b"false",
        b"undefined",
        b"redacted",
        b"hidden",
        b"masked",
    ]
    .iter()
    .any(|word| value.eq_ignore_ascii_case(word))
}

/// A word of a sentence about a secret, such as the one after the colon in "password: must be longer".
pub(super) fn is_prose(word: &[u8]) -> bool {
    let end = word
        .iter()
        .rposition(u8::is_ascii_alphanumeric)
        .map_or(0, |last| last + 1);
    let word = slice(word, usize::from(at(word, 0) == b'&'), end);
    if word.is_empty() || word.len() > 16 {
        return false;
    }
    let mut lower = [0_u8; 16];
    for (slot, byte) in lower.iter_mut().zip(word) {
        *slot = byte.to_ascii_lowercase();
    }
    PROSE.binary_search(&slice(&lower, 0, word.len())).is_ok()
}

/// Sorted; a test holds the order.
const PROSE: [&[u8]; 119] = [
    b"a",
    b"absent",
    b"accepted",
    b"after",
    b"all",
    b"already",
    b"an",
    b"and",
    b"any",
    b"are",
    b"as",
    b"at",
    b"auth",
    b"authentication",
    b"be",
    b"before",
    b"bool",
    b"boolean",
    b"but",
    b"by",
    b"bytes",
    b"can",
    b"can't",
    b"cannot",
    b"challenge",
    b"changed",
    b"could",
    b"credentials",
    b"denied",
    b"did",
    b"disabled",
    b"do",
    b"does",
    b"empty",
    b"enabled",
    b"error",
    b"expected",
    b"expired",
    b"failed",
    b"failure",
    b"field",
    b"for",
    b"format",
    b"found",
    b"from",
    b"granted",
    b"has",
    b"have",
    b"header",
    b"if",
    b"in",
    b"incorrect",
    b"int",
    b"integer",
    b"invalid",
    b"is",
    b"it",
    b"length",
    b"malformed",
    b"match",
    b"may",
    b"mismatch",
    b"missing",
    b"must",
    b"needed",
    b"needs",
    b"never",
    b"no",
    b"not",
    b"number",
    b"of",
    b"ok",
    b"on",
    b"only",
    b"option",
    b"optional",
    b"or",
    b"please",
    b"present",
    b"provided",
    b"realm",
    b"refused",
    b"rejected",
    b"required",
    b"requires",
    b"reset",
    b"revoked",
    b"scheme",
    b"see",
    b"sent",
    b"set",
    b"should",
    b"str",
    b"string",
    b"the",
    b"then",
    b"this",
    b"to",
    b"too",
    b"type",
    b"unauthorized",
    b"unknown",
    b"unset",
    b"unsupported",
    b"use",
    b"used",
    b"valid",
    b"value",
    b"was",
    b"when",
    b"which",
    b"will",
    b"with",
    b"without",
    b"wrong",
    b"yes",
    b"you",
    b"your",
    b"zero",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_list_is_sorted() {
        assert!(PROSE.is_sorted());
    }

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
