//! Where sessions keep their events: append, read from a number, wait.
//!
//! The hub shows readers what a [`Log`] gives and nothing else, so an event is seen by nobody before its store has
//! acknowledged it. The contract, held by one suite for every implementation:
//!
//! 1. What was acknowledged is in every later page, as far as [`Store::durability`] promises and the limits keep it.
//! 2. Numbers are contiguous; a batch is there whole or not at all.
//! 3. The same number with the same bytes is acknowledged again; with other bytes it is refused.
//! 4. After the terminal event everything else is [`Appended::Closed`].
//! 5. A page is one run without a hole, and names oldest, newest and epoch.
//! 6. Only the front is trimmed. The terminal event stays as long as the session does.
//! 7. What was removed stays gone; reading creates nothing.
//! 8. The tail never runs ahead of what a page shows; a reader that waits for it misses nothing. [`Log::nudge`] wakes who
//!    waits on this machine and moves nothing.
//! 9. [`Store::once`] says `true` once per key while it is remembered.
//! 10. What was put under a key is taken once, by whoever asks first on whichever machine, and by nobody after its time.
//! 11. A letter reaches whoever runs a session at least once; the answer comes back to whoever sent it.
//! 12. Whoever opens a log learns [`About`] it what its creator said.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::frame::Frame;
use crate::id::{Epoch, Seq, SessionId, TraceId};

mod memory;
#[cfg(feature = "redis")]
mod redis;
mod shared;
mod tail;

pub use crate::machine::ring::{Budget, Page};
pub use memory::Memory;
#[cfg(feature = "redis")]
pub use redis::{BadAddress, Engine, Keep, Redis, RedisSettings};
pub use tail::{Closed, TailReceiver, TailSender};

/// An answer that is there, or comes later: a store in this process answers at once and nothing is allocated.
#[expect(clippy::exhaustive_enums, reason = "an answer is there or it is not")]
pub enum Answer<T> {
    /// Here it is.
    Now(T),
    /// It is on its way.
    Later(Pin<Box<dyn Future<Output = T> + Send>>),
}

impl<T> Answer<T> {
    /// The answer if it is there. What is on its way is sent on its way and not waited for.
    pub(crate) fn now(self) -> Option<T>
    where
        T: Send + 'static,
    {
        match self {
            Self::Now(answer) => Some(answer),
            Self::Later(later) => {
                if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                    runtime.spawn(later);
                }
                None
            }
        }
    }

    /// Waits for it.
    pub async fn wait(self) -> T {
        match self {
            Self::Now(answer) => answer,
            Self::Later(answer) => answer.await,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(answer) => answer.fmt(f),
            Self::Later(_) => f.write_str("later"),
        }
    }
}

/// How much survives what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "L4 closes the set")]
pub enum Durability {
    /// Nothing survives the process.
    Memory,
    /// The loss of one machine is survived.
    Replicated,
    /// The loss of power is survived.
    Fsync,
}

impl Durability {
    /// The word in the `session` event.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Replicated => "replicated",
            Self::Fsync => "fsync",
        }
    }
}

/// What became of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Appended {
    /// It is stored; this is the last number now.
    Acked {
        /// The last number.
        newest: Seq,
    },
    /// Somebody else wrote these numbers, or they are not the next ones.
    Fenced,
    /// The session has ended.
    Closed,
    /// The session is gone.
    Gone,
    /// Whether it happened is not known: append the same again.
    Unknown,
}

/// Where a log ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a tail is a number and whether it is the last"
)]
pub struct Tail {
    /// The last number that can be read.
    pub newest: Seq,
    /// Whether nothing will follow it.
    pub ended: bool,
}

/// What every hub has to know about a session beside its events.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// The numbering.
    pub epoch: Epoch,
    /// The trace it belongs to.
    pub trace: TraceId,
    /// Whose it is; nobody's where its caller was anonymous.
    pub owner: Option<String>,
    /// Unix time in milliseconds.
    pub created_ms: u64,
    /// The request, `GET /reports/7`, where its route says that another machine may run it again.
    pub again: Option<String>,
    /// Whether its readers may be shown what is not stored yet ([`WhenGone::Memory`]). Whoever takes it over begins a new numbering,
    /// because nobody knows what they were shown.
    pub goes_on: bool,
}

impl About {
    /// A session of an anonymous caller.
    pub const fn new(epoch: Epoch, trace: TraceId, created_ms: u64) -> Self {
        Self {
            epoch,
            trace,
            owner: None,
            created_ms,
            again: None,
            goes_on: false,
        }
    }

    /// A session that belongs to somebody.
    #[must_use]
    pub fn owned_by(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }
}

