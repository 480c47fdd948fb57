//! Lines from a socket: bounded, assembled before anybody looks at them, and never lost when a wait is dropped.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The longest line of the wires here: 1 MiB.
pub const LONGEST: usize = 1024 * 1024;

/// How much is read at once.
const PIECE: usize = 16 * 1024;

/// Reads lines.
#[derive(Debug)]
pub struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    /// Where the unread bytes begin.
    start: usize,
    /// How far was looked for a line end.
    seen: usize,
    longest: usize,
    ended: bool,
}

/// What came.
#[derive(Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a line is whole, cut or too long, or there is none"
)]
pub enum Line {
    /// A line without its newline. Nothing else was removed.
    Whole(Vec<u8>),
    /// The last line, which had no newline.
    Cut(Vec<u8>),
    /// A line that is longer than the limit. Nothing can be read after it.
    TooLong,
    /// Nothing follows.
    End,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads lines of at most `longest` bytes.
    pub const fn new(from: R, longest: usize) -> Self {
        Self {
            from,
            buffer: Vec::new(),
            start: 0,
            seen: 0,
            longest,
            ended: false,
        }
    }

    /// The next line. Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// When the socket fails.
    pub async fn next(&mut self) -> io::Result<Line> {
        loop {
            if let Some(line) = self.ready() {
                return Ok(line);
            }
            if self.ended {
                let rest = self.buffer.split_off(self.start);
                self.clear();
                return Ok(if rest.is_empty() {
                    Line::End
                } else {
                    Line::Cut(rest)
                });
            }
            self.fill().await?;
        }
    }

    /// Waits for the first byte of the next line, or the end.
    ///
    /// # Errors
    ///
    /// When the socket fails.
    pub async fn begun(&mut self) -> io::Result<()> {
        if self.start == self.buffer.len() && !self.ended {
            self.fill().await?;
        }
        Ok(())
    }

    async fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.seen -= self.start;
            self.start = 0;
        }
        self.buffer.reserve(PIECE);
        if self.from.read_buf(&mut self.buffer).await? == 0 {
            self.ended = true;
        }
        Ok(())
    }

    /// A line that is there already.
    pub fn ready(&mut self) -> Option<Line> {
        let found = self.buffer[self.seen..]
            .iter()
            .position(|byte| *byte == b'\n');
        let length = found.map_or(self.buffer.len(), |at| self.seen + at) - self.start;
        if length > self.longest {
            self.clear();
            self.ended = true;
            return Some(Line::TooLong);
        }
        let Some(at) = found else {
            self.seen = self.buffer.len();
            return None;
        };
        let end = self.seen + at;
        let line = self.buffer[self.start..end].to_vec();
        self.start = end + 1;
        self.seen = self.start;
        if self.start == self.buffer.len() {
            self.clear();
        }
        Some(Line::Whole(line))
    }

    /// Whether the other end has said that it sends nothing more.
    pub const fn has_ended(&self) -> bool {
        self.ended
    }

    fn clear(&mut self) {
        self.buffer.clear();
        (self.start, self.seen) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8], piece: usize, longest: usize) -> Vec<Line> {
        let (mut to, from) = tokio::io::duplex(piece);
        let bytes = bytes.to_vec();
        tokio::spawn(async move {
            let _: io::Result<()> = tokio::io::AsyncWriteExt::write_all(&mut to, &bytes).await;
        });
        let mut lines = Lines::new(from, longest);
        let mut out = Vec::new();
        loop {
            let line = lines.next().await.unwrap();
            let last = line == Line::End;
            out.push(line);
            if last {
                return out;
            }
        }
    }

    #[tokio::test]
    async fn lines_are_whole_wherever_they_are_split() {
        let text = " olá, 世界 \n\n{\"a\":\"😀\"}\r\nrest";
        for piece in 1..=text.len() {
            let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
            assert_eq!(
                all(text.as_bytes(), piece, 100).await,
                [
                    whole(" olá, 世界 "),
                    whole(""),
                    whole("{\"a\":\"😀\"}\r"),
                    Line::Cut(b"rest".to_vec()),
                    Line::End
                ],
                "pieces of {piece}"
            );
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_the_last_one() {
        for piece in [1, 7, 1000] {
            let whole = Line::Whole(b"1234".to_vec());
            assert_eq!(
                all(b"1234\n12345\n1\n", piece, 4).await,
                [whole, Line::TooLong, Line::End]
            );
        }
    }
}
