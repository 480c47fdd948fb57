//! The calls that outlive a request: tasks, and calls that wait for an answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::call::Call;
use crate::hub::Hub;
use crate::id::SessionId;
use crate::sync::{Mutex, locked};

/// Calls by the id of their session. The hub bounds them: one it has let go of is let go of here too.
#[derive(Debug, Default)]
pub(super) struct Calls {
    all: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    calls: BTreeMap<SessionId, Arc<Call>>,
    /// When it was looked through last, it had so many.
    left: usize,
}

impl Calls {
    pub(super) fn keep(&self, hub: &Hub, id: SessionId, call: &Arc<Call>) {
        let mut all = locked(&self.all);
        if all.calls.len() > all.left.saturating_mul(2).max(64) {
            all.calls.retain(|id, _| hub.holds(*id));
            all.left = all.calls.len();
        }
        all.calls.insert(id, Arc::clone(call));
    }

    pub(super) fn find(&self, hub: &Hub, id: SessionId) -> Option<Arc<Call>> {
        let found = locked(&self.all).calls.get(&id).map(Arc::clone);
        found.filter(|_| hub.holds(id))
    }

    pub(super) fn forget(&self, id: SessionId) {
        locked(&self.all).calls.remove(&id);
    }
}
