//! A store in this process: a ring per session.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{
    About, Answer, Appended, Budget, Durability, Log, Page, Store, Tail, TailReceiver, TailSender,
};
use crate::clock::Clock;
use crate::frame::Frame;
use crate::id::{Seq, SessionId};
use crate::machine::ring::{Refused, Ring, RingLimits};
use crate::sync::{AtomicBool, AtomicUsize, Mutex, locked};
use crate::time::Tick;

/// Keeps every session's newest events in memory; nothing survives the process.
#[derive(Debug)]
pub struct Memory {
    limits: RingLimits,
    held: Arc<AtomicUsize>,
    /// Several locks, so that many sessions that come and go do not wait for one another.
    shards: [Mutex<BTreeMap<SessionId, Arc<MemoryLog>>>; SHARDS],
    seen: Mutex<BTreeMap<[u8; 16], Tick>>,
    kept: Mutex<BTreeMap<[u8; 32], Kept>>,
    clock: Clock,
}

/// A value, and until when it can be taken.
type Kept = (Vec<u8>, Tick);

const SHARDS: usize = 16;
/// How many keys are remembered, and how many values are kept.
const KEYS: usize = 65_536;

#[derive(Debug)]
struct MemoryLog {
    about: About,
    ring: Mutex<Ring>,
    tail: TailSender,
    held: Arc<AtomicUsize>,
    gone: AtomicBool,
}

impl Memory {
    /// Rings of at most that many events and bytes each; an event more than that is never kept waiting for room.
    pub fn new(events: usize, bytes: usize) -> Self {
        Self {
            limits: RingLimits {
                events: events.max(1),
                bytes,
            },
            held: Arc::new(AtomicUsize::new(0)),
            shards: std::array::from_fn(|_| Mutex::new(BTreeMap::new())),
            seen: Mutex::new(BTreeMap::new()),
            kept: Mutex::new(BTreeMap::new()),
            clock: Clock::start(),
        }
    }

    /// A log that nobody finds: for a session whose store does not answer.
    pub(crate) fn lone(&self, about: About) -> Arc<dyn Log> {
        Arc::new(self.log(about))
    }

    fn log(&self, about: About) -> MemoryLog {
        MemoryLog {
            ring: Mutex::new(Ring::new(about.epoch, self.limits)),
            about,
            tail: TailSender::new(),
            held: Arc::clone(&self.held),
            gone: AtomicBool::new(false),
        }
    }

    fn shard(&self, id: SessionId) -> &Mutex<BTreeMap<SessionId, Arc<MemoryLog>>> {
        let at = usize::from(id.as_bytes()[0]) % SHARDS;
        &self.shards[at]
    }
}

impl Store for Memory {
    fn create(&self, id: SessionId, about: About) -> Option<Arc<dyn Log>> {
        match locked(self.shard(id)).entry(id) {
            Entry::Occupied(_) => None,
            Entry::Vacant(place) => {
                Some(Arc::clone(place.insert(Arc::new(self.log(about)))) as Arc<dyn Log>)
            }
        }
    }

    fn open(&self, id: SessionId) -> Answer<Option<Arc<dyn Log>>> {
        let log = locked(self.shard(id)).get(&id).map(Arc::clone);
        Answer::Now(log.map(|log| log as Arc<dyn Log>))
    }

    fn remove(&self, id: SessionId) -> Answer<()> {
        let log = locked(self.shard(id)).remove(&id);
        if let Some(log) = log {
            let mut ring = locked(&log.ring);
            log.gone.store(true, Ordering::Release);
            self.held.fetch_sub(ring.held(), Ordering::Relaxed);
            // Who still holds the log, perhaps a reader that never reads, does not hold its events.
            *ring = Ring::new(log.about.epoch, self.limits);
            drop(ring);
            // Who still waits is told to look again.
            log.tail.nudge();
        }
        Answer::Now(())
    }

    fn once(&self, key: [u8; 16], milliseconds: u64) -> Answer<bool> {
        let now = self.clock.tick();
        let mut seen = locked(&self.seen);
        if seen.get(&key).is_some_and(|until| *until > now) {
            return Answer::Now(false);
        }
        if seen.len() >= KEYS {
            seen.retain(|_, until| *until > now);
        }
        if seen.len() >= KEYS {
            // Better refuse than forget that something was used.
            return Answer::Now(false);
        }
        seen.insert(key, now.plus(milliseconds));
        Answer::Now(true)
    }

    fn put(&self, key: [u8; 32], value: Vec<u8>, milliseconds: u64) -> Answer<bool> {
        let now = self.clock.tick();
        let mut kept = locked(&self.kept);
        if kept.len() >= KEYS {
            kept.retain(|_, (_, until)| *until > now);
        }
        let room = kept.len() < KEYS;
        if room {
            kept.insert(key, (value, now.plus(milliseconds)));
        }
        Answer::Now(room)
    }

    fn take(&self, key: [u8; 32]) -> Answer<Option<Vec<u8>>> {
        let now = self.clock.tick();
        let kept = locked(&self.kept).remove(&key);
        Answer::Now(kept.and_then(|(value, until)| (now < until).then_some(value)))
    }

    fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    fn durability(&self) -> Durability {
        Durability::Memory
    }
}

impl MemoryLog {
    /// Changes the ring and keeps the sum of all rings right.
    fn change<T>(&self, ring: &mut Ring, change: impl FnOnce(&mut Ring) -> T) -> T {
        let before = ring.held();
        let done = change(ring);
        let after = ring.held();
        if after >= before {
            self.held.fetch_add(after - before, Ordering::Relaxed);
        } else {
            self.held.fetch_sub(before - after, Ordering::Relaxed);
        }
        done
    }
}

impl Log for MemoryLog {
    fn append(&self, frames: Vec<Frame>) -> Answer<Appended> {
        let mut ring = locked(&self.ring);
        if self.gone.load(Ordering::Acquire) {
            return Answer::Now(Appended::Gone);
        }
        if !ring.takes(&frames) {
            let closed = ring.terminal().is_some();
            return Answer::Now(if closed {
                Appended::Closed
            } else {
                Appended::Fenced
            });
        }
        let pushed = self.change(&mut ring, |ring| {
            frames.into_iter().try_for_each(|frame| ring.push(frame))
        });
        let tail = Tail {
            newest: ring.newest(),
            ended: ring.terminal().is_some(),
        };
        drop(ring);
        // Outside the lock, so that who wakes up does not run into it.
        self.tail.advance(tail);
        Answer::Now(match pushed {
            Ok(()) => Appended::Acked {
                newest: tail.newest,
            },
            Err(Refused::Closed) => Appended::Closed,
            Err(Refused::Fenced) => Appended::Fenced,
        })
    }

    fn page(&self, from: Seq, budget: Budget) -> Answer<Option<Page>> {
        let ring = locked(&self.ring);
        let gone = self.gone.load(Ordering::Acquire);
        Answer::Now((!gone).then(|| ring.page(from, budget)))
    }

    fn tail(&self) -> TailReceiver {
        self.tail.subscribe()
    }

    fn nudge(&self) {
        self.tail.nudge();
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn held(&self) -> usize {
        locked(&self.ring).held()
    }

    fn hold(&self, from: Option<Seq>) {
        let mut ring = locked(&self.ring);
        if !self.gone.load(Ordering::Acquire) {
            self.change(&mut ring, |ring| ring.hold(from));
        }
    }

    fn shrink(&self, bytes: usize) {
        let mut ring = locked(&self.ring);
        if !self.gone.load(Ordering::Acquire) {
            self.change(&mut ring, |ring| ring.shrink(bytes));
        }
    }
}
