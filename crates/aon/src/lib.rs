//! One error enum, every surface: REST (RFC 9457), MCP and A2A say the same thing the same way.

#![warn(clippy::wildcard_enum_match_arm)]

pub mod surface;

pub use aon_core::*;
