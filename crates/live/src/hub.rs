//! The hub: all sessions of a program, and the one source for every channel ([L5]).
//!
//! [L5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l5

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::access::Caller;
use crate::clock::{Clock, milliseconds};
use tokio::sync::watch;

use crate::event::{Body, Opened, Status, VERSION};
use crate::fault::Fault;
use crate::frame::Origin;
use crate::id::{Epoch, Seq, SessionId, TraceId};
use crate::observer::Signal;
use crate::session::Route;
use crate::settings::Settings;
use crate::store::{About, Durability, Memory, Store, WhenGone};
use crate::sync::{Mutex, locked};

pub(crate) mod inbox;
pub(crate) mod live;
mod pulse;
mod table;

use live::{Live, Stop};
use table::Table;

/// All sessions of a program. Cheap to clone: clones are the same hub.
///
/// ```
/// use aon_live::{GlassBox, Hub, Session};
/// use axum::{Router, routing::get};
///
/// async fn greet(session: Session) -> String {
///     session.status("looking for words");
///     "\"hello\"".to_owned()
/// }
///
/// let hub = Hub::new();
/// let app: Router = Router::new().route("/greet", get(greet)).layer(GlassBox::new(&hub)).merge(hub.routes());
/// # let _ = app;
/// ```
#[derive(Clone, Debug)]
pub struct Hub(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) settings: Settings,
    pub(crate) clock: Clock,
    pub(crate) store: Arc<dyn Store>,
    table: Mutex<Table>,
    readers: AtomicUsize,
    draining: AtomicBool,
    /// Says when a shutdown waits no longer; whoever listens is a black box at work.
    closing: watch::Sender<()>,
    pulse: pulse::Pulse,
}

/// Figures of a hub at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Sessions, ended ones included.
    pub sessions: usize,
    /// Sessions that have not ended.
    pub open: usize,
    /// Readers of all sessions, beside the responses themselves.
    pub readers: usize,
    /// Bytes of events that are kept.
    pub bytes: usize,
}

impl Hub {
    /// A hub in memory with the defaults: nothing to install.
    pub fn new() -> Self {
        Self::with(Settings::new())
    }

    /// A hub with settings of your own.
    pub fn with(mut settings: Settings) -> Self {
        let store = settings.store.take().unwrap_or_else(|| settings.kept());
        let hub = Self(Arc::new(Inner {
            settings,
            clock: Clock::start(),
            store,
            table: Mutex::default(),
            readers: AtomicUsize::new(0),
            draining: AtomicBool::new(false),
            closing: watch::Sender::new(()),
            pulse: pulse::Pulse::default(),
        }));
        hub.0.attach();
        hub.0.store.attend(inbox::of(&hub));
        hub
    }

    /// A hub whose sessions are kept in an engine that speaks the protocol of Redis: every node with this line serves every
    /// session, and a node or a primary that is killed loses nothing that anybody was shown.
    ///
    /// ```
    /// # fn made() -> Result<aon_live::Hub, aon_live::store::BadAddress> {
    /// use aon_live::Hub;
    ///
    /// // A primary and a replica; an event counts as stored when the replica has it.
    /// let hub = Hub::redis("redis://10.0.0.1:6379,10.0.0.2:6379?replicas=1")?;
    /// # Ok(hub)
    /// # }
    /// # assert!(made().is_ok());
    /// ```
    ///
    /// # Errors
    ///
    /// When it is not an address of engines; [`RedisSettings`](crate::store::RedisSettings) says what is.
    #[cfg(feature = "redis")]
    pub fn redis(url: &str) -> Result<Self, crate::store::BadAddress> {
        let redis = crate::store::RedisSettings::new(url)?;
        Ok(Self::with(Settings::new().redis(redis)))
    }

    /// What cannot be used at the moment: nothing when all is well. `GET /aon/health` says the same.
    pub fn trouble(&self) -> Option<String> {
        self.0.store.trouble()
    }

    /// The name of this node among those that share a store.
    pub fn node(&self) -> Option<&str> {
        self.0.store.node()
    }

    /// Figures of this moment.
    pub fn stats(&self) -> Stats {
        let table = locked(&self.0.table);
        Stats {
            sessions: table.len(),
            open: table.open(),
            readers: self.0.readers.load(Ordering::Relaxed),
            bytes: self.0.store.held(),
        }
    }

    /// Whether sessions of a route go on while the store does not answer.
    fn goes_on(&self, when_gone: Option<WhenGone>) -> bool {
        when_gone.unwrap_or_else(|| self.0.store.when_gone()) == WhenGone::Memory
    }

