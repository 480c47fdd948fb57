//! What can be set on a hub. The defaults are those of the protocol.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::access::{Identify, Nobody};
use crate::heal::{Asker, AuditSink};
use crate::observer::Observer;
use crate::restart::Restart;
use crate::store::Store;

/// How a hub shows that it is alive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// `status` events with the message `heartbeat`, after 15 seconds of silence.
    #[default]
    Standard,
    /// `heartbeat` events with `ts` and `uptimeMs`, at once and then each second.
    EachSecond,
}

/// Where a program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "details are shown, or they are not"
)]
pub enum Environment {
    /// Details are for admins.
    #[default]
    Production,
    /// Details are for everybody.
    Development,
}

/// The settings of a hub.
///
/// ```
/// use std::time::Duration;
/// use aon_live::{Hub, Settings};
///
/// let hub = Hub::with(Settings::new().ring_events(64).retention(Duration::from_secs(300)));
/// # let _ = hub;
/// ```
#[derive(Clone)]
pub struct Settings {
    pub(crate) ring_events: usize,
    pub(crate) ring_bytes: usize,
    pub(crate) budget: usize,
    pub(crate) retention: Duration,
    pub(crate) lifetime: Duration,
    pub(crate) sessions: usize,
    pub(crate) readers: usize,
    pub(crate) readers_per_session: usize,
    pub(crate) events: u64,
    pub(crate) events_per_second: u64,
    pub(crate) stalled: Duration,
    pub(crate) heartbeat: Duration,
    pub(crate) profile: Profile,
    pub(crate) prefix: String,
    pub(crate) base: String,
    pub(crate) origins: Vec<String>,
    pub(crate) cancel_grace: Duration,
    pub(crate) max_result: usize,
    pub(crate) identify: Arc<dyn Identify>,
    pub(crate) knows_callers: bool,
    pub(crate) store: Option<Arc<dyn Store>>,
    #[cfg(feature = "redis")]
    pub(crate) redis: Option<crate::store::RedisSettings>,
    pub(crate) askers: Vec<Arc<dyn Asker>>,
    pub(crate) audit: Option<Arc<dyn AuditSink>>,
    pub(crate) environment: Environment,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) restart: Option<Arc<dyn Restart>>,
}

impl Settings {
    /// The defaults.
    pub fn new() -> Self {
        Self {
            ring_events: 256,
            ring_bytes: 1024 * 1024,
            budget: 256 * 1024 * 1024,
            retention: Duration::from_secs(60),
            lifetime: Duration::from_secs(3600),
            sessions: 10_000,
            readers: 20_000,
            readers_per_session: 10_000,
            events: 1000,
            events_per_second: 1000,
            stalled: Duration::from_secs(10),
            heartbeat: Duration::from_secs(15),
            profile: Profile::Standard,
            prefix: "/aon".to_owned(),
            base: String::new(),
            origins: Vec::new(),
            cancel_grace: Duration::from_secs(5),
            max_result: 16 * 1024 * 1024,
            identify: Arc::new(Nobody),
            knows_callers: false,
            store: None,
            #[cfg(feature = "redis")]
            redis: None,
            askers: Vec::new(),
            audit: None,
            environment: Environment::Production,
            observer: None,
            restart: None,
        }
    }

    /// How many events of a session are kept for readers that come late: 256.
    #[must_use]
    pub fn ring_events(mut self, events: usize) -> Self {
        self.ring_events = events.max(1);
        self
    }

    /// How many bytes of events of a session are kept: 1 MiB.
    #[must_use]
    pub const fn ring_bytes(mut self, bytes: usize) -> Self {
        self.ring_bytes = bytes;
        self
    }

    /// How many bytes all sessions may hold together: 256 MiB. Over it, sessions that have ended go first, the longest
    /// ended before the others; then every session that publishes keeps only its newest event.
    #[must_use]
    pub const fn budget(mut self, bytes: usize) -> Self {
        self.budget = bytes;
        self
    }

    /// How long a session can be read after its end: 60 seconds.
    #[must_use]
    pub const fn retention(mut self, retention: Duration) -> Self {
        self.retention = retention;
        self
    }

    /// How long a session may be open: one hour.
    #[must_use]
    pub const fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// How many sessions there may be, ended ones included: 10 000. Ended ones make room; when none is left, a glass box
    /// is refused with 503. A black box is always served.
    #[must_use]
    pub const fn sessions(mut self, sessions: usize) -> Self {
        self.sessions = sessions;
        self
    }

    /// How many readers there may be on all sessions (20 000), and on one (10 000).
    #[must_use]
    pub const fn readers(mut self, all: usize, of_one_session: usize) -> Self {
        self.readers = all;
        self.readers_per_session = of_one_session;
        self
    }

    /// How many events a request may publish: 1000. Beyond, `status` is left out first, then `intent_analysis`, then
    /// the program's own; one `status` event says how many were. `healing` is never left out.
    #[must_use]
    pub const fn events(mut self, events: u64) -> Self {
        self.events = events;
        self
    }

