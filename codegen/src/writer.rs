//! Text with indentation, for languages that have no syntax tree here.

use std::borrow::Cow;

/// Collects lines. A block opened is a block indented until it is closed.
#[derive(Debug)]
pub(crate) struct Writer {
    text: String,
    depth: usize,
    step: &'static str,
}

impl Writer {
    /// Starts with a head that is taken as it is.
    pub(crate) fn new(head: String, step: &'static str) -> Writer {
        Writer {
            text: head,
            depth: 0,
            step,
        }
    }

    /// A line. Lines inside of it are indented alike.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        for part in line.as_ref().split('\n') {
            if !part.is_empty() {
                for _ in 0..self.depth {
                    self.text.push_str(self.step);
                }
                self.text.push_str(part);
            }
            self.text.push('\n');
        }
    }

    /// Starts a line of which the rest is pushed by the caller.
    pub(crate) fn begin(&mut self) -> &mut String {
        for _ in 0..self.depth {
            self.text.push_str(self.step);
        }
        &mut self.text
    }

    /// The line that was begun.
    pub(crate) fn text(&mut self) -> &mut String {
        &mut self.text
    }

    /// Ends a line that was begun.
    pub(crate) fn end(&mut self) {
        self.text.push('\n');
    }

    /// Ends a line that was begun and opens a block.
    pub(crate) fn end_open(&mut self) {
        self.text.push('\n');
        self.depth += 1;
    }

    pub(crate) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// A line that opens a block.
    pub(crate) fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    /// Ends a block.
    pub(crate) fn close(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        if !line.as_ref().is_empty() {
            self.line(line);
        }
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// The lines of a description that go into a comment: without control characters, trailing space and empty ends.
pub(crate) fn prose(text: &str) -> Vec<Cow<'_, str>> {
    let plain = every_byte(text, |byte| byte < 0x7f && byte != 0xb && byte != 0xc);
    let mut lines: Vec<Cow<'_, str>> = if plain {
        text.split('\n').map(clean).collect()
    } else {
        text.split(['\n', '\u{2028}', '\u{2029}', '\u{85}', '\u{b}', '\u{c}'])
            .map(clean)
            .collect()
    };
    let last = lines
        .iter()
        .rposition(|line| !line.is_empty())
        .map_or(0, |at| at + 1);
    lines.truncate(last);
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
    lines.drain(..first);
    lines
}

fn clean(line: &str) -> Cow<'_, str> {
    let line = line.trim_end();
    if every_byte(line, is_visible) || !line.chars().any(is_odd) {
        return Cow::Borrowed(line);
    }
    let line: String = line
        .chars()
        .map(|c| if is_odd(c) { ' ' } else { c })
        .collect();
    Cow::Owned(line.trim_end().to_owned())
}

/// Whether it holds for every byte. There is no early way out, so that the compiler looks at many bytes at once.
pub(crate) fn every_byte(text: &str, holds: impl Fn(u8) -> bool) -> bool {
    text.bytes().fold(true, |so_far, byte| so_far & holds(byte))
}

/// A space or a character one sees, of ASCII.
pub(crate) fn is_visible(byte: u8) -> bool {
    (b' '..0x7f).contains(&byte)
}

/// Control characters, and those that turn the direction of text: rustc refuses them in comments.
fn is_odd(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}
