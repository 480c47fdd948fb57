//! The sessions of a worker, shared by all its connections, so that one can abort what another one reads.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tokio::sync::watch;

use super::wire::StopReason;
use crate::fault::Fault;

/// All sessions. Time is in milliseconds and comes from outside.
#[derive(Debug)]
pub(super) struct Table {
    sessions: BTreeMap<String, Session>,
    most: usize,
    idle: u64,
}

#[derive(Debug)]
struct Session {
    params: Map<String, Value>,
    used: u64,
    /// What stops the generation that is running.
    running: Option<watch::Sender<Option<StopReason>>>,
}

/// A generation that may begin.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) params: Map<String, Value>,
    pub(super) stop: watch::Receiver<Option<StopReason>>,
}

impl Table {
    pub(super) const fn new(most: usize, idle: u64) -> Self {
        Self {
            sessions: BTreeMap::new(),
            most,
            idle,
        }
    }

    /// Adds a session; expired ones make room.
    pub(super) fn create(
        &mut self,
        now: u64,
        id: String,
        params: Map<String, Value>,
    ) -> Result<(), Fault> {
        if self.sessions.len() >= self.most {
            self.expire(now);
        }
        if self.sessions.len() >= self.most {
            return Err(Fault::TooManySessions);
        }
        let session = Session {
            params,
            used: now,
            running: None,
        };
        self.sessions.insert(id, session);
        Ok(())
    }

    /// Begins a generation; a session has one at a time.
    pub(super) fn begin(&mut self, now: u64, id: &str) -> Result<Begun, Fault> {
        let session = self.alive(now, id)?;
        if session.running.is_some() {
            return Err(Fault::SessionBusy);
        }
        let (sender, stop) = watch::channel(None);
        session.running = Some(sender);
        session.used = now;
        Ok(Begun {
            params: session.params.clone(),
            stop,
        })
    }

    /// A generation is over.
    pub(super) fn finish(
        &mut self,
        now: u64,
        id: &str,
        stop: &watch::Receiver<Option<StopReason>>,
    ) {
        if let Some(session) = self.sessions.get_mut(id)
            && let Some(running) = &session.running
            && running.subscribe().same_channel(stop)
        {
            session.running = None;
            session.used = now;
        }
    }

    /// Ends what a session is generating. Whether there was anything.
    pub(super) fn abort(&mut self, now: u64, id: &str) -> Result<bool, Fault> {
        let session = self.alive(now, id)?;
        session.used = now;
        let running = session.running.as_ref();
        Ok(running.is_some_and(|running| stop(running, StopReason::Aborted)))
    }

    /// Ends a session, and what it is generating.
    pub(super) fn close(&mut self, now: u64, id: &str) -> Result<(), Fault> {
        self.alive(now, id)?;
        if let Some(session) = self.sessions.remove(id)
            && let Some(running) = &session.running
        {
            stop(running, StopReason::Closed);
        }
        Ok(())
    }

    /// How many sessions there are, and how many are generating.
    pub(super) fn count(&mut self, now: u64) -> (usize, usize) {
        self.expire(now);
        let running = |session: &&Session| session.running.is_some();
        (
            self.sessions.len(),
            self.sessions.values().filter(running).count(),
        )
    }

    fn expire(&mut self, now: u64) {
        let idle = self.idle;
        self.sessions
            .retain(|_, session| !session.is_expired(now, idle));
    }

    /// A session that is there and has not expired.
    fn alive(&mut self, now: u64, id: &str) -> Result<&mut Session, Fault> {
        let idle = self.idle;
        let expired = self
            .sessions
            .get(id)
            .is_some_and(|session| session.is_expired(now, idle));
        if expired {
            self.sessions.remove(id);
        }
        self.sessions.get_mut(id).ok_or(Fault::SessionNotFound)
    }
}

impl Session {
    /// What generates does not expire.
    const fn is_expired(&self, now: u64, idle: u64) -> bool {
        self.running.is_none() && now.saturating_sub(self.used) >= idle
    }
}

fn stop(running: &watch::Sender<Option<StopReason>>, reason: StopReason) -> bool {
    running.send_if_modified(|stop| {
        let first = stop.is_none();
        if first {
            *stop = Some(reason);
        }
        first
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(most: usize) -> Table {
        let mut table = Table::new(most, 100);
        table.create(0, "a".to_owned(), Map::new()).unwrap();
        table
    }

    #[test]
    fn a_session_expires_unless_it_generates() {
        let mut sessions = table(2);
        let begun = sessions.begin(99, "a").unwrap();
        assert_eq!(sessions.count(10_000), (1, 1));
        assert!(matches!(
            sessions.begin(10_000, "a"),
            Err(Fault::SessionBusy)
        ));
        sessions.finish(10_000, "a", &begun.stop);
        assert_eq!(sessions.count(10_099), (1, 0));
        assert_eq!(sessions.count(10_100), (0, 0));
        assert!(matches!(
            sessions.abort(10_100, "a"),
            Err(Fault::SessionNotFound)
        ));
    }

    #[test]
    fn there_are_only_so_many_and_expired_ones_make_room() {
        let mut table = table(1);
        let more = |table: &mut Table, now| table.create(now, "b".to_owned(), Map::new());
        assert!(matches!(more(&mut table, 50), Err(Fault::TooManySessions)));
        assert!(more(&mut table, 100).is_ok());
        assert!(matches!(table.begin(100, "a"), Err(Fault::SessionNotFound)));
    }

    #[test]
    fn the_first_reason_to_stop_counts() {
        let mut table = table(1);
        let begun = table.begin(1, "a").unwrap();
        assert!(table.abort(1, "a").unwrap());
        assert!(!table.abort(1, "a").unwrap());
        table.close(1, "a").unwrap();
        assert_eq!(*begun.stop.borrow(), Some(StopReason::Aborted));
        assert!(matches!(table.close(1, "a"), Err(Fault::SessionNotFound)));
        // The end of an old generation is not that of a new one.
        table.create(1, "a".to_owned(), Map::new()).unwrap();
        let second = table.begin(1, "a").unwrap();
        table.finish(1, "a", &begun.stop);
        assert_eq!(table.count(1), (1, 1));
        table.finish(1, "a", &second.stop);
        assert_eq!(table.count(1), (1, 0));
    }
}
