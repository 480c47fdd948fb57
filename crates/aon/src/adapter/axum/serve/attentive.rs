//! A connection that notices that its caller has left, without a buffer to read into.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// While hyper sends a response it reads on in order to see that its caller leaves, and keeps 8 KiB for that, on each of
/// thousands of open streams. Told not to, by `half_close`, it does not read meanwhile, and this reads one byte instead.
#[derive(Debug)]
pub(super) struct Attentive<T> {
    io: T,
    /// What was read ahead of hyper.
    ahead: Option<u8>,
    /// Whether somebody waits for something to read, and so learns itself that the caller leaves.
    reads: bool,
}

impl<T> Attentive<T> {
    pub(super) const fn new(io: T) -> Self {
        Self {
            io,
            ahead: None,
            reads: false,
        }
    }
}

impl<T: AsyncRead + Unpin> Attentive<T> {
    /// An error once the caller has left.
    fn look(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.reads || self.ahead.is_some() {
            return Ok(());
        }
        let mut byte = [0];
        let mut buffer = ReadBuf::new(&mut byte);
        let Poll::Ready(read) = Pin::new(&mut self.io).poll_read(cx, &mut buffer) else {
            return Ok(());
        };
        read?;
        self.ahead = buffer.filled().first().copied();
        match self.ahead {
            Some(_) => Ok(()),
            None => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Attentive<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filled = buffer.filled().len();
        if buffer.remaining() > 0
            && let Some(byte) = self.ahead.take()
        {
            buffer.put_slice(&[byte]);
        }
        let read = Pin::new(&mut self.io).poll_read(cx, buffer);
        if buffer.filled().len() > filled {
            // With what was read ahead comes all that is there: a body would be read byte by byte otherwise.
            self.reads = false;
            return Poll::Ready(Ok(()));
        }
        self.reads = read.is_pending();
        read
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Attentive<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // hyper ends every look at a connection with this.
        self.look(cx)?;
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn what_was_read_ahead_comes_with_the_rest() {
        let (mut caller, io) = duplex(64);
        let mut io = Attentive::new(io);
        caller.write_all(b"abc").await.expect("there is room");
        io.flush().await.expect("the caller is there");
        assert_eq!(io.ahead, Some(b'a'));
        let mut buffer = [0; 8];
        assert_eq!(io.read(&mut buffer).await.expect("three bytes"), 3);
        assert_eq!(&buffer[..3], b"abc");
        drop(caller);
        let left = io.flush().await.expect_err("the caller has left");
        assert_eq!(left.kind(), io::ErrorKind::ConnectionAborted);
    }
}