    /// A place for another session, which may open later; ended ones make room.
    pub(crate) fn reserve(&self, when_gone: Option<WhenGone>) -> Result<Room, Fault> {
        if self.0.draining.load(Ordering::Relaxed) {
            return Err(Fault::ShuttingDown);
        }
        let stores = self.0.store.keeps();
        if !stores && !self.goes_on(when_gone) {
            return Err(Fault::StoreUnavailable);
        }
        let settings = &self.0.settings;
        self.sweep();
        let full = |table: &Table| table.taken() >= settings.sessions;
        let mut table = locked(&self.0.table);
        while full(&table) || self.0.store.held() > settings.budget {
            let Some(id) = table.forget_oldest() else {
                break;
            };
            self.0.store.remove(id).now();
        }
        if full(&table) {
            return Err(Fault::TooManySessions);
        }
        // What waits to be stored is in memory, too.
        if !stores && self.0.store.held() > settings.budget {
            return Err(Fault::StoreUnavailable);
        }
        table.reserved = table.reserved.saturating_add(1);
        Ok(Room(Some(Arc::clone(&self.0))))
    }

    /// Opens a session in its place: numbers, log, and its first event.
    pub(crate) fn open(
        &self,
        room: Option<Room>,
        trace: Option<TraceId>,
        owner: Option<Caller>,
        responds: bool,
        route: &Route,
    ) -> Arc<Live> {
        let mut random = [0; 36];
        if let Err(error) = getrandom::fill(&mut random) {
            // Without randomness nothing is unguessable: such a session is told to nobody but its own caller.
            tracing::error!(%error, "the system gave no random numbers");
        }
        let part = |from: usize| {
            let mut bytes = [0; 16];
            bytes.copy_from_slice(&random[from..from + 16]);
            bytes
        };
        let epoch = u32::from_be_bytes([random[32], random[33], random[34], random[35]]);
        let fresh = || TraceId::from_bytes(part(16)).unwrap_or_else(TraceId::least);
        let origin = Origin {
            session: SessionId::from_bytes(part(0)),
            trace: trace.unwrap_or_else(fresh),
            epoch: Epoch::new(epoch),
        };
        // Two equal ids of 128 random bits do not happen; if they did, the second session would be nobody's to find.
        let now = self.0.clock.now();
        let mut about = About::new(origin.epoch, origin.trace, now.wall.get());
        if let Some(owner) = &owner {
            about = about.owned_by(&owner.subject);
        }
        let store = &self.0.store;
        let stores = store.keeps();
        let goes_on = self.goes_on(route.when_gone);
        about.goes_on = goes_on;
        about.again.clone_from(&route.again);
        let kept = store.create(origin.session, about.clone());
        let able = goes_on && kept.as_ref().is_some_and(|log| log.go_on());
        // Where the store cannot go on by itself, it lives in memory for good.
        let kept = kept.filter(|_| stores || able || !goes_on);
        let durability = match &kept {
            Some(_) if stores || !goes_on => store.durability(),
            Some(_) | None => Durability::Memory,
        };
        let log = kept.unwrap_or_else(|| {
            let settings = &self.0.settings;
            Memory::new(settings.ring_events, settings.ring_bytes).lone(about)
        });
        let live = Live::new(origin, owner, log, &self.0, now).promising(durability, goes_on);
        let live = Arc::new(live);
        if responds {
            live.log.hold(Some(Seq::FIRST));
        }
        let mut table = locked(&self.0.table);
        table.insert(Arc::clone(&live));
        if room.is_some_and(Room::used) {
            table.reserved = table.reserved.saturating_sub(1);
        }
        drop(table);
        self.0.tell(|| Signal::SessionStarted {
            session: live.origin.session,
            trace: live.origin.trace,
            at: live.created.wall.get(),
        });
        live.publish_kept(&Body::Session(self.opened(&live)));
        self.start_pulse();
        live
    }

    fn opened(&self, live: &Live) -> Opened {
        let settings = &self.0.settings;
        let id = live.origin.session;
        Opened {
            version: VERSION,
            durability: live.durability.as_str().to_owned(),
            sse_url: self.address(id, "/events"),
            ws_url: self.address(id, "/ws"),
            patch_url: self.address(id, "/healing"),
            state_url: self.address(id, ""),
            expires_at: live.expires_at(settings, None),
            heartbeat_ms: Some(milliseconds(settings.heartbeat)),
        }
    }

    /// Where a session is.
    pub(crate) fn address(&self, id: SessionId, what: &str) -> String {
        let settings = &self.0.settings;
        format!("{}{}/sessions/{id}{what}", settings.base, settings.prefix)
    }

    /// A session, ended ones included while they are kept: of this hub, or of another one that shares its store.
    pub(crate) async fn find(&self, id: SessionId) -> Option<Arc<Live>> {
        self.sweep();
        // One that was taken from here is read like that of any other node.
        let here = locked(&self.0.table).get(id);
        if let Some(live) = here.filter(|live| !live.is_elsewhere()) {
            return Some(live);
        }
        let log = self.0.store.open(id).wait().await?;
        let guest = || Arc::new(Live::elsewhere(id, log, &self.0));
        Some(locked(&self.0.table).guest(id, guest))
    }

    /// Whether it still keeps a session of its own.
    pub(crate) fn knows(&self, id: SessionId) -> bool {
        locked(&self.0.table).get(id).is_some()
    }

