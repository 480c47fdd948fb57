//! The glass box: one handler, two modes, three channels, exact resume.

#![warn(clippy::wildcard_enum_match_arm)]

pub mod client;
pub mod event;
pub mod id;
#[cfg(feature = "schema")]
pub mod schema;

pub use event::{ApplicationEvent, Event};
