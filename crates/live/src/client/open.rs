//! An open connection, and what comes over it.

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt as _};
use http::{HeaderMap, HeaderValue, Method, Request, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message};

use super::connect::{Address, Wire};
use super::event::Received;
use super::resume::{Channel, Input};
use super::wire::{Fault, Item, Reader};

/// The most bytes of an answer without a stream that are kept.
const BODY_LIMIT: usize = 16 << 20;

/// A request, ready to be sent.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) address: Address,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// What comes over one connection.
#[derive(Debug)]
pub(super) struct Open {
    carrier: Carrier,
    ready: VecDeque<Input>,
    limit: usize,
}

enum Carrier {
    Body(Incoming, Reader),
    Socket(Box<WebSocketStream<Box<dyn Wire>>>),
    /// Nothing comes any more; what is ready is still given out.
    Nothing,
}

impl std::fmt::Debug for Carrier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Body(..) => "Body",
            Self::Socket(_) => "Socket",
            Self::Nothing => "Nothing",
        })
    }
}

impl Open {
    fn nothing(input: Input) -> Self {
        Self {
            carrier: Carrier::Nothing,
            ready: VecDeque::from([input]),
            limit: 0,
        }
    }

    /// Makes the connection. Every failure is something that comes over it.
    pub(super) async fn make(call: Call, channel: Channel, limit: usize) -> Self {
        let made = match channel {
            Channel::WebSocket => Self::socket(call, limit).await,
            Channel::Ndjson | Channel::Sse => Self::body(call, limit).await,
        };
        made.unwrap_or_else(Self::nothing)
    }

    async fn body(call: Call, limit: usize) -> Result<Self, Input> {
        let stream = call.address.connect().await.map_err(Input::NotSent)?;
        let shaken = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = shaken.map_err(|error| lost(&error))?;
        // It ends when the body is dropped; its errors arrive at the body too.
        tokio::spawn(async move {
            let _: Result<(), hyper::Error> = connection.await;
        });
        let mut request = Request::builder()
            .method(call.method)
            .uri(&call.address.path);
        request = request.header(header::HOST, &call.address.authority);
        if let Some(headers) = request.headers_mut() {
            headers.extend(call.headers);
        }
        let request = request
            .body(Full::new(call.body))
            .map_err(|error| lost(&error))?;
        let response = sender
            .send_request(request)
            .await
            .map_err(|error| lost(&error))?;
        let status = response.status().as_u16();
        let media = response.headers().get(header::CONTENT_TYPE);
        let media = media
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let reader = (status == 200).then(|| Reader::of(media, limit)).flatten();
        let Some(reader) = reader else {
            let whole = Limited::new(response.into_body(), BODY_LIMIT)
                .collect()
                .await;
            let bytes = whole.map_err(|error| lost(&error))?.to_bytes();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return Ok(Self::nothing(Input::Answered(status, text)));
        };
        Ok(Self {
            carrier: Carrier::Body(response.into_body(), reader),
            ready: VecDeque::from([Input::Opened]),
            limit,
        })
    }

    async fn socket(call: Call, limit: usize) -> Result<Self, Input> {
        let stream = call.address.connect().await.map_err(Input::NotSent)?;
        let scheme = if call.address.secure { "wss" } else { "ws" };
        let url = format!("{scheme}://{}{}", call.address.authority, call.address.path);
        let mut request = url.into_client_request().map_err(|error| lost(&error))?;
        let own = [header::ACCEPT, header::CONTENT_TYPE];
        for (name, value) in &call.headers {
            if !own.contains(name) {
                request.headers_mut().append(name, value.clone());
            }
        }
        let settings =
            tungstenite::protocol::WebSocketConfig::default().max_message_size(Some(limit));
        let shaken =
            tokio_tungstenite::client_async_with_config(request, stream, Some(settings)).await;
        match shaken {
            Ok((socket, _response)) => Ok(Self {
                carrier: Carrier::Socket(Box::new(socket)),
                ready: VecDeque::from([Input::Opened]),
                limit,
            }),
            Err(tungstenite::Error::Http(response)) => {
                let body = response.body().as_deref().map(String::from_utf8_lossy);
                let text = body.unwrap_or_default().into_owned();
                Ok(Self::nothing(Input::Answered(
                    response.status().as_u16(),
                    text,
                )))
            }
            Err(error) => Err(lost(&error)),
        }
    }

    /// What comes next. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Input {
        loop {
            if let Some(input) = self.ready.pop_front() {
                return input;
            }
            let limit = self.limit;
            match &mut self.carrier {
                Carrier::Body(body, reader) => {
                    let frame = body.frame().await;
                    let ready = &mut self.ready;
                    match frame {
                        Some(Ok(frame)) => {
                            if let Some(data) = frame.data_ref() {
                                reader.feed(data, |item| ready.push_back(input(item)));
                            }
                        }
                        ended => {
                            reader.finish(|item| ready.push_back(input(item)));
                            let why = match ended {
                                Some(Err(error)) => format!("the connection broke: {error}"),
                                _ => "the stream ended without a result or an error".to_owned(),
                            };
                            ready.push_back(Input::Lost(why));
                            self.carrier = Carrier::Nothing;
                        }
                    }
                }
                Carrier::Socket(socket) => match socket.next().await {
                    Some(Ok(Message::Text(text))) => {
                        for line in text.as_str().lines().filter(|line| !line.trim().is_empty()) {
                            let item = Item::Event {
                                json: line,
                                id: None,
                                name: None,
                            };
                            self.ready.push_back(input(item));
                        }
                    }
                    Some(Ok(Message::Binary(_))) => {
                        self.ready.push_back(Input::Bad(Fault::NotUtf8));
                    }
                    // The library answers pings by itself.
                    Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {
                        self.ready.push_back(Input::Alive);
                    }
                    Some(Ok(Message::Close(frame))) => {
                        let why = frame.map_or_else(String::new, |frame| {
                            format!(" with {}: {}", frame.code, frame.reason)
                        });
                        self.lost(format!("the server closed the socket{why}"));
                    }
                    Some(Err(tungstenite::Error::Capacity(_))) => {
                        self.ready.push_back(Input::Bad(Fault::TooLong(limit)));
                        self.lost("a message was too long".to_owned());
                    }
                    Some(Err(error)) => self.lost(format!("the connection broke: {error}")),
                    None => self.lost("the socket was closed".to_owned()),
                },
                // Whoever waits for nothing waits for ever; the machine has given the connection up.
                Carrier::Nothing => return std::future::pending().await,
            }
        }
    }

    fn lost(&mut self, why: String) {
        self.ready.push_back(Input::Lost(why));
        self.carrier = Carrier::Nothing;
    }

    /// Says goodbye where the channel has a word for it.
    pub(super) async fn close(self) {
        if let Carrier::Socket(mut socket) = self.carrier {
            let _: Result<(), tungstenite::Error> = SinkExt::close(&mut *socket).await;
        }
    }
}

fn lost(error: &dyn std::fmt::Display) -> Input {
    Input::Lost(error.to_string())
}

/// Sends a value as a header, if it can be one.
pub(super) fn value(text: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(text).ok()
}

fn input(item: Item<'_>) -> Input {
    match item {
        Item::Event { json, id, name } => {
            Received::read(json, id, name).map_or_else(Input::Bad, Input::Event)
        }
        Item::Alive => Input::Alive,
        Item::Retry(wait) => Input::Retry(wait),
        Item::Bad(fault) => Input::Bad(fault),
    }
}
