//! The YAML that people write, read without a general parser.
//!
//! Nearly every document is block mappings and sequences, plain and quoted scalars, block scalars and small flow collections. That part of the
//! grammar is read here in one pass over the bytes. Everything else (anchors, aliases, tags, directives, several documents, explicit keys, tabs where
//! they matter) and every mistake makes the reader give up, and then `saphyr-parser` reads the document from its start. So this reader never explains
//! anything, and it must never accept what the other refuses or read it another way; tests compare the two.

mod flow;
mod scalar;
#[cfg(test)]
mod tests;

use memchr::{memchr, memchr2, memmem};

use self::scalar::{Quoted, Start};
use super::around;
use crate::builder::Builder;
use crate::parse::ParseOptions;
use crate::tree::Tag;

/// Reads a document into the builder. `None` means that it is not of the common kind; what the builder was given until then is worthless.
pub(super) fn read(
    builder: &mut Builder<'_>,
    text: &str,
    from: usize,
    options: &ParseOptions,
) -> Option<()> {
    let bytes = text.as_bytes();
    let rest = bytes.get(from..)?;
    if memchr2(b'\r', 0, rest).is_some() || memmem::find(rest, "\u{feff}".as_bytes()).is_some() {
        return None;
    }
    let mut reader = Common {
        builder,
        text,
        bytes,
        at: from,
        frames: Vec::new(),
        pending: false,
        last_end: from,
        max_depth: options.max_depth(),
        tabs: memchr(b'\t', rest).is_some(),
    };
    reader.run()
}

struct Common<'b, 's, 't> {
    builder: &'b mut Builder<'s>,
    text: &'t str,
    bytes: &'t [u8],
    /// The start of a line that is not read yet.
    at: usize,
    /// The open block collections.
    frames: Vec<Block>,
    /// A key or a dash of the innermost collection still waits for its value.
    pending: bool,
    /// The end of the last node, or the start of a collection that was just opened.
    last_end: usize,
    max_depth: usize,
    /// Whether there is any tab in the text.
    tabs: bool,
}

#[derive(Clone, Copy)]
struct Block {
    indent: usize,
    object: bool,
}

/// A line with something on it.
#[derive(Clone, Copy)]
struct Line {
    indent: usize,
    /// Its first byte that is not a space; the length of the text at its end.
    at: usize,
    /// Empty lines before it.
    empty: usize,
    /// Whether comments stand before it on lines of their own.
    commented: bool,
}

