//! The hub: all sessions of a program, and the one source for every channel (L5).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::access::Caller;
use crate::clock::{Clock, milliseconds};
use crate::event::{Body, Opened, Status, VERSION};
use crate::fault::Fault;
use crate::frame::Origin;
use crate::id::{Epoch, Seq, SessionId, TraceId};
use crate::observer::Signal;
use crate::settings::Settings;
use crate::store::{About, Memory, Store};
use crate::sync::{Mutex, locked};

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
        let store = settings
            .store
            .take()
            .unwrap_or_else(|| Arc::new(Memory::new(settings.ring_events, settings.ring_bytes)));
        let hub = Self(Arc::new(Inner {
            settings,
            clock: Clock::start(),
            store,
            table: Mutex::default(),
            readers: AtomicUsize::new(0),
            draining: AtomicBool::new(false),
            pulse: pulse::Pulse::default(),
        }));
        hub.0.attach();
        hub
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

    /// Whether another session may be opened now; ended ones make room.
    pub(crate) fn has_room(&self) -> Result<(), Fault> {
        if self.0.draining.load(Ordering::Relaxed) {
            return Err(Fault::ShuttingDown);
        }
        let settings = &self.0.settings;
        self.sweep();
        let full = |table: &Table| table.len() >= settings.sessions;
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
        Ok(())
    }

    /// Opens a session: numbers, log, and its first event.
    pub(crate) fn open(
        &self,
        trace: Option<TraceId>,
        owner: Option<Caller>,
        responds: bool,
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
        let log = self.0.store.create(origin.session, about.clone());
        let log = log.unwrap_or_else(|| {
            let settings = &self.0.settings;
            Memory::new(settings.ring_events, settings.ring_bytes).lone(about)
        });
        let live = Arc::new(Live::new(origin, owner, log, &self.0, now));
        if responds {
            live.log.hold(Some(Seq::FIRST));
        }
        locked(&self.0.table).insert(Arc::clone(&live));
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
            durability: self.0.store.durability().as_str().to_owned(),
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
        if let Some(live) = locked(&self.0.table).get(id) {
            return Some(live);
        }
        let log = self.0.store.open(id).wait().await?;
        let guest = || Arc::new(Live::elsewhere(id, log, &self.0));
        Some(locked(&self.0.table).guest(id, guest))
    }

    /// Ends the program's streams in bounded time: sessions learn that the server is draining, have `grace` to end,
    /// and are then ended with `shutting_down`. Readers end with their sessions. New glass boxes are refused.
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
        };
        // Who has not ended by then is ended.
        if tokio::time::timeout(grace, all).await.is_err() {
            for live in &open {
                live.stop(Stop::Shutdown);
            }
        }
        // Taken out of the lock first: ending a session needs it.
        let open = locked(&self.0.table).all_open();
        for live in open {
            live.stop(Stop::Shutdown);
            live.fail(&Fault::ShuttingDown);
        }
    }
}

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
