//! The demo and an example server, seen by clients and suites that we did not write.
//!
//! Each module is one suite. A suite runs a script of the real client (`scripts/`), checks what the client handed to its
//! caller, says how many cases it covered, and fails on zero. Without the tools it says that it was skipped.

mod a2a;
mod a2a_kit;
mod a2a_tasks;
mod a2a_walks;
mod cluster_page;
mod conformance;
mod demo;
mod foreign;
mod hostile;
mod hostile_stdio;
mod http;
mod inspector;
mod live_mcp;
mod live_page;
mod mcp;
mod nodes;
mod page;
mod plan;
mod problem;
mod proxy;
mod recover_page;
mod tasks;
#[path = "../healing/token.rs"]
mod token;
mod tools;
mod watch;
