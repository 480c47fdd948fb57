//! The questions that every rule asks about bytes, and what stands in the place of a secret without being one: placeholders, and
//! ordinary words.

use std::ops::Range;

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

/// Whether `word` stands somewhere in the text.
pub(super) fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}

/// The bytes of a span.
pub(super) fn part<'a>(bytes: &'a [u8], span: &Range<usize>) -> &'a [u8] {
    slice(bytes, span.start, span.end)
}

/// The byte in front of `index`, or zero.
pub(super) fn prior(bytes: &[u8], index: usize) -> u8 {
    at(bytes, index.wrapping_sub(1))
}

/// First index at or after `start` whose byte does not satisfy `inside`, looking at no more than `limit` bytes.
pub(super) fn run_end(
    bytes: &[u8],
    start: usize,
    limit: usize,
    inside: impl Fn(&u8) -> bool,
) -> usize {
    let rest = bytes.get(start..).unwrap_or_default().iter();
    start + rest.take(limit).take_while(|byte| inside(byte)).count()
}

/// First index of the run that ends before `end`, looking back over no more than `limit` bytes.
pub(super) fn run_start(
    bytes: &[u8],
    end: usize,
    limit: usize,
    inside: impl Fn(&u8) -> bool,
) -> usize {
    let before = slice(bytes, end.saturating_sub(limit), end).iter().rev();
    end - before.take_while(|byte| inside(byte)).count()
}

/// Letters, digits and these marks.
pub(super) fn wordy<const COUNT: usize>(marks: &[u8; COUNT]) -> impl Fn(&u8) -> bool {
    move |byte| byte.is_ascii_alphanumeric() || marks.iter().any(|mark| mark == byte)
}

/// How many bytes of each kind there are.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) digits: usize,
    pub(super) upper: usize,
    pub(super) lower: usize,
    pub(super) marks: usize,
}

impl Count {
    pub(super) fn of(text: &[u8]) -> Self {
        let mut count = Self::default();
        for byte in text {
            let kind = match byte {
                b'0'..=b'9' => &mut count.digits,
                b'A'..=b'Z' => &mut count.upper,
                b'a'..=b'z' => &mut count.lower,
                _ => &mut count.marks,
            };
            *kind += 1;
        }
        count
    }

    pub(super) fn letters(self) -> usize {
        self.upper + self.lower
    }
}

/// How many different bytes there are.
pub(super) fn distinct(text: &[u8]) -> u32 {
    // A bit for each byte.
    let mut seen = [0_u64; 4];
    for &byte in text {
        if let Some(bits) = seen.get_mut(usize::from(byte >> 6)) {
            *bits |= 1 << (byte & 63);
        }
    }
    seen.iter().map(|bits| bits.count_ones()).sum()
}

pub(super) fn is_hex(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_hexdigit)
}

pub(super) fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
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
    let name = slice(value, 1, value.len());
    let inner = slice(value, 1, value.len().saturating_sub(1));
    match (first, last) {
        (b'<', b'>') | (b'[', b']') => is_label(inner),
        (b'{', b'}') => {
            let inside = inner.trim_ascii_start().strip_prefix(b"{");
            is_label(
                inside
                    .and_then(|rest| rest.strip_suffix(b"}"))
                    .unwrap_or(inner),
            )
        }
        (b'%', b'%') => is_constant(inner),
        (b'$', b'}') => {
            inner.starts_with(b"{{") || inner.starts_with(b"{") && !inner.contains(&b'}')
        }
        (b'$', b')') => inner.strip_prefix(b"(").is_some_and(is_label),
        (b'$', _) => is_constant(name) || is_label(name) && keys::sensitive(name),
        // `:token`, `@password` in a statement.
        (b':' | b'@', _) => is_label(inner) && keys::sensitive(name),
        // What stands for a value, and code that reads it from the environment.
        _ => {
            const YOURS: [&[u8]; 3] = list("your-,your_,your ");
            const CALLS: [&[u8]; 8] = list(
                "process.env.,process.env[,os.environ,os.getenv(,os.Getenv(,System.getenv(,getenv(,ENV[",
            );
            CONSTANT.has_any_case(value)
                || YOURS.iter().any(|your| has_any_case(value, 0, your))
                || CALLS.iter().any(|call| value.starts_with(call))
        }
    }
}

/// The longest value that may be taken for a placeholder or a word.
pub(super) const LONGEST: usize = 96;

/// `xxxx`, `****`, `....`: one masking character throughout.
fn is_mask(value: &[u8]) -> bool {
    let first = at(value, 0);
    b"*xX.-_#?".contains(&first) && value.iter().all(|&byte| byte == first)
}

/// The inside of `<your-api-key>` or `{token}`: words, not a value.
fn is_label(inner: &[u8]) -> bool {
    let digits = inner.iter().filter(|byte| byte.is_ascii_digit()).count();
    !inner.is_empty() && digits <= 2 && inner.iter().all(wordy(b" _-.:"))
}

fn is_constant(name: &[u8]) -> bool {
    let inside = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_');
    at(name, 0).is_ascii_uppercase() && name.iter().all(inside)
}

static CONSTANT: Words =
    Words::of("null none nil true false undefined redacted hidden masked include omit same-origin");

/// A word of a sentence about a secret, such as the one after the colon in "password: must be longer".
pub(super) fn is_prose(word: &[u8]) -> bool {
    let end = run_start(word, word.len(), usize::MAX, |byte| {
        !byte.is_ascii_alphanumeric()
    });
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
