//! MCP servers built with rmcp 3: every failure of a tool leaves as a problem ([S5]).
//!
//! - A `#[tool]` function returns `Result<T, E>` for any `E` that derives `Problem`.
//! - [`Parameters`] takes the place of rmcp's: bad arguments become a problem with JSON Pointers, the valid values
//!   and the corrected arguments. Its name is the same, because rmcp's macro looks for it.
//! - [`ProblemServer`] wraps the handler: unknown tools get the nearest name, panics and time-outs become problems, and
//!   output schemas allow for errors.
//!
//! - [`Lines`] and [`HttpProblemLayer`] stand around it on stdio and HTTP: a broken message gets a problem too, and
//!   failures are written there, their members in order.
//!
//! Without [`ProblemServer`] errors are complete, but without `corrected_args` and a request id, and bad arguments
//! reach the client as text alone.
//!
//! # Examples
//!
//! ```
//! use aon::rmcp::{Parameters, ProblemServer};
//! use rmcp::{schemars, tool, tool_router};
//!
//! #[derive(Debug, Clone, Copy, serde::Deserialize, schemars::JsonSchema)]
//! #[serde(rename_all = "snake_case")]
//! enum AuthUx { Hosted, Custom }
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Update { id: String, auth_ux: AuthUx }
//!
//! #[derive(Debug, thiserror::Error, aon::Problem)]
//! enum AuthError {
//!     #[error("there is no login of this id")]
//!     #[problem(status = 404, title = "No such login")]
//!     NoSuchLogin,
//! }
//!
//! #[derive(Clone)]
//! struct Auth;
//!
//! #[tool_router(server_handler)]
//! impl Auth {
//!     #[tool(description = "Sets how people log in")]
//!     async fn update_possibility_auth(&self, Parameters(update): Parameters<Update>) -> Result<String, AuthError> {
//!         if update.id == "p1" { Ok(format!("{:?}", update.auth_ux)) } else { Err(AuthError::NoSuchLogin) }
//!     }
//! }
//!
//! let server = ProblemServer::new(Auth);
//! # let _ = server;
//! ```
//!
//! [S5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s5

mod edge;
mod http;
mod lines;
mod message;
mod own;
mod parameters;
mod result;
mod schema;
mod server;
mod told;

pub use http::{HttpProblemLayer, HttpProblemService};
pub use lines::Lines;
pub use message::TASK_SUBSCRIPTION;
pub(crate) use own::ALL as TABLE;
pub use parameters::Parameters;
pub use result::{call_tool_result, to_result};
pub use schema::compose;
pub use server::ProblemServer;
pub use told::Told;

#[doc(hidden)]
pub use ::rmcp::{
    ErrorData as __ErrorData, handler::server::tool::IntoCallToolResult as __IntoCallToolResult,
    model::CallToolResponse as __CallToolResponse,
};
