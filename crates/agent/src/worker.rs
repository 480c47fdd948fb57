//! The worker: sessions and streams of tokens over a Unix socket, one JSON object per line ([W1]).
//!
//! A [`Backend`] makes the tokens; everything else is here: the socket and who may use it, sessions, time-outs, abort
//! from another connection, and back-pressure, because a backend is asked for its next token only when the last one could be
//! written.
//!
//! ```no_run
//! # #[cfg(unix)]
//! # async fn run() -> Result<(), aon_agent::Fault> {
//! use aon_agent::worker::{Echo, Worker};
//!
//! let worker = Worker::new(Echo);
//! let socket = worker.bind("/run/fazai/gemma.sock")?;
//! socket.serve(std::future::pending()).await;
//! # Ok(())
//! # }
//! ```
//!
//! [W1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w1

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use aon::door::Door;
use tokio::time::Instant;

mod backend;
mod command;
#[cfg(unix)]
mod connection;
mod echo;
#[cfg(unix)]
mod outlet;
#[cfg(unix)]
mod socket;
mod table;
pub mod wire;

pub use backend::{Ask, Backend, TokenSender, Tokens, Unwanted, queue};
pub use command::Command;
pub use echo::Echo;
#[cfg(unix)]
pub use socket::Socket;

use table::Table;

/// The environment variable that names the socket.
pub const SOCKET_VARIABLE: &str = "FAZAI_GEMMA_SOCK";

/// Where the socket is unless somebody says otherwise.
pub const DEFAULT_SOCKET: &str = "/run/fazai/gemma.sock";

/// A worker, before it has a socket.
#[derive(Debug)]
pub struct Worker {
    backend: Arc<dyn Backend>,
    limits: Limits,
    door: Door,
}

/// What bounds a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long one generation may take: 120 seconds. The specification recommends 30 to 120.
    pub operation: Duration,
    /// How long a request may take to arrive once its line has begun, and how long a client may leave its answer
    /// unread: 30 seconds.
    pub transfer: Duration,
    /// How long a connection may be silent: 5 minutes.
    pub idle: Duration,
    /// After how long without use a session expires: 30 minutes.
    pub session: Duration,
    /// How many sessions there may be: 1024.
    pub sessions: usize,
    /// How many connections there may be: 256.
    pub connections: usize,
    /// The longest line: 1 MiB.
    pub line: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            operation: Duration::from_secs(120),
            transfer: Duration::from_secs(30),
            idle: Duration::from_secs(300),
            session: Duration::from_secs(1800),
            sessions: 1024,
            connections: 256,
            line: crate::line::LONGEST,
        }
    }
}

impl Worker {
    /// A worker whose tokens `backend` makes.
    pub fn new(backend: impl Backend) -> Self {
        Self::shared(Arc::new(backend))
    }

    /// A worker with a backend that is known only at run time.
    pub fn shared(backend: Arc<dyn Backend>) -> Self {
        Self {
            backend,
            limits: Limits::default(),
            door: Door::new(),
        }
    }

    /// Changes the limits.
    ///
    /// ```
    /// use aon_agent::worker::{Echo, Worker};
    ///
    /// let worker = Worker::new(Echo).limits(|limits| limits.sessions = 8);
    /// # let _ = worker;
    /// ```
    #[must_use]
    pub fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    /// The door that failures leave through.
    #[must_use]
    pub fn door(mut self, door: Door) -> Self {
        self.door = door;
        self
    }
}

/// What all connections share.
#[derive(Debug)]
struct Shared {
    backend: Arc<dyn Backend>,
    limits: Limits,
    door: Door,
    table: std::sync::Mutex<Table>,
    connections: AtomicUsize,
    started: Instant,
}

impl Shared {
    fn new(worker: Worker) -> Self {
        let Worker {
            backend,
            limits,
            door,
        } = worker;
        let idle = u64::try_from(limits.session.as_millis()).unwrap_or(u64::MAX);
        Self {
            backend,
            limits,
            door,
            table: std::sync::Mutex::new(Table::new(limits.sessions, idle)),
            connections: AtomicUsize::new(0),
            started: Instant::now(),
        }
    }

    /// Milliseconds since it was started.
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn table(&self) -> std::sync::MutexGuard<'_, Table> {
        // A panic while the lock was held leaves no rule half applied: every change is one insertion or removal.
        self.table
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
