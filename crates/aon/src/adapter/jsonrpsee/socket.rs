//! The upgrade to a web socket, handed on to jsonrpsee with a connection of ours in it.
//!
//! jsonrpsee waits for hyper's `OnUpgrade`, which only hyper can make. So hyper makes one: it serves a single request that
//! never was on a network, and the connection it upgrades is our [`Socket`]. Once the client's own upgrade is done, the
//! socket reads from the client directly and writes to it through [`Frames`].

use std::io;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Extensions, StatusCode};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::{OnUpgrade, Upgraded};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::frames::{Frames, Next};
use super::unasked;
use crate::surface::a2a::Profile;

/// The request hyper is served; that it asks for an upgrade is all that counts.
const HELLO: &[u8] = b"GET / HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";

/// Puts our upgrade into the place of the client's. Without one there is nothing to do.
///
/// The task ends with the client's upgrade, done or failed; stop it when the server refuses to upgrade.
pub(super) async fn hand_on(extensions: &mut Extensions, profile: Profile) -> Option<AbortHandle> {
    let client = extensions.remove::<OnUpgrade>()?;
    let (promise, promised) = oneshot::channel();
    let (opened, opening) = oneshot::channel();
    let socket = Socket {
        side: Side::Hello {
            left: HELLO,
            ending: 0,
            opening,
        },
        frames: Frames::default(),
        out: Vec::new(),
        profile,
    };
    let once = Mutex::new(Some((client, promise, opened)));
    let upgrade = service_fn(move |mut request: http::Request<Incoming>| {
        let once = once.lock().unwrap_or_else(PoisonError::into_inner).take();
        async move {
            let gone = || io::Error::from(io::ErrorKind::NotConnected);
            let (client, promise, opened) = once.ok_or_else(gone)?;
            let ours = hyper::upgrade::on(&mut request);
            promise.send(ours).map_err(|_unwanted| gone())?;
            let client = client.await.map_err(io::Error::other)?;
            opened.send(client).map_err(|_unwanted| gone())?;
            let mut response = http::Response::new(Empty::<Bytes>::new());
            *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
            Ok::<_, io::Error>(response)
        }
    });
    let connection = http1::Builder::new()
        .serve_connection(socket, upgrade)
        .with_upgrades();
    let task = tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!("the upgrade to a web socket failed: {error}");
        }
    });
    extensions.insert(promised.await.ok()?);
    Some(task.abort_handle())
}

/// What hyper upgrades, and jsonrpsee reads and writes.
struct Socket {
    side: Side,
    frames: Frames,
    /// What is to be sent before anything else.
    out: Vec<u8>,
    profile: Profile,
}

/// Whom the socket speaks to.
enum Side {
    /// hyper, which reads [`HELLO`] and answers it.
    Hello {
        left: &'static [u8],
        /// How much of the empty line behind the answer's head was seen.
        ending: usize,
        opening: oneshot::Receiver<Upgraded>,
    },
    /// The client.
    Open(Upgraded),
}

impl Socket {
    /// Takes in hyper's answer; behind its head jsonrpsee writes to the client.
    fn answered(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Side::Hello {
            ending, opening, ..
        } = &mut self.side
        else {
            return Ok(0);
        };
        for (at, byte) in bytes.iter().enumerate() {
            *ending = match (byte, *ending % 2) {
                (b'\r', 0) | (b'\n', 1) => *ending + 1,
                (b'\r', _) => 1,
                _ => 0,
            };
            if *ending == 4 {
                let client = opening.try_recv().map_err(io::Error::other)?;
                self.side = Side::Open(client);
                return Ok(at + 1);
            }
        }
        Ok(bytes.len())
    }

    /// Sends what is to be sent first.
    fn poll_out(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Side::Open(client) = &mut self.side else {
            return Poll::Ready(Ok(()));
        };
        while !self.out.is_empty() {
            let sent = ready!(Pin::new(&mut *client).poll_write(context, &self.out))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.out.drain(..sent);
        }
        // A connection that waits holds no memory for what it said last.
        self.out = Vec::new();
        Poll::Ready(Ok(()))
    }
}

impl Read for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.get_mut().side {
            Side::Hello { left, .. } => {
                let (now, later) = left.split_at(left.len().min(buffer.remaining()));
                if now.is_empty() {
                    // hyper is woken by the client's upgrade.
                    return Poll::Pending;
                }
                buffer.put_slice(now);
                *left = later;
                Poll::Ready(Ok(()))
            }
            Side::Open(client) => Pin::new(client).poll_read(context, buffer),
        }
    }
}

impl Write for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_out(context))?;
        let Side::Open(client) = &mut this.side else {
            return Poll::Ready(this.answered(bytes));
        };
        let profile = &this.profile;
        match this
            .frames
            .next(bytes, |text| unasked::answer(text, profile))
        {
            Next::Send(most) => {
                let bytes = bytes.get(..most).unwrap_or(bytes);
                let sent = ready!(Pin::new(client).poll_write(context, bytes))?;
                this.frames.sent(sent);
                Poll::Ready(Ok(sent))
            }
            Next::Taken(count, out) => {
                this.out = out.unwrap_or_default();
                // What cannot be sent now goes out before the next write, or with the flush.
                if let Poll::Ready(sent) = this.poll_out(context) {
                    sent?;
                }
                Poll::Ready(Ok(count))
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_out(context))?;
        match &mut this.side {
            Side::Hello { .. } => Poll::Ready(Ok(())),
            Side::Open(client) => Pin::new(client).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let rest = this.frames.rest();
        this.out.extend_from_slice(&rest);
        ready!(this.poll_out(context))?;
        match &mut this.side {
            Side::Hello { .. } => Poll::Ready(Ok(())),
            Side::Open(client) => Pin::new(client).poll_shutdown(context),
        }
    }
}
