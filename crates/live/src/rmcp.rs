//! The calls of an rmcp server as sessions (L13): progress, logs, questions to a person, tasks.
//!
//! A tool takes a [`Session`] as an argument, as a handler of axum does, and reports to it:
//!
//! ```
//! use aon::rmcp::{Parameters, ProblemServer};
//! use aon_live::rmcp::{SessionServer, TaskSupport};
//! use aon_live::{Hub, Session};
//! use rmcp::{schemars, tool, tool_router};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Order { id: String }
//!
//! #[derive(Debug, thiserror::Error, aon::Problem)]
//! enum OrderError {
//!     #[error("there is no such order")]
//!     #[problem(status = 404, title = "No such order")]
//!     NoSuchOrder,
//! }
//!
//! #[derive(Clone)]
//! struct Shop;
//!
//! #[tool_router(server_handler)]
//! impl Shop {
//!     #[tool(description = "Sends an order")]
//!     async fn send_order(&self, session: Session, Parameters(order): Parameters<Order>) -> Result<String, OrderError> {
//!         session.status("looking for the order").progress(0.5);
//!         if order.id == "o1" { Ok("sent".to_owned()) } else { Err(OrderError::NoSuchOrder) }
//!     }
//! }
//!
//! let hub = Hub::new();
//! let server = SessionServer::new(ProblemServer::new(Shop), &hub).with_tasks("send_order", TaskSupport::Optional);
//! # let _ = server;
//! ```
//!
//! | what the session says | what the client gets |
//! | --- | --- |
//! | an event | `notifications/progress` where it sent a token; `notifications/message` where it set a level |
//! | a question to a person | `elicitation/create` up to 2025-11-25, `input_required` from 2026-07-28 on, `inputRequests` of a task |
//! | a task that goes on, asks or ends | `notifications/tasks` where the client subscribed to it with `subscriptions/listen` |
//! | its end | the result of the call, with the session in its `_meta` |
//! | that it was cancelled | a result with the problem `cancelled` |
//!
//! The other way round, `notifications/cancelled`, a closed stream and `tasks/cancel` cancel the session.

use rmcp::handler::server::common::{AsRequestContext, FromContextPart};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use crate::session::Session;

mod attach;
mod call;
mod delegate;
mod elsewhere;
mod fault;
mod server;
mod table;
mod tasks;
mod watch;

pub use fault::TaskFault;
pub use server::{SessionServer, TaskSupport};

/// Without the server around it the session is a detached one: tools work everywhere.
impl<C: AsRequestContext> FromContextPart<C> for Session {
    fn from_context_part(context: &mut C) -> Result<Self, ErrorData> {
        Ok(session(context.as_request_context()))
    }
}

/// The session of a request, for handlers that are written without rmcp's macros. A detached one without the server around it.
pub fn session(context: &RequestContext<RoleServer>) -> Session {
    let found = context.extensions.get::<Session>();
    found.cloned().unwrap_or_else(Session::detached)
}
