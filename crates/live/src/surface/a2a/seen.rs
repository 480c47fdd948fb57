//! The same task for readers who see details, and for those who do not.

use super::{Task, Tracker, Update};
use crate::event::Event;
use crate::frame::Frame;

impl Tracker {
    /// Takes the next event with what it is to readers who may not see its details. The updates have them.
    pub(crate) fn take(&mut self, frame: &Frame) -> Vec<Update> {
        let Ok(event) = Event::from_slice(&frame.json()) else {
            // Whoever reads on goes on behind it.
            self.seq = self.seq.max(frame.seq().get());
            return Vec::new();
        };
        let updates = self.apply(&event);
        let reduced = frame.reduced();
        if let Some(reduced) = reduced.and_then(|less| Event::from_slice(&less.json()).ok()) {
            // Only what it says differs.
            let whole = self.task.status.clone();
            self.apply(&reduced);
            let less = std::mem::replace(&mut self.task.status, whole);
            self.reduced = less.message.map(Box::new);
        }
        updates
    }

    /// The task as a reader of that level sees it.
    pub(crate) fn seen(&self, detail: bool) -> Task {
        let mut task = self.task.clone();
        if let (false, Some(less)) = (detail, &self.reduced) {
            task.status.message = Some((**less).clone());
        }
        task
    }
}
