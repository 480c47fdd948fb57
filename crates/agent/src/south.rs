//! Southbound: the wire between the side that asks and the side that acts ([W3]–[W5]).
//!
//! Over WebSocket the certificate of the client is its identity; over HTTP every request is signed with HMAC. Both carry the same
//! messages ([`wire`]) to the same core ([`Acting`]), which keeps an action's id before it acts and its answer after it, so that
//! nothing is done twice. What decides is pure: [`sign`], [`nonce`], [`ledger`], [`patch`].
//!
//! [W3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w3
//! [W5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w5

pub mod act;
pub mod answer;
pub mod client;
pub mod clock;
pub mod config;
pub mod exec;
pub mod fault;
pub mod files;
#[cfg(feature = "redis")]
pub mod fleet;
pub mod http;
pub mod keep;
pub mod keys;
pub mod ledger;
pub mod nonce;
pub mod patch;
#[cfg(feature = "schema")]
pub mod schema;
pub mod sign;
pub mod tls;
pub mod wire;
pub mod ws;

pub use act::{Acting, TelemetrySink, Who};
pub use answer::Answer;
pub use fault::SouthFault;
