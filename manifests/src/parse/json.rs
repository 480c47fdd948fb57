//! JSON (RFC 8259) in one pass, without recursion, going on after a mistake.

mod slips;
mod text;

use crate::builder::{Builder, Parts};
use crate::issue::IssueKind;
use crate::parse::ParseOptions;
use crate::source::Source;
use crate::span::{Span, offset};
use crate::tree::Tag;

pub(crate) fn parse(source: &Source, start: usize, options: &ParseOptions) -> Parts {
    let mut parser = Json {
        bytes: source.text().as_bytes(),
        at: start,
        builder: Builder::new(source),
        max_depth: options.max_depth(),
        comment_seen: false,
        decoded: String::new(),
    };
    parser.run();
    let end = parser.bytes.len();
    parser.builder.finish(end)
}

struct Json<'s> {
    bytes: &'s [u8],
    at: usize,
    builder: Builder<'s>,
    max_depth: usize,
    comment_seen: bool,
    /// Room for a string that has to be decoded.
    decoded: String,
}

/// Whether to go on parsing.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Flow {
    /// A value is expected next.
    Value,
    /// A value is complete.
    Done,
    /// Nothing more can be read.
    Stop,
}

impl Json<'_> {
    fn run(&mut self) {
        loop {
            match self.value() {
                Flow::Value => continue,
                Flow::Done => {}
                Flow::Stop => return,
            }
            match self.after_value() {
                Flow::Value => {}
                Flow::Done => return self.end(),
                Flow::Stop => return,
            }
        }
    }

    /// Reads a scalar, or opens a collection.
    fn value(&mut self) -> Flow {
        self.skip_space();
        let at = self.at;
        match self.peek() {
            Some(b'"') => {
                if !self.string(false) {
                    return Flow::Stop;
                }
                Flow::Done
            }
            Some(b'{') => self.open(true),
            Some(b'[') => self.open(false),
            Some(b'-' | b'0'..=b'9') => {
                self.number();
                Flow::Done
            }
            Some(b't' | b'f' | b'n') => self.word(),
            Some(b']') if self.builder.top().is_some_and(|frame| !frame.object) => {
                // Only reached behind a comma: an empty array is closed where it is opened.
                self.report(
                    at,
                    at + 1,
                    IssueKind::TrailingComma,
                    "there is a comma before the closing `]`",
                    "remove the comma",
                );
                Flow::Done
            }
            Some(b':') => {
                self.report(at, at + 1, IssueKind::Syntax, "an extra colon", "remove it");
                self.at += 1;
                if self.builder.is_overrun() {
                    return Flow::Stop;
                }
                Flow::Value
            }
            Some(b',' | b'}' | b']') => {
                self.report(
                    at,
                    at + 1,
                    IssueKind::Syntax,
                    "a value is missing here",
                    "write the value, or `null`",
                );
                self.builder.leaf(Tag::Null, at, at, 0, 0);
                if self.builder.depth() == 0 || self.builder.is_overrun() {
                    return Flow::Stop;
                }
                Flow::Done
            }
            Some(_) => self.bad_value(),
            None => self.truncated(),
        }
    }

    fn open(&mut self, object: bool) -> Flow {
        let at = self.at;
        if self.builder.depth() >= self.max_depth {
            let message = format!(
                "arrays and objects are nested more than {} deep",
                self.max_depth
            );
            self.report(
                at,
                at + 1,
                IssueKind::TooDeep,
                &message,
                "flatten the document; nothing after this place was read",
            );
            return Flow::Stop;
        }
        self.builder.open(object, at);
        self.at += 1;
        self.skip_space();
        match (self.peek(), object) {
            (Some(b'}'), true) | (Some(b']'), false) => {
                self.at += 1;
                self.builder.close(self.at);
                Flow::Done
            }
            (_, true) => self.key(),
            (_, false) => Flow::Value,
        }
    }

    /// Goes on behind a complete value: closes what ends here and finds the next value's start.
    fn after_value(&mut self) -> Flow {
        loop {
            let Some(object) = self.builder.top().map(|frame| frame.object) else {
                return Flow::Done;
            };
            self.skip_space();
            let at = self.at;
            match (self.peek(), object) {
                (Some(b','), true) => {
                    self.at += 1;
                    self.skip_space();
                    if self.peek() == Some(b'}') {
                        self.report(
                            at,
                            at + 1,
                            IssueKind::TrailingComma,
                            "there is a comma before the closing `}`",
                            "remove the comma",
                        );
                        continue;
                    }
                    return self.key();
                }
                (Some(b','), false) => {
                    self.at += 1;
                    return Flow::Value;
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    self.at += 1;
                    self.builder.close(self.at);
                }
                (Some(found @ (b'}' | b']')), _) => {
                    let message = format!(
                        "`{}` closes what was opened with `{}`",
                        char::from(found),
                        if object { '{' } else { '[' }
                    );
                    self.report(
                        at,
                        at + 1,
                        IssueKind::Syntax,
                        &message,
                        "use the bracket that fits",
                    );
                    self.at += 1;
                    self.builder.close(self.at);
                }
                (None, _) => return self.truncated(),
                (Some(b'"'), _) if self.skip_stray_quote() => {}
                (Some(b'"'), true) => {
                    self.report(
                        at,
                        at + 1,
                        IssueKind::Syntax,
                        "a comma is missing before this member",
                        "add the comma",
                    );
                    return self.key();
                }
                (Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'), false) => {
                    self.report(
                        at,
                        at + 1,
                        IssueKind::Syntax,
                        "a comma is missing before this item",
                        "add the comma",
                    );
                    return Flow::Value;
                }
                (Some(b':'), true) if self.take_value_for_key() => return Flow::Value,
                (Some(_), _) if self.cut_value_at_comma() => {}
                (Some(_), _) => {
                    self.report(
                        at,
                        at + 1,
                        IssueKind::Syntax,
                        "a comma or a closing bracket is expected here",
                        "remove this text",
                    );
                    self.skip_junk();
                    if self.at == at {
                        // A bracket that opens something nobody asked for: read what is inside as if it stood outside.
                        self.at += 1;
                        self.skip_space();
                        return if object { self.key() } else { Flow::Value };
                    }
                }
            }
            if self.builder.is_overrun() {
                return Flow::Stop;
            }
        }
    }

    /// Reads `"name" :`.
    fn key(&mut self) -> Flow {
        loop {
            if self.builder.is_overrun() {
                return Flow::Stop;
            }
            let at = self.at;
            match self.peek() {
                Some(b'"') => {
                    if !self.string(true) {
                        return Flow::Stop;
                    }
                    break;
                }
                None => return self.truncated(),
                Some(b'}') => return Flow::Done,
                Some(byte) if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'\'') => {
                    let end = self.bare_word_end();
                    self.report(
                        at,
                        end,
                        IssueKind::Syntax,
                        "a member name without double quotes",
                        "put it in double quotes",
                    );
                    let trim = usize::from(byte == b'\'' && end - at > 1);
                    let name = self.text(at + trim, end - trim).to_owned();
                    let data = self.builder.own(&name);
                    self.builder.key(Tag::Owned, at, end, data, 0);
                    self.at = end;
                    if self.peek() == Some(b'"') {
                        // It only lacks the first one.
                        self.at += 1;
                    }
                    break;
                }
                Some(_) => {
                    self.report(
                        at,
                        at + 1,
                        IssueKind::Syntax,
                        "a member name is expected here",
                        "write the name in double quotes",
                    );
                    self.skip_junk();
                    if self.peek() == Some(b',') || self.at == at {
                        self.at += 1;
                        self.skip_space();
                    }
                }
            }
        }
        self.skip_space();
        if self.peek() == Some(b':') {
            self.at += 1;
            return Flow::Value;
        }
        let at = self.at;
        if at >= self.bytes.len() {
            return self.truncated();
        }
        if self.skip_stray_quote() || self.cut_key_at_colon() {
            self.skip_space();
            if self.peek() == Some(b':') {
                self.at += 1;
                return Flow::Value;
            }
        }
        self.report(
            at,
            at + 1,
            IssueKind::Syntax,
            "a colon is missing after this member's name",
            "write `\"name\": value`",
        );
        if matches!(self.peek(), Some(b',' | b'}')) {
            self.builder.balance();
            return Flow::Done;
        }
        Flow::Value
    }

    fn end(&mut self) {
        self.skip_space();
        if self.at < self.bytes.len() {
            let at = self.at;
            self.report(
                at,
                self.bytes.len(),
                IssueKind::TrailingContent,
                "there is text after the end of the JSON value",
                "remove it; a JSON file holds exactly one value",
            );
        }
    }

    fn truncated(&mut self) -> Flow {
        let end = self.bytes.len();
        let open = self.builder.top().and_then(|frame| {
            let start = self.builder.nodes.get(frame.id as usize)?.start as usize;
            Some((frame.object, self.builder.source.position(start)))
        });
        let message = match open {
            Some((true, at)) => format!("the text ends inside the object that starts at {at}"),
            Some((false, at)) => format!("the text ends inside the array that starts at {at}"),
            None => "the text ends where a value is expected".to_owned(),
        };
        self.report(
            end,
            end,
            IssueKind::Truncated,
            &message,
            "the file seems to be cut off; write or fetch it again",
        );
        Flow::Stop
    }

    fn bad_value(&mut self) -> Flow {
        let at = self.at;
        let mut end = self.bare_word_end().max(at + 1);
        if self.peek() == Some(b'\'') {
            end = self.single_quoted_end().unwrap_or(end);
        }
        let shown = crate::builder::shorten(self.text(at, end));
        self.report(
            at,
            end,
            IssueKind::Syntax,
            &format!("`{shown}` is not a JSON value"),
            "strings need double quotes",
        );
        let data = self.builder.own(&shown);
        self.builder.leaf(Tag::Owned, at, end, data, 0);
        self.at = end;
        if self.builder.depth() == 0 || self.builder.is_overrun() {
            Flow::Stop
        } else {
            Flow::Done
        }
    }

    fn word(&mut self) -> Flow {
        let at = self.at;
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        let (tag, len, data) = match rest {
            [b't', b'r', b'u', b'e', ..] => (Tag::Bool, 4, 1),
            [b'f', b'a', b'l', b's', b'e', ..] => (Tag::Bool, 5, 0),
            [b'n', b'u', b'l', b'l', ..] => (Tag::Null, 4, 0),
            _ => return self.bad_value(),
        };
        if self
            .bytes
            .get(at + len)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        {
            return self.bad_value();
        }
        self.at += len;
        self.builder.leaf(tag, at, self.at, data, 0);
        Flow::Done
    }

    fn number(&mut self) {
        let at = self.at;
        let mut end = at;
        while self
            .bytes
            .get(end)
            .is_some_and(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
        {
            end += 1;
        }
        self.at = end;
        if text::is_number(self.bytes.get(at..end).unwrap_or(&[])) {
            self.builder.leaf(Tag::Number, at, end, 0, 0);
        } else {
            let shown = crate::builder::shorten(self.text(at, end));
            self.report(
                at,
                end,
                IssueKind::Syntax,
                &format!("`{shown}` is not a JSON number"),
                "write it like 12, -0.5 or 1e3, or as a string",
            );
            self.builder.leaf(Tag::Plain, at, end, 0, 0);
        }
    }

    fn bare_word_end(&self) -> usize {
        let mut end = self.at;
        while let Some(byte) = self.bytes.get(end) {
            if matches!(byte, b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"')
                || byte.is_ascii_whitespace()
            {
                break;
            }
            end += 1;
        }
        end
    }

    /// Behind the text in single quotes that starts here, if it ends on the line.
    fn single_quoted_end(&self) -> Option<usize> {
        let rest = self.bytes.get(self.at + 1..)?;
        let found = memchr::memchr2(b'\'', b'\n', rest)?;
        (rest.get(found) == Some(&b'\'')).then_some(self.at + found + 2)
    }

    /// Skips to the next comma, bracket or quote.
    fn skip_junk(&mut self) {
        while let Some(byte) = self.peek() {
            if matches!(byte, b',' | b'{' | b'}' | b'[' | b']' | b'"') {
                break;
            }
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn text(&self, start: usize, end: usize) -> &str {
        self.builder.source.text().get(start..end).unwrap_or("")
    }

    #[cold]
    fn report(&mut self, start: usize, end: usize, kind: IssueKind, message: &str, help: &str) {
        let len = self.bytes.len();
        let span = Span::new(offset(start.min(len)), offset(end.min(len)));
        self.builder.report(span, kind, message, help);
    }
}
