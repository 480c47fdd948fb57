//! The text of one file, with lines and columns computed only when somebody asks.

use std::sync::{Arc, OnceLock};

use memchr::{memchr, memchr_iter, memrchr};

use crate::span::{FileId, Position, Span, offset};

/// One file as text.
///
/// The text is kept exactly as it was read, so every [`Span`] is also a place in the file on disk.
#[derive(Debug)]
pub struct Source {
    file: FileId,
    name: Arc<str>,
    text: String,
    /// One entry for every block of [`BLOCK`] bytes. Counting is much cheaper than noting every line.
    lines: OnceLock<Vec<Block>>,
    /// Characters before every block; asked for only when a line is longer than [`LONG_LINE`].
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
            column: offset(self.chars_between(start, at) + 1),
        }
    }

    /// Line and column of both ends of a span. Most spans lie on one line, which is then looked for once.
    pub fn positions(&self, span: Span) -> (Position, Position) {
        let start = self.position(span.start());
        let inside = self.slice(span);
        // At the very start a byte order mark may stand in between, which takes no column.
        let plain = span.start() > '\u{feff}'.len_utf8() && inside.len() == span.len();
        if !plain || inside.len() > LONG_LINE || memchr(b'\n', inside.as_bytes()).is_some() {
            return (start, self.position(span.end()));
        }
        let column = start.column + offset(count_chars(inside.as_bytes()));
        (start, Position { column, ..start })
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
        self.line_start(self.text.len()).0 + 1
    }

    /// The bytes of a line (counted from 1), without its line break.
    pub fn line_span(&self, line: u32) -> Option<Span> {
        let breaks_before = line.checked_sub(1)?;
        let start = if breaks_before == 0 {
            0
        } else {
            self.line_break(breaks_before)? + 1
        };
        let end = self.line_break(line).unwrap_or(self.text.len());
        let trimmed = self.text.get(start..end)?.trim_end_matches(['\n', '\r']);
        Some(Span::new(offset(start), offset(start + trimmed.len())))
    }

    /// The bytes of the line that a byte offset is on, without its line break.
    pub fn line_at(&self, at: usize) -> Span {
        let at = at.min(self.text.len());
        let (line, start) = self.line_start(at);
        let bytes = self.text.as_bytes();
        let near = bytes.get(at..bytes.len().min(at + BLOCK)).unwrap_or(&[]);
        let end = match memchr(b'\n', near) {
            Some(len) => at + len,
            None => self.line_break(offset(line + 1)).unwrap_or(self.text.len()),
        };
        let text = self.text.get(start..end).unwrap_or("");
        let trimmed = text.trim_end_matches(['\n', '\r']);
        Span::new(offset(start), offset(start + trimmed.len()))
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

    /// Characters between the start of a line and a place in it. A large document on one line must not be counted from its
    /// start for every finding.
    fn chars_between(&self, start: usize, at: usize) -> usize {
        if at - start <= LONG_LINE {
            return count_chars(self.text.as_bytes().get(start..at).unwrap_or(&[]));
        }
        self.chars_before(at) - self.chars_before(start)
    }

    fn chars_before(&self, at: usize) -> usize {
        let blocks = self.chars.get_or_init(|| {
            let mut sum = 0;
            let blocks = self.text.as_bytes().chunks(BLOCK).map(|block| {
                let before = offset(sum);
                sum += count_chars(block);
                before
            });
            blocks.collect()
        });
        let block = (at / BLOCK).min(blocks.len().saturating_sub(1));
        let rest = self.text.as_bytes().get(block * BLOCK..at).unwrap_or(&[]);
        blocks.get(block).map_or(0, |sum| *sum as usize) + count_chars(rest)
    }

    /// The line of a byte offset, from 0, and where it starts.
    fn line_start(&self, at: usize) -> (usize, usize) {
        let blocks = self.blocks();
        let at = at.min(self.text.len());
        let number = (at / BLOCK).min(blocks.len().saturating_sub(1));
        let Some(block) = blocks.get(number) else {
            return (0, 0);
        };
        let from = number * BLOCK;
        let inside = self.text.as_bytes().get(from..at).unwrap_or(&[]);
        let line = block.breaks as usize + memchr_iter(b'\n', inside).count();
        let start = memrchr(b'\n', inside).map_or(block.line_start as usize, |at| from + at + 1);
        (line, start)
    }

    /// Where the line break with this number is, counted from 1.
    fn line_break(&self, number: u32) -> Option<usize> {
        let blocks = self.blocks();
        let at = blocks
            .partition_point(|block| block.breaks < number)
            .checked_sub(1)?;
        let inside = self.text.as_bytes().get(at * BLOCK..)?;
        let inside = inside.get(..BLOCK).unwrap_or(inside);
        let nth = (number - blocks.get(at)?.breaks) as usize;
        let found = memchr_iter(b'\n', inside).nth(nth.checked_sub(1)?)?;
        Some(at * BLOCK + found)
    }

    fn blocks(&self) -> &[Block] {
        self.lines.get_or_init(|| {
            let mut next = Block {
                breaks: 0,
                line_start: 0,
            };
            let blocks = self.text.as_bytes().chunks(BLOCK).enumerate();
            let blocks = blocks.map(|(number, bytes)| {
                let block = next;
                next.breaks += offset(count_breaks(bytes));
                if let Some(last) = memrchr(b'\n', bytes) {
                    next.line_start = offset(number * BLOCK + last + 1);
                }
                block
            });
            blocks.collect()
        })
    }
}