    /// Whether a session is open or kept here.
    #[cfg(feature = "rmcp")]
    pub(crate) fn holds(&self, id: SessionId) -> bool {
        self.sweep();
        locked(&self.0.table).get(id).is_some()
    }

    /// Waits until a shutdown waits no longer for whoever waits here.
    pub(crate) fn closing(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut closing = self.0.closing.subscribe();
        async move {
            // An error means that the hub is gone, and with it who could end it.
            if closing.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Ends the program's streams in bounded time: sessions learn that the server is draining, have `grace` to end,
    /// and are then ended with `shutting_down`. Readers end with their sessions. New glass boxes are refused. Black boxes have
    /// the same time, and are then answered 503 `shutting_down`.
    ///
    /// ```
    /// # async fn serve(hub: aon_live::Hub, app: axum::Router, listener: tokio::net::TcpListener) -> std::io::Result<()> {
    /// use std::time::Duration;
    ///
    /// let drain = async move {
    ///     // wait for a signal here
    ///     hub.shutdown(Duration::from_secs(5)).await;
    /// };
    /// axum::serve(listener, app).with_graceful_shutdown(drain).await
    /// # }
    /// # let _ = serve;
    /// ```
    pub async fn shutdown(&self, grace: Duration) {
        self.0.draining.store(true, Ordering::Relaxed);
        let open = locked(&self.0.table).all_open();
        for live in &open {
            live.publish_kept(&Body::Status(Status {
                message: "The server is shutting down.".to_owned(),
                phase: Some("draining".to_owned()),
                estimated_delay_ms: Some(milliseconds(grace)),
                ..Status::default()
            }));
            live.drain();
        }
        let all = async {
            for live in &open {
                live.ended().await;
            }
            self.0.closing.closed().await;
        };
        // Who has not ended by then is ended.
        if tokio::time::timeout(grace, all).await.is_err() {
            for live in &open {
                live.stop(Stop::Shutdown);
            }
        }
        self.0.closing.send_replace(());
        let open_at_first = open;
        // Taken out of the lock first: ending a session needs it.
        let open = locked(&self.0.table).all_open();
        for live in open {
            live.stop(Stop::Shutdown);
            live.fail(&Fault::ShuttingDown);
        }
        // What was said last is stored before the program ends.
        let stored = async {
            for live in &open_at_first {
                live.stored().await;
            }
            self.0.store.close().wait().await;
        };
        let _late: Result<(), _> = tokio::time::timeout(STORED, stored).await;
    }
}

/// How long the last words of a program may take to be stored.
const STORED: Duration = Duration::from_secs(2);

impl Default for Hub {
    fn default() -> Self {
        Self::new()
    }
}

impl Hub {
    /// Lets go of sessions that ended long enough ago.
    fn sweep(&self) {
        let settings = &self.0.settings;
        let now = self.0.clock.tick();
        loop {
            let gone = locked(&self.0.table).forget_before(now, milliseconds(settings.retention));
            let Some(id) = gone else { break };
            self.0.store.remove(id).now();
        }
    }
}

impl Inner {
    /// A session has ended: it is kept for a while.
    pub(crate) fn ended(&self, id: SessionId) {
        locked(&self.table).end(id, self.clock.tick());
    }

    /// Keeps all sessions together within the budget, while one of them grows.
    pub(crate) fn relieve(&self, growing: &Live) {
        while self.store.held() > self.settings.budget {
            let Some(id) = locked(&self.table).forget_oldest() else {
                growing.log.shrink(0);
                return;
            };
            self.store.remove(id).now();
        }
    }

    /// A place for one more reader.
    pub(crate) fn admit_reader(self: &Arc<Self>, live: &Arc<Live>) -> Result<Place, Fault> {
        let take = |count: &AtomicUsize, limit: usize| {
            let more = |n: usize| (n < limit).then_some(n + 1);
            count
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
                .is_ok()
        };
        if !take(&self.readers, self.settings.readers) {
            return Err(Fault::TooManyReaders);
        }
        if !take(&live.readers, self.settings.readers_per_session) {
            self.readers.fetch_sub(1, Ordering::Relaxed);
            return Err(Fault::TooManyReaders);
        }
        Ok(Place {
            hub: Arc::clone(self),
            live: Arc::clone(live),
        })
    }
}

/// The place of a session that is not open yet, given back where it never opens.
#[derive(Debug)]
pub(crate) struct Room(Option<Arc<Inner>>);

impl Room {
    /// The session is open, so whoever holds the table gives the place back. Whether it was one.
    fn used(mut self) -> bool {
        self.0.take().is_some()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(hub) = &self.0 {
            let mut table = locked(&hub.table);
            table.reserved = table.reserved.saturating_sub(1);
        }
    }
}

/// The place of one reader, given back when it leaves.
#[derive(Debug)]
pub(crate) struct Place {
    hub: Arc<Inner>,
    live: Arc<Live>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.hub.readers.fetch_sub(1, Ordering::Relaxed);
        self.live.readers.fetch_sub(1, Ordering::Relaxed);
    }
}
