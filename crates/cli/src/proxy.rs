//! `aon proxy`: a sidecar that gives a server its envelope without changing it (V4).
//!
//! What decides is pure: [`relay`] takes lines and says which lines go where; [`judge`] reads a failure. [`stdio`] is the shell around a
//! child process.

pub(crate) mod args;

mod judge;
mod observe;
mod relay;
mod stdio;
mod tools;

use crate::fault::Fault;

/// Runs until the client or the server goes away; the exit code is that of the server.
pub(crate) fn run(args: &args::Proxy) -> Result<u8, Fault> {
    stdio::run(args)
}
