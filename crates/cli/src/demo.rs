//! The demo: one set of operations, served as REST, MCP and A2A on one port.
//!
//! `domain` is the program: a store, functions on it, errors that derive `Problem`. `operation` names each function
//! for every surface and reads its arguments. `rest`, `mcp` and `a2a` only translate. `live` is the playground of streams,
//! `recover` shows a careless call that recovers.

mod a2a;
mod cluster;
mod connection;
mod domain;
mod input;
mod live;
mod log;
mod mcp;
mod operation;
mod page;
mod recover;
mod rest;
mod serve;

pub(crate) use serve::{serve, serve_stdio};
