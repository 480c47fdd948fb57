//! Who follows a session here: the signs of life they share, what is said to them alone, and those who do not read.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::frame::Frame;
use crate::hub::Place;
use crate::id::Seq;
use crate::sync::{Mutex, locked};
use crate::time::Tick;

#[derive(Debug, Default)]
pub(crate) struct Audience {
    /// Feeds of every kind, the response itself included.
    present: AtomicUsize,
    beats: AtomicU64,
    beat: Mutex<Option<Frame>>,
    /// How many events there were that stay here.
    asides: AtomicU64,
    aside: Mutex<VecDeque<Aside>>,
    outlets: Mutex<BTreeMap<u64, Arc<Outlet>>>,
    key: AtomicU64,
}

/// An event that stays on this machine and has no number.
#[derive(Clone, Debug)]
pub(crate) struct Aside {
    /// Shown behind the event with this number.
    pub(crate) after: Seq,
    pub(crate) frame: Frame,
}

/// How many of them wait for readers; whoever is slower misses the oldest.
const ASIDES: usize = 64;

/// A reader over HTTP as it is seen from outside. hyper asks for more when the socket has room, and never where nobody
/// reads; so its place can be taken back, and it is told when it asks again.
#[derive(Debug)]
pub(crate) struct Outlet {
    place: Mutex<Option<Place>>,
    /// The number it gets next.
    next: AtomicU64,
    /// Since when there is something that it was not asked for; zero when there is not.
    unread: AtomicU64,
    ended: AtomicBool,
}

impl Audience {
    pub(crate) fn enter(&self) {
        self.present.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn leave(&self) {
        self.present.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn is_there(&self) -> bool {
        self.present.load(Ordering::Relaxed) > 0
    }

    /// Takes a sign of life for everybody.
    pub(super) fn beat(&self, beat: Frame) {
        *locked(&self.beat) = Some(beat);
        self.beats.fetch_add(1, Ordering::Release);
    }

    /// How many signs of life there were.
    pub(crate) fn beats(&self) -> u64 {
        self.beats.load(Ordering::Acquire)
    }

    pub(crate) fn newest_beat(&self) -> Option<Frame> {
        locked(&self.beat).clone()
    }

    /// Takes an event for those who are here now.
    pub(super) fn aside(&self, after: Seq, frame: Frame) {
        let mut aside = locked(&self.aside);
        if aside.len() >= ASIDES {
            aside.pop_front();
        }
        aside.push_back(Aside { after, frame });
        self.asides.fetch_add(1, Ordering::Release);
    }

    /// How many events there were that stay here.
    pub(crate) fn asides(&self) -> u64 {
        self.asides.load(Ordering::Acquire)
    }

    /// Those that come after the first `seen`, as far as they are shown before this number: how many were seen with them, and they.
    pub(crate) fn asides_before(&self, seen: u64, next: Seq) -> (u64, Vec<Aside>) {
        let aside = locked(&self.aside);
        let all = self.asides.load(Ordering::Acquire);
        let first = all.saturating_sub(aside.len() as u64);
        let skip = usize::try_from(seen.saturating_sub(first)).unwrap_or(usize::MAX);
        let due = aside.iter().skip(skip).take_while(|one| one.after < next);
        let due: Vec<Aside> = due.cloned().collect();
        (seen.max(first) + due.len() as u64, due)
    }

    /// Keeps an eye on an outlet, until it is let go of by its key.
    pub(crate) fn watch(&self, outlet: &Arc<Outlet>) -> u64 {
        let key = self.key.fetch_add(1, Ordering::Relaxed);
        locked(&self.outlets).insert(key, Arc::clone(outlet));
        key
    }

    pub(crate) fn forget(&self, key: u64) {
        locked(&self.outlets).remove(&key);
    }

    /// Takes back the places of outlets that were asked for nothing for that long though there was something.
    pub(super) fn end_stalled(&self, newest: Seq, now: Tick, stalled: u64) {
        let mut over = Vec::new();
        locked(&self.outlets).retain(|_, outlet| {
            let ended = outlet.has_stalled(newest, now, stalled);
            if ended {
                over.push(outlet.end());
            }
            !ended
        });
        // Outside of the lock.
        drop(over);
    }
}

impl Outlet {
    pub(crate) fn new(place: Place, next: Seq) -> Self {
        Self {
            place: Mutex::new(Some(place)),
            next: AtomicU64::new(next.get()),
            unread: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        }
    }

    /// It was asked for more, and this is what it gets next.
    pub(crate) fn asked(&self, next: Seq) {
        self.next.store(next.get(), Ordering::Relaxed);
        self.unread.store(0, Ordering::Relaxed);
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    fn has_stalled(&self, newest: Seq, now: Tick, stalled: u64) -> bool {
        if newest.get() < self.next.load(Ordering::Relaxed) {
            return false;
        }
        // Looked at first, and again later: an event that came a moment ago is not one that was left unread.
        let unread = &self.unread;
        let first = unread.compare_exchange(0, now.0.max(1), Ordering::Relaxed, Ordering::Relaxed);
        first.is_err_and(|since| now.since(Tick(since)) >= stalled)
    }

    fn end(&self) -> Option<Place> {
        self.ended.store(true, Ordering::Relaxed);
        locked(&self.place).take()
    }
}
