//! Locks that outlive a panic: what they guard is never left half changed.
//!
//! Under `cfg(shuttle)`, which only `tests/schedules` sets, they are ones whose order the test decides.

#[cfg(shuttle)]
mod scheduled;

use std::sync::PoisonError;
#[cfg(not(shuttle))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicUsize};
#[cfg(not(shuttle))]
pub(crate) use std::sync::{Mutex, MutexGuard};

#[cfg(shuttle)]
pub(crate) use scheduled::{AtomicBool, AtomicUsize, Mutex, MutexGuard};

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
