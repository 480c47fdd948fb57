//! Slips of the pen around quotes and colons: what was meant, so that one of them is one complaint.

use memchr::memchr2;

use super::Json;
use crate::issue::IssueKind;
use crate::tree::Tag;

impl Json<'_> {
    /// Whether the line break at `at` stands in a string that somebody forgot to close: the next quote does not close it, but
    /// opens another one.
    #[cold]
    pub(super) fn is_left_open(&self, at: usize) -> bool {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        let Some(quote) = memchr::memchr(b'"', rest) else {
            return true;
        };
        let quote = at + quote;
        let before = self.bytes.get(..quote).unwrap_or(&[]);
        let before = before.iter().rev().find(|byte| !is_blank(**byte));
        let starts = matches!(before, Some(b'{' | b'[' | b',' | b':' | b'\n'));
        let opens = starts
            && self
                .quote_on_line(quote + 1)
                .is_some_and(|end| self.ends_string(end));
        opens || !self.ends_string(quote)
    }

    /// The next quote on the line.
    fn quote_on_line(&self, at: usize) -> Option<usize> {
        let rest = self.bytes.get(at..)?;
        let found = memchr2(b'"', b'\n', rest)?;
        (rest.get(found) == Some(&b'"')).then_some(at + found)
    }

    /// Whether what follows a quote can follow a string.
    fn ends_string(&self, quote: usize) -> bool {
        let rest = self.bytes.get(quote + 1..).unwrap_or(&[]);
        let next = rest.iter().find(|byte| !is_blank(**byte));
        matches!(next, None | Some(b',' | b':' | b'}' | b']' | b'\n' | b'\r'))
    }

    /// Ends a string that is not closed on its line: a key before the colon, a value before the comma and the brackets that
    /// close something outside.
    #[cold]
    pub(super) fn close_on_line(&mut self, key: bool, start: usize, line_end: usize) {
        let line = self.text(start + 1, line_end);
        let kept = match line.split_once(':') {
            Some((name, _)) if key => name.trim_end(),
            _ => without_closers(line),
        };
        let (end, kept) = (start + 1 + kept.len(), kept.to_owned());
        self.report(
            start,
            end,
            IssueKind::Syntax,
            "the string is not closed on its line",
            "add the closing quote",
        );
        self.at = end;
        let data = self.builder.own(&kept);
        self.add(key, Tag::Owned, start, data);
    }

    /// Skips an extra quote in front of `at`, when what follows shows that it is one.
    #[cold]
    pub(super) fn skip_stray_quote(&mut self) -> bool {
        let at = self.at;
        if self.peek() != Some(b'"') || !self.ends_string(at) {
            return false;
        }
        self.report(
            at,
            at + 1,
            IssueKind::Syntax,
            "an extra quote",
            "remove it, or open the string with another one",
        );
        self.at += 1;
        true
    }

    /// Whether an empty string at `start` is a quote that was written twice.
    pub(super) fn is_doubled_quote(&self, start: usize) -> bool {
        let next = self.bytes.get(start + 2);
        next.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'$' | b'_'))
            && self.quote_on_line(start + 2).is_some()
    }

    /// Reads a string behind an extra quote.
    #[cold]
    pub(super) fn doubled_quote(&mut self, key: bool, quote: usize) -> bool {
        self.report(
            quote,
            quote + 1,
            IssueKind::Syntax,
            "an extra quote",
            "remove it",
        );
        match self.plain_end(quote + 2) {
            Some(end) => self.escaped_string(key, quote + 1, end),
            None => self.unterminated(quote + 1),
        }
    }

    /// Reads `"name: "value"` and `"name: {` for what was meant: the key ends before its colon.
    #[cold]
    pub(super) fn cut_key_at_colon(&mut self) -> bool {
        let Some((start, end)) = self.builder.last_string() else {
            return false;
        };
        let Some(colon) = self.text(start + 1, end).find(':') else {
            return false;
        };
        let name = self
            .text(start + 1, start + 1 + colon)
            .trim_end()
            .to_owned();
        self.builder.shorten_last(start + 1 + name.len(), &name);
        self.not_closed(start, start + 1 + name.len());
        self.at = start + 1 + colon;
        true
    }

    /// Reads `"value, "next"` for what was meant: the string ends before its comma.
    #[cold]
    pub(super) fn cut_value_at_comma(&mut self) -> bool {
        let Some((start, end)) = self.builder.last_string() else {
            return false;
        };
        let text = self.text(start + 1, end.saturating_sub(1)).trim_end();
        let Some(kept) = text.strip_suffix(',') else {
            return false;
        };
        let kept = without_closers(kept).to_owned();
        self.builder.shorten_last(start + 1 + kept.len(), &kept);
        self.not_closed(start, start + 1 + kept.len());
        self.at = start + 1 + kept.len();
        true
    }

    fn not_closed(&mut self, start: usize, end: usize) {
        self.report(
            start,
            end,
            IssueKind::Syntax,
            "the string is not closed",
            "add the closing quote",
        );
    }

    /// Reads `"name": "other": value` for two members: a bracket or a value was left out.
    #[cold]
    pub(super) fn take_value_for_key(&mut self) -> bool {
        let Some((start, end)) = self.builder.last_string() else {
            return false;
        };
        self.report(
            start,
            end,
            IssueKind::Syntax,
            "a value is missing before this member, or the bracket that opens one",
            "write the value, or `{`",
        );
        let name = self.text(start + 1, end.saturating_sub(1)).to_owned();
        let data = self.builder.own(&name);
        self.builder.key(Tag::Owned, start, end, data, 0);
        self.at += 1;
        true
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// A text without the commas and brackets at its end that close nothing in it.
fn without_closers(text: &str) -> &str {
    let mut text = text.trim_end();
    loop {
        let count = |c: char| text.matches(c).count();
        let shorter = match text.chars().next_back() {
            Some(',') => text.strip_suffix(','),
            Some('}') if count('}') > count('{') => text.strip_suffix('}'),
            Some(']') if count(']') > count('[') => text.strip_suffix(']'),
            _ => None,
        };
        match shorter {
            Some(shorter) => text = shorter.trim_end(),
            None => return text,
        }
    }
}
