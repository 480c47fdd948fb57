//! One reader of one session, whatever its channel: an index into the log, woken when the log grows.
//!
//! A wake-up drains everything that is ready into one chunk; nothing is ever held back in order to fill one.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::Body as HttpBody;
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use tokio::sync::watch;
use tokio::time::Sleep;

use super::ticket::Ticket;
use crate::clock::milliseconds;
use crate::event::{Body, Heartbeat, ReplayComplete, Status};
use crate::fault::Fault;
use crate::frame::{Draft, Frame};
use crate::glass::OnDisconnect;
use crate::hub::live::{Live, Stop};
use crate::hub::{Hub, Place};
use crate::id::{Cursor, Seq};
use crate::machine::reader::{Item, Reader, Then};
use crate::observer::{Channel, Watched};
use crate::settings::Profile;
use crate::store::{Budget, Tail};
use crate::sync::locked;
use crate::time::Tick;

/// How events are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// NDJSON.
    Lines,
    /// Server-sent events.
    Sse,
    /// One object at a time.
    Objects,
}

/// Why a feed is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// The terminal event was shown.
    Ended,
    /// The reader was overtaken too often.
    Slow,
    /// The session is gone.
    Gone,
}

/// What comes next.
#[derive(Debug)]
pub(crate) enum Turn {
    Show(Vec<Frame>),
    /// A sign of life, after silence.
    Beat(Frame),
    Over(Over),
}

#[derive(Debug)]
pub(crate) struct Feed {
    hub: Hub,
    live: Arc<Live>,
    reader: Reader,
    tail: watch::Receiver<Tail>,
    format: Format,
    over: Option<Over>,
    /// When something was said last.
    said: Tick,
    beat: Pin<Box<Sleep>>,
    /// What goes out before anything else.
    first: Vec<Frame>,
    greeted: bool,
    /// Of the response itself: what its end does to the work.
    leaving: Option<OnDisconnect>,
    _place: Option<Place>,
    /// There while somebody measures.
    watched: Option<Watched>,
}

impl Feed {
    /// The response of the request itself.
    pub(crate) fn responder(hub: &Hub, live: &Arc<Live>, leaving: OnDisconnect) -> Self {
        let reader = Reader::responder(Seq::FIRST);
        Self::make(hub, live, reader, Format::Lines, Some(leaving), None)
    }

    /// A reader that comes with a cursor; `None` when it has seen the end already.
    pub(crate) fn reader(
        hub: &Hub,
        live: &Arc<Live>,
        cursor: &Cursor,
        format: Format,
        ticket: Option<Ticket>,
    ) -> Result<Option<Self>, Fault> {
        let tail = *live.log.tail().borrow();
        let reader = Reader::join(cursor, live.origin.epoch, tail.newest);
        if reader.is_past(tail.newest, tail.ended) {
            return Ok(None);
        }
        let place = hub.0.admit_reader(live)?;
        let mut feed = Self::make(hub, live, reader, format, None, Some(place));
        if ticket.is_some() {
            feed.first.extend(feed.rotated());
        }
        Ok(Some(feed))
    }

    fn make(
        hub: &Hub,
        live: &Arc<Live>,
        reader: Reader,
        format: Format,
        leaving: Option<OnDisconnect>,
        place: Option<Place>,
    ) -> Self {
        let now = hub.0.clock.tick();
        let channel = match format {
            Format::Lines if leaving.is_some() => Channel::Response,
            Format::Lines => Channel::Ndjson,
            Format::Sse => Channel::Sse,
            Format::Objects => Channel::WebSocket,
        };
        let behind = match leaving {
            Some(_) => 0,
            None => reader.behind(live.log.tail().borrow().newest),
        };
        Self {
            watched: Watched::join(hub, channel, behind),
            hub: hub.clone(),
            live: Arc::clone(live),
            reader,
            tail: live.log.tail(),
            format,
            over: None,
            said: now,
            beat: Box::pin(tokio::time::sleep(hub.0.settings.heartbeat)),
            first: Vec::new(),
            greeted: false,
            leaving,
            _place: place,
        }
    }

