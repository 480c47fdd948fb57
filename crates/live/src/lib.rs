//! The glass box: one handler, two modes, three channels, exact resume.
//!
//! A caller that asks for `application/x-ndjson` by name watches a handler work: what it understood, what it corrected, how far it
//! is, and at the end the answer itself. Every other caller gets that answer alone. The same events, with the same ids in the same order,
//! are also available as server-sent events and over WebSocket, for any number of readers. A reader that was cut off resumes exactly
//! where it was.
//!
//! ```
//! # use aon::axum::ProblemLayer;
//! # use axum::{Json, Router, routing::post};
//! # use std::time::Duration;
//! # #[derive(serde::Deserialize)] struct NewUser { name: String }
//! # #[derive(serde::Serialize)] struct User { name: String }
//! # #[derive(Debug, thiserror::Error, aon::Problem)]
//! # enum UserError { #[error("the name is taken")] #[problem(status = 409, code = "name_taken")] NameTaken }
//! # async fn store(user: NewUser) -> Result<User, UserError> { Ok(User { name: user.name }) }
//! use aon_live::{GlassBox, Hub, Session};
//!
//! async fn create_user(session: Session, Json(user): Json<NewUser>) -> Result<Json<User>, UserError> {
//!     session.intent("create_user").issue("invalid_schema").decision("apply_semantic_mapping");
//!     session.status("Waiting for rate limit backoff...").estimated_delay(Duration::from_millis(200));
//!     Ok(Json(store(user).await?))
//! }
//!
//! let hub = Hub::new();                                  // embedded: nothing to install
//! let app = Router::new()
//!     .route("/users", post(create_user))
//!     .layer(GlassBox::new(&hub))
//!     .merge(hub.routes())                               // sessions, SSE, WebSocket, /.well-known/aon
//!     .layer(ProblemLayer::new());
//! # let _: Router = app;
//! ```
//!
//! ```console
//! $ aon tail -X POST --data '{"name":"Ada"}' http://127.0.0.1:3000/users
//! ```
//!
//! # A tour
//!
//! 1. **Report.** A handler takes a [`Session`] and says what it does: [`intent`](Session::intent), [`status`](Session::status), events of your own with
//!    [`ApplicationEvent`]. If the caller did not ask to watch, the session costs next to nothing and reports to nobody.
//! 2. **Mount.** [`GlassBox`] is the layer that decides by `Accept`; [`Hub::routes`] adds the addresses of sessions and `/.well-known/aon`.
//! 3. **Heal.** A [`step`] that fails tries its strategies, then asks a person for a JSON Patch, then goes on ([`heal`]).
//! 4. **Protect.** A session belongs to its caller: [`Settings::identify`] takes an [`Identify`], and the feature `jwt` has one for JSON Web Tokens.
//! 5. **Scale out.** `Hub::redis` keeps the sessions in Redis or Valkey, so that any node serves any of them (feature `redis`).
//! 6. **Speak to agents.** The same session is progress for an MCP caller (`rmcp`, with the feature of that name) and a task for an A2A caller ([`a2a`]).
//! 7. **Read.** [`client`] follows a session on any channel and resumes by itself. Generated clients in TypeScript and Python do the same.
//!
//! # Features
//!
//! None is on by default.
//!
//! | feature | you get |
//! | --- | --- |
//! | `client` | [`client`] with a network connection of its own: HTTP, WebSocket, TLS |
//! | `redis` | `Hub::redis`: sessions on several machines |
//! | `rmcp` | `aon_live::rmcp`: the calls to an rmcp server as sessions |
//! | `jwt` | `Jwt`: knows callers by their JSON Web Tokens |
//! | `tracing-status` | `StatusLayer`: `tracing` events inside a request become `status` events |
//! | `schema` | JSON Schema of the events |
//!
//! # Elsewhere
//!
//! - [The glass box](https://github.com/aon-rs/aon/blob/main/docs/glass-box.md), [healing](https://github.com/aon-rs/aon/blob/main/docs/healing.md) and
//!   [several machines](https://github.com/aon-rs/aon/blob/main/docs/operating.md) in the book.
//! - [Write a reader](https://github.com/aon-rs/aon/blob/main/docs/streams.md): the wire on one page.
//! - [`aon-rs`](https://docs.rs/aon-rs): the problems that a session ends with. [`aon-observe`](https://docs.rs/aon-observe): metrics and traces for a hub.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::wildcard_enum_match_arm)]

pub mod a2a;
pub mod client;
pub mod event;
pub mod heal;
pub mod id;
pub mod observer;
#[cfg(feature = "rmcp")]
pub mod rmcp;
#[cfg(feature = "schema")]
pub mod schema;
pub mod store;
pub mod surface;

mod accept;
mod access;
mod channel;
mod clock;
mod fault;
mod frame;
mod glass;
mod hub;
#[doc(hidden)]
#[expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "public for the simulation alone, which is built with it"
)]
pub mod machine;
mod outcome;
mod patient;
mod report;
pub mod restart;
mod session;
mod settings;
mod sync;
mod time;
mod trace;

#[cfg(feature = "jwt")]
pub use access::jwt::{Jwt, JwtError};
pub use access::{BadCredentials, Caller, Identify};
pub use aon_core::Severity;
pub use event::{ApplicationEvent, Event};
pub use fault::{Fault, TaskNotFound};
pub use frame::Frame;
pub use glass::{GlassBox, GlassService, OnDisconnect, Refusal, ResponseFuture};
pub use heal::step;
pub use hub::{Hub, Stats};
pub use patient::{Patient, PatientIo};
pub use session::{HealingEvent, IntentEvent, Session, StatusEvent};
pub use settings::{Environment, Profile, Settings};
#[cfg(feature = "tracing-status")]
pub use trace::StatusLayer;

/// A session that is open, for the suite that tries orders.
#[cfg(shuttle)]
pub fn scheduled(hub: &Hub) -> Session {
    let Ok(room) = hub.reserve(None) else {
        return Session::detached();
    };
    let session = Session::glass(hub, room, None, None);
    session.begin();
    session
}

/// Ends it; whether this was its end.
#[cfg(shuttle)]
pub fn ended(session: &Session) -> bool {
    session
        .live()
        .is_some_and(|live| live.fail(&Fault::Abandoned))
}
