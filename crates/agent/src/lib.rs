//! Worker, daemon and southbound agents: their wires as types, and the programs that speak them.
//!
//! A *worker* makes text for a prompt, over a Unix socket. A *daemon* gives it to people and programs over HTTP, with actions and questions. A
//! *southbound* agent runs commands and changes files on another machine, each action once.
//!
//! | module | wire | its program |
//! | --- | --- | --- |
//! | [`worker`] | lines of JSON on a Unix socket ([W1]) | `aon agent worker` |
//! | `provider` | the other end of that socket | |
//! | `daemon` | HTTP with server-sent events ([W2]) | `aon agent daemon` |
//! | `south` | WebSocket with certificates, or signed HTTP ([W3]) | `aon agent serve`, `aon agent call` |
//!
//! Readers are lenient and writers strict. Every failure is a problem, in the shape that its wire has for failures ([W5]).
//!
//! A model of your own is a [`Backend`](worker::Backend); the socket, sessions, time-outs and problems are here:
//!
//! ```
//! use aon_agent::worker::{Ask, Backend, Tokens, Worker, queue};
//!
//! #[derive(Debug)]
//! struct Shout;
//!
//! impl Backend for Shout {
//!     fn name(&self) -> &str {
//!         "shout"
//!     }
//!
//!     fn generate(&self, ask: Ask) -> Tokens {
//!         let (sender, tokens) = queue(16);
//!         tokio::spawn(async move {
//!             for word in ask.prompt.split_inclusive(' ') {
//!                 // Waits while the client is behind; an error means that nobody wants more.
//!                 if sender.send(word.to_uppercase()).await.is_err() {
//!                     return;
//!                 }
//!             }
//!         });
//!         tokens
//!     }
//! }
//!
//! # #[cfg(unix)]
//! async fn run() -> Result<(), aon_agent::Fault> {
//!     let socket = Worker::new(Shout).bind("/run/shout/worker.sock")?;
//!     socket.serve(std::future::pending()).await;
//!     Ok(())
//! }
//! ```
//!
//! # Features
//!
//! | feature | you get |
//! | --- | --- |
//! | `schema` | JSON Schema of the messages, `aon_agent::schema` |
//! | `redis` | the ledger of a fleet in Redis or Valkey, `aon_agent::south::fleet` |
//!
//! All but the types of the worker's wire need a Unix system.
//!
//! # Elsewhere
//!
//! - [Agents](https://github.com/aon-rs/aon/blob/main/docs/agents.md) and [southbound](https://github.com/aon-rs/aon/blob/main/docs/southbound.md) in the book.
//! - The specifications: [worker](https://github.com/aon-rs/aon/blob/main/docs/spec/worker-1.0.md),
//!   [daemon](https://github.com/aon-rs/aon/blob/main/docs/spec/daemon-1.0.md), [southbound](https://github.com/aon-rs/aon/blob/main/docs/spec/southbound-1.0.md).
//! - `aon check --worker`, `--daemon` and `--southbound` grade an implementation in any language.
//!
//! [W1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w1
//! [W2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w2
//! [W3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w3
//! [W5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w5

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod fault;
mod group;
pub mod line;
pub mod text;

#[cfg(unix)]
pub mod daemon;
#[cfg(unix)]
pub mod provider;
#[cfg(all(unix, feature = "schema"))]
pub mod schema;
#[cfg(unix)]
pub mod south;
pub mod worker;

pub use fault::Fault;
