//! What one event looks like to callers of other protocols ([L13]): pure projections, and their way back.
//!
//! [L13]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l13

pub mod a2a;
pub mod mcp;
