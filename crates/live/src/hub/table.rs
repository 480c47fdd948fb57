//! Which sessions there are, and in which order they ended.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Weak};

use super::live::Live;
use crate::id::SessionId;
use crate::time::Tick;

#[derive(Debug, Default)]
pub(super) struct Table {
    all: BTreeMap<SessionId, Arc<Live>>,
    /// Oldest end first.
    ended: VecDeque<(SessionId, Tick)>,
    /// Sessions of other hubs that somebody follows here.
    guests: BTreeMap<SessionId, Weak<Live>>,
    /// Places of sessions that may open any moment.
    pub(super) reserved: usize,
}

impl Table {
    pub(super) fn insert(&mut self, live: Arc<Live>) {
        self.all.insert(live.origin.session, live);
    }

    pub(super) fn get(&self, id: SessionId) -> Option<Arc<Live>> {
        self.all.get(&id).map(Arc::clone)
    }

    /// The session of another hub, one for all who follow it here.
    pub(super) fn guest(&mut self, id: SessionId, make: impl FnOnce() -> Arc<Live>) -> Arc<Live> {
        let known = self.guests.get(&id).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            self.guests.retain(|_, live| live.strong_count() > 0);
            let live = make();
            self.guests.insert(id, Arc::downgrade(&live));
            live
        })
    }

    /// Sessions that somebody follows here.
    pub(super) fn followed(&self) -> Vec<Arc<Live>> {
        let guests = self.guests.values().filter_map(Weak::upgrade);
        let own = self.all.values().filter(|live| live.is_followed());
        own.map(Arc::clone).chain(guests).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Places that are taken: by sessions, and by those that may open any moment.
    pub(super) fn taken(&self) -> usize {
        self.all.len().saturating_add(self.reserved)
    }

    pub(super) fn open(&self) -> usize {
        self.all.len().saturating_sub(self.ended.len())
    }

    pub(super) fn end(&mut self, id: SessionId, now: Tick) {
        if self.all.contains_key(&id) {
            self.ended.push_back((id, now));
        }
    }

    /// The session that ended first, which is let go of.
    pub(super) fn forget_oldest(&mut self) -> Option<SessionId> {
        let (id, _) = self.ended.pop_front()?;
        self.all.remove(&id);
        Some(id)
    }

    /// A session that ended more than `retention` ago, which is let go of.
    pub(super) fn forget_before(&mut self, now: Tick, retention: u64) -> Option<SessionId> {
        let (_, at) = self.ended.front()?;
        if now.since(*at) < retention {
            return None;
        }
        self.forget_oldest()
    }

    pub(super) fn all_open(&self) -> Vec<Arc<Live>> {
        let open = |live: &&Arc<Live>| !live.has_ended();
        self.all.values().filter(open).map(Arc::clone).collect()
    }

    pub(super) fn open_before(&self, now: Tick, lifetime: u64) -> Vec<Arc<Live>> {
        let late =
            |live: &&Arc<Live>| !live.has_ended() && now.since(live.created.tick) >= lifetime;
        self.all.values().filter(late).map(Arc::clone).collect()
    }
}
