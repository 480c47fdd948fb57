//! Where a log ends, and the readers that wait for it to move.
//!
//! It does what tokio's `watch` does, for one small value and very many readers. All that a waiting reader has here is its
//! waker, in one list: with a thousand readers, each further place in memory is what a delivery costs.

use std::fmt;
use std::future::poll_fn;
use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use slab::Slab;

use super::Tail;
use crate::sync::{Mutex, locked};

#[derive(Default)]
struct State {
    tail: Tail,
    /// Grows with each change, and with each nudge.
    version: u64,
    closed: bool,
    /// Those that have seen this version; the next one begins with an empty list.
    waiting: Slab<Waker>,
}

/// The side of the log: it says where the log ends.
pub struct TailSender(Arc<Mutex<State>>);

/// The side of a reader. [`Log::tail`](super::Log::tail) gives one.
pub struct TailReceiver {
    shared: Arc<Mutex<State>>,
    seen: u64,
    /// Where its waker is, and in the list of which version.
    waits: Option<(u64, usize)>,
}

/// The log is gone, so its end does not move any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the log is gone")]
#[non_exhaustive]
pub struct Closed;

impl TailSender {
    /// The end of a log that is empty.
    pub fn new() -> Self {
        Self(Arc::default())
    }

    /// A reader that has seen what is there now.
    pub fn subscribe(&self) -> TailReceiver {
        TailReceiver {
            seen: locked(&self.0).version,
            shared: Arc::clone(&self.0),
            waits: None,
        }
    }

    /// Moves the end forward; an older end changes nothing.
    pub fn advance(&self, tail: Tail) {
        self.change(|state| {
            let moved = tail.newest > state.tail.newest;
            if moved {
                state.tail = tail;
            }
            moved
        });
    }

    /// Sets the end, which may be an older one.
    pub fn set(&self, tail: Tail) {
        self.change(|state| mem::replace(&mut state.tail, tail) != tail);
    }

    /// Wakes every reader though the end has not moved.
    pub fn nudge(&self) {
        self.change(|_| true);
    }

    fn change(&self, change: impl FnOnce(&mut State) -> bool) {
        let mut state = locked(&self.0);
        if !change(&mut state) {
            return;
        }
        state.version += 1;
        // Most of them will wait again.
        let room = Slab::with_capacity(state.waiting.len());
        let waiting = mem::replace(&mut state.waiting, room);
        // Outside the lock, so that a reader that wakes up does not run into it.
        drop(state);
        for (_, waker) in waiting {
            waker.wake();
        }
    }
}

impl Default for TailSender {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for TailSender {
    fn drop(&mut self) {
        self.change(|state| {
            state.closed = true;
            true
        });
    }
}

impl TailReceiver {
    /// Where the log ends.
    pub fn get(&self) -> Tail {
        locked(&self.shared).tail
    }

    /// Where the log ends. What changed until now counts as seen.
    pub fn see(&mut self) -> Tail {
        let state = locked(&self.shared);
        self.seen = state.version;
        state.tail
    }

    /// Waits until something changes that it has not seen.
    ///
    /// # Errors
    ///
    /// The log is gone.
    pub async fn changed(&mut self) -> Result<(), Closed> {
        poll_fn(|cx| self.poll_changed(cx)).await
    }

    /// Whether something has changed that it has not seen; otherwise the task is woken by the next change.
    ///
    /// # Errors
    ///
    /// The log is gone.
    pub fn poll_changed(&mut self, cx: &Context<'_>) -> Poll<Result<(), Closed>> {
        let mut state = locked(&self.shared);
        let version = state.version;
        if version != self.seen {
            self.seen = version;
            return Poll::Ready(Ok(()));
        }
        if state.closed {
            return Poll::Ready(Err(Closed));
        }
        let known = self.waits.filter(|(of, _)| *of == version);
        let other = match known.and_then(|(_, key)| state.waiting.get_mut(key)) {
            Some(known) if known.will_wake(cx.waker()) => None,
            Some(known) => Some(mem::replace(known, cx.waker().clone())),
            None => {
                self.waits = Some((version, state.waiting.insert(cx.waker().clone())));
                None
            }
        };
        // A waker may be the last that holds a task, and that task may hold a receiver: not within the lock.
        drop(state);
        drop(other);
        Poll::Pending
    }

