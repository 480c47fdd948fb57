//! The glass box: one handler, two modes, three channels, exact resume.
//!
//! A caller that asks for `application/x-ndjson` by name sees a handler work: what it understood, what it repaired, how it
//! goes, and at the end the answer everybody else gets alone. The same events, in the same order and with the same ids,
//! are read as server-sent events and over WebSocket, by as many readers as want to; one that was cut off resumes
//! exactly where it was.
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
//! What decides is pure and stands in `machine`, `accept` and `event`; what runs is a thin shell around it.

#![warn(clippy::wildcard_enum_match_arm)]

pub mod client;
pub mod event;
pub mod heal;
pub mod id;
pub mod observer;
#[cfg(feature = "schema")]
pub mod schema;
pub mod store;

mod accept;
mod access;
mod channel;
mod clock;
mod fault;
mod frame;
mod glass;
mod hub;
mod machine;
mod outcome;
mod patient;
mod report;
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
pub use fault::Fault;
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
    let session = Session::glass(hub, None, None);
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