    /// What a reader that came with a ticket comes back with: the one it used is spent.
    fn rotated(&self) -> Option<Frame> {
        let settings = &self.hub.0.settings;
        let now = self.hub.0.clock.now();
        let lifetime = milliseconds(settings.lifetime);
        let id = self.live.origin.session;
        let secret = locked(&self.hub.0.tickets).issue(id, now.tick, lifetime)?;
        let expires = now.wall.seconds_after(lifetime);
        let members = format!(r#","ticket":"{secret}","expires_at":{expires}"#);
        let draft = Draft::raw("ticket", members.into_bytes());
        Some(draft.unnumbered(&self.live.origin, now.wall))
    }

    /// Starts again from another cursor.
    pub(crate) fn resume(&mut self, cursor: &Cursor) {
        let tail = *self.live.log.tail().borrow();
        self.reader = Reader::join(cursor, self.live.origin.epoch, tail.newest);
        self.over = None;
    }

    /// Whether the terminal event is behind this reader.
    pub(crate) fn is_past(&self) -> bool {
        let tail = *self.tail.borrow();
        self.reader.is_past(tail.newest, tail.ended)
    }

    /// What comes next. Dropping the future loses nothing.
    pub(crate) async fn turn(&mut self) -> Turn {
        if let Some(over) = self.over {
            return Turn::Over(over);
        }
        loop {
            // Seen first and read then: what comes in between wakes us again.
            let tail = *self.tail.borrow_and_update();
            let page = self.live.log.page(self.reader.next(), Budget::default());
            let Some(page) = page.wait().await else {
                return self.end(Over::Gone);
            };
            let now = self.hub.0.clock.tick();
            let mut frames = std::mem::take(&mut self.first);
            if self.leaving.is_some()
                && self.reader.next() == Seq::FIRST
                && page.oldest > Seq::FIRST
            {
                // A response begins with its first event, even if a burst has pushed it out of the log meanwhile.
                frames.extend(self.live.opening().cloned());
                self.reader = Reader::responder(Seq::FIRST.next());
            }
            let hub = &self.hub;
            let origin = &self.live.origin;
            let own = |body: &Body| Draft::of(body).unnumbered(origin, hub.0.clock.now().wall);
            let watched = self.watched.as_ref();
            let newest = page.newest;
            let then = self.reader.take(page, now, &mut |item| {
                frames.push(match item {
                    Item::Frame(frame) => frame,
                    Item::Gap(gap) => {
                        if let Some(watched) = watched {
                            watched.gap(gap.reason);
                        }
                        own(&Body::Gap(gap))
                    }
                    Item::ReplayComplete(seq) => {
                        let last_seq = seq.get();
                        own(&Body::ReplayComplete(ReplayComplete { last_seq }))
                    }
                });
            });
            if self.leaving.is_some() {
                self.live.log.hold(Some(self.reader.next()));
            }
            match then {
                Then::End => self.over = Some(Over::Ended),
                Then::Slow => self.over = Some(Over::Slow),
                Then::More | Then::Wait => {}
            }
            if !frames.is_empty() {
                if !self.greeted
                    && self.hub.0.settings.profile == Profile::EachSecond
                    && self.over.is_none()
                {
                    frames.push(self.heartbeat(tail.newest));
                }
                self.greeted = true;
                self.said = now;
                if let Some(watched) = &self.watched {
                    watched.sign(false, self.reader.behind(newest));
                }
                return Turn::Show(frames);
            }
            if let Some(over) = self.over {
                return Turn::Over(over);
            }
            if then == Then::More {
                continue;
            }
            tokio::select! {
                changed = self.tail.changed() => {
                    if changed.is_err() {
                        return self.end(Over::Gone);
                    }
                }
                () = self.beat.as_mut() => {
                    if self.is_due() {
                        if let Some(watched) = &self.watched {
                            watched.sign(true, 0);
                        }
                        return Turn::Beat(self.heartbeat(tail.newest));
                    }
                }
            }
        }
    }

    fn end(&mut self, over: Over) -> Turn {
        self.over = Some(over);
        Turn::Over(over)
    }

    /// Whether it was silent for long enough; sets the timer again.
    fn is_due(&mut self) -> bool {
        let settings = &self.hub.0.settings;
        let interval = milliseconds(settings.heartbeat);
        let now = self.hub.0.clock.tick();
        let due = settings.profile == Profile::EachSecond || now.since(self.said) >= interval;
        let next = if due { now } else { self.said }.plus(interval);
        self.beat.as_mut().reset(self.hub.0.clock.instant(next));
        if due {
            self.said = now;
        }
        due
    }

    fn heartbeat(&self, newest: Seq) -> Frame {
        let now = self.hub.0.clock.now();
        let body = match self.hub.0.settings.profile {
            Profile::Standard => Body::Status(Status {
                message: "heartbeat".to_owned(),
                last_seq: Some(newest.get()),
                ..Status::default()
            }),
            Profile::EachSecond => Body::Heartbeat(Heartbeat {
                ts: now.wall.get(),
                uptime_ms: now.tick.since(Tick::default()),
            }),
        };
        Draft::of(&body).unnumbered(&self.live.origin, now.wall)
    }

    /// The feed as the body of a response.
    pub(crate) fn into_body(self) -> HttpBody {
        let retry = (self.format == Format::Sse).then(|| {
            // Spread, so that readers who lost their server do not come back all at once.
            let jitter = self.live.readers.load(Ordering::Relaxed) * 97 % 500;
            Bytes::from(format!("retry: {}\n\n", 1000 + jitter))
        });
        let steps = stream::unfold(
            (Box::new(self), retry),
            |(mut feed, mut retry)| async move {
                let before = retry.take();
                let chunk = match feed.turn().await {
                    Turn::Show(frames) => join(before, &frames, feed.format),
                    Turn::Beat(frame) => {
                        // A comment too, for whoever looks at the bytes.
                        let comment = Bytes::from_static(b": hb\n");
                        let comment = (feed.format == Format::Sse).then_some(comment);
                        join(before.or(comment), &[frame], feed.format)
                    }
                    Turn::Over(_) => return None,
                };
                Some((Ok::<Bytes, std::convert::Infallible>(chunk), (feed, retry)))
            },
        );
        HttpBody::from_stream(steps)
    }
}

/// Several frames as one chunk; a single one is not copied.
fn join(before: Option<Bytes>, frames: &[Frame], format: Format) -> Bytes {
    let cut = |frame: &Frame| match format {
        Format::Lines => frame.line(),
        Format::Sse => frame.sse(),
        Format::Objects => frame.json(),
    };
    if let ([frame], None) = (frames, &before) {
        return cut(frame);
    }
    let size = frames.iter().map(Frame::size).sum();
    let mut chunk = BytesMut::with_capacity(size);
    chunk.extend_from_slice(&before.unwrap_or_default());
    for frame in frames {
        chunk.extend_from_slice(&cut(frame));
    }
    chunk.freeze()
}

impl Drop for Feed {
    fn drop(&mut self) {
        let Some(policy) = self.leaving else {
            return;
        };
        self.live.log.hold(None);
        let unwatched = self.live.readers.load(Ordering::Relaxed) == 0;
        let cancel = match policy {
            OnDisconnect::Continue => false,
            OnDisconnect::Cancel => true,
            OnDisconnect::CancelIfUnwatched => unwatched,
        };
        if cancel && self.over.is_none() && !self.live.has_ended() {
            self.live.stop(Stop::Disconnected);
        }
    }
}
