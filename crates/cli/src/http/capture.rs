//! An answer as it came: when its head arrived, each piece with its time, and how it ended.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use http::{HeaderMap, Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream, lookup_host};
use tokio::time::{Instant as Deadline, timeout_at};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::{BODY_LIMIT, Call, Client, NoAnswer, tls};

/// How a body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// As it should.
    Clean,
    /// The connection broke.
    Broken,
    /// It was still open when the time was over, or when enough had been seen.
    Open,
}

/// An answer as it came.
#[derive(Clone, Debug)]
pub(crate) struct Capture {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) head_at: Duration,
    pub(crate) pieces: Vec<(Duration, Bytes)>,
    pub(crate) end: End,
    pub(crate) ended_at: Duration,
}

impl Capture {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The content type, whole.
    pub(crate) fn content_type(&self) -> &str {
        self.header("content-type").unwrap_or_default()
    }

    /// The media type without its parameters, in lower case.
    pub(crate) fn media_type(&self) -> String {
        let media = self.content_type().split(';').next().unwrap_or_default();
        media.trim().to_ascii_lowercase()
    }

    pub(crate) fn body(&self) -> Vec<u8> {
        self.pieces
            .iter()
            .flat_map(|(_, piece)| piece.iter().copied())
            .collect()
    }
}

/// What a connection holds that is not read; the system rounds it up.
const NARROW: u32 = 4096;

pub(crate) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

impl Client {
    async fn wire(&self) -> Result<Box<dyn Wire>, NoAnswer> {
        let stream = TcpStream::connect((self.target.host.as_str(), self.target.port))
            .await
            .map_err(|error| NoAnswer(error.to_string()))?;
        self.over(stream).await
    }

    /// A connection that holds next to nothing unread.
    async fn narrow_wire(&self) -> Result<Box<dyn Wire>, NoAnswer> {
        let failed = |error: std::io::Error| NoAnswer(error.to_string());
        let host = (self.target.host.as_str(), self.target.port);
        let mut addresses = lookup_host(host).await.map_err(failed)?;
        let address = addresses
            .next()
            .ok_or_else(|| NoAnswer("the host has no address".to_owned()))?;
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()
        } else {
            TcpSocket::new_v6()
        };
        let socket = socket.map_err(failed)?;
        socket.set_recv_buffer_size(NARROW).map_err(failed)?;
        let stream = socket.connect(address).await.map_err(failed)?;
        self.over(stream).await
    }

    async fn over(&self, stream: TcpStream) -> Result<Box<dyn Wire>, NoAnswer> {
        if self.target.secure {
            let stream = tls::over(stream, &self.target.host).await;
            return Ok(Box::new(stream.map_err(NoAnswer)?));
        }
        Ok(Box::new(stream))
    }

    /// Sends a request and keeps what comes, until the answer ends, the time is over, or `enough` says so of the body.
    pub(crate) async fn capture(
        &self,
        call: &Call,
        enough: impl Fn(&[u8]) -> bool,
    ) -> Result<Capture, NoAnswer> {
        let failed = |error: &dyn std::fmt::Display| NoAnswer(error.to_string());
        let start = Instant::now();
        let deadline = Deadline::now() + self.limit;
        let late = || NoAnswer(format!("no answer within {} s", self.limit.as_secs()));
        let wire = timeout_at(deadline, self.wire())
            .await
            .map_err(|_elapsed| late())??;
        let shaken = hyper::client::conn::http1::handshake(TokioIo::new(wire)).await;
        let (mut sender, connection) = shaken.map_err(|error| failed(&error))?;
        tokio::spawn(async move {
            let _: Result<(), hyper::Error> = connection.await;
        });
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(&call.path);
        request = request.header(header::HOST, &self.target.authority);
        for (name, value) in self.headers_of(call) {
            request = request.header(name, value);
        }
        let request = request
            .body(Full::new(call.body.clone()))
            .map_err(|error| failed(&error))?;
        let response = timeout_at(deadline, sender.send_request(request)).await;
        let response = response
            .map_err(|_elapsed| late())?
            .map_err(|error| failed(&error))?;
        let head_at = start.elapsed();
        let (parts, mut body) = response.into_parts();
        let (mut pieces, mut seen) = (Vec::new(), Vec::new());
        let end = loop {
            match timeout_at(deadline, body.frame()).await {
                Ok(Some(Ok(frame))) => {
                    let Ok(data) = frame.into_data() else {
                        continue;
                    };
                    seen.extend_from_slice(&data);
                    pieces.push((start.elapsed(), data));
                    if seen.len() > BODY_LIMIT || enough(&seen) {
                        break End::Open;
                    }
                }
                Ok(Some(Err(_))) => break End::Broken,
                Ok(None) => break End::Clean,
                Err(_elapsed) => break End::Open,
            }
        };
        Ok(Capture {
            status: parts.status.as_u16(),
            headers: parts.headers,
            head_at,
            pieces,
            end,
            ended_at: start.elapsed(),
        })
    }

    /// Sends a request, and reads nothing of its answer for as long as what is given back is held.
    pub(crate) async fn ask_and_leave_unread(
        &self,
        call: &Call,
    ) -> Result<Box<dyn Wire>, NoAnswer> {
        let failed = |error: &dyn std::fmt::Display| NoAnswer(error.to_string());
        let mut wire = self.narrow_wire().await?;
        let mut text = format!(
            "{} {} HTTP/1.1\r\nhost: {}\r\n",
            call.method, call.path, self.target.authority
        );
        for (name, value) in self.headers_of(call) {
            text.extend([name, ": ", value, "\r\n"]);
        }
        text.push_str("\r\n");
        let sent = wire.write_all(text.as_bytes()).await;
        sent.map_err(|error| failed(&error))?;
        wire.flush().await.map_err(|error| failed(&error))?;
        Ok(wire)
    }

    /// Opens a WebSocket, says `first` if there is something to say, and keeps the messages until it is closed or the time
    /// is over. `Err` with a status is an answer that is not a WebSocket.
    pub(crate) async fn socket(
        &self,
        path: &str,
        first: Option<&str>,
    ) -> Result<Vec<String>, String> {
        let deadline = Deadline::now() + self.limit;
        let wire = self.wire().await.map_err(|error| error.to_string())?;
        let scheme = if self.target.secure { "wss" } else { "ws" };
        let url = format!("{scheme}://{}{path}", self.target.authority);
        let mut request = url
            .into_client_request()
            .map_err(|error| error.to_string())?;
        let given = self.headers.iter();
        request
            .headers_mut()
            .extend(given.map(|(name, value)| (name.clone(), value.clone())));
        let shaken = timeout_at(deadline, tokio_tungstenite::client_async(request, wire)).await;
        let shaken = shaken.map_err(|_elapsed| "no WebSocket in time".to_owned())?;
        let (mut socket, _) = shaken.map_err(|error| match error {
            Error::Http(response) => format!("the server answered {}", response.status().as_u16()),
            other => other.to_string(),
        })?;
        if let Some(first) = first {
            let sent = socket.send(Message::text(first)).await;
            sent.map_err(|error| error.to_string())?;
        }
        let mut messages = Vec::new();
        while let Ok(Some(Ok(message))) = timeout_at(deadline, socket.next()).await {
            match message {
                Message::Text(text) => messages.push(text.as_str().to_owned()),
                Message::Binary(_) => return Err("a message is binary; events are text".to_owned()),
                Message::Close(_) => break,
                _ => {}
            }
        }
        Ok(messages)
    }
}
