//! Reading a session from outside, on any of its channels.
//!
//! Everything that decides is pure: [`Ndjson`] and [`Sse`] read bytes that were split anywhere, [`Follow`] holds the rules of a
//! reader that comes back. [`Tail`] is the thin shell around them.

mod connect;
mod event;
mod ndjson;
mod open;
mod outcome;
mod resume;
mod sse;
mod tail;
mod wire;

pub use connect::BadAddress;
pub use event::Event;
pub use ndjson::Ndjson;
pub use outcome::{Cut, Failure, Outcome, Success};
pub use resume::{Channel, Follow, Input, Notice, Opening, Output, Rules};
pub use sse::Sse;
pub use tail::{Request, Step, Tail};
pub use wire::{Fault, Item, LINE_LIMIT};