    /// How many events a request may publish within one second: 1000. Beyond, they are left out in the same order.
    #[must_use]
    pub const fn events_per_second(mut self, events: u64) -> Self {
        self.events_per_second = events;
        self
    }

    /// After how long a reader that leaves unread what there is for it is ended: 10 seconds. The response of the request
    /// itself is not: its events wait in the ring, and it is told what it missed.
    #[must_use]
    pub fn stalled(mut self, after: Duration) -> Self {
        self.stalled = after.max(Duration::from_millis(10));
        self
    }

    /// After how much silence a heartbeat is sent: 15 seconds.
    #[must_use]
    pub fn heartbeat(mut self, interval: Duration) -> Self {
        self.heartbeat = interval.max(Duration::from_millis(10));
        self
    }

    /// How the hub shows that it is alive.
    #[must_use]
    pub const fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        if matches!(profile, Profile::EachSecond) {
            self.heartbeat = Duration::from_secs(1);
        }
        self
    }

    /// Where the routes of the hub are: `/aon`.
    #[must_use]
    pub fn prefix(mut self, prefix: &str) -> Self {
        let inner = prefix.trim_matches('/');
        self.prefix = if inner.is_empty() {
            String::new()
        } else {
            format!("/{inner}")
        };
        self
    }

    /// What stands before the addresses in the `session` event: nothing, so that they are paths on the same host. Give
    /// `https://api.example.com`, or a path, where a proxy or `nest` puts the routes elsewhere.
    #[must_use]
    pub fn base(mut self, base: &str) -> Self {
        base.trim_end_matches('/').clone_into(&mut self.base);
        self
    }

    /// Origins whose pages may follow sessions that belong to somebody, beside the host's own.
    #[must_use]
    pub fn origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.origins = origins.into_iter().map(Into::into).collect();
        self
    }

    /// How long a handler that watches [`Session::cancelled`](crate::Session::cancelled) has to end by itself: 5 seconds.
    #[must_use]
    pub const fn cancel_grace(mut self, grace: Duration) -> Self {
        self.cancel_grace = grace;
        self
    }

    /// How large the answer of a handler may be to travel as a `result`: 16 MiB.
    #[must_use]
    pub const fn max_result(mut self, bytes: usize) -> Self {
        self.max_result = bytes;
        self
    }

    /// Who sent a request: sessions of known callers belong to them.
    #[must_use]
    pub fn identify(mut self, identify: impl Identify) -> Self {
        self.identify = Arc::new(identify);
        self.knows_callers = true;
        self
    }

    /// Somebody who asks people when a step cannot be repaired, beside the channels of its session: a
    /// [`Webhook`](crate::heal::Webhook), or anything else that implements [`Asker`].
    #[must_use]
    pub fn asker(mut self, asker: impl Asker) -> Self {
        self.askers.push(Arc::new(asker));
        self
    }

    /// Where audit records of answers go, beside `tracing`.
    #[must_use]
    pub fn audit(mut self, sink: impl AuditSink) -> Self {
        self.audit = Some(Arc::new(sink));
        self
    }

    /// Where the program runs. Unless it says that it is being developed, `intent_analysis` and `healing` are shown
    /// without their details to everybody but admins.
    #[must_use]
    pub const fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Who measures what the hub does; nobody unless set, and then nothing is measured.
    #[must_use]
    pub fn observe(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Goes on with sessions of [`GlassBox::restarts`](crate::GlassBox::restarts) whose machine is gone. Without it, and for all other
    /// routes, they end with `session_orphaned`.
    #[must_use]
    pub fn restart(mut self, restart: impl Restart) -> Self {
        self.restart = Some(Arc::new(restart));
        self
    }

    /// Keeps sessions in an engine that speaks the protocol of Redis, so that every node serves every session.
    #[cfg(feature = "redis")]
    #[must_use]
    pub fn redis(mut self, redis: crate::store::RedisSettings) -> Self {
        self.redis = Some(redis);
        self
    }

    /// Where events are kept, instead of in memory.
    #[must_use]
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Some(Arc::new(store));
        self
    }
}

impl Settings {
    /// Where events are kept when nothing else was said.
    pub(crate) fn kept(&mut self) -> Arc<dyn Store> {
        #[cfg(feature = "redis")]
        if let Some(redis) = self.redis.take() {
            let keep = crate::store::Keep {
                events: self.ring_events,
                bytes: self.ring_bytes,
                open: self.lifetime,
                ended: self.retention,
            };
            return Arc::new(crate::store::Redis::new(redis, keep));
        }
        Arc::new(crate::store::Memory::new(self.ring_events, self.ring_bytes))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("ring_events", &self.ring_events)
            .field("ring_bytes", &self.ring_bytes)
            .field("budget", &self.budget)
            .field("profile", &self.profile)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}
