//! Reading a session from outside, on any of its channels.
//!
//! Everything that decides is pure: [`Ndjson`] and [`Sse`] read bytes that were split anywhere, [`Follow`] holds the rules of a
//! reader that comes back. With the feature `client`, `Tail` is the thin shell around them.

mod event;
mod ndjson;
mod outcome;
mod resume;
mod sse;
mod wire;

#[cfg(feature = "client")]
mod connect;
#[cfg(feature = "client")]
mod open;
#[cfg(feature = "client")]
mod post;
#[cfg(feature = "client")]
mod tail;

#[cfg(feature = "client")]
pub use connect::BadAddress;
pub use event::Received;
pub use ndjson::Ndjson;
pub use outcome::{Cut, Failure, Outcome, Success};
#[cfg(feature = "client")]
pub use post::{Posted, call, resolve};
pub use resume::{Channel, Follow, Input, Notice, Opening, Output, Rules};
pub use sse::Sse;
#[cfg(feature = "client")]
pub use tail::{Request, Step, Tail};
pub use wire::{Fault, Item, LINE_LIMIT, Reader};
