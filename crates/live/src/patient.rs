//! Connections that take nothing any more are closed.
//!
//! hyper asks a body for more when the socket has room, and waits for ever where it never has. What the hub holds for such a
//! reader it lets go of by itself; the socket and hyper's buffers belong to whoever accepts connections.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A listener whose connections are closed when a write makes no progress for a while.
///
/// ```no_run
/// # async fn serve(app: axum::Router) -> std::io::Result<()> {
/// use std::time::Duration;
/// use aon_live::Patient;
///
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
/// axum::serve(Patient::new(listener, Duration::from_secs(30)), app).await
/// # }
/// ```
#[derive(Debug)]
pub struct Patient<L> {
    listener: L,
    patience: Duration,
}

impl<L> Patient<L> {
    /// Waits so long for a write.
    pub const fn new(listener: L, patience: Duration) -> Self {
        Self { listener, patience }
    }
}

impl<L: Listener> Listener for Patient<L> {
    type Io = PatientIo<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (io, address) = self.listener.accept().await;
        (PatientIo::new(io, self.patience), address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

pin_project! {
    /// One connection of a [`Patient`] listener.
    #[derive(Debug)]
    pub struct PatientIo<T> {
        #[pin]
        io: T,
        patience: Duration,
        // Made when a write has to wait for the first time: most never do.
        late: Option<Pin<Box<Sleep>>>,
    }
}

impl<T> PatientIo<T> {
    /// Waits so long for a write.
    pub const fn new(io: T, patience: Duration) -> Self {
        Self {
            io,
            patience,
            late: None,
        }
    }
}

/// What a write came to, or that it came to nothing for too long.
fn in_time<T>(
    written: Poll<io::Result<T>>,
    late: &mut Option<Pin<Box<Sleep>>>,
    patience: Duration,
    cx: &mut Context<'_>,
) -> Poll<io::Result<T>> {
    if written.is_ready() {
        *late = None;
        return written;
    }
    let late = late.get_or_insert_with(|| Box::pin(sleep(patience)));
    late.as_mut()
        .poll(cx)
        .map(|()| Err(io::Error::from(io::ErrorKind::TimedOut)))
}

impl<T: AsyncRead> AsyncRead for PatientIo<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.project().io.poll_read(cx, buffer)
    }
}

impl<T: AsyncWrite> AsyncWrite for PatientIo<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.project();
        let written = this.io.poll_write(cx, bytes);
        in_time(written, this.late, *this.patience, cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.project();
        let written = this.io.poll_write_vectored(cx, pieces);
        in_time(written, this.late, *this.patience, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.project();
        let flushed = this.io.poll_flush(cx);
        in_time(flushed, this.late, *this.patience, cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().io.poll_shutdown(cx)
    }
}
