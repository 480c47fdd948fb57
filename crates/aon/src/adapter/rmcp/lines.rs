//! One message per line, as on standard input and output: what is no message gets its problem, and what a tool
//! failed with leaves as the bytes it is.

use std::future::Future;
use std::io;
use std::sync::Arc;

use ::rmcp::RoleServer;
use ::rmcp::model::{ClientJsonRpcMessage, GetExtensions, RequestId, ServerJsonRpcMessage};
use ::rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::message;
use super::own;
use super::slot::Slot;
use crate::adapter::ids;
use crate::jsonrpc::{self, Limits, Rejected};

/// A transport for anything that is read and written by lines.
///
/// It does what rmcp's own does for `(reader, writer)`, and answers lines that are no messages: no JSON, no UTF-8, a
/// batch, an id of another type, too long. Results of a [`ProblemServer`](super::ProblemServer) are written without a
/// tree in between, their members in order.
///
/// # Examples
///
/// ```
/// use aon::rmcp::{Lines, ProblemServer};
/// use rmcp::{ServerHandler, ServiceExt};
///
/// # async fn serve(handler: impl ServerHandler) -> Result<(), Box<dyn std::error::Error>> {
/// let running = ProblemServer::new(handler).serve(Lines::from(rmcp::transport::stdio())).await?;
/// running.waiting().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// The rest of a line that was too long is passed over.
    skipping: bool,
    limits: Limits,
    write: Arc<Mutex<Option<W>>>,
    open: Vec<(RequestId, Slot)>,
    /// The answer to a line that was no message, on its way out.
    refusing: Option<JoinHandle<Result<(), io::Error>>>,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Reads from one and writes to the other.
    pub fn new(read: R, write: W) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            skipping: false,
            limits: Limits::default(),
            write: Arc::new(Mutex::new(Some(write))),
            open: Vec::new(),
            refusing: None,
        }
    }

    /// Sets how long a line may be.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The next line, without its end, is in `self.line`; `None` when the input has ended.
    ///
    /// Nothing is lost when it is dropped while it waits: what was read so far stays.
    async fn next_line(&mut self) -> Option<Result<(), Rejected>> {
        loop {
            let available = match self.read.fill_buf().await {
                // The last line may lack its end.
                Ok([]) if self.skipping || self.line.is_empty() => return None,
                Ok([]) => return Some(Ok(())),
                Ok(available) => available,
                Err(error) => {
                    tracing::error!("the input cannot be read: {error}");
                    return None;
                }
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let (taken, part) = match end {
                Some(at) => (at + 1, available.get(..at)),
                None => (available.len(), Some(available)),
            };
            let part = part.unwrap_or_default();
            let was_skipping = self.skipping;
            let too_long = !was_skipping && self.line.len() + part.len() > self.limits.bytes;
            if !was_skipping && !too_long {
                self.line.extend_from_slice(part);
            }
            self.read.consume(taken);
            if too_long {
                self.line.clear();
                self.skipping = end.is_none();
                let problem = jsonrpc::too_large(self.limits.bytes);
                return Some(Err(Rejected::new(None, problem)));
            }
            if end.is_some() {
                self.skipping = false;
                if !was_skipping {
                    return Some(Ok(()));
                }
            }
        }
    }

    /// The message of a line; `None` when there is nothing to do.
    fn message(&mut self) -> Result<Option<ClientJsonRpcMessage>, Rejected> {
        let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        message::check(line, self.limits)?;
        let mut message = match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
            Ok(message) => message,
            Err(error) => {
                tracing::debug!("a message could not be read: {error}");
                return message::unread(line);
            }
        };
        if let ClientJsonRpcMessage::Request(request) = &mut message {
            // A request that was cancelled is never answered; its place is given up here.
            self.open.retain(|(_, slot)| !slot.is_alone());
            let slot = Slot::default();
            request.request.extensions_mut().insert(slot.clone());
            self.open.push((request.id.clone(), slot));
        }
        Ok(Some(message))
    }

    /// What a tool left for this response.
    fn left(&mut self, message: &ServerJsonRpcMessage) -> Option<Vec<u8>> {
        let (id, answered) = match message {
            ServerJsonRpcMessage::Response(response) => (&response.id, true),
            ServerJsonRpcMessage::Error(error) => (error.id.as_ref()?, false),
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => {
                return None;
            }
        };
        let at = self.open.iter().position(|(open, _)| open == id)?;
        let (_, slot) = self.open.swap_remove(at);
        slot.take().filter(|_| answered)
    }
}

impl<R, W> From<(R, W)> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    fn from((read, write): (R, W)) -> Self {
        Self::new(read, write)
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let left = self.left(&message);
        let write = Arc::clone(&self.write);
        async move {
            if let Some(line) = left {
                return write_line(&write, line).await;
            }
            let line = serde_json::to_vec(&message)?;
            // What rmcp refuses before it asks the handler has no envelope yet.
            let refused = matches!(message, ServerJsonRpcMessage::Error(_));
            let whole = refused.then(|| own::completed(&line, ids::fresh()));
            let line = whole.flatten().unwrap_or(line);
            write_line(&write, line).await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // This future may be dropped while it waits; a task of its own does not leave half a line behind.
            if let Some(refusing) = &mut self.refusing {
                let written = refusing.await;
                self.refusing = None;
                written.ok()?.ok()?;
            }
            let read = self.next_line().await?;
            let message = match read {
                Ok(()) => self.message(),
                Err(rejected) => Err(rejected),
            };
            self.line.clear();
            match message {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(rejected) => {
                    let (_, answer) = message::refusal(&rejected, ids::fresh());
                    let write = Arc::clone(&self.write);
                    self.refusing = Some(tokio::spawn(
                        async move { write_line(&write, answer).await },
                    ));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.write.lock().await.take();
        Ok(())
    }
}

async fn write_line<W: AsyncWrite + Unpin>(
    write: &Mutex<Option<W>>,
    mut line: Vec<u8>,
) -> Result<(), io::Error> {
    line.push(b'\n');
    let mut write = write.lock().await;
    let Some(write) = write.as_mut() else {
        return Err(io::ErrorKind::NotConnected.into());
    };
    write.write_all(&line).await?;
    write.flush().await
}
