//! Which session is around: the carrier from the layer to what runs inside.
//!
//! A task moves between threads, so the session is set while its future is polled and taken back after. It costs a black box
//! nothing on the heap, which an entry in the extensions of the request does.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;

use super::Session;

thread_local! {
    static CURRENT: Cell<Option<Session>> = const { Cell::new(None) };
}

/// Sets what is around and gives what was. While a thread ends there is nothing around.
fn swap(around: Option<Session>) -> Option<Session> {
    CURRENT.try_with(|current| current.replace(around)).ok()?
}

/// What was around before, put back even when a panic passes by.
struct Restore(Option<Session>);

impl Drop for Restore {
    fn drop(&mut self) {
        swap(self.0.take());
    }
}

impl Session {
    /// The session of the request that is being answered: for middleware, and for code so deep down that no handler hands it on.
    /// A detached one where there is none, as in a task of its own.
    ///
    /// ```
    /// use aon_live::Session;
    ///
    /// async fn charge() {
    ///     Session::current().status("Charging the card");
    /// }
    /// # let _ = charge;
    /// ```
    pub fn current() -> Self {
        Self::around().unwrap_or_else(Self::detached)
    }

    pub(super) fn around() -> Option<Self> {
        let around = swap(None)?;
        swap(Some(around.clone()));
        Some(around)
    }

    /// Runs a function inside.
    pub(crate) fn run<T>(&self, function: impl FnOnce() -> T) -> T {
        let _restore = Restore(swap(Some(self.clone())));
        function()
    }

    /// Runs a future inside, on whatever threads it is polled.
    pub(crate) async fn enter<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|context| self.run(|| future.as_mut().poll(context))).await
    }
}
