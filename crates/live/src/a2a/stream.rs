//! Streams: the task first, and then every update, as server-sent events that can be resumed.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use aon_core::Json;
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use http_body::{Body, Frame};

use super::Asked;
use super::fault::AgentFault;
use super::task::Entry;
use crate::channel::feed::{Feed, Format, Turn};
use crate::event::Event;
use crate::hub::Hub;
use crate::id::{Cursor, Epoch, EventId, Seq};
use crate::store::Budget;
use crate::surface::a2a::{Dialect, Message, Tracker, Update};
use aon::Failure;

/// The body of an answer: whole, or one event after the other. It is the same for hyper and for axum.
pub struct Reply(Inner);

enum Inner {
    Whole(Option<Bytes>),
    Events(Pin<Box<dyn Stream<Item = Bytes> + Send>>),
}

impl Reply {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Inner::Whole(Some(bytes.into())))
    }

    /// The next piece; `None` at the end.
    pub async fn next(&mut self) -> Option<Bytes> {
        match &mut self.0 {
            Inner::Whole(bytes) => bytes.take(),
            Inner::Events(events) => events.next().await,
        }
    }

    /// Whether more pieces than one may come.
    pub const fn is_stream(&self) -> bool {
        matches!(self.0, Inner::Events(_))
    }
}

impl Body for Reply {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let piece = match &mut self.get_mut().0 {
            Inner::Whole(bytes) => Poll::Ready(bytes.take()),
            Inner::Events(events) => events.poll_next_unpin(cx),
        };
        piece.map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Inner::Whole(None))
    }
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_stream() {
            "Reply(events)"
        } else {
            "Reply(whole)"
        })
    }
}

/// How an object of a stream is put on the wire.
#[derive(Clone, Debug)]
pub(super) enum Wrap {
    /// In a JSON-RPC response to this id.
    Rpc(Json, Dialect),
    /// As it is.
    Plain,
}

impl Wrap {
    fn event(&self, update: &Update, id: Option<&str>, out: &mut Vec<u8>) {
        if let Some(id) = id {
            out.extend_from_slice(b"id: ");
            out.extend_from_slice(id.as_bytes());
            out.push(b'\n');
        }
        out.extend_from_slice(b"data: ");
        match self {
            Self::Rpc(id, dialect) => {
                let result = Json::from(&update.to_json(*dialect));
                out.extend_from_slice(&aon::jsonrpc::success_response(&result, Some(id)));
            }
            Self::Plain => {
                out.extend_from_slice(update.to_json(Dialect::V10).to_string().as_bytes());
            }
        }
        out.extend_from_slice(b"\n\n");
    }
}

/// Something that streams.
pub(super) enum Source {
    /// An answer without a task: one object.
    Message(Message),
    /// A task.
    Task(Box<Following>),
}

/// A task that is followed.
pub(super) struct Following {
    first: Update,
    at: String,
    tracker: Tracker,
    feed: Option<Feed>,
    /// Whether it ends when the task waits for its caller.
    until_asked: bool,
}

impl Source {
    /// The answer to a message that began a task: from the beginning, until it ends or asks.
    pub(super) async fn begun(
        hub: &Hub,
        entry: &Arc<Entry>,
        asked: &Asked,
    ) -> Result<Self, Failure> {
        follow(hub, entry, asked, entry.opening.clone(), true).await
    }

    /// The answer to a message that answered: from now on.
    pub(super) async fn continued(
        hub: &Hub,
        entry: &Arc<Entry>,
        asked: &Asked,
    ) -> Result<Self, Failure> {
        let tracker = entry.now().await.clone();
        follow(hub, entry, asked, tracker, true).await
    }

    /// A subscription: the task as it is, or as it was at the cursor.
    pub(super) async fn subscribed(
        hub: &Hub,
        entry: &Arc<Entry>,
        asked: &Asked,
    ) -> Result<Self, Failure> {
        let now = entry.now().await.clone();
        let Some(cursor) = &asked.cursor else {
            if now.task().status.state.is_terminal() {
                return Err(AgentFault::TaskEnded.failure());
            }
            return follow(hub, entry, asked, now, false).await;
        };
        let then = match cursor {
            Cursor::After(id)
                if id.epoch == entry.live.origin.epoch && id.seq.get() <= now.seq() =>
            {
                past(entry, id.seq).await
            }
            Cursor::After(_) | Cursor::Start | Cursor::Foreign(_) => None,
        };
        match then {
            Some(then) if then.seq() >= now.seq() && now.task().status.state.is_terminal() => {
                Err(AgentFault::TaskEnded.failure())
            }
            Some(then) => follow(hub, entry, asked, then, false).await,
            // What came in between is lost as updates, and is in the task.
            None => follow(hub, entry, asked, now, false).await,
        }
    }

