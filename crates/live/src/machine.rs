//! What has a rule in it: pure, synchronous, and tested without a runtime. `tests/tidy` refuses clocks, generators,
//! runtimes and frameworks in here; time and randomness come in as values.

pub(crate) mod backoff;
pub(crate) mod breaker;
pub(crate) mod patch;
pub(crate) mod reader;
pub(crate) mod rename;
pub(crate) mod request;
pub(crate) mod ring;
pub(crate) mod session;

#[cfg(test)]
mod model;
