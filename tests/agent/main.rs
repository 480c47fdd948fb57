//! The wires of the agents: worker, provider and daemon, each with clients and servers that we did not write in Rust.

#[cfg(unix)]
mod actions;
#[cfg(unix)]
mod daemon;
#[cfg(unix)]
mod foreign;
#[cfg(unix)]
mod http;
#[cfg(unix)]
mod kit;
#[cfg(unix)]
mod program;
#[cfg(unix)]
mod sessions;
#[cfg(unix)]
mod socket;
#[cfg(unix)]
mod speed;
#[cfg(unix)]
mod streams;
#[cfg(unix)]
mod support;
