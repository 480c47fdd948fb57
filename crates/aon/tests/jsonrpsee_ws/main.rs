//! The jsonrpsee adapter, seen over a web socket (docs/decisions/jsonrpsee-web-sockets.md).
#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test fails loudly and reads better with values"
)]

mod frames;
mod life;
mod official;
mod problems;
mod raw;
mod server;
