//! What locks and counters are while `tests/schedules` tries orders: those of shuttle.

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicUsize};
pub(crate) use shuttle::sync::{Mutex, MutexGuard};
