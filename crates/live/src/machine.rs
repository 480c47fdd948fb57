//! What has a rule in it: pure, synchronous, and tested without a runtime. `tests/tidy` refuses clocks, generators,
//! runtimes and frameworks in here; time and randomness come in as values.
//!
//! Each machine takes what happened in `handle`, gives what is to be done in `poll` until that is `None`, and says in
//! `deadline` when it wants a `Tick`. Ticks may come early, late or twice. This module is public for the simulation in
//! `tests/sim`, which runs the same machines; it is not part of the API.

pub(crate) mod backoff;
pub(crate) mod breaker;
pub mod follow;
pub mod lease;
pub mod orphan;
pub(crate) mod patch;
pub mod reader;
pub(crate) mod rename;
pub mod request;
pub mod ring;
pub mod session;
pub mod writer;

pub use crate::time::Tick;

#[cfg(test)]
mod model;
