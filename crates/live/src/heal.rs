//! Healing: steps that repair themselves, and a person who repairs the rest ([L6], [L7]).
//!
//! A step is the boundary of what is tried again: a name, a payload, strategies in order, and a body that may run more than
//! once. What a strategy does is an event; what a person may change is a list of JSON Pointers; what fails in the end
//! says all of it.
//!
//! ```
//! use std::time::Duration;
//! use aon::{Code, ProblemDetails, Status};
//! use aon_live::heal::{Ask, Backoff, Rename};
//! use serde_json::json;
//!
//! #[derive(serde::Deserialize)]
//! struct NewUser { name: String, email: String }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! # let session = aon_live::Session::detached();
//! let user = session
//!     .step("store_user", json!({"name": "Ann", "mail": "ann@example.com"}))
//!     .heal(Backoff::attempts(3))
//!     .heal(Rename::into::<NewUser>())
//!     .ask(Ask::about(["/email"]).within(Duration::from_secs(120)))
//!     .run(async |user: NewUser, attempt| {
//!         let key = attempt.idempotency_key();
//!         Ok::<_, ProblemDetails>(format!("{} <{}> {}", user.name, user.email, key.to_string().len()))
//!     })
//!     .await?;
//! assert_eq!(user, "Ann <ann@example.com> 32");
//! # let _ = (Code::from_static("x"), Status::from_static(500));
//! # Ok::<(), aon::Failure>(())
//! # }).map_err(|failure| format!("{failure:?}"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without a hub the same works as a plain call: [`step`].
//!
//! [L6]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l6
//! [L7]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l7

mod ask;
mod audit;
mod backoff;
mod breaker;
mod correct;
mod digest;
mod fallback;
pub(crate) mod fault;
mod key;
pub(crate) mod question;
mod refresh;
mod run;
mod step;
mod strategy;
#[cfg(feature = "client")]
mod webhook;

pub use crate::machine::patch::{
    AllowList, InvalidPath, Patch, PatchLimits, PatchRules, Refused, Why,
};
pub use crate::machine::request::Answer;
pub use ask::{Ask, Asker, Asking, Reply};
pub use audit::{AuditRecord, AuditSink};
pub use backoff::Backoff;
pub use breaker::Breaker;
pub use correct::{Correct, Rename};
pub use fallback::{Fallback, Given, Other};
pub use fault::HealFault;
pub use key::IdempotencyKey;
pub use question::{Question, Receipt, Rejection, Responder};
pub use refresh::Refresh;
pub use step::{Attempt, Step, step};
pub use strategy::{Failed, NoStrategy, Remedy, Strategy, Then};
#[cfg(feature = "client")]
pub use webhook::Webhook;

#[cfg(feature = "jwt")]
pub(crate) use key::unnamed;
pub(crate) use question::Desk;
pub(crate) use refresh::Flights;
