//! `aon proxy`: a sidecar that gives a server its envelope without changing it (V4).
//!
//! What decides is pure: [`desk`] reads the failures of an MCP server, [`relay`] takes lines and says which lines go where, [`rest`] holds requests against
//! a document, [`judge`] reads a server's own words. [`stdio`] is the shell around a child process, [`serve`] the one around a port.

pub(crate) mod args;

mod a2a;
mod clean;
mod desk;
mod judge;
mod mcp;
mod observe;
mod relay;
mod rest;
mod serve;
mod sse;
mod stdio;
mod tools;
mod upstream;
mod wire;

use crate::fault::Fault;
use crate::output::Output;

/// Runs until the client or the server goes away, or until it is asked to stop; the exit code is that of a server it started.
pub(crate) fn run(args: &args::Proxy, output: &mut Output) -> Result<u8, Fault> {
    let url = args
        .mcp
        .as_ref()
        .or(args.rest.as_ref())
        .or(args.a2a.as_ref());
    match url {
        Some(url) => serve::run(args, url, output).map(|()| crate::exit::OK),
        None => stdio::run(args),
    }
}
