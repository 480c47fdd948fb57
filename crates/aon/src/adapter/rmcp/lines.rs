//! One message per line, as on standard input and output: what is not a message gets its problem, and what a tool
//! failed with is written here.

use std::future::Future;
use std::io;
use std::sync::Arc;

use ::rmcp::RoleServer;
use ::rmcp::model::{
    ClientJsonRpcMessage, GetExtensions, RequestId, ServerJsonRpcMessage, ServerResult,
};
use ::rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::edge::{self, Edge};
use super::result::{TICKET, ticket, ticket_in};
use super::{message, own};
use crate::door::{Door, Facts, Scope};
use crate::jsonrpc::{self, Limits, Rejected};

/// A transport for anything that is read and written by lines.
///
/// It does what rmcp's own does for `(reader, writer)`, and answers lines that are not messages: broken JSON or UTF-8, a
/// batch, an id of another type, too long. Failures of a [`ProblemServer`](super::ProblemServer) are written here,
/// their members in order.
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
    door: Door,
    write: Arc<Mutex<Option<W>>>,
    open: Vec<(RequestId, Edge)>,
    /// The answer to a line that was not a message, on its way out.
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
            door: Door::new(),
            write: Arc::new(Mutex::new(Some(write))),
            open: Vec::new(),
            refusing: None,
        }
    }

    /// Sets the door refusals leave through, and how long a line may be. Give the server a clone of it.
    #[must_use]
    pub fn with_door(mut self, door: Door) -> Self {
        self.door = door;
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
                // An input that cannot be read any more has ended.
                Err(_error) => return None,
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let (taken, part) = match end {
                Some(at) => (at + 1, available.get(..at)),
                None => (available.len(), Some(available)),
            };
            let part = part.unwrap_or_default();
            let was_skipping = self.skipping;
            let too_long = !was_skipping && self.line.len() + part.len() > self.door.body_limit();
            if !was_skipping && !too_long {
                self.line.extend_from_slice(part);
            }
            self.read.consume(taken);
            if too_long {
                self.line.clear();
                self.skipping = end.is_none();
                let problem = jsonrpc::too_large(self.door.body_limit());
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
        message::check(line, Limits::of(&self.door))?;
        let named = message::task_subscription(line);
        let line = named.as_deref().unwrap_or(line);
        let mut message = match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
            Ok(message) => message,
            Err(_other_form) => return message::unread(line),
        };
        if let ClientJsonRpcMessage::Request(request) = &mut message {
            // A request that was cancelled is never answered; its place is given up here.
            self.open.retain(|(_, edge)| !edge.is_given_up());
            if self.open.len() >= MOST_OPEN {
                self.open.remove(0);
            }
            let edge = Edge::new(Facts::new("mcp"), true);
            request.request.extensions_mut().insert(edge.clone());
            self.open.push((request.id.clone(), edge));
        }
        Ok(Some(message))
    }

    /// The scope of the request that is answered.
    fn scope_of(&mut self, message: &ServerJsonRpcMessage) -> Option<Scope> {
        let id = match message {
            ServerJsonRpcMessage::Response(response) => &response.id,
            ServerJsonRpcMessage::Error(error) => error.id.as_ref()?,
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => {
                return None;
            }
        };
        let at = self.open.iter().position(|(open, _)| open == id)?;
        let (_, edge) = self.open.swap_remove(at);
        Some(edge.scope(&self.door).clone())
    }
}

/// The most requests that wait for their answer; failures of requests that were cancelled are among them.
const MOST_OPEN: usize = 4096;

/// The line of a message: a failure that the scope keeps is written now, and so is what rmcp refused before it asked the
/// server. `None` for anything else.
fn failed(message: &ServerJsonRpcMessage, scope: &Scope) -> Option<Vec<u8>> {
    match message {
        ServerJsonRpcMessage::Response(response) => {
            let placed = if let ServerResult::CallToolResult(result) = &response.result {
                let meta = result
                    .meta
                    .as_ref()
                    .map(|meta| Value::Object(meta.0.clone()));
                ticket(result).map(|placed| (placed, result.result_type.is_some(), meta))
            } else if let ServerResult::CustomResult(result) = &response.result {
                // A call that rmcp could not read as one.
                let meta = result.0.get("_meta").and_then(|meta| meta.get(TICKET));
                let modern = result.0.get("resultType").is_some();
                meta.and_then(ticket_in)
                    .map(|placed| (placed, modern, None))
            } else {
                None
            };
            let ((ticket, mode), modern, meta) = placed?;
            let failure = scope.redeem(ticket)?;
            let id = edge::id_json(&response.id);
            let how = (mode, modern);
            Some(edge::response(scope, failure, &id, how, meta.as_ref()))
        }
        ServerJsonRpcMessage::Error(error) => {
            let failure = own::failure(&error.error, &[])?;
            let id = error.id.as_ref().map(edge::id_json);
            let id = id.as_deref().unwrap_or("null");
            Some(message::error(scope, failure, id, Some(error.error.code)).0)
        }
        ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => None,
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
        let scope = self.scope_of(&message);
        let scope = scope.unwrap_or_else(|| Scope::open(&self.door, Facts::new("mcp")));
        let write = Arc::clone(&self.write);
        async move {
            let line = match failed(&message, &scope) {
                Some(line) => line,
                None => serde_json::to_vec(&message)?,
            };
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
                    let scope = Scope::open(&self.door, Facts::new("mcp"));
                    let (answer, _) = message::refusal(&scope, &rejected);
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