/// The events of one session.
pub trait Log: Send + Sync + fmt::Debug + 'static {
    /// Appends frames with contiguous numbers. Calls are made in the order of the numbers.
    fn append(&self, frames: Vec<Frame>) -> Answer<Appended>;

    /// Reads a run from a number on, or from the oldest that is kept where that is later. `None` when it is gone.
    fn page(&self, from: Seq, budget: Budget) -> Answer<Option<Page>>;

    /// Follows the end of the log: a hint that may be repeated, and is never ahead of what a page shows.
    fn tail(&self) -> TailReceiver;

    /// Wakes whoever waits for the tail on this machine, though nothing came: a sign of life is due.
    fn nudge(&self);

    /// What its creator said about the session.
    fn about(&self) -> &About;

    /// Says from where on the response of the request itself has still to read, so that a burst is not lost to it as long
    /// as its bytes have room. `None` when there is no such response any more.
    fn hold(&self, _from: Option<Seq>) {}

    /// Says that readers on this machine are shown what comes while the store does not answer; it is stored when it does again.
    /// Whether this log can do so.
    fn go_on(&self) -> bool {
        false
    }

    /// What it holds on this machine, in bytes.
    fn held(&self) -> usize;

    /// Lets go of the oldest until it holds about that much. The newest and the terminal event stay.
    fn shrink(&self, bytes: usize);
}

/// Where sessions keep their events.
pub trait Store: Send + Sync + fmt::Debug + 'static {
    /// Makes an empty log, without waiting: whether the store took it is in the answer of the first append. `None` when
    /// the id is known to be taken.
    fn create(&self, id: SessionId, about: About) -> Option<Arc<dyn Log>>;

    /// Opens the log of a session, whoever made it. Creates nothing.
    fn open(&self, id: SessionId) -> Answer<Option<Arc<dyn Log>>>;

    /// Lets go of a session.
    fn remove(&self, id: SessionId) -> Answer<()>;

    /// Whether this key is seen for the first time; remembered for at least that many milliseconds.
    fn once(&self, key: [u8; 16], milliseconds: u64) -> Answer<bool>;

    /// Keeps a value under a key for that many milliseconds. `false` when there is no room for it.
    fn put(&self, key: [u8; 32], value: Vec<u8>, milliseconds: u64) -> Answer<bool>;

    /// Takes a value away: of all calls with its key one gets it.
    fn take(&self, key: [u8; 32]) -> Answer<Option<Vec<u8>>>;

    /// What all logs hold on this machine, in bytes.
    fn held(&self) -> usize;

    /// How much survives what.
    fn durability(&self) -> Durability;

    /// Says who takes care of what comes from other machines. A store of one machine has nothing to say.
    fn attend(&self, _inbox: Arc<dyn Inbox>) {}

    /// Sends a letter to whoever runs a session, and gives what they answer.
    fn post(&self, _id: SessionId, _letter: Vec<u8>) -> Answer<Posted> {
        Answer::Now(Posted::Nowhere)
    }

    /// What cannot be used at the moment, for operators.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// Whether events can be stored at the moment.
    fn keeps(&self) -> bool {
        true
    }

    /// What happens while they cannot, to sessions whose route does not say.
    fn when_gone(&self) -> WhenGone {
        WhenGone::Refuse
    }

    /// The name of this machine among all that share the store.
    fn node(&self) -> Option<&str> {
        None
    }

    /// Everything that was appended is stored, or cannot be: the program is about to end.
    fn close(&self) -> Answer<()> {
        Answer::Now(())
    }
}

/// Who takes care of what comes from other machines.
pub trait Inbox: Send + Sync + fmt::Debug + 'static {
    /// A letter for a session that runs here; the answer goes back. A letter may come twice.
    fn letter(
        &self,
        id: SessionId,
        letter: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Vec<u8>> + Send>>;

    /// The machine that ran this session is gone, and nobody but this one may append now: end it, or go on with it. `owners` says
    /// how many machines had it before.
    fn orphaned(
        &self,
        id: SessionId,
        log: Arc<dyn Log>,
        owners: u64,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// The store does not answer any more, or does again.
    fn stores(&self, _stores: bool) {}
}

/// What became of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Posted {
    /// It was read, and this is the answer.
    Answered(Vec<u8>),
    /// It is stored, and was not answered in time: whoever runs the session still gets it.
    Waiting,
    /// It could not be stored.
    Unknown,
    /// There are no other machines.
    Nowhere,
}

/// What becomes of glass boxes while their store does not answer. Black boxes are served as ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenGone {
    /// New ones are refused with 503 and `Retry-After`; open ones wait, and nobody is shown what is not stored.
    #[default]
    Refuse,
    /// They go on in the memory of their node, and their readers there are shown what is not stored. The `session` event, or a `status`
    /// event while they are open, says `durability: memory`, and another one says when all of it is stored again. If the node dies
    /// before that, readers that come back elsewhere get a `gap`.
    Memory,
}
