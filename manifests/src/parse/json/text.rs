//! White space, comments, strings and numbers of JSON.

use memchr::{memchr, memmem};

use super::Json;
use crate::issue::IssueKind;
use crate::tree::Tag;

impl Json<'_> {
    #[inline]
    pub(super) fn skip_space(&mut self) {
        if self
            .bytes
            .get(self.at)
            .is_some_and(|byte| *byte > b' ' && *byte != b'/')
        {
            return;
        }
        self.skip_more_space();
    }

    fn skip_more_space(&mut self) {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => {
                    self.at += 1;
                    self.skip_indentation();
                }
                Some(b'/') if self.skip_comment() => {}
                _ => return,
            }
        }
    }

    /// Skips a run of spaces, eight at a time.
    fn skip_indentation(&mut self) {
        while let Some(chunk) = self.bytes.get(self.at..self.at + 8) {
            let word = <[u8; 8]>::try_from(chunk).map_or(0, u64::from_le_bytes);
            let other = word ^ 0x2020_2020_2020_2020;
            if other != 0 {
                self.at += (other.trailing_zeros() / 8) as usize;
                return;
            }
            self.at += 8;
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
    pub(super) fn plain_end(&self, mut at: usize) -> Option<usize> {
        const LOW: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = 0x8080_8080_8080_8080;
        while let Some(chunk) = self.bytes.get(at..at + 8) {
            let word = <[u8; 8]>::try_from(chunk).map_or(0, u64::from_le_bytes);
            // A byte's high bit is set below where the byte is zero after the exclusive or, or is less than 0x20.
            let quote = word ^ (LOW * 0x22);
            let slash = word ^ (LOW * 0x5c);
            let found = (quote.wrapping_sub(LOW) & !quote)
                | (slash.wrapping_sub(LOW) & !slash)
                | (word.wrapping_sub(LOW * 0x20) & !word);
            let found = found & HIGH;
            if found != 0 {
                return Some(at + (found.trailing_zeros() / 8) as usize);
            }
            at += 8;
        }
        let rest = self.bytes.get(at..)?;
        rest.iter()
            .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))
            .map(|found| at + found)
    }

    pub(super) fn escaped_string(&mut self, key: bool, start: usize, first: usize) -> bool {
        let mut value = self.text(start + 1, first).to_owned();
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
