//! White space, comments, strings and numbers of JSON.

use memchr::{memchr, memmem};

use super::Json;
use crate::issue::IssueKind;
use crate::tree::Tag;

impl Json<'_> {
    #[inline]
    pub(super) fn skip_space(&mut self) {
        let solid = |byte: &u8| *byte > b' ' && *byte != b'/';
        match self.bytes.get(self.at) {
            Some(byte) if solid(byte) => {}
            // Behind a colon, as a rule.
            Some(b' ') if self.bytes.get(self.at + 1).is_some_and(solid) => self.at += 1,
            _ => self.skip_more_space(),
        }
    }

    /// Skips line breaks, indentation and comments.
    #[inline(never)]
    fn skip_more_space(&mut self) {
        loop {
            let mut rest = self.bytes.get(self.at..).unwrap_or_default();
            while let [b' ' | b'\n' | b'\r' | b'\t', more @ ..] = rest {
                rest = skip_indentation(more);
            }
            self.at = self.bytes.len() - rest.len();
            if rest.first() != Some(&b'/') || !self.skip_comment() {
                return;
            }
        }
    }

    fn skip_comment(&mut self) -> bool {
        let at = self.at;
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        let len = if rest.starts_with(b"//") {
            memchr(b'\n', rest).unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2)
        } else {
            return false;
        };
        self.at += len;
        if !self.comment_seen {
            self.comment_seen = true;
            self.report(
                at,
                at + len,
                IssueKind::Comment,
                "JSON has no comments",
                "remove it, or rename the file to .yaml and use `#`",
            );
        }
        true
    }

    /// Reads a string as a value or a key. False when the text ends inside it.
    pub(super) fn string(&mut self, key: bool) -> bool {
        let start = self.at;
        let Some(end) = self.plain_end(start + 1) else {
            return self.unterminated(start);
        };
        if self.bytes.get(end) == Some(&b'"') {
            if end == start + 1 && self.is_doubled_quote(start) {
                return self.doubled_quote(key, start);
            }
            self.at = end + 1;
            self.add(key, Tag::Quoted, start, 0);
            return true;
        }
        self.escaped_string(key, start, end)
    }

    /// The first quote, backslash or control character from `at` on.
    #[inline]
    pub(super) fn plain_end(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..)?;
        let mut rest = bytes;
        // Most strings are short. In a long one many bytes are looked at together.
        for _ in 0..3 {
            let Some((chunk, more)) = rest.split_first_chunk() else {
                break;
            };
            if let Some(found) = special(*chunk) {
                return Some(at + bytes.len() - rest.len() + found);
            }
            rest = more;
        }
        while let Some((chunk, more)) = rest.split_first_chunk::<32>()
            && is_plain(chunk)
        {
            rest = more;
        }
        while let Some((chunk, more)) = rest.split_first_chunk() {
            if let Some(found) = special(*chunk) {
                return Some(at + bytes.len() - rest.len() + found);
            }
            rest = more;
        }
        let found = rest
            .iter()
            .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
        Some(at + bytes.len() - rest.len() + found)
    }

    pub(super) fn escaped_string(&mut self, key: bool, start: usize, first: usize) -> bool {
        let mut value = std::mem::take(&mut self.decoded);
        value.clear();
        value.push_str(self.text(start + 1, first));
        let mut at = first;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at = self.escape(at, &mut value),
                Some(b'\n' | b'\r') if self.is_left_open(at) => {
                    self.close_on_line(key, start, at);
                    return true;
                }
                Some(byte) => {
                    let help = "write it as an escape such as `\\n` or `\\u0009`";
                    let message = format!("a string holds the raw control character U+{byte:04X}");
                    self.report(at, at + 1, IssueKind::Syntax, &message, help);
                    value.push(char::from(*byte));
                    at += 1;
                    if self.builder.is_overrun() {
                        self.at = at;
                        return false;
                    }
                }
                None => return self.unterminated(start),
            }
            let Some(end) = self.plain_end(at) else {
                return self.unterminated(start);
            };
            value.push_str(self.text(at, end));
            at = end;
        }
        self.at = at + 1;
        let data = self.builder.own(&value);
        self.decoded = value;
        self.add(key, Tag::Owned, start, data);
        true
    }

    /// Decodes one escape and gives the offset behind it.
    fn escape(&mut self, at: usize, value: &mut String) -> usize {
        let decoded = match self.bytes.get(at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(at, value),
            _ => {
                self.report(
                    at,
                    at + 2,
                    IssueKind::Syntax,
                    "an escape that JSON does not know",
                    "escape a backslash as `\\\\`",
                );
                value.push('\\');
                return at + 1;
            }
        };
        value.push(decoded);
        at + 2
    }

    fn unicode_escape(&mut self, at: usize, value: &mut String) -> usize {
        let Some(unit) = self.hex4(at + 2) else {
            self.report(
                at,
                at + 2,
                IssueKind::Syntax,
                "`\\u` needs four hexadecimal digits",
                "write it like `\\u00e9`",
            );
            value.push_str("\\u");
            return at + 2;
        };
        if let Some(decoded) = char::from_u32(unit) {
            value.push(decoded);
            return at + 6;
        }
        if (0xd800..0xdc00).contains(&unit)
            && self.bytes.get(at + 6..at + 8) == Some(b"\\u")
            && let Some(low) = self
                .hex4(at + 8)
                .filter(|low| (0xdc00..0xe000).contains(low))
            && let Some(decoded) =
                char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
        {
            value.push(decoded);
            return at + 12;
        }
        let message = format!("`\\u{unit:04x}` is half of a surrogate pair");
        self.report(
            at,
            at + 6,
            IssueKind::LoneSurrogate,
            &message,
            "write the whole pair, or the character itself",
        );
        value.push(char::REPLACEMENT_CHARACTER);
        at + 6
    }

    fn hex4(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 4)?;
        digits.iter().try_fold(0, |sum, digit| {
            Some(sum * 16 + char::from(*digit).to_digit(16)?)
        })
    }

    pub(super) fn add(&mut self, key: bool, tag: Tag, start: usize, data: u32) {
        if key {
            self.builder.key(tag, start, self.at, data, 0);
        } else {
            self.builder.leaf(tag, start, self.at, data, 0);
        }
    }

    pub(super) fn unterminated(&mut self, start: usize) -> bool {
        let end = self.bytes.len();
        self.report(
            start,
            end,
            IssueKind::Truncated,
            "the text ends inside this string",
            "close the string; the file seems to be cut off",
        );
        self.at = end;
        false
    }
}

