//! One session that is open or kept: the shell around its rules and its log.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use aon::door::{Door, Facts, Scope};
use tokio::sync::watch;

use super::Inner;
use crate::a2a::Hooks;
use crate::access::Caller;
use crate::channel::ticket::Issued;
use crate::clock::milliseconds;
use crate::event::{Body, Heartbeat, Status};
use crate::fault::Fault;
use crate::frame::{Draft, Frame, Origin};
use crate::heal::Desk;
use crate::id::{Seq, SessionId};
use crate::machine::session::{Admission, Caps, Session, Weight};
use crate::observer::Signal;
use crate::outcome;
use crate::settings::{Profile, Settings};
use crate::store::{Answer, Appended, Durability, Log};
use crate::sync::{Mutex, locked};
use crate::time::{Now, Tick, WallMs};

pub(crate) mod audience;

use audience::Audience;

/// Why the work of a session is to end before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Somebody asked for it.
    Cancelled,
    /// The caller left, and the route says that this ends it.
    Disconnected,
    /// The server goes down.
    Shutdown,
    /// It was open for too long.
    Expired,
    /// Another node has taken it over.
    Lost,
}

impl Stop {
    pub(crate) fn fault(self) -> Fault {
        match self {
            Self::Cancelled | Self::Disconnected => Fault::Cancelled,
            Self::Shutdown => Fault::ShuttingDown,
            Self::Expired => Fault::SessionExpired,
            Self::Lost => Fault::SessionOrphaned,
        }
    }
}

/// How a session ended, for its state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) at: Now,
    pub(crate) success: bool,
}

#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) origin: Origin,
    pub(crate) owner: Option<Caller>,
    pub(crate) created: Now,
    pub(crate) log: Arc<dyn Log>,
    pub(crate) readers: AtomicUsize,
    pub(crate) audience: Audience,
    pub(crate) tickets: Mutex<Issued>,
    /// Whether another hub runs it, and this one only reads.
    elsewhere: AtomicBool,
    /// How much survives what.
    pub(crate) durability: Durability,
    /// Whether it goes on in memory while its store does not answer.
    pub(super) goes_on: bool,
    /// The last number that was given.
    given: AtomicU64,
    /// When something was said last.
    said: AtomicU64,
    /// The questions to people.
    pub(crate) desk: Desk,
    /// Who is told what becomes of it, where it is a task of A2A.
    pub(crate) hooks: OnceLock<Hooks>,
    rules: Mutex<Session>,
    stop: watch::Sender<Option<Stop>>,
    end: OnceLock<End>,
    /// The first event, which the response begins with whatever the log still holds.
    opening: OnceLock<Frame>,
    /// What the program says right before a successful end.
    closing: Mutex<Option<Draft>>,
    /// Whether somebody in the handler watches for a cancellation.
    watched: AtomicBool,
    hub: Weak<Inner>,
    /// Where answers of a store elsewhere are waited for, also when a thread without a runtime publishes.
    runtime: Option<tokio::runtime::Handle>,
}

impl Live {
    pub(super) fn new(
        origin: Origin,
        owner: Option<Caller>,
        log: Arc<dyn Log>,
        hub: &Arc<Inner>,
        created: Now,
    ) -> Self {
        let caps = Caps {
            events: hub.settings.events,
            per_second: hub.settings.events_per_second,
        };
        Self {
            origin,
            owner,
            created,
            log,
            readers: AtomicUsize::new(0),
            audience: Audience::default(),
            tickets: Mutex::default(),
            elsewhere: AtomicBool::new(false),
            durability: hub.store.durability(),
            goes_on: false,
            given: AtomicU64::new(0),
            said: AtomicU64::new(created.tick.0),
            desk: Desk::default(),
            hooks: OnceLock::new(),
            rules: Mutex::new(Session::new(caps)),
            stop: watch::Sender::new(None),
            end: OnceLock::new(),
            opening: OnceLock::new(),
            closing: Mutex::default(),
            watched: AtomicBool::new(false),
            hub: Arc::downgrade(hub),
            runtime: tokio::runtime::Handle::try_current().ok(),
        }
    }