    /// The bytes of it.
    pub(super) fn into_reply(self, wrap: Wrap) -> Reply {
        match self {
            Self::Message(message) => {
                let mut out = Vec::new();
                wrap.event(&Update::Message(Box::new(message)), None, &mut out);
                Reply(Inner::Events(Box::pin(stream::iter([Bytes::from(out)]))))
            }
            Self::Task(following) => {
                let mut out = Vec::new();
                wrap.event(&following.first, Some(&following.at), &mut out);
                let first = stream::iter([Bytes::from(out)]);
                let rest =
                    stream::unfold((Some(following), wrap), |(following, wrap)| async move {
                        let (piece, following) = following?.next(&wrap).await?;
                        Some((piece, (following, wrap)))
                    });
                Reply(Inner::Events(Box::pin(first.chain(rest))))
            }
        }
    }
}

async fn follow(
    hub: &Hub,
    entry: &Arc<Entry>,
    asked: &Asked,
    tracker: Tracker,
    until_asked: bool,
) -> Result<Source, Failure> {
    let live = &entry.live;
    let at = EventId {
        epoch: live.origin.epoch,
        seq: Seq::new(tracker.seq()),
    };
    let feed = Feed::reader(hub, live, &Cursor::After(at), Format::Sse, None).await;
    let feed = feed.map_err(Failure::from)?;
    Ok(Source::Task(Box::new(Following {
        first: Update::Task(Box::new(tracker.seen(asked.detail))),
        at: at.to_string(),
        tracker,
        feed: feed.map(|feed| feed.seen_by(asked.caller.as_ref())),
        until_asked,
    })))
}

/// The task as it was after that event; `None` where its log does not reach back.
async fn past(entry: &Entry, until: Seq) -> Option<Tracker> {
    let mut tracker = entry.opening.clone();
    while tracker.seq() < until.get() {
        let next = Seq::new(tracker.seq() + 1);
        let page = entry.live.log.page(next, Budget::default()).wait().await?;
        if page.oldest > next || page.frames.is_empty() {
            return None;
        }
        for frame in page.frames.iter().take_while(|frame| frame.seq() <= until) {
            tracker.take(frame);
        }
    }
    Some(tracker)
}

impl Following {
    /// The next piece, and what follows it.
    async fn next(mut self: Box<Self>, wrap: &Wrap) -> Option<(Bytes, Option<Box<Self>>)> {
        let epoch: Epoch = self.feed.as_ref()?.epoch();
        loop {
            let frames = match self.feed.as_mut()?.turn().await {
                Turn::Show(frames) => frames,
                Turn::Beat(_) => {
                    return Some((Bytes::from_static(b": still here\n\n"), Some(self)));
                }
                Turn::Over(_) => return None,
            };
            let mut out = Vec::new();
            let mut over = false;
            for frame in frames {
                let Ok(event) = Event::from_slice(&frame.json()) else {
                    continue;
                };
                let updates = self.tracker.apply(&event);
                let id = event.envelope.seq.map(|seq| {
                    EventId {
                        epoch,
                        seq: Seq::new(seq),
                    }
                    .to_string()
                });
                for (at, update) in updates.iter().enumerate() {
                    // Whoever comes back after half of an event gets it whole.
                    let last = at + 1 == updates.len();
                    wrap.event(update, id.as_deref().filter(|_| last), &mut out);
                    over |= update.state().is_some_and(|state| {
                        state.is_terminal() || self.until_asked && state.is_interrupted()
                    });
                }
                if over {
                    break;
                }
            }
            if over {
                return Some((Bytes::from(out), None));
            }
            if !out.is_empty() {
                return Some((Bytes::from(out), Some(self)));
            }
        }
    }
}
