//! Which scope is around: the carrier from the edge to what runs inside, and back.
//!
//! A task moves between threads, so the scope is set while its future is polled and taken back after. It is not tied to a
//! runtime.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;

use super::Scope;

thread_local! {
    static CURRENT: Cell<Option<Around>> = const { Cell::new(None) };
}

/// What is around: a scope, or what one is opened from when somebody asks. Most requests succeed, and nobody does.
#[derive(Debug)]
pub(crate) enum Around {
    #[cfg(feature = "axum")]
    Unopened(super::Door, super::Kept),
    Opened(Scope),
}

impl Around {
    /// The scope, opened now if it is not.
    pub(crate) fn open(&mut self) -> Scope {
        match self {
            Self::Opened(scope) => scope.clone(),
            #[cfg(feature = "axum")]
            Self::Unopened(door, kept) => {
                let scope = Scope::open(door, kept.take());
                *self = Self::Opened(scope.clone());
                scope
            }
        }
    }
}

/// Sets what is around and gives what was. While a thread ends there is nothing around.
#[inline]
pub(crate) fn swap(around: Option<Around>) -> Option<Around> {
    CURRENT.try_with(|current| current.replace(around)).ok()?
}

/// What was around before, put back even when a panic passes by.
struct Restore(Option<Around>);

impl Drop for Restore {
    fn drop(&mut self) {
        swap(self.0.take());
    }
}

impl Scope {
    /// The scope that is around, where there is one.
    pub fn current() -> Option<Self> {
        let mut around = swap(None)?;
        let scope = around.open();
        swap(Some(around));
        Some(scope)
    }

    /// Runs a function inside.
    pub fn run<T>(&self, function: impl FnOnce() -> T) -> T {
        let _restore = Restore(swap(Some(Around::Opened(self.clone()))));
        function()
    }

    /// Runs a future inside, on whatever threads it is polled.
    pub async fn enter<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|context| self.run(|| future.as_mut().poll(context))).await
    }
}