/// What follows a run of spaces, of which eight are skipped at a time.
#[inline]
fn skip_indentation(mut rest: &[u8]) -> &[u8] {
    while let Some((chunk, more)) = rest.split_first_chunk() {
        let other = u64::from_le_bytes(*chunk) ^ u64::from_le_bytes([b' '; 8]);
        if other != 0 {
            let spaces = (other.trailing_zeros() / 8) as usize;
            return rest.get(spaces..).unwrap_or_default();
        }
        rest = more;
    }
    rest
}

/// The first byte of eight that is a quote, a backslash or a control character.
#[inline]
fn special(chunk: [u8; 8]) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let word = u64::from_le_bytes(chunk);
    // With this bit turned a quote lies below 0x21 like the control characters, and nothing else does. A byte's high bit is set
    // below where it is less than that, or zero.
    let quote = word ^ (LOW * 0x02);
    let slash = word ^ (LOW * 0x5c);
    let found = (quote.wrapping_sub(LOW * 0x21) & !quote) | (slash.wrapping_sub(LOW) & !slash);
    let found = found & HIGH;
    (found != 0).then_some((found.trailing_zeros() / 8) as usize)
}

/// Whether none of the bytes is a quote, a backslash or a control character.
#[inline]
fn is_plain(chunk: &[u8; 32]) -> bool {
    // Numbers, because they are put together without a jump for each byte.
    let special =
        |byte: u8| u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\');
    chunk.iter().fold(0, |any, byte| any | special(*byte)) == 0
}

/// The grammar of a JSON number.
pub(super) fn is_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, rest) = digits(text);
    if whole.is_empty() || (whole.len() > 1 && whole.first() == Some(&b'0')) {
        return false;
    }
    let rest = match rest.strip_prefix(b".") {
        Some(fraction) => {
            let (found, rest) = digits(fraction);
            if found.is_empty() {
                return false;
            }
            rest
        }
        None => rest,
    };
    match rest {
        [] => true,
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            !exponent.is_empty() && exponent.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}
