//! What locks, counters and waiting lists are while `tests/schedules` tries orders: those of shuttle, and a list of who waits
//! that does what tokio's `watch` says it does.

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicUsize};
pub(crate) use shuttle::sync::{Mutex, MutexGuard};

pub(crate) mod watch {
    use std::fmt;
    use std::future::poll_fn;
    use std::ops::Deref;
    use std::task::{Poll, Waker};

    use shuttle::sync::{Arc, Mutex, MutexGuard};

    struct State<T> {
        value: T,
        version: u64,
        senders: usize,
        waiting: Vec<Waker>,
    }

    type Shared<T> = Arc<Mutex<State<T>>>;

    /// The side that changes the value.
    pub struct Sender<T>(Shared<T>);

    /// A side that waits for changes.
    pub struct Receiver<T> {
        shared: Shared<T>,
        seen: u64,
    }

    /// The value, looked at.
    pub struct Ref<'a, T>(MutexGuard<'a, State<T>>);

    /// Nobody can change the value any more.
    #[derive(Debug)]
    pub struct Closed;

    fn lock<T>(shared: &Shared<T>) -> MutexGuard<'_, State<T>> {
        shared
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    impl<T> Sender<T> {
        pub fn new(value: T) -> Self {
            Self(Arc::new(Mutex::new(State {
                value,
                version: 0,
                senders: 1,
                waiting: Vec::new(),
            })))
        }

        pub fn subscribe(&self) -> Receiver<T> {
            let seen = lock(&self.0).version;
            let shared = Arc::clone(&self.0);
            Receiver { shared, seen }
        }

        pub fn send_modify(&self, change: impl FnOnce(&mut T)) {
            self.send_if_modified(|value| {
                change(value);
                true
            });
        }

        pub fn send_if_modified(&self, change: impl FnOnce(&mut T) -> bool) -> bool {
            let mut state = lock(&self.0);
            let changed = change(&mut state.value);
            if changed {
                state.version += 1;
            }
            let waiting = if changed {
                std::mem::take(&mut state.waiting)
            } else {
                Vec::new()
            };
            drop(state);
            waiting.into_iter().for_each(Waker::wake);
            changed
        }
    }

    impl<T> Drop for Sender<T> {
        fn drop(&mut self) {
            let mut state = lock(&self.0);
            state.senders -= 1;
            let waiting = std::mem::take(&mut state.waiting);
            drop(state);
            waiting.into_iter().for_each(Waker::wake);
        }
    }

    impl<T> Receiver<T> {
        pub fn borrow(&self) -> Ref<'_, T> {
            Ref(lock(&self.shared))
        }

        pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
            let state = lock(&self.shared);
            self.seen = state.version;
            Ref(state)
        }

        pub async fn changed(&mut self) -> Result<(), Closed> {
            poll_fn(|cx| {
                let mut state = lock(&self.shared);
                if state.version != self.seen {
                    self.seen = state.version;
                    return Poll::Ready(Ok(()));
                }
                if state.senders == 0 {
                    return Poll::Ready(Err(Closed));
                }
                state.waiting.push(cx.waker().clone());
                Poll::Pending
            })
            .await
        }

        pub async fn wait_for(&mut self, mut holds: impl FnMut(&T) -> bool) -> Result<(), Closed> {
            loop {
                if holds(&*self.borrow_and_update()) {
                    return Ok(());
                }
                self.changed().await?;
            }
        }
    }

    impl<T> Deref for Ref<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            &self.0.value
        }
    }

    impl<T> fmt::Debug for Sender<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Sender")
        }
    }

    impl<T> fmt::Debug for Receiver<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Receiver")
        }
    }
}
