//! What is known of each session of a server: its tools, and the calls whose answers may come on another stream.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http::{HeaderMap, header};

use crate::proxy::desk::{Desk, Pending};
use crate::proxy::observe::Observer;

/// As many sessions are kept; the one that was silent the longest goes.
const MOST_SESSIONS: usize = 512;
/// As many answers are waited for on other streams.
const MOST_EXPECTED: usize = 256;
/// A list of tools is asked for again after this time: a server without sessions has no way to say that it changed.
const LIST_AGE: Duration = Duration::from_secs(300);

/// One session.
#[derive(Debug)]
pub(super) struct Session {
    desk: Mutex<Desk>,
    expected: Mutex<BTreeMap<String, Pending>>,
    /// Held while the list of tools is read.
    pub(super) listing: tokio::sync::Mutex<()>,
    listed: Mutex<Option<Instant>>,
    /// The server does not list its tools.
    unlisted: AtomicBool,
    used: AtomicU64,
}

impl Session {
    fn new(observer: Observer) -> Self {
        Self {
            desk: Mutex::new(Desk::new(observer)),
            expected: Mutex::default(),
            listing: tokio::sync::Mutex::default(),
            listed: Mutex::default(),
            unlisted: AtomicBool::new(false),
            used: AtomicU64::new(0),
        }
    }

    pub(super) fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the list of tools must be read before a call is checked.
    pub(super) fn is_due(&self) -> bool {
        if self.unlisted.load(Ordering::Relaxed) {
            return false;
        }
        let listed = *lock(&self.listed);
        listed.is_none_or(|at| at.elapsed() > LIST_AGE) || !self.desk().tools.is_complete()
    }

    pub(super) fn listed(&self) {
        *lock(&self.listed) = Some(Instant::now());
    }

    pub(super) fn refused_list(&self) {
        self.unlisted.store(true, Ordering::Relaxed);
    }

    /// The server says something unasked.
    pub(super) fn notified(&self, method: &str) {
        if method.contains("tools/list_changed") {
            self.desk().tools.forget();
            self.unlisted.store(false, Ordering::Relaxed);
        }
    }

    /// Waits for the answer to a call on another stream.
    pub(super) fn expect(&self, call: Pending) {
        let mut expected = lock(&self.expected);
        if expected.len() >= MOST_EXPECTED {
            expected.pop_first();
        }
        expected.insert(call.id.to_string(), call);
    }

    pub(super) fn expected(&self, id: &str) -> Option<Pending> {
        lock(&self.expected).remove(id)
    }
}

/// All sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    all: Mutex<BTreeMap<u64, Arc<Session>>>,
    observer: Observer,
    clock: AtomicU64,
    hasher: RandomState,
}

impl Sessions {
    pub(super) fn new(observer: Observer) -> Self {
        Self {
            all: Mutex::default(),
            observer,
            clock: AtomicU64::new(0),
            hasher: RandomState::new(),
        }
    }

    /// What sessions are told apart by: their id, and who calls. Neither is kept as it is.
    fn key(&self, headers: &HeaderMap) -> u64 {
        let text = |name: &str| headers.get(name).map(http::HeaderValue::as_bytes);
        self.hasher
            .hash_one((text("mcp-session-id"), text(header::AUTHORIZATION.as_str())))
    }

    /// The session of a request.
    pub(super) fn of(&self, headers: &HeaderMap) -> Arc<Session> {
        let key = self.key(headers);
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut all = lock(&self.all);
        if all.len() >= MOST_SESSIONS && !all.contains_key(&key) {
            let oldest = all
                .iter()
                .min_by_key(|(_, session)| session.used.load(Ordering::Relaxed))
                .map(|(key, _)| *key);
            if let Some(oldest) = oldest {
                all.remove(&oldest);
            }
        }
        let session = all
            .entry(key)
            .or_insert_with(|| Arc::new(Session::new(self.observer.clone())));
        session.used.store(now, Ordering::Relaxed);
        Arc::clone(session)
    }

    /// The session was ended by its client.
    pub(super) fn forget(&self, headers: &HeaderMap) {
        lock(&self.all).remove(&self.key(headers));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
