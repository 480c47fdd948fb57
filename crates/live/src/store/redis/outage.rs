//! What happens when the engine does not answer any more, when it does again, and when it has come back empty.

use std::sync::{Arc, Weak};

use tokio::sync::watch;

use super::log::RedisLog;
use super::writer::Job;
use super::{Shared, Work};
use crate::frame::Frame;
use crate::id::Seq;
use crate::store::Log as _;
use crate::sync::locked;

/// Tells sessions, as long as the store is there.
pub(super) async fn watch(shared: Weak<Shared>, mut stores: watch::Receiver<bool>) {
    while stores.changed().await.is_ok() {
        let Some(shared) = shared.upgrade() else {
            return;
        };
        let stores = *stores.borrow_and_update();
        if let Some(inbox) = shared.inbox.get() {
            inbox.stores(stores);
        }
        if !stores {
            for log in shared.all_own() {
                log.show_unstored();
            }
        }
    }
}

impl Shared {
    fn all_own(&self) -> Vec<Arc<RedisLog>> {
        locked(&self.own).values().map(Arc::clone).collect()
    }

    /// The engine does not know this node: it may have come back empty. What it lost of the sessions of this node is given to it
    /// again.
    pub(super) fn look_for_losses(&self) {
        for log in self.all_own().into_iter().filter(|log| log.is_ours()) {
            self.write(Job {
                log,
                work: Work::Append(Vec::new()),
                reply: None,
            });
        }
    }
}

/// Makes the log of a session anew in an engine that has lost it: what is kept here, and then this. Nothing where it is gone for
/// good.
pub(super) fn restored(mut job: Job) -> Result<[Job; 2], Job> {
    let Work::Append(frames) = &mut job.work else {
        return Err(job);
    };
    if !job.log.may_be_restored() {
        return Err(job);
    }
    let mut kept = job.log.all_kept();
    let first = frames.first().map(Frame::seq);
    kept.retain(|frame| first.is_none_or(|first| frame.seq() < first));
    kept.append(frames);
    let next = kept.first().map(Frame::seq);
    let next = next.unwrap_or_else(|| job.log.tail().get().newest.next());
    *frames = kept;
    let made = Job {
        log: Arc::clone(&job.log),
        work: Work::Create(Seq::new(next.get().saturating_sub(1))),
        reply: None,
    };
    tracing::warn!(session = %job.log.id, "the engine has lost a session of this node, and gets it again");
    Ok([made, job])
}
