//! The daemon: a worker over HTTP, with server-sent events, actions and people ([W2]).
//!
//! | route | answer |
//! | --- | --- |
//! | `POST /agent/sessions` | `{"ok": true, "session_id": "…"}` |
//! | `POST /agent/generate` | server-sent events |
//! | `POST /agent/abort` | `{"ok": true}` |
//! | `GET /agent/status` | `{"ok": true, …}` |
//!
//! Each `generate` is a session of the hub: its events have ids, it can be followed and resumed under `/aon/sessions`, and an
//! `ask` is answered there.
//!
//! ```
//! use aon_agent::daemon::{ActionKind, Daemon};
//! use aon_live::Hub;
//! use serde_json::json;
//!
//! let daemon = Daemon::new("/run/fazai/gemma.sock").on(ActionKind::Research, |call, voice| async move {
//!     voice.observe(&format!("looking for {}", call.member("queries")));
//!     Ok(json!({ "found": 0 }))
//! });
//! let hub = Hub::with(Daemon::hub_settings());
//! let app: axum::Router = daemon.routes(&hub);
//! # let _ = app;
//! ```
//!
//! [W2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w2

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aon::door::Failure;
use aon_live::{OnDisconnect, Settings};
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::fault::Fault;
use crate::provider::Provider;
use crate::worker::Backend;

mod actions;
mod http;
mod program;
mod run;
mod source;
mod turn;
pub mod wire;

pub use actions::{Acted, Acting, ActionKind, Call, Handler, Stream, Voice};
pub use program::Program;

use actions::{Hook, Registry};

/// A daemon, before it has routes.
pub struct Daemon {
    provider: Provider,
    fallback: Option<Arc<dyn Backend>>,
    registry: Registry,
    hook: Option<Hook>,
    limits: Limits,
    on_disconnect: OnDisconnect,
    sessions: Mutex<Sessions>,
}

/// What bounds a daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many generations one request may take: 1. After an action, the next one is told what came of it.
    pub iterations: u32,
    /// How long a request may take in all: 10 minutes.
    pub run: Duration,
    /// How long a person has to answer an `ask`: 2 minutes.
    pub answer: Duration,
    /// How many sessions there may be: 1024. The one that was not used for longest makes room.
    pub sessions: usize,
}

/// The sessions of callers: which worker session is behind each, and what is running in it.
#[derive(Debug, Default)]
struct Sessions {
    known: BTreeMap<String, Known>,
    uses: u64,
}

#[derive(Debug)]
struct Known {
    params: Map<String, Value>,
    /// The session of the worker; none while the fallback answers.
    worker: Option<String>,
    used: u64,
    running: Option<watch::Sender<bool>>,
}

impl Daemon {
    /// A daemon for the worker at this socket. Nothing is opened before something is asked.
    pub fn new(worker: impl Into<PathBuf>) -> Self {
        let provider = Provider::new(worker).times(|times| {
            // A worker that starts again is waited for a little; then the fallback answers.
            times.connect = Duration::from_millis(500);
        });
        Self {
            provider,
            fallback: None,
            registry: Registry::default(),
            hook: None,
            limits: Limits {
                iterations: 1,
                run: Duration::from_secs(600),
                answer: Duration::from_secs(120),
                sessions: 1024,
            },
            on_disconnect: OnDisconnect::Continue,
            sessions: Mutex::default(),
        }
    }

    /// What answers when no worker does. Without it, a request then ends with `worker_unavailable`.
    #[must_use]
    pub fn fallback(mut self, backend: Arc<dyn Backend>) -> Self {
        self.fallback = Some(backend);
        self
    }

    /// What does an action. Without a handler, an action is told to the caller and not done.
    #[must_use]
    pub fn on<F, Fut>(self, kind: ActionKind, handler: F) -> Self
    where
        F: Fn(Call, Voice) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, Failure>> + Send + 'static,
    {
        self.handled_by(kind, handler)
    }

    /// The same for a type of your own.
    #[must_use]
    pub fn handled_by(mut self, kind: ActionKind, handler: impl Handler) -> Self {
        self.registry.set(kind, Arc::new(handler));
        self
    }

    /// Who hears what became of every action, once each: for metrics.
    ///
    /// ```
    /// use aon_agent::daemon::Daemon;
    ///
    /// let daemon = Daemon::new("/run/fazai/gemma.sock")
    ///     .on_acted(|acted| println!("{} {} {:?}", acted.kind, acted.outcome, acted.took));
    /// # let _ = daemon;
    /// ```
    #[must_use]
    pub fn on_acted(mut self, hook: impl Fn(&Acted<'_>) + Send + Sync + 'static) -> Self {
        self.hook = Some(Arc::new(hook));
        self
    }

    /// Changes the limits.
    #[must_use]
    pub fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    /// What becomes of the work when its caller leaves: it goes on, unless this or `AON-On-Disconnect` of the request says
    /// otherwise.
    #[must_use]
    pub const fn on_disconnect(mut self, policy: OnDisconnect) -> Self {
        self.on_disconnect = policy;
        self
    }

    /// Settings of a hub for a daemon: no token is left out, and a reader may be far behind before it misses one.
    pub fn hub_settings() -> Settings {
        Settings::new()
            .events(u64::MAX / 4)
            .events_per_second(u64::MAX / 4)
            .ring_events(16_384)
            .ring_bytes(8 * 1024 * 1024)
            .retention(Duration::from_secs(300))
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        // Every change is one insertion or removal, so a panic leaves nothing half done.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sessions {
    /// Adds a session; the one that was not used for longest, and does nothing, makes room.
    fn add(
        &mut self,
        most: usize,
        id: String,
        params: Map<String, Value>,
        worker: Option<String>,
    ) -> Result<Option<String>, Fault> {
        let mut gone = None;
        if self.known.len() >= most {
            let idle = self
                .known
                .iter()
                .filter(|(_, known)| known.running.is_none());
            let oldest = idle
                .min_by_key(|(_, known)| known.used)
                .map(|(id, _)| id.clone());
            let oldest = oldest.ok_or(Fault::TooManySessions)?;
            gone = self.known.remove(&oldest).and_then(|known| known.worker);
        }
        self.uses += 1;
        let known = Known {
            params,
            worker,
            used: self.uses,
            running: None,
        };
        self.known.insert(id, known);
        Ok(gone)
    }

    /// Begins a run; a session has one at a time.
    fn begin(&mut self, id: &str) -> Result<watch::Receiver<bool>, Fault> {
        self.uses += 1;
        let used = self.uses;
        let known = self.known.get_mut(id).ok_or(Fault::SessionNotFound)?;
        if known.running.is_some() {
            return Err(Fault::SessionBusy);
        }
        let (sender, stop) = watch::channel(false);
        known.running = Some(sender);
        known.used = used;
        Ok(stop)
    }

    fn finish(&mut self, id: &str) {
        if let Some(known) = self.known.get_mut(id) {
            known.running = None;
        }
    }

    /// Ends what a session does. The session of the worker, if there is one.
    fn abort(&mut self, id: &str) -> Result<Option<String>, Fault> {
        let known = self.known.get_mut(id).ok_or(Fault::SessionNotFound)?;
        if let Some(running) = &known.running {
            running.send_replace(true);
        }
        Ok(known.worker.clone())
    }
}

impl fmt::Debug for Daemon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Daemon")
            .field("provider", &self.provider)
            .field("registry", &self.registry)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for ActionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
