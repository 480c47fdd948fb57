//! One reader of one session, whatever its channel: an index into the log, woken when the log grows.
//!
//! A wake-up drains everything that is ready into one chunk; nothing is ever held back in order to fill one.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::time::Sleep;

use super::ticket::Ticket;
use crate::access::Caller;
use crate::clock::milliseconds;
use crate::event::{Body, ReplayComplete};
use crate::fault::Fault;
use crate::frame::{Draft, Frame};
use crate::glass::OnDisconnect;
use crate::hub::live::audience::{Aside, Audience, Outlet};
use crate::hub::live::{Live, Stop};
use crate::hub::{Hub, Place};
use crate::id::{Cursor, Seq};
use crate::machine::reader::{Item, Reader, Then};
use crate::observer::{Channel, Watched};
use crate::settings::Profile;
use crate::store::{Answer, Budget, Page, Tail, TailReceiver};

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

/// How long an event that a reader has seen on another node may take to come here.
const CATCH_UP: Duration = Duration::from_secs(2);

/// Where the log ends, once it has what the reader has seen. A node hears of the events of others a little later than they
/// are shown there, so a cursor beyond the end of its log is not ahead of the session yet.
async fn caught_up(live: &Live, cursor: &Cursor) -> Tail {
    let mut tail = live.log.tail();
    let here = tail.get();
    let Cursor::After(seen) = cursor else {
        return here;
    };
    if !live.is_elsewhere() || here.ended || seen.epoch != live.origin.epoch {
        return here;
    }
    if seen.seq > here.newest {
        live.log.nudge();
        let there = tail.wait_for(|tail| tail.newest >= seen.seq || tail.ended);
        // Whatever came until then counts.
        let _: Result<_, _> = tokio::time::timeout(CATCH_UP, there).await;
    }
    live.log.tail().get()
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
    /// The token of the reader has expired.
    Expired,
}

/// What comes next.
#[derive(Debug)]
pub(crate) enum Turn {
    Show(Vec<Frame>),
    /// A sign of life, after silence.
    Beat(Frame),
    Over(Over),
}

