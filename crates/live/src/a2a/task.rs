//! The tasks of an agent: sessions of its hub that a message began.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::MutexGuard;

use crate::access::Caller;
use crate::hub::Hub;
use crate::hub::live::Live;
use crate::id::{Seq, SessionId};
use crate::store::Budget;
use crate::surface::a2a::{Task, TaskState, Tracker};
use crate::sync::{Mutex, locked};

/// One task.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) live: Arc<Live>,
    /// The task as it began: where its stream begins.
    pub(super) opening: Tracker,
    tracker: tokio::sync::Mutex<Tracker>,
    brief: Mutex<Brief>,
}

/// What lists are made by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brief {
    pub(super) state: TaskState,
    pub(super) updated: u64,
}

impl Entry {
    /// The task of a session, as far as its log tells.
    pub(super) async fn of(live: &Arc<Live>) -> Option<Self> {
        let mut opening = Tracker::new(live.origin.session.to_string());
        let page = live
            .log
            .page(Seq::FIRST, Budget::new(2, usize::MAX))
            .wait()
            .await?;
        for frame in page.frames.iter().take(2) {
            opening.take(frame);
        }
        let brief = Brief {
            state: TaskState::Submitted,
            updated: live.created.wall.get(),
        };
        (!opening.task().context_id.is_empty()).then(|| Self {
            live: Arc::clone(live),
            tracker: tokio::sync::Mutex::new(opening.clone()),
            opening,
            brief: Mutex::new(brief),
        })
    }

    /// The task as it is now.
    pub(super) async fn now(&self) -> MutexGuard<'_, Tracker> {
        let mut tracker = self.tracker.lock().await;
        loop {
            let next = Seq::new(tracker.seq() + 1);
            if self.live.log.tail().get().newest < next {
                break;
            }
            let Some(page) = self.live.log.page(next, Budget::default()).wait().await else {
                break;
            };
            if page.oldest > next {
                tracker.skip_to(page.oldest.get().saturating_sub(1));
            }
            if page.frames.is_empty() {
                break;
            }
            for frame in &page.frames {
                tracker.take(frame);
            }
        }
        let status = &tracker.task().status;
        *locked(&self.brief) = Brief {
            state: status.state,
            updated: status.ts_ms,
        };
        tracker
    }

    /// The task once it has ended, or waits for its caller.
    pub(super) async fn settled(&self, detail: bool) -> Task {
        let mut tail = self.live.log.tail();
        loop {
            tail.see();
            let now = self.now().await;
            let state = now.task().status.state;
            if state.is_terminal() || state.is_interrupted() {
                return now.seen(detail);
            }
            let task = now.seen(detail);
            drop(now);
            if tail.changed().await.is_err() {
                return task;
            }
        }
    }

    pub(super) fn brief(&self) -> Brief {
        *locked(&self.brief)
    }
}

/// All tasks that this agent began.
#[derive(Debug, Default)]
pub(super) struct Tasks(Mutex<BTreeMap<SessionId, Arc<Entry>>>);

/// How many tasks may be known that the hub has let go of.
const SLACK: usize = 256;

impl Tasks {
    pub(super) fn insert(&self, entry: &Arc<Entry>, hub: &Hub) {
        let mut all = locked(&self.0);
        all.insert(entry.live.origin.session, Arc::clone(entry));
        if all.len() > hub.stats().sessions + SLACK {
            all.retain(|id, _| hub.knows(*id));
        }
    }

    /// The task of that id, if its caller may see it. What is not there and what is not theirs look the same.
    pub(super) async fn find(
        &self,
        id: &str,
        caller: Option<&Caller>,
        hub: &Hub,
    ) -> Option<Arc<Entry>> {
        let id = SessionId::parse(id)?;
        let live = hub.find(id).await?;
        if !Caller::may_see(caller, live.owner.as_ref()) {
            return None;
        }
        let known = locked(&self.0).get(&id).map(Arc::clone);
        if known.is_some() {
            return known;
        }
        // Another node runs it, and its log says what it is.
        Entry::of(&live).await.map(Arc::new)
    }

    /// Every task that the hub still knows.
    pub(super) fn all(&self, hub: &Hub) -> Vec<Arc<Entry>> {
        let mut all = locked(&self.0);
        all.retain(|id, _| hub.knows(*id));
        all.values().map(Arc::clone).collect()
    }
}
