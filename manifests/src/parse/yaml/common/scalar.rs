//! Plain, quoted and block scalars.

use memchr::{memchr, memchr2, memchr3};

use super::Common;
use crate::parse::scalar;
use crate::tree::{Raw, Tag};

/// A key that was seen and not yet added.
pub(super) struct Key {
    /// Behind its last byte, where the colon stands.
    pub(super) end: usize,
    /// How it is quoted, if it is.
    quoted: Option<Quoted>,
}

/// A quoted scalar.
pub(super) struct Quoted {
    /// Behind the closing quote.
    pub(super) end: usize,
    /// The number of its decoded text, unless it means exactly what stands between the quotes.
    decoded: Option<u32>,
    /// Whether it goes over several lines.
    folded: bool,
}

/// What stands at the start of a line or behind a dash.
pub(super) enum Start {
    Key(Key),
    Quoted(Quoted),
    Plain(Run),
    /// Not looked at yet.
    Unknown,
}

/// Plain text on one line, in a block.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// Where it ends, behind spaces at its end.
    stop: usize,
    why: Why,
}

/// Why plain text ends.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Why {
    Line,
    Colon,
    Comment,
}

/// Longer keys are left to the other parser, which allows 1024 characters.
const MAX_KEY: usize = 1000;

impl Common<'_, '_, '_> {
    /// Looks whether a key starts at a place. The further lines of a value would be indented deeper than `indent`.
    pub(super) fn start(&mut self, at: usize, indent: usize) -> Option<Start> {
        let key = match self.bytes.get(at)? {
            b'"' | b'\'' => {
                let quoted = self.quoted(at, indent)?;
                if quoted.folded || self.bytes.get(quoted.end) != Some(&b':') {
                    return Some(Start::Quoted(quoted));
                }
                Key {
                    end: quoted.end,
                    quoted: Some(quoted),
                }
            }
            _ if !self.may_start_plain(at) => return Some(Start::Unknown),
            _ => {
                let run = self.plain_run(at);
                if run.why != Why::Colon {
                    return Some(Start::Plain(run));
                }
                let end = run.stop;
                if self.bytes.get(end - 1) == Some(&b' ') || self.has_tab(at, end) {
                    return None;
                }
                Key { end, quoted: None }
            }
        };
        let follows = matches!(self.bytes.get(key.end + 1), None | Some(b' ' | b'\n'));
        (follows && key.end - at <= MAX_KEY).then_some(Start::Key(key))
    }

    pub(super) fn add_key(&mut self, at: usize, key: &Key) {
        match &key.quoted {
            None => {
                self.builder.key(Tag::Plain, at, key.end, 0, 0);
                self.last_end = key.end;
            }
            Some(quoted) => self.add_quoted_key(at, quoted),
        }
    }

    /// Adds a plain key that ends with its line, and gives the start of the next line.
    pub(super) fn add_explicit_key(&mut self, at: usize) -> Option<usize> {
        let run = self.plain_run(at);
        if run.why != Why::Line || self.has_tab(at, run.stop) {
            return None;
        }
        let end = self.trimmed(at, run.stop);
        self.builder.key(Tag::Plain, at, end, 0, 0);
        self.last_end = end;
        Some(self.next_line(run.stop))
    }

    pub(super) fn add_quoted_key(&mut self, at: usize, quoted: &Quoted) {
        match quoted.decoded {
            None => self.builder.key(Tag::Quoted, at, quoted.end, 0, 0),
            Some(text) => (self.builder).key(Tag::Owned, at, quoted.end, text, Raw::STYLED),
        };
        self.last_end = quoted.end;
    }

    pub(super) fn add_quoted(&mut self, at: usize, quoted: &Quoted) {
        match quoted.decoded {
            None => self.builder.leaf(Tag::Quoted, at, quoted.end, 0, 0),
            Some(text) => (self.builder).leaf(Tag::Owned, at, quoted.end, text, Raw::STYLED),
        };
        self.last_end = quoted.end;
    }

    /// Whether plain text can start with the byte at a place, in a block.
    pub(super) fn may_start_plain(&self, at: usize) -> bool {
        match self.bytes.get(at) {
            Some(b'-' | b'?' | b':') => {
                !matches!(self.bytes.get(at + 1), None | Some(b' ' | b'\t' | b'\n'))
            }
            None
            | Some(
                b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\''
                | b'"' | b'%' | b'@' | b'`' | b'\n' | b'\t' | b' ',
            ) => false,
            Some(_) => true,
        }
    }

    /// Plain text up to the end of its line, a colon or a comment.
    pub(super) fn plain_run(&self, at: usize) -> Run {
        let mut from = at;
        loop {
            let rest = self.bytes.get(from..).unwrap_or_default();
            let found = memchr3(b'\n', b':', b'#', rest).unwrap_or(rest.len());
            let stop = from + found;
            let why = match self.bytes.get(stop) {
                Some(b':') => match self.bytes.get(stop + 1) {
                    None | Some(b' ' | b'\n' | b'\t') => Some(Why::Colon),
                    Some(_) => None,
                },
                Some(b'#') => match self.bytes.get(stop - 1) {
                    Some(b' ' | b'\t') => Some(Why::Comment),
                    _ => None,
                },
                _ => Some(Why::Line),
            };
            if let Some(why) = why {
                return Run { stop, why };
            }
            from = stop + 1;
        }
    }

    /// The end of some text without the spaces that end it.
    fn trimmed(&self, start: usize, mut end: usize) -> usize {
        while end > start && self.bytes.get(end - 1) == Some(&b' ') {
            end -= 1;
        }
        end
    }

    pub(super) fn has_tab(&self, start: usize, end: usize) -> bool {
        self.tabs && memchr(b'\t', self.bytes.get(start..end).unwrap_or_default()).is_some()
    }

    /// A plain scalar that is the value of something indented so far, from its first line.
    pub(super) fn plain(&mut self, start: usize, first: Run, indent: usize) -> Option<()> {
        let mut run = first;
        let mut from = start;
        let mut end;
        let mut decoded = false;
        loop {
            if run.why == Why::Colon || self.has_tab(from, run.stop) {
                return None;
            }
            end = self.trimmed(from, run.stop);
            if decoded {
                self.copy(from, end)?;
            }
            self.at = self.next_line(run.stop);
            if run.why == Why::Comment {
                break;
            }
            let line = self.line(self.at)?;
            if line.at >= self.bytes.len() || line.indent <= indent {
                break;
            }
            // A comment ends the scalar; what is deeper behind it is a mistake.
            if line.commented {
                return None;
            }
            if !decoded {
                self.copy(from, end)?;
                decoded = true;
            }
            fold(self.builder.owned_text(), line.empty);
            from = line.at;
            run = self.plain_run(from);
        }
        if decoded {
            let text = self.builder.seal_owned();
            self.builder.leaf(Tag::Owned, start, end, text, 0);
        } else {
            let (tag, data) = scalar::resolve(self.text.get(start..end)?);
            self.builder.leaf(tag, start, end, data, 0);
        }
        self.last_end = end;
        Some(())
    }

    /// A quoted scalar. Its further lines must be indented deeper than `indent`.
    pub(super) fn quoted(&mut self, start: usize, indent: usize) -> Option<Quoted> {
        let quote = *self.bytes.get(start)?;
        let double = quote == b'"';
        let (mut decoded, mut folded) = (false, false);
        // Where the text that is not copied yet starts.
        let mut from = start + 1;
        let mut at = from;
        loop {
            let rest = self.bytes.get(at..)?;
            let found = if double {
                memchr3(b'"', b'\\', b'\n', rest)?
            } else {
                memchr2(b'\'', b'\n', rest)?
            };
            at += found;
            match self.bytes.get(at)? {
                b'\n' => {
                    let end = self.trimmed(from, at);
                    if self.has_tab(from, at) {
                        return None;
                    }
                    self.copy(from, end)?;
                    at = self.fold_lines(at, indent, true)?;
                    folded = true;
                }
                b'\\' => {
                    self.copy(from, at)?;
                    if self.bytes.get(at + 1) == Some(&b'\n') {
                        at = self.fold_lines(at + 1, indent, false)?;
                        folded = true;
                    } else {
                        at = self.escape(at)?;
                    }
                }
                b'\'' if self.bytes.get(at + 1) == Some(&b'\'') => {
                    self.copy(from, at + 1)?;
                    at += 2;
                }
                _ => {
                    if decoded {
                        self.copy(from, at)?;
                    }
                    let decoded = decoded.then(|| self.builder.seal_owned());
                    return Some(Quoted {
                        end: at + 1,
                        decoded,
                        folded,
                    });
                }
            }
            decoded = true;
            from = at;
        }
    }

    /// Puts a piece of the source into the text that is being decoded.
    fn copy(&mut self, from: usize, to: usize) -> Option<()> {
        let piece = self.text.get(from..to)?;
        self.builder.owned_text().push_str(piece);
        Some(())
    }

    /// Reads over a line break in a quoted scalar, the empty lines behind it and the indentation of the next one.
    fn fold_lines(&mut self, at: usize, indent: usize, joins: bool) -> Option<usize> {
        let mut empty = 0;
        let mut start = at + 1;
        let content = loop {
            let content = self.spaces(start);
            match self.bytes.get(content)? {
                b'\n' => empty += 1,
                b'\t' => return None,
                _ => break content,
            }
            start = content + 1;
        };
        if content - start <= indent {
            return None;
        }
        let text = self.builder.owned_text();
        if joins {
            fold(text, empty);
        } else {
            text.extend(std::iter::repeat_n('\n', empty));
        }
        Some(content)
    }

    /// Decodes the escape at a backslash and gives the place behind it.
    fn escape(&mut self, at: usize) -> Option<usize> {
        let hex = |digits: usize| {
            let text = self.text.get(at + 2..at + 2 + digits)?;
            let all = text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code = all.then(|| u32::from_str_radix(text, 16).ok())??;
            Some((char::from_u32(code)?, digits))
        };
        let (character, digits) = match self.bytes.get(at + 1)? {
            b'0' => ('\0', 0),
            b'a' => ('\x07', 0),
            b'b' => ('\x08', 0),
            b't' => ('\t', 0),
            b'n' => ('\n', 0),
            b'v' => ('\x0b', 0),
            b'f' => ('\x0c', 0),
            b'r' => ('\r', 0),
            b'e' => ('\x1b', 0),
            b' ' => (' ', 0),
            b'"' => ('"', 0),
            b'/' => ('/', 0),
            b'\\' => ('\\', 0),
            b'N' => ('\u{85}', 0),
            b'_' => ('\u{a0}', 0),
            b'L' => ('\u{2028}', 0),
            b'P' => ('\u{2029}', 0),
            b'x' => hex(2)?,
            b'u' => hex(4)?,
            b'U' => hex(8)?,
            _ => return None,
        };
        self.builder.owned_text().push(character);
        Some(at + 2 + digits)
    }

    /// A literal or folded block scalar.
    pub(super) fn block(&mut self, start: usize, indent: usize) -> Option<()> {
        let folded = self.bytes.get(start) == Some(&b'>');
        let (mut chomp, mut given, mut header) = (None, None, start + 1);
        loop {
            match *self.bytes.get(header)? {
                sign @ (b'+' | b'-') if chomp.is_none() => chomp = Some(sign),
                digit @ b'1'..=b'9' if given.is_none() => given = Some(usize::from(digit - b'0')),
                _ => break,
            }
            header += 1;
        }
        let line = self.spaces(header);
        if self.bytes.get(line) != Some(&b'\n') {
            return None;
        }
        let given = given.map(|given| indent + given);
        let (mut at, depth, mut empty) = self.block_start(line + 1, given)?;
        if depth <= indent {
            return None;
        }
        let (mut broken, mut was_blank) = (false, false);
        loop {
            let rest = self.bytes.get(at..)?;
            let end = at + memchr(b'\n', rest).unwrap_or(rest.len());
            let blank = matches!(self.bytes.get(at), Some(b' ' | b'\t'));
            let text = self.builder.owned_text();
            if folded && broken && !was_blank && !blank {
                fold(text, empty);
            } else {
                text.extend(std::iter::repeat_n('\n', empty + usize::from(broken)));
            }
            self.copy(at, end)?;
            (broken, was_blank, empty) = (true, blank, 0);
            let mut next = end + 1;
            let deep = loop {
                let stop = self.spaces(next).min(next + depth);
                match self.bytes.get(stop) {
                    Some(b'\n') => empty += 1,
                    None if stop > next => return None,
                    Some(_) if stop == next + depth => break true,
                    _ => break false,
                }
                next = stop + 1;
            };
            if !deep {
                self.at = next.min(self.bytes.len());
                return self.end_block(start, end, chomp, empty);
            }
            at = next + depth;
        }
    }

    fn end_block(
        &mut self,
        start: usize,
        content_end: usize,
        chomp: Option<u8>,
        empty: usize,
    ) -> Option<()> {
        let text = self.builder.owned_text();
        if chomp != Some(b'-') {
            text.push('\n');
        }
        if chomp == Some(b'+') {
            text.extend(std::iter::repeat_n('\n', empty));
        }
        let data = self.builder.seal_owned();
        let end = start + self.text.get(start..content_end)?.trim_end().len();
        (self.builder).leaf(Tag::Owned, start, end, data, Raw::STYLED);
        self.last_end = end;
        Some(())
    }

    /// The first content of a block scalar, how deep it is indented, and the empty lines before it. The depth may be given.
    fn block_start(&self, mut line: usize, given: Option<usize>) -> Option<(usize, usize, usize)> {
        let (mut empty, mut longest) = (0, 0);
        loop {
            let spaces = self.spaces(line) - line;
            let depth = given.unwrap_or(spaces);
            let at = line + spaces.min(depth);
            match self.bytes.get(at)? {
                b'\n' => {
                    empty += 1;
                    longest = longest.max(spaces);
                    line = at + 1;
                }
                b'\t' => return None,
                _ => {
                    let fits = spaces >= depth && (given.is_some() || longest <= depth);
                    return fits.then_some((at, depth, empty));
                }
            }
        }
    }
}

impl Quoted {
    pub(super) fn is_folded(&self) -> bool {
        self.folded
    }
}

/// What line breaks mean between two pieces of text: a space, or one break less.
fn fold(text: &mut String, empty: usize) {
    if empty == 0 {
        text.push(' ');
    } else {
        text.extend(std::iter::repeat_n('\n', empty));
    }
}