    /// Waits until this holds.
    ///
    /// # Errors
    ///
    /// The log is gone before.
    pub async fn wait_for(&mut self, holds: impl Fn(&Tail) -> bool) -> Result<Tail, Closed> {
        loop {
            let tail = self.see();
            if holds(&tail) {
                return Ok(tail);
            }
            self.changed().await?;
        }
    }
}

impl Drop for TailReceiver {
    fn drop(&mut self) {
        let Some((version, key)) = self.waits else {
            return;
        };
        let mut state = locked(&self.shared);
        // The list of an older version is gone already.
        let left = (state.version == version).then(|| state.waiting.try_remove(key));
        drop(state);
        drop(left);
    }
}

impl fmt::Debug for TailSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tail = locked(&self.0).tail;
        f.debug_tuple("TailSender").field(&tail).finish()
    }
}

impl fmt::Debug for TailReceiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TailReceiver").field(&self.get()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;
    use crate::id::Seq;

    /// A task that counts how often it is woken.
    #[derive(Default)]
    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Task {
        fn waits(self: &Arc<Self>, tail: &mut TailReceiver) -> bool {
            let waker = Arc::clone(self).into();
            tail.poll_changed(&Context::from_waker(&waker)).is_pending()
        }

        fn woken(&self) -> usize {
            self.0.load(Ordering::Relaxed)
        }
    }

    fn at(newest: u64) -> Tail {
        Tail {
            newest: Seq::new(newest),
            ended: false,
        }
    }

    #[test]
    fn what_came_before_the_wait_is_not_waited_for() {
        let (log, task) = (TailSender::new(), Arc::new(Task::default()));
        let mut tail = log.subscribe();
        log.advance(at(1));
        assert!(!task.waits(&mut tail));
        assert!(task.waits(&mut tail));
        log.advance(at(1));
        assert_eq!(task.woken(), 0, "nothing moved");
        log.nudge();
        log.set(at(0));
        assert_eq!((task.woken(), tail.see()), (1, at(0)));
        assert!(task.waits(&mut tail));
    }

    #[test]
    fn a_reader_that_leaves_takes_its_waker_along() {
        let (log, task) = (TailSender::new(), Arc::new(Task::default()));
        let mut stays = log.subscribe();
        assert!(task.waits(&mut stays));
        for _ in 0..100 {
            assert!(task.waits(&mut log.subscribe()));
        }
        assert_eq!(locked(&log.0).waiting.len(), 1);
        // One whose list is gone takes out nobody else's.
        let mut late = log.subscribe();
        assert!(task.waits(&mut late));
        log.nudge();
        assert!(!task.waits(&mut stays) && task.waits(&mut stays));
        drop(late);
        assert_eq!(locked(&log.0).waiting.len(), 1);
        log.nudge();
        assert_eq!(task.woken(), 3);
    }

    #[test]
    fn the_task_that_asked_last_is_woken() {
        let (log, first) = (TailSender::new(), Arc::new(Task::default()));
        let (mut tail, second) = (log.subscribe(), Arc::new(Task::default()));
        assert!(first.waits(&mut tail) && second.waits(&mut tail) && second.waits(&mut tail));
        assert_eq!(Arc::strong_count(&first), 1);
        log.nudge();
        assert_eq!((first.woken(), second.woken()), (0, 1));
    }

    #[test]
    fn a_log_that_is_gone_ends_the_wait() {
        let (log, task) = (TailSender::new(), Arc::new(Task::default()));
        let mut tail = log.subscribe();
        assert!(task.waits(&mut tail));
        drop(log);
        assert_eq!((task.woken(), tail.see()), (1, Tail::default()));
        let over = tail.poll_changed(&Context::from_waker(Waker::noop()));
        assert_eq!(over, Poll::Ready(Err(Closed)));
    }
}
