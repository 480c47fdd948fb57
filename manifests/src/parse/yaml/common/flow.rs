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
                at = self.flow_item(at, indent, nested, !object)?;
                at = self.gap(at, indent)?;
                match self.bytes.get(at)? {
                    b',' => at = self.gap(at + 1, indent)?,
                    byte if *byte == closing => break,
                    _ => return None,
                }
                if self.bytes.get(at) == Some(&closing) {
                    break;
                }
            }
        }
        self.builder.close(at + 1);
        self.last_end = at + 1;
        Some(at + 1)
    }

    /// Reads a value and gives the place behind it. In an array it may be a pair, which is an object without brackets.
    fn flow_item(&mut self, at: usize, indent: usize, nested: usize, pairs: bool) -> Option<usize> {
        match self.bytes.get(at)? {
            b'[' | b'{' => self.flow(at, indent, nested + 1),
            b'"' | b'\'' => {
                let quoted = self.quoted(at, indent)?;
                if pairs && self.bytes.get(quoted.end) == Some(&b':') {
                    self.open_pair(at)?;
                    self.add_quoted_key(at, &quoted);
                    let at = self.behind_key(quoted.end, !quoted.is_folded(), true, indent)?;
                    return self.pair(at, indent, nested);
                }
                self.add_quoted(at, &quoted);
                Some(quoted.end)
            }
            _ => {
                let end = self.flow_plain(at)?;
                if pairs && self.bytes.get(end) == Some(&b':') {
                    self.open_pair(at)?;
                    self.builder.key(Tag::Plain, at, end, 0, 0);
                    self.last_end = end;
                    let at = self.behind_key(end, true, false, indent)?;
                    return self.pair(at, indent, nested);
                }
                let (tag, data) = scalar::resolve(self.text.get(at..end)?);
                self.builder.leaf(tag, at, end, data, 0);
                self.last_end = end;
                Some(end)
            }
        }
    }

    fn open_pair(&mut self, at: usize) -> Option<()> {
        if self.builder.depth() >= self.max_depth {
            return None;
        }
        self.builder.open(true, at);
        Some(())
    }

    /// Reads the value of a pair and gives the place behind it.
    fn pair(&mut self, at: usize, indent: usize, nested: usize) -> Option<usize> {
        let end = self.flow_item(at, indent, nested, false)?;
        self.builder.close(self.last_end);
        Some(end)
    }

    /// Reads a key with its colon and gives the place of its value.
    fn flow_key(&mut self, at: usize, indent: usize) -> Option<usize> {
        if matches!(self.bytes.get(at)?, b'"' | b'\'') {
            let quoted = self.quoted(at, indent)?;
            self.add_quoted_key(at, &quoted);
            return self.behind_key(quoted.end, !quoted.is_folded(), true, indent);
        }
        let end = self.flow_plain(at)?;
        self.builder.key(Tag::Plain, at, end, 0, 0);
        self.last_end = end;
        self.behind_key(end, true, false, indent)
    }

    /// The place of the value behind a key of one line. Behind a quoted one the colon needs no space.
    fn behind_key(&self, end: usize, one_line: bool, quoted: bool, indent: usize) -> Option<usize> {
        if !one_line || self.bytes.get(end) != Some(&b':') {
            return None;
        }
        match self.bytes.get(end + 1)? {
            b' ' | b'\n' => {}
            b',' | b']' | b'}' => return None,
            _ if quoted => {}
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
                // The general parser takes a dash behind a space for the start of a scalar.
                b'-' if end < at && is_flow(self.bytes.get(at + 1)) => return None,
                b':' => match self.bytes.get(at + 1)? {
                    b' ' | b'\n' | b'\t' => break,
                    next if is_flow(Some(next)) => break,
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

fn is_flow(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b',' | b'[' | b']' | b'{' | b'}'))
}