impl Common<'_, '_, '_> {
    fn run(&mut self) -> Option<()> {
        let mut line = self.line(self.at)?;
        if line.indent == 0 && self.starts(line.at, b"---") {
            self.at = self.line_end(line.at + 3)?;
            line = self.line(self.at)?;
        }
        while line.at < self.bytes.len() {
            if line.indent == 0 && (self.starts(line.at, b"---") || self.starts(line.at, b"...")) {
                return None;
            }
            self.place(line)?;
            self.node(line.at, line.indent)?;
            line = self.line(self.at)?;
        }
        if self.builder.depth() == 0 {
            return None;
        }
        if self.pending {
            self.null();
        }
        while !self.frames.is_empty() {
            self.close();
        }
        Some(())
    }

    /// Closes what ends before a line. Afterwards the line continues the innermost collection, or is the value that one waits for.
    fn place(&mut self, line: Line) -> Option<()> {
        let dash = self.is_dash(line.at);
        let Some(top) = self.frames.last() else {
            // The first line; behind it there is no other root.
            return (self.builder.depth() == 0 && self.last_end <= line.at).then_some(());
        };
        if self.pending {
            let deeper = line.indent > top.indent;
            if deeper || dash && top.object && line.indent == top.indent {
                return Some(());
            }
            self.null();
        }
        while let Some(top) = self.frames.last() {
            let over = line.indent == top.indent && !top.object && !dash;
            if line.indent >= top.indent && !over {
                break;
            }
            self.close();
        }
        let top = self.frames.last()?;
        (top.indent == line.indent && top.object != dash).then_some(())
    }

    /// Reads what starts at a place: dashes, a key with its value, or a scalar that is a value.
    fn node(&mut self, mut at: usize, mut column: usize) -> Option<()> {
        while self.is_dash(at) {
            let continues = !self.pending
                && (self.frames.last()).is_some_and(|top| !top.object && top.indent == column);
            if !continues {
                self.open(false, at, column)?;
            }
            self.pending = true;
            let content = self.spaces(at + 1);
            match self.bytes.get(content) {
                None => return None,
                Some(b'\n' | b'#') => {
                    // The general parser has its own idea of where a sequence starts that is not indented and starts with nothing.
                    if !continues && self.is_level() {
                        return None;
                    }
                    self.at = self.line_end(content)?;
                    return Some(());
                }
                Some(_) => {}
            }
            column += content - at;
            at = content;
        }
        if self.bytes.get(at) == Some(&b'?') && self.bytes.get(at + 1) == Some(&b' ') {
            return self.explicit(at, column);
        }
        let indent = self.frames.last().map_or(usize::MAX, |top| top.indent);
        let key = match self.start(at, indent)? {
            Start::Key(key) => key,
            other => return self.value(at, other),
        };
        self.member(at, column)?;
        self.add_key(at, &key);
        self.pending = true;
        let content = self.spaces(key.end + 1);
        match self.bytes.get(content) {
            None => {
                self.at = content;
                Some(())
            }
            Some(b'\n') => {
                self.at = content + 1;
                Some(())
            }
            Some(b'#') => {
                self.at = self.line_end(content)?;
                Some(())
            }
            Some(_) => self.value(content, Start::Unknown),
        }
    }

    /// Opens an object for the key at a place, unless it goes on with the innermost one.
    fn member(&mut self, at: usize, column: usize) -> Option<()> {
        let top = self.frames.last();
        let continues = !self.pending && top.is_some_and(|top| top.object && top.indent == column);
        if continues {
            return Some(());
        }
        self.open(true, at, column)
    }

    /// Reads a key behind a question mark, and the value behind the colon on the next line. Programs write long keys that way.
    fn explicit(&mut self, at: usize, column: usize) -> Option<()> {
        self.member(at, column)?;
        let start = self.spaces(at + 2);
        if !self.may_start_plain(start) {
            return None;
        }
        let next = self.add_explicit_key(start)?;
        self.pending = true;
        let line = self.line(next)?;
        let plain = line.indent == column && line.empty == 0 && !line.commented;
        if !plain || !self.starts(line.at, b": ") {
            return None;
        }
        let content = self.spaces(line.at + 1);
        match self.bytes.get(content)? {
            b'\n' | b'#' => None,
            _ => self.node(content, column + (content - line.at)),
        }
    }

    /// Reads a value that is not a block collection, and the rest of its last line.
    fn value(&mut self, at: usize, start: Start) -> Option<()> {
        if !self.pending {
            return None;
        }
        let indent = self.frames.last()?.indent;
        match (self.bytes.get(at)?, start) {
            (_, Start::Key(_)) => return None,
            (_, Start::Quoted(quoted)) => self.quoted_value(at, &quoted)?,
            (_, Start::Plain(run)) => self.plain(at, run, indent)?,
            (b'"' | b'\'', _) => {
                let quoted = self.quoted(at, indent)?;
                self.quoted_value(at, &quoted)?;
            }
            (b'[' | b'{', _) => {
                let end = self.flow(at, indent, 0)?;
                self.at = self.line_end(end)?;
            }
            (b'|' | b'>', _) => self.block(at, indent)?,
            _ if self.may_start_plain(at) => self.plain(at, self.plain_run(at), indent)?,
            _ => return None,
        }
        self.pending = false;
        Some(())
    }

    fn quoted_value(&mut self, at: usize, quoted: &Quoted) -> Option<()> {
        self.at = self.line_end(quoted.end)?;
        self.add_quoted(at, quoted);
        Some(())
    }

    fn open(&mut self, object: bool, start: usize, indent: usize) -> Option<()> {
        if self.builder.depth() >= self.max_depth {
            return None;
        }
        self.builder.open(object, start);
        self.frames.push(Block { indent, object });
        self.pending = false;
        self.last_end = start;
        Some(())
    }

    /// Whether the innermost collection is indented no deeper than the one it is in.
    fn is_level(&self) -> bool {
        matches!(self.frames.as_slice(), [.., outer, inner] if outer.indent == inner.indent)
    }

    /// Closes the innermost block collection, which ends with its last child.
    fn close(&mut self) {
        self.frames.pop();
        self.builder.close(self.last_end);
    }

    /// The value that was left out.
    fn null(&mut self) {
        let at = around::behind_colon(self.text, self.last_end);
        self.builder.leaf(Tag::Null, at, at, 0, 0);
        self.last_end = at;
        self.pending = false;
    }

    /// The next line with something on it, from the start of a line.
    fn line(&self, mut at: usize) -> Option<Line> {
        let (mut empty, mut commented) = (0, false);
        loop {
            let start = at;
            at = self.spaces(at);
            match self.bytes.get(at) {
                Some(b'\n') => {
                    empty += 1;
                    at += 1;
                }
                Some(b'#') => {
                    commented = true;
                    at = self.next_line(at);
                }
                Some(b'\t') => return None,
                _ => {
                    return Some(Line {
                        indent: at - start,
                        at,
                        empty,
                        commented,
                    });
                }
            }
        }
    }

    /// Behind the spaces that start at a place.
    fn spaces(&self, mut at: usize) -> usize {
        while self.starts(at, b"        ") {
            at += 8;
        }
        while self.bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        at
    }

    /// The start of the line behind a place.
    fn next_line(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        memchr(b'\n', rest).map_or(self.bytes.len(), |found| at + found + 1)
    }

    /// The start of the next line, when nothing but spaces and a comment stands behind a place.
    fn line_end(&self, at: usize) -> Option<usize> {
        let end = self.spaces(at);
        match self.bytes.get(end) {
            None => Some(end),
            Some(b'\n') => Some(end + 1),
            Some(b'#') if self.bytes.get(end - 1) == Some(&b' ') => Some(self.next_line(end)),
            Some(_) => None,
        }
    }

    fn starts(&self, at: usize, with: &[u8]) -> bool {
        self.bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(with))
    }

    /// Whether the dash of a sequence stands at a place.
    fn is_dash(&self, at: usize) -> bool {
        self.bytes.get(at) == Some(&b'-')
            && matches!(self.bytes.get(at + 1), None | Some(b' ' | b'\t' | b'\n'))
    }
}
