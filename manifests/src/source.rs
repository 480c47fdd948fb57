//! The text of one file, with lines and columns computed only when somebody asks.

use std::sync::{Arc, OnceLock};

use memchr::memchr_iter;

use crate::span::{FileId, Position, Span, offset};

/// One file as text.
///
/// The text is kept exactly as it was read, so every [`Span`] is also a place in the file on disk.
#[derive(Debug)]
pub struct Source {
    file: FileId,
    name: Arc<str>,
    text: String,
    lines: OnceLock<Vec<u32>>,
    /// Characters before every block of [`BLOCK`] bytes; empty when the text is ASCII.
    chars: OnceLock<Vec<u32>>,
}

impl Source {
    pub(crate) fn new(file: FileId, name: &str, text: String) -> Source {
        Source {
            file,
            name: Arc::from(name),
            text,
            lines: OnceLock::new(),
            chars: OnceLock::new(),
        }
    }

    /// The number of the file.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// The name the file was opened under.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn shared_name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty when the span is not one of this file.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// Line and column of a byte offset. An offset past the end gives the end.
    pub fn position(&self, at: usize) -> Position {
        let (line, start) = self.line_start(at);
        let (start, at) = self.bounds(start, at);
        Position {
            line: offset(line + 1),
            column: offset(self.chars_before(at) - self.chars_before(start) + 1),
        }
    }

    /// Zero-based line and UTF-16 column, as the language server protocol counts them.
    pub fn utf16_position(&self, at: usize) -> (u32, u32) {
        let (line, start) = self.line_start(at);
        let units: usize = self.before(start, at).chars().map(char::len_utf16).sum();
        (offset(line), offset(units))
    }

    /// The byte offset of a zero-based line and UTF-16 column, the reverse of [`Source::utf16_position`].
    pub fn offset_of_utf16(&self, line: u32, column: u32) -> usize {
        let Some(span) = self.line_span(line.saturating_add(1)) else {
            return self.text.len();
        };
        let mut left = column as usize;
        let mut at = span.start();
        for c in self.slice(span).chars() {
            if left < c.len_utf16() {
                break;
            }
            left -= c.len_utf16();
            at += c.len_utf8();
        }
        at
    }

    /// How many lines there are; an empty file has one.
    pub fn line_count(&self) -> usize {
        self.line_starts().len()
    }

    /// The bytes of a line (counted from 1), without its line break.
    pub fn line_span(&self, line: u32) -> Option<Span> {
        let starts = self.line_starts();
        let index = (line as usize).checked_sub(1)?;
        let start = *starts.get(index)? as usize;
        let end = starts
            .get(index + 1)
            .map_or(self.text.len(), |next| *next as usize);
        let trimmed = self.text.get(start..end)?.trim_end_matches(['\n', '\r']);
        Some(Span::new(offset(start), offset(start + trimmed.len())))
    }

    /// The text of a line (counted from 1), without its line break.
    pub fn line_text(&self, line: u32) -> Option<&str> {
        self.line_span(line).map(|span| self.slice(span))
    }

    fn before(&self, start: usize, at: usize) -> &str {
        let (start, at) = self.bounds(start, at);
        self.text.get(start..at).unwrap_or("")
    }

    /// Moves the end of a piece of a line to a character, and its start behind a byte order mark, which takes no column.
    fn bounds(&self, start: usize, at: usize) -> (usize, usize) {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let mark = '\u{feff}'.len_utf8();
        let start = if start == 0 && at >= mark && self.text.starts_with('\u{feff}') {
            mark
        } else {
            start
        };
        (start.min(at), at)
    }

    /// Characters before a byte offset. A large document on one line must not be counted from its start for every finding.
    fn chars_before(&self, at: usize) -> usize {
        let blocks = self.chars.get_or_init(|| {
            if self.text.is_ascii() {
                return Vec::new();
            }
            let mut sum = 0;
            let mut blocks = Vec::with_capacity(self.text.len() / BLOCK + 1);
            for block in self.text.as_bytes().chunks(BLOCK) {
                blocks.push(offset(sum));
                sum += count_chars(block);
            }
            blocks
        });
        if blocks.is_empty() {
            return at;
        }
        let block = (at / BLOCK).min(blocks.len() - 1);
        let rest = self.text.as_bytes().get(block * BLOCK..at).unwrap_or(&[]);
        blocks.get(block).map_or(0, |sum| *sum as usize) + count_chars(rest)
    }

    fn line_start(&self, at: usize) -> (usize, usize) {
        let starts = self.line_starts();
        let line = starts
            .partition_point(|start| *start as usize <= at)
            .saturating_sub(1);
        (line, starts.get(line).map_or(0, |start| *start as usize))
    }

    fn line_starts(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let mut starts = vec![0];
            starts.extend(memchr_iter(b'\n', self.text.as_bytes()).map(|at| offset(at + 1)));
            starts
        })
    }
}

/// Counts the bytes that start a character.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| *byte & 0xc0 != 0x80).count()
}

const BLOCK: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_survive_crlf_and_a_byte_order_mark() {
        let source = Source::new(FileId::ENTRY, "a", "\u{feff}äb\r\nc𝄞d\n".to_owned());
        let b = source.text().find('b').unwrap();
        assert_eq!(source.position(b), Position { line: 1, column: 2 });
        let d = source.text().find('d').unwrap();
        assert_eq!(source.position(d), Position { line: 2, column: 3 });
        assert_eq!(source.utf16_position(d), (1, 3));
        assert_eq!(source.offset_of_utf16(1, 3), d);
        assert_eq!(source.line_text(2), Some("c𝄞d"));
        assert_eq!(source.position(9999), Position { line: 3, column: 1 });
        assert_eq!(source.line_count(), 3);
    }

    #[test]
    fn columns_of_a_long_line_are_right_across_blocks() {
        let text = "äx𝄞".repeat(5_000);
        let source = Source::new(FileId::ENTRY, "a", text.clone());
        for (column, (at, _)) in text.char_indices().enumerate().step_by(487) {
            assert_eq!(source.position(at).column as usize, column + 1);
        }
    }
}