pub(crate) struct Feed {
    hub: Hub,
    live: Arc<Live>,
    reader: Reader,
    tail: TailReceiver,
    /// A page that is on its way.
    coming: Option<Pin<Box<dyn Future<Output = Option<Page>> + Send>>>,
    /// Whether everything up to the tail that was seen has been shown.
    drained: bool,
    format: Format,
    over: Option<Over>,
    /// How many signs of life of the session it knows of.
    beats: u64,
    /// How many of the events that stay here it knows of.
    asides: u64,
    /// What goes out before anything else.
    first: Vec<Frame>,
    greeted: bool,
    /// Of the response itself: what its end does to the work.
    leaving: Option<OnDisconnect>,
    /// The types this reader sees, where it does not see all of them.
    only: Option<&'static [&'static str]>,
    /// Whether this reader sees details.
    detail: bool,
    /// When the right to read ends.
    until: Option<Pin<Box<Sleep>>>,
    place: Option<Place>,
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
    pub(crate) async fn reader(
        hub: &Hub,
        live: &Arc<Live>,
        cursor: &Cursor,
        format: Format,
        ticket: Option<(Ticket, Option<&str>)>,
    ) -> Result<Option<Self>, Fault> {
        let tail = caught_up(live, cursor).await;
        let reader = Reader::join(cursor, live.origin.epoch, tail.newest);
        if reader.is_past(tail.newest, tail.ended) {
            return Ok(None);
        }
        let place = hub.0.admit_reader(live)?;
        let mut feed = Self::make(hub, live, reader, format, None, Some(place));
        if let Some((_, origin)) = ticket {
            feed.first.extend(rotated(hub, live, origin).await);
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
        live.audience.enter();
        hub.start_pulse();
        let channel = match format {
            Format::Lines if leaving.is_some() => Channel::Response,
            Format::Lines => Channel::Ndjson,
            Format::Sse => Channel::Sse,
            Format::Objects => Channel::WebSocket,
        };
        let behind = match leaving {
            Some(_) => 0,
            None => reader.behind(live.log.tail().get().newest),
        };
        Self {
            watched: Watched::join(hub, channel, behind),
            hub: hub.clone(),
            live: Arc::clone(live),
            reader,
            tail: live.log.tail(),
            coming: None,
            drained: false,
            format,
            over: None,
            beats: live.audience.beats(),
            // The response shows them from the first on; who comes later, from now on.
            asides: if leaving.is_some() {
                0
            } else {
                live.audience.asides()
            },
            first: Vec::new(),
            greeted: false,
            leaving,
            only: None,
            detail: Caller::sees_detail(None, hub.0.settings.environment),
            until: None,
            place,
        }
    }

    /// Server-sent events of these types alone, for a response of a protocol that knows no others; a gap is told all the same.
    pub(crate) const fn sse_of(mut self, only: &'static [&'static str]) -> Self {
        self.format = Format::Sse;
        self.only = Some(only);
        self
    }

    /// Says who reads: what is shown, and until when.
    pub(crate) fn seen_by(mut self, caller: Option<&Caller>) -> Self {
        self.detail = Caller::sees_detail(caller, self.hub.0.settings.environment);
        self.until = caller.and_then(|caller| caller.expires_at).map(|at| {
            let now = self.hub.0.clock.now().wall.get();
            let left = at.saturating_mul(1000).saturating_sub(now);
            Box::pin(tokio::time::sleep(std::time::Duration::from_millis(left)))
        });
        self
    }

    /// The numbering of what it shows.
    pub(crate) fn epoch(&self) -> crate::id::Epoch {
        self.live.origin.epoch
    }

    /// Starts again from another cursor.
    pub(crate) async fn resume(&mut self, cursor: &Cursor) {
        let tail = caught_up(&self.live, cursor).await;
        self.reader = Reader::join(cursor, self.live.origin.epoch, tail.newest);
        self.over = None;
        self.coming = None;
        self.drained = false;
    }

    /// Whether the terminal event is behind this reader.
    pub(crate) fn is_past(&self) -> bool {
        let tail = self.tail.get();
        self.reader.is_past(tail.newest, tail.ended)
    }

    /// What comes next. Dropping the future loses nothing.
    pub(crate) async fn turn(&mut self) -> Turn {
        poll_fn(|cx| self.poll_turn(cx)).await
    }

    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<Turn> {
        if let Some(over) = self.over {
            return Poll::Ready(Turn::Over(over));
        }
        if let Some(until) = &mut self.until
            && until.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(self.end(Over::Expired));
        }
        loop {
            // Seen first and read then: what comes in between wakes us again.
            if self.drained {
                let changed = ready!(self.tail.poll_changed(cx));
                self.drained = false;
                if changed.is_err() {
                    return Poll::Ready(self.end(Over::Gone));
                }
            } else if self.coming.is_none() {
                self.tail.see();
            }
            let Some(page) = ready!(self.poll_page(cx)) else {
                return Poll::Ready(self.end(Over::Gone));
            };
            if let Some(turn) = self.show(page) {
                return Poll::Ready(turn);
            }
        }
    }

    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Page>> {
        if self.coming.is_none() {
            match self.live.log.page(self.reader.next(), Budget::default()) {
                Answer::Now(page) => return Poll::Ready(page),
                Answer::Later(page) => self.coming = Some(page),
            }
        }
        let Some(coming) = &mut self.coming else {
            return Poll::Pending;
        };
        let page = ready!(coming.as_mut().poll(cx));
        self.coming = None;
        Poll::Ready(page)
    }

    /// What a page shows, if it shows anything.
    fn show(&mut self, page: Page) -> Option<Turn> {
        let newest = page.newest;
        let (mut frames, then) = self.taken(page);
        if self.live.audience.asides() != self.asides {
            frames = self.with_asides(frames);
        }
        if let Some(only) = self.only {
            let known = |kind: &[u8]| only.iter().any(|known| known.as_bytes() == kind);
            frames.retain(|frame| known(frame.kind()) || frame.kind() == b"gap");
        }
        if self.leaving.is_some() {
            self.live.log.hold(Some(self.reader.next()));
        }
        let beats = self.live.audience.beats();
        // A sign of life that came together with events is still to be shown after them.
        self.drained = then == Then::Wait && beats == self.beats;
        match then {
            Then::End => self.over = Some(Over::Ended),
            Then::Slow => self.over = Some(Over::Slow),
            Then::More | Then::Wait => {}
        }
        if !frames.is_empty() {
            let settings = &self.hub.0.settings;
            if !self.greeted && settings.profile == Profile::EachSecond && self.over.is_none() {
                frames.push(self.live.heartbeat(settings, self.hub.0.clock.now()));
            }
            self.greeted = true;
            if self.live.is_elsewhere() {
                self.live.say(self.hub.0.clock.tick());
            }
            if let Some(watched) = &self.watched {
                watched.sign(false, self.reader.behind(newest));
            }
            return Some(Turn::Show(frames));
        }
        if let Some(over) = self.over {
            return Some(Turn::Over(over));
        }
        if then == Then::More || beats == self.beats {
            return None;
        }
        self.drained = true;
        self.beats = beats;
        let beat = self.live.audience.newest_beat()?;
        if let Some(watched) = &self.watched {
            watched.sign(true, 0);
        }
        Some(Turn::Beat(beat))
    }

    /// The frames of a page, with what the reader has to be told around them.
    fn taken(&mut self, page: Page) -> (Vec<Frame>, Then) {
        let mut frames = std::mem::take(&mut self.first);
        if self.leaving.is_some() && self.reader.next() == Seq::FIRST && page.oldest > Seq::FIRST {
            // A response begins with its first event, even if a burst has pushed it out of the log meanwhile.
            frames.extend(self.live.opening().cloned());
            self.reader = Reader::responder(Seq::FIRST.next());
        }
        let page = if frames.is_empty() {
            match self.reader.take_whole(page) {
                Ok((mut whole, then)) => {
                    for frame in whole.iter_mut().filter(|_| !self.detail) {
                        frame.reduce();
                    }
                    return (whole, then);
                }
                Err(page) => page,
            }
        } else {
            page
        };
        let (hub, live, detail) = (&self.hub, &self.live, self.detail);
        let origin = &live.origin;
        let own = |body: &Body| Draft::of(body).unnumbered(origin, hub.0.clock.now().wall);
        let now = hub.0.clock.tick();
        let watched = self.watched.as_ref();
        let then = self.reader.take(page, now, &mut |item| match item {
            Item::Frame(frame) => frames.push(frame.seen(detail)),
            Item::Gap(gap) => {
                if let Some(watched) = watched {
                    watched.gap(gap.reason);
                }
                let lost_before = Seq::new(gap.oldest);
                frames.push(own(&Body::Gap(gap)));
                // A question that waits for an answer is not lost with its event.
                for question in live.desk.open_since_before(lost_before) {
                    let again = Box::new(question.request());
                    frames.push(own(&Body::InteractiveHealingRequest(again)));
                }
            }
            Item::ReplayComplete(seq) => {
                let last_seq = seq.get();
                frames.push(own(&Body::ReplayComplete(ReplayComplete { last_seq })));
            }
        });
        (frames, then)
    }

    /// Puts in what stays on this machine, each behind the event after which it was said.
    fn with_asides(&mut self, frames: Vec<Frame>) -> Vec<Frame> {
        let audience = &self.live.audience;
        let (seen, due) = audience.asides_before(self.asides, self.reader.next());
        self.asides = seen;
        let mut due = due.into_iter().peekable();
        let mut merged = Vec::with_capacity(frames.len() + due.len());
        for frame in frames {
            let before = |aside: &Aside| aside.after < frame.seq();
            while let Some(aside) = due.next_if(before) {
                merged.push(aside.frame);
            }
            merged.push(frame);
        }
        merged.extend(due.map(|aside| aside.frame));
        merged
    }

    fn end(&mut self, over: Over) -> Turn {
        self.over = Some(over);
        Turn::Over(over)
    }

    /// The number it gets next, and whether it was shown the end.
    pub(super) const fn progress(&self) -> (Seq, bool) {
        (self.reader.next(), self.over.is_some())
    }

    /// Who follows the session.
    pub(super) fn audience(&self) -> &Audience {
        &self.live.audience
    }

    /// Hands its place over, so that it can be taken back from outside. The response of the request itself has none.
    pub(super) fn outlet(&mut self) -> Option<Arc<Outlet>> {
        let place = self.place.take()?;
        Some(Arc::new(Outlet::new(place, self.reader.next())))
    }

    /// What comes before everything else on server-sent events.
    pub(super) fn retry(&self) -> Option<Bytes> {
        (self.format == Format::Sse).then(|| {
            // Spread, so that readers who lost their server do not come back all at once.
            let jitter = self.live.readers.load(Ordering::Relaxed) * 97 % 500;
            Bytes::from(format!("retry: {}\n\n", 1000 + jitter))
        })
    }

    /// The next piece of a body, and nothing when it is over.
    pub(super) fn poll_piece(
        &mut self,
        before: &mut Option<Bytes>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Bytes>> {
        let turn = ready!(self.poll_turn(cx));
        let before = before.take();
        Poll::Ready(match turn {
            Turn::Show(frames) => Some(join(before, frames, self.format)),
            Turn::Beat(_) if self.only.is_some() => {
                let comment = Bytes::from_static(b": hb\n\n");
                Some(before.map_or(comment.clone(), |first| {
                    Bytes::from([first, comment].concat())
                }))
            }
            Turn::Beat(frame) => {
                // A comment too, for whoever looks at the bytes.
                let comment = Bytes::from_static(b": hb\n");
                let comment = (self.format == Format::Sse).then_some(comment);
                Some(join(before.or(comment), vec![frame], self.format))
            }
            Turn::Over(_) => None,
        })
    }
}

/// What a reader that came with a ticket comes back with: the one it used is spent.
async fn rotated(hub: &Hub, live: &Live, origin: Option<&str>) -> Option<Frame> {
    let settings = &hub.0.settings;
    let now = hub.0.clock.now();
    let lifetime = milliseconds(settings.lifetime);
    let secret = hub.issue(live, origin, now.tick, lifetime).await?;
    let expires = now.wall.seconds_after(lifetime);
    let members = format!(r#","ticket":"{secret}","expires_at":{expires}"#);
    let draft = Draft::raw("ticket", members.into_bytes());
    Some(draft.unnumbered(&live.origin, now.wall))
}

/// Several frames as one chunk; a single one is not copied.
fn join(before: Option<Bytes>, mut frames: Vec<Frame>, format: Format) -> Bytes {
    let cut = |frame: Frame| match format {
        Format::Lines => frame.line(),
        Format::Sse => frame.into_sse(),
        Format::Objects => frame.json(),
    };
    if before.is_none()
        && frames.len() == 1
        && let Some(frame) = frames.pop()
    {
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

impl std::fmt::Debug for Feed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Feed")
            .field("session", &self.live.origin.session)
            .field("reader", &self.reader)
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.live.audience.leave();
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
