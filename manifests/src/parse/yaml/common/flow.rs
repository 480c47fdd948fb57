//! Collections in brackets.

use super::Common;
use crate::parse::scalar;
use crate::tree::Tag;

/// Brackets nested deeper than this are left to the other parser.
const MAX_NESTED: usize = 32;

impl Common<'_, '_, '_> {
    /// Reads the collection at a bracket and gives the place behind it. Further lines must be indented deeper than `indent`.
    pub(super) fn flow(&mut self, start: usize, indent: usize, nested: usize) -> Option<usize> {
        let object = self.bytes.get(start) == Some(&b'{');
        let closing = if object { b'}' } else { b']' };
        if nested >= MAX_NESTED || self.builder.depth() >= self.max_depth {
            return None;
        }
        self.builder.open(object, start);
        self.last_end = start;
        let mut at = self.gap(start + 1, indent)?;
        if self.bytes.get(at) != Some(&closing) {
            loop {
                if object {
                    at = self.flow_key(at, indent)?;
                }
                at = match self.bytes.get(at)? {
                    b'[' | b'{' => self.flow(at, indent, nested + 1)?,
                    b'"' | b'\'' => {
                        let quoted = self.quoted(at, indent)?;
                        self.add_quoted(at, &quoted);
                        quoted.end
                    }
                    _ => {
                        let end = self.flow_plain(at)?;
                        let (tag, data) = scalar::resolve(self.text.get(at..end)?);
                        self.builder.leaf(tag, at, end, data, 0);
                        self.last_end = end;
                        end
                    }
                };
                at = self.gap(at, indent)?;
                match self.bytes.get(at)? {
                    b',' => at = self.gap(at + 1, indent)?,
                    byte if *byte == closing => break,
                    _ => return None,
                }
            }
        }
        self.builder.close(at + 1);
        self.last_end = at + 1;
        Some(at + 1)
    }

    /// Reads a key with its colon and gives the place of its value.
    fn flow_key(&mut self, at: usize, indent: usize) -> Option<usize> {
        let first = *self.bytes.get(at)?;
        let (end, adjacent) = if matches!(first, b'"' | b'\'') {
            let quoted = self.quoted(at, indent)?;
            if quoted.is_folded() {
                return None;
            }
            self.add_quoted_key(at, &quoted);
            (quoted.end, true)
        } else {
            let end = self.flow_plain(at)?;
            self.builder.key(Tag::Plain, at, end, 0, 0);
            self.last_end = end;
            (end, false)
        };
        if self.bytes.get(end) != Some(&b':') {
            return None;
        }
        match self.bytes.get(end + 1)? {
            b' ' | b'\n' => {}
            b',' | b']' | b'}' => return None,
            _ if adjacent => {}
            _ => return None,
        }
        self.gap(end + 1, indent)
    }

    /// The end of the plain text at a place, which is one line at most.
    fn flow_plain(&self, start: usize) -> Option<usize> {
        let follows = self.bytes.get(start + 1).copied();
        match self.bytes.get(start)? {
            b'-' if matches!(
                follows,
                None | Some(b' ' | b'\t' | b'\n' | b',' | b'[' | b']' | b'{' | b'}')
            ) =>
            {
                return None;
            }
            b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|'
            | b'>' | b'\'' | b'"' | b'%' | b'@' | b'`' | b'\n' | b'\t' | b' ' => return None,
            _ => {}
        }
        let mut end = start;
        let mut at = start;
        loop {
            match self.bytes.get(at)? {
                b',' | b'[' | b']' | b'{' | b'}' | b'\n' => break,
                b'\t' => return None,
                b'#' if end < at => return None,
                b':' => match self.bytes.get(at + 1)? {
                    b' ' | b'\n' | b'\t' | b',' | b'[' | b']' | b'{' | b'}' => break,
                    _ => end = at + 1,
                },
                b' ' => {}
                _ => end = at + 1,
            }
            at += 1;
        }
        (end > start).then_some(end)
    }

    /// Behind spaces and line breaks between two tokens.
    fn gap(&self, at: usize, indent: usize) -> Option<usize> {
        let mut at = self.spaces(at);
        while self.bytes.get(at)? == &b'\n' {
            let start = at + 1;
            at = self.spaces(start);
            let over = at - start <= indent && self.bytes.get(at) != Some(&b'\n');
            if over {
                return None;
            }
        }
        (!matches!(self.bytes.get(at)?, b'#' | b'\t')).then_some(at)
    }
}
