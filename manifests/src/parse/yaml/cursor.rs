//! Character counts into byte offsets.

use saphyr_parser::Span as EventSpan;

/// Turns the parser's character indexes into byte offsets of the file. Indexes come nearly in order, so it walks from the
/// last answer instead of keeping a table.
#[derive(Debug)]
pub(super) struct Cursor<'s> {
    text: &'s [u8],
    base: usize,
    ascii: bool,
    char_index: usize,
    byte_index: usize,
}

impl<'s> Cursor<'s> {
    /// `text` starts at byte `base` of the file.
    pub(super) fn new(text: &'s str, base: usize) -> Cursor<'s> {
        Cursor {
            text: text.as_bytes(),
            base,
            ascii: text.is_ascii(),
            char_index: 0,
            byte_index: 0,
        }
    }

    pub(super) fn span(&mut self, span: EventSpan) -> (usize, usize) {
        let start = self.byte(span.start.index());
        let end = self.byte(span.end.index());
        (start, end.max(start))
    }

    pub(super) fn byte(&mut self, char_index: usize) -> usize {
        if self.ascii {
            return self.base + char_index.min(self.text.len());
        }
        while self.char_index < char_index && self.byte_index < self.text.len() {
            self.byte_index += 1;
            while self.is_inside() {
                self.byte_index += 1;
            }
            self.char_index += 1;
        }
        while self.char_index > char_index && self.byte_index > 0 {
            self.byte_index -= 1;
            while self.is_inside() {
                self.byte_index -= 1;
            }
            self.char_index -= 1;
        }
        self.base + self.byte_index
    }

    /// Whether the byte continues a character.
    fn is_inside(&self) -> bool {
        self.text
            .get(self.byte_index)
            .is_some_and(|byte| byte & 0xc0 == 0x80)
    }
}