/// What lies before a block of the text.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// Line breaks before it.
    breaks: u32,
    /// Where the line starts that its first byte is on.
    line_start: u32,
}

/// Counts the bytes that start a character, in pieces so short that a byte can hold the sum; so many are counted at once.
fn count_chars(bytes: &[u8]) -> usize {
    let pieces = bytes.chunks(192);
    let sums = pieces.map(|piece| {
        let starts = |byte: &u8| u8::from(byte & 0xc0 != 0x80);
        let sum: u8 = piece.iter().map(starts).sum();
        usize::from(sum)
    });
    sums.sum()
}

/// Counts the line breaks of a block, in lanes that the compiler puts side by side. None overflows: a block has 64 pieces.
fn count_breaks(block: &[u8]) -> usize {
    let (pieces, rest) = block.as_chunks::<64>();
    let mut lanes = [0_u8; 64];
    for piece in pieces {
        for (lane, byte) in lanes.iter_mut().zip(piece) {
            *lane = lane.wrapping_add(u8::from(*byte == b'\n'));
        }
    }
    let counted: usize = lanes.iter().map(|lane| usize::from(*lane)).sum();
    counted + memchr_iter(b'\n', rest).count()
}

const BLOCK: usize = 4096;

/// Columns in longer lines are counted with the help of a table, which takes one pass over the whole text.
const LONG_LINE: usize = 16 * BLOCK;

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
    fn lines_are_found_across_blocks_both_ways() {
        let long = "x".repeat(BLOCK * 2 + 17);
        let short = "ab\r\n".repeat(3_000);
        for text in [
            String::new(),
            "\n".to_owned(),
            format!("{long}\n{short}{long}"),
            format!("{short}{long}\n\n"),
            "\n".repeat(BLOCK * 3),
        ] {
            let source = Source::new(FileId::ENTRY, "a", text.clone());
            let starts: Vec<usize> = std::iter::once(0)
                .chain(text.match_indices('\n').map(|(at, _)| at + 1))
                .collect();
            assert_eq!(source.line_count(), starts.len());
            for (index, start) in starts.iter().enumerate().step_by(41) {
                let line = u32::try_from(index + 1).unwrap();
                let position = source.position(*start);
                assert_eq!(position, Position { line, column: 1 });
                assert_eq!(Some(source.line_at(*start)), source.line_span(line));
                let expected = text[*start..].split('\n').next().unwrap_or("");
                assert_eq!(
                    source.line_text(line),
                    Some(expected.trim_end_matches('\r'))
                );
            }
            let behind = u32::try_from(starts.len() + 1).unwrap();
            assert_eq!(source.line_span(behind), None);
            assert_eq!(source.line_span(0), None);
        }
    }

    #[test]
    fn columns_of_a_long_line_are_right_across_blocks() {
        let text = "äx𝄞".repeat(25_000);
        let source = Source::new(FileId::ENTRY, "a", text.clone());
        for (column, (at, _)) in text.char_indices().enumerate().step_by(1_487) {
            assert_eq!(source.position(at).column as usize, column + 1);
        }
    }

    #[test]
    fn both_ends_of_a_span_are_where_each_is_alone() {
        let source = Source::new(FileId::ENTRY, "a", "\u{feff}äb\r\nc𝄞d\nef".to_owned());
        let len = u32::try_from(source.text().len()).unwrap();
        for start in 0..=len {
            for end in start..=len + 1 {
                let (from, to) = source.positions(Span::new(start, end));
                assert_eq!(from, source.position(start as usize), "{start}..{end}");
                assert_eq!(to, source.position(end as usize), "{start}..{end}");
            }
        }
    }
}
