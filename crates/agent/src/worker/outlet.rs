//! What a connection writes: whole lines, and nothing is torn when a wait is dropped.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _, Interest, Ready};
use tokio::net::unix::WriteHalf;

/// Lines that wait to be written.
#[derive(Debug)]
pub(super) struct Outlet<W> {
    to: W,
    pub(super) lines: Vec<u8>,
    written: usize,
}

impl<W: AsyncWrite + Unpin> Outlet<W> {
    pub(super) const fn new(to: W) -> Self {
        Self {
            to,
            lines: Vec::new(),
            written: 0,
        }
    }

    /// Writes everything that waits. Dropping the future loses nothing: what was not written still waits.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        while self.written < self.lines.len() {
            let length = self.to.write(&self.lines[self.written..]).await?;
            if length == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.written += length;
        }
        self.lines.clear();
        self.written = 0;
        Ok(())
    }

    /// Takes back the lines of which nothing was written; one that was begun stays whole.
    pub(super) fn take_back(&mut self) {
        if self.written == 0 || self.lines.get(self.written - 1) == Some(&b'\n') {
            self.lines.truncate(self.written);
            return;
        }
        let rest = &self.lines[self.written..];
        let end = rest.iter().position(|byte| *byte == b'\n');
        let end = end.map_or(self.lines.len(), |at| self.written + at + 1);
        self.lines.truncate(end);
    }

    /// Says that nothing follows.
    pub(super) async fn close(&mut self) {
        // A client that is gone does not have to be told.
        let _: io::Result<()> = self.to.shutdown().await;
    }
}

impl Outlet<WriteHalf<'_>> {
    /// Whether the other end is gone altogether, and has not only said that it sends nothing more.
    pub(super) async fn is_gone(&self) -> bool {
        let ready = self.to.ready(Interest::WRITABLE).await;
        ready.map_or(true, Ready::is_write_closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_begun_is_ended_and_no_other_is() {
        for (written, kept) in [
            (0, ""),
            (1, "one\n"),
            (3, "one\n"),
            (4, "one\n"),
            (5, "one\ntwo\n"),
            (8, "one\ntwo\n"),
        ] {
            let mut outlet = Outlet::new(tokio::io::sink());
            outlet.lines = b"one\ntwo\n".to_vec();
            outlet.written = written;
            outlet.take_back();
            assert_eq!(outlet.lines, kept.as_bytes(), "{written}");
        }
    }
}