    /// A session that another hub runs, as it is in the store they share.
    pub(super) fn elsewhere(session: SessionId, log: Arc<dyn Log>, hub: &Arc<Inner>) -> Self {
        let about = log.about();
        let origin = Origin {
            session,
            trace: about.trace,
            epoch: about.epoch,
        };
        let owner = about.owner.as_deref().map(Caller::new);
        let created = Now {
            tick: hub.clock.tick(),
            wall: WallMs(about.created_ms),
        };
        Self {
            elsewhere: AtomicBool::new(true),
            ..Self::new(origin, owner, log, hub, created)
        }
    }

    /// A session that this hub has taken over, and goes on with behind this number.
    pub(super) fn taken(
        session: SessionId,
        log: Arc<dyn Log>,
        newest: Seq,
        hub: &Arc<Inner>,
    ) -> Self {
        let caps = Caps {
            events: hub.settings.events,
            per_second: hub.settings.events_per_second,
        };
        Self {
            elsewhere: AtomicBool::new(false),
            given: AtomicU64::new(newest.get()),
            rules: Mutex::new(Session::after(newest, caps)),
            ..Self::elsewhere(session, log, hub)
        }
    }

    /// Whether another hub runs it.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.elsewhere.load(Ordering::Relaxed)
    }

    /// It is kept as well as that.
    pub(super) const fn promising(mut self, durability: Durability, goes_on: bool) -> Self {
        self.durability = durability;
        self.goes_on = goes_on;
        self
    }

    /// Waits until everything that was published so far is stored. Whether it is; not when another node has taken it over.
    pub(crate) async fn stored(&self) -> bool {
        let last = self.given.load(Ordering::Acquire);
        let mut tail = self.log.tail();
        tokio::select! {
            biased;
            // An error means that the log is gone.
            seen = tail.wait_for(|tail| tail.newest.get() >= last) => seen.is_ok() && !self.is_elsewhere(),
            () = self.lost() => false,
        }
    }

    /// Waits until another node has taken it over.
    async fn lost(&self) {
        let mut stop = self.stop.subscribe();
        let taken = stop.wait_for(|stop| *stop == Some(Stop::Lost));
        if taken.await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Another node has taken it over: nothing is published here any more, and its work ends.
    fn lose(&self) {
        if self.elsewhere.swap(true, Ordering::Relaxed) {
            return;
        }
        self.stop.send_replace(Some(Stop::Lost));
        if let Some(hub) = self.hub.upgrade() {
            hub.ended(self.origin.session);
        }
    }

    /// Publishes an event that is not the end. Whether it was taken.
    pub(crate) fn publish(self: &Arc<Self>, draft: &Draft, weight: Weight) -> bool {
        let Some(hub) = self.hub.upgrade() else {
            return false;
        };
        if self.is_elsewhere() {
            return false;
        }
        let now = hub.clock.now();
        let mut rules = locked(&self.rules);
        let Admission::Take(seq) = rules.admit(weight, now.tick) else {
            return false;
        };
        let frame = draft.number(&self.origin, seq, now.wall);
        if seq == Seq::FIRST {
            // Numbers are given once, so this is set once.
            let _: Result<(), Frame> = self.opening.set(frame.clone());
        }
        // Under the lock, so that appends are made in the order of their numbers.
        self.append(vec![frame]);
        drop(rules);
        self.say(now.tick);
        hub.tell(|| Signal::Published { kind: draft.kind() });
        hub.relieve(self);
        true
    }

    /// Says how it goes to those who follow it on this machine, without storing it.
    pub(crate) fn publish_aside(&self, body: &Body) {
        let Some(hub) = self.hub.upgrade().filter(|_| !self.is_elsewhere()) else {
            return;
        };
        let now = hub.clock.now();
        let mut rules = locked(&self.rules);
        let Some(after) = rules.admit_local(now.tick) else {
            return;
        };
        let frame = Draft::of(body).unnumbered(&self.origin, now.wall);
        // Under the lock, so that they come in the order in which they were said.
        self.audience.aside(after, frame);
        drop(rules);
        self.log.nudge();
        self.say(now.tick);
        hub.tell(|| Signal::Published { kind: body.kind() });
        hub.tell_body(body, Some(self.origin.trace));
    }

    pub(crate) fn publish_kept(self: &Arc<Self>, body: &Body) {
        self.publish_body(body, Weight::Kept);
    }

    /// Publishes an event of the protocol, and tells whoever measures what it says.
    pub(crate) fn publish_body(self: &Arc<Self>, body: &Body, weight: Weight) {
        self.publish(&Draft::of(body), weight);
        if let Some(hub) = self.hub.upgrade() {
            hub.tell_body(body, Some(self.origin.trace));
        }
    }

    /// The last number that was given.
    pub(crate) fn newest(&self) -> Seq {
        Seq::new(self.given.load(Ordering::Acquire))
    }

    /// Keeps an event for the moment right before a successful end.
    pub(crate) fn close_with(&self, draft: Draft) {
        *locked(&self.closing) = Some(draft);
    }

    /// Publishes the end, unless there is one already. Whether this was it.
    pub(crate) fn finish(self: &Arc<Self>, body: &Body) -> bool {
        let Some(hub) = self.hub.upgrade() else {
            return false;
        };
        if self.is_elsewhere() {
            return false;
        }
        let draft = Draft::of(body);
        let mut rules = locked(&self.rules);
        if rules.has_ended() {
            rules.finish();
            return false;
        }
        let now = hub.clock.now();
        let mut frames = Vec::with_capacity(2);
        if rules.dropped() > 0
            && let Admission::Take(seq) = rules.admit(Weight::Kept, now.tick)
        {
            let left_out = Draft::of(&Body::Status(Status {
                message: "Some events were dropped.".to_owned(),
                phase: Some("dropped".to_owned()),
                dropped: Some(rules.dropped()),
                ..Status::default()
            }));
            frames.push(left_out.number(&self.origin, seq, now.wall));
        }
        let success = matches!(body, Body::Result(_));
        // Under the same lock as the end, so that nothing comes between the two.
        if let Some(closing) = locked(&self.closing).take().filter(|_| success)
            && let Admission::Take(seq) = rules.admit(Weight::Kept, now.tick)
        {
            frames.push(closing.number(&self.origin, seq, now.wall));
        }
        if let Some(seq) = rules.finish() {
            frames.push(draft.number(&self.origin, seq, now.wall));
        }
        // The first end is the only one, so this is set once.
        let _: Result<(), End> = self.end.set(End { at: now, success });
        self.append(frames);
        let left_out = rules.dropped();
        drop(rules);
        hub.tell(|| Signal::Published { kind: body.kind() });
        hub.tell(|| self.ending(body, now, left_out));
        hub.ended(self.origin.session);
        hub.relieve(self);
        true
    }

    fn ending<'b>(&self, body: &'b Body, at: Now, left_out: u64) -> Signal<'b> {
        let (status, code) = if let Body::Error(error) = body {
            (error.status, Some(&*error.code))
        } else if let Body::Result(result) = body {
            (result.status, None)
        } else {
            (0, None)
        };
        Signal::SessionEnded {
            session: self.origin.session,
            trace: self.origin.trace,
            started: self.created.wall.get(),
            at: at.wall.get(),
            status,
            code,
            left_out,
        }
    }

    /// Ends it with a problem of ours, unless it has ended.
    pub(crate) fn fail(self: &Arc<Self>, fault: &Fault) -> bool {
        !self.has_ended() && self.finish(&outcome::failed(fault, &self.scope()))
    }

    /// A scope for what ends it from outside of its request.
    fn scope(&self) -> Scope {
        let facts = Facts::new("stream").with_request_id(self.origin.trace.to_string());
        Scope::open(&Door::new(), facts)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.end.get().is_some() || self.is_elsewhere() && self.log.tail().get().ended
    }

    /// When something was said last.
    pub(super) fn said(&self) -> Tick {
        Tick(self.said.load(Ordering::Relaxed))
    }

    pub(crate) fn say(&self, now: Tick) {
        self.said.store(now.0, Ordering::Relaxed);
    }

    /// Whether somebody follows it here.
    pub(super) fn is_followed(&self) -> bool {
        self.audience.is_there()
    }

    /// A sign of life for everybody who follows it, made once.
    pub(super) fn beat(&self, settings: &Settings, now: Now) {
        self.say(now.tick);
        self.audience.beat(self.heartbeat(settings, now));
        self.log.nudge();
    }

    pub(crate) fn heartbeat(&self, settings: &Settings, now: Now) -> Frame {
        let body = match settings.profile {
            Profile::Standard => Body::Status(Status {
                message: "heartbeat".to_owned(),
                last_seq: Some(self.log.tail().get().newest.get()),
                ..Status::default()
            }),
            Profile::EachSecond => Body::Heartbeat(Heartbeat {
                ts: now.wall.get(),
                uptime_ms: now.tick.since(Tick::default()),
            }),
        };
        Draft::of(&body).unnumbered(&self.origin, now.wall)
    }

    /// Ends readers that have left unread what there is for that long.
    pub(super) fn end_stalled(&self, now: Tick, stalled: u64) {
        let newest = self.log.tail().get().newest;
        self.audience.end_stalled(newest, now, stalled);
    }

    /// The first event.
    pub(crate) fn opening(&self) -> Option<&Frame> {
        self.opening.get()
    }

    pub(crate) fn end(&self) -> Option<End> {
        self.end.get().copied()
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(&self) {
        let mut tail = self.log.tail();
        // An error means that the log is gone, and then nothing will follow.
        let _: Result<_, _> = tail.wait_for(|tail| tail.ended).await;
    }

    /// Asks the work to end. The first reason counts.
    pub(crate) fn stop(&self, reason: Stop) {
        self.stop.send_if_modified(|stop| {
            let first = stop.is_none() || reason == Stop::Shutdown;
            if first {
                *stop = Some(reason);
            }
            first
        });
    }

    /// Lets a handler that watches know that the server goes down; others go on until the grace is over.
    pub(crate) fn drain(&self) {
        if self.watched.load(Ordering::Relaxed) {
            self.stop(Stop::Shutdown);
        }
    }

    /// Waits until the work is asked to end.
    pub(crate) async fn stopped(&self) -> Stop {
        let mut stop = self.stop.subscribe();
        let reason = stop.wait_for(Option::is_some).await;
        reason
            .ok()
            .and_then(|reason| *reason)
            .unwrap_or(Stop::Shutdown)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.borrow().is_some()
    }

    pub(crate) fn watch(&self) {
        self.watched.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// How long a handler that watches has to end by itself.
    pub(crate) fn grace(&self) -> Duration {
        self.hub
            .upgrade()
            .map_or(Duration::ZERO, |hub| hub.settings.cancel_grace)
    }

    /// How large an answer may be to travel as an event.
    pub(crate) fn max_result(&self) -> usize {
        self.hub.upgrade().map_or(0, |hub| hub.settings.max_result)
    }

    /// Unix seconds: it is gone by then.
    pub(crate) fn expires_at(&self, settings: &Settings, ended: Option<WallMs>) -> u64 {
        let retention = milliseconds(settings.retention);
        ended.map_or_else(
            || {
                let lifetime = milliseconds(settings.lifetime);
                self.created
                    .wall
                    .seconds_after(lifetime.saturating_add(retention))
            },
            |ended| ended.seconds_after(retention),
        )
    }

    /// How many events were left out, and how many came after the end.
    pub(crate) fn losses(&self) -> (u64, u64) {
        let rules = locked(&self.rules);
        (rules.dropped(), rules.late())
    }

    /// A store in this process has answered already; another one is waited for without holding up whoever publishes.
    fn append(self: &Arc<Self>, frames: Vec<Frame>) {
        if let Some(last) = frames.last() {
            self.given.store(last.seq().get(), Ordering::Release);
        }
        match self.log.append(frames) {
            Answer::Now(appended) => self.check(appended),
            Answer::Later(later) => {
                if let Some(runtime) = &self.runtime {
                    let live = Arc::clone(self);
                    runtime.spawn(async move { live.check(later.await) });
                }
            }
        }
    }

    fn check(&self, appended: Appended) {
        match appended {
            Appended::Acked { .. } | Appended::Gone => {}
            Appended::Fenced | Appended::Closed => {
                tracing::error!(?appended, session = %self.origin.session, "an event was not stored: another node has the session");
                self.lose();
            }
            Appended::Unknown => tracing::error!(?appended, "an event was not stored"),
        }
    }
}
