//! WebSocket: one event as text per message; the other way `{"type":"resume","since":"<id>"}`, and answers of people.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{FromRequestParts as _, Path, Request, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt as _, StreamExt as _};
use http::header::{HOST, HeaderValue, ORIGIN, SEC_WEBSOCKET_VERSION, UPGRADE};
use http::request::Parts;
use serde::Deserialize;
use tokio::time::timeout;

use super::feed::{Feed, Format, Over, Turn};
use super::heal::Voice;
use crate::fault::Fault;
use crate::frame::Frame;
use crate::hub::Hub;
use crate::id::Cursor;

/// The longest message a reader may send: an answer that is too large is refused with a reason, up to here.
const LONGEST: usize = 4 * 1024 * 1024;
/// How long a reader that named no cursor in its address has to send one.
const FIRST_WORD: Duration = Duration::from_millis(150);

/// What a reader may say.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said {
    Resume {
        since: String,
    },
    #[serde(other)]
    Other,
}

pub(super) async fn follow(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let (mut parts, _) = request.into_parts();
    let Ok(upgrade) = WebSocketUpgrade::from_request_parts(&mut parts, &()).await else {
        return upgrade_required();
    };
    let (live, ticket) = match hub.visible(&id, &parts).await {
        Ok(found) => found,
        Err(fault) => return fault.into_response(),
    };
    if ticket.is_none() && !may_come_from(&hub, &parts) {
        return Fault::OriginNotAllowed.into_response();
    }
    let named = super::query(&parts, "since").is_some()
        || super::query(&parts, "last_event_id").is_some()
        || parts.headers.contains_key("last-event-id");
    let cursor = super::cursor(&parts, "since");
    let viewer = hub.viewer(&parts, ticket);
    let voice = Voice::new(&hub, &live, viewer.as_ref(), ticket.is_some());
    let bound = ticket.map(|ticket| (ticket, super::ticket::origin(&parts)));
    let feed = match Feed::reader(&hub, &live, &cursor, Format::Objects, bound).await {
        Ok(feed) => feed.map(|feed| feed.seen_by(viewer.as_ref())),
        Err(fault) => return fault.into_response(),
    };
    let stalled = hub.0.settings.stalled;
    upgrade
        .max_message_size(LONGEST)
        .max_frame_size(LONGEST)
        .protocols(["aon.v1"])
        .on_upgrade(move |socket| async move {
            match feed {
                Some(feed) => talk(socket, feed, named, voice, stalled).await,
                None => close(socket, stalled).await,
            }
        })
}

/// Says what is supported, as HTTP (RFC 9110, 15.5.22) and WebSocket (RFC 6455, 4.4) want it.
fn upgrade_required() -> Response {
    let mut response = Fault::UpgradeRequired.into_response();
    let headers = response.headers_mut();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    response
}

/// A page of another origin comes with a ticket, or from an origin that was named: a browser would send it along with what its
/// user holds, and what can be followed here can be healed here.
pub(super) fn may_come_from(hub: &Hub, parts: &Parts) -> bool {
    let header = |name| {
        parts
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    let Some(origin) = header(ORIGIN) else {
        return true;
    };
    let authority = origin
        .split_once("://")
        .map_or(origin, |(_, authority)| authority);
    header(HOST).is_some_and(|host| host.eq_ignore_ascii_case(authority))
        || hub
            .0
            .settings
            .origins
            .iter()
            .any(|allowed| allowed == origin)
}

async fn talk(socket: WebSocket, mut feed: Feed, named: bool, voice: Voice, stalled: Duration) {
    let (mut sink, mut source) = socket.split();
    if !named && let Ok(Some(Ok(message))) = timeout(FIRST_WORD, source.next()).await {
        if let Some(cursor) = resume(&message) {
            feed.resume(&cursor).await;
            if feed.is_past() {
                let end = Message::Close(Some(reason(1000, "the session has ended")));
                // Who is gone needs no farewell.
                let _: Result<_, _> = timeout(stalled, sink.send(end)).await;
                return;
            }
        } else if !answered(&voice, &message, &mut sink, stalled).await {
            return;
        }
    }
    let over = loop {
        tokio::select! {
            turn = feed.turn() => match turn {
                Turn::Over(over) => break over,
                Turn::Show(frames) => {
                    if !sent(&mut sink, frames.iter().map(text), stalled).await {
                        return;
                    }
                }
                Turn::Beat(frame) => {
                    // Browsers do not show pings to their pages, and others answer nothing else.
                    let beat = [text(&frame), Message::Ping(Bytes::new())];
                    if !sent(&mut sink, beat, stalled).await {
                        return;
                    }
                }
            },
            message = source.next() => match message {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(message)) => {
                    if let Some(cursor) = resume(&message) {
                        feed.resume(&cursor).await;
                    } else if !answered(&voice, &message, &mut sink, stalled).await {
                        return;
                    }
                }
            },
        }
    };
    let (code, words) = match over {
        Over::Ended => (1000, "the session has ended"),
        Over::Slow => (1013, "too slow; reconnect with the last id"),
        Over::Gone => (1001, "the session is gone"),
        Over::Expired => (4401, "the token has expired"),
    };
    let end = Message::Close(Some(reason(code, words)));
    let _: Result<_, _> = timeout(stalled, sink.send(end)).await;
    // The other side answers the farewell; without waiting for it the last events could be lost on the way.
    let _: Result<_, _> = timeout(Duration::from_secs(1), async {
        while let Some(Ok(_)) = source.next().await {}
    })
    .await;
}

/// Tells the sender of an answer what became of it; whether the conversation goes on. What is not an answer and longer than
/// anything a reader has to say ends it.
async fn answered(
    voice: &Voice,
    message: &Message,
    sink: &mut SplitSink<WebSocket, Message>,
    stalled: Duration,
) -> bool {
    const LONG: usize = 64 * 1024;
    if let Some(reply) = voice.hear(message).await {
        return sent(sink, [text(&reply)], stalled).await;
    }
    let length = match message {
        Message::Text(text) => text.len(),
        Message::Binary(bytes) => bytes.len(),
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => 0,
    };
    if length > LONG {
        let end = Message::Close(Some(reason(1009, "too long")));
        let _: Result<_, _> = timeout(stalled, sink.send(end)).await;
        return false;
    }
    true
}

/// Writes all of it at once; whether that went well. Somebody who does not read for so long is not there.
async fn sent(
    sink: &mut SplitSink<WebSocket, Message>,
    messages: impl IntoIterator<Item = Message>,
    stalled: Duration,
) -> bool {
    let send = async {
        for message in messages {
            sink.feed(message).await?;
        }
        sink.flush().await
    };
    matches!(timeout(stalled, send).await, Ok(Ok(())))
}

async fn close(mut socket: WebSocket, stalled: Duration) {
    let end = Message::Close(Some(reason(1000, "the session has ended")));
    let _: Result<_, _> = timeout(stalled, socket.send(end)).await;
}

fn reason(code: u16, words: &'static str) -> CloseFrame {
    CloseFrame {
        code,
        reason: Utf8Bytes::from_static(words),
    }
}

fn text(frame: &Frame) -> Message {
    match Utf8Bytes::try_from(frame.json()) {
        Ok(text) => Message::Text(text),
        Err(_not_text) => Message::Binary(frame.json()),
    }
}

fn resume(message: &Message) -> Option<Cursor> {
    let Message::Text(text) = message else {
        return None;
    };
    match serde_json::from_str(text.as_str()) {
        Ok(Said::Resume { since }) => Some(Cursor::parse(&since)),
        Ok(Said::Other) | Err(_) => None,
    }
}
