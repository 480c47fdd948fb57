//! axum 0.8: responses, a layer that leaves no error behind, and extractors whose rejections are full problems.
//!
//! Three things, each useful alone:
//!
//! - **Responses.** Every type that derives [`Problem`](macro@crate::Problem) implements `IntoResponse`: status line,
//!   `application/problem+json`, the headers of [S2], a request id. [`Failure`](crate::Failure) does it for any of them, and for a
//!   [`ProblemDetails`](crate::ProblemDetails) made by hand, so that `?` works. Causes and private fields go to
//!   `tracing`, once, under the target `aon::problem`: a 5xx as an error, a 4xx as debug.
//! - **[`ProblemLayer`].** Every 4xx and 5xx that leaves the program is a problem ([S3]), no matter where it comes from.
//! - **[`Json`], [`Query`], [`Path`].** Like axum's, but they report what is wrong with the input by JSON Pointer, kind and
//!   valid values, for every field at once. `Checked` (feature `schema`) holds a body to the JSON Schema of its type as well.
//!
//! # Examples
//!
//! ```
//! use aon::axum::{Json, ProblemLayer};
//! use axum::{Router, body::Body, routing::{get, post}};
//!
//! #[derive(Debug, thiserror::Error, aon::Problem)]
//! #[problem(namespace = "acme")]
//! enum OrderError {
//!     #[error("the order is still being set up")]
//!     #[problem(status = 409, retry_after = 5, remediation(wait_for_provisioning))]
//!     StillProvisioning,
//! }
//!
//! #[derive(serde::Deserialize)]
//! struct Order { item: String }
//!
//! async fn create(Json(order): Json<Order>) -> Result<String, OrderError> {
//!     Err(OrderError::StillProvisioning)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let app = Router::new().route("/orders", post(create)).route("/health", get(async || "ok"));
//! let app = ProblemLayer::new().with_door(aon::Door::new().with_namespace("acme")?).wrap(app);
//!
//! # use tower::ServiceExt;
//! let request = http::Request::get("/order").body(Body::empty())?;
//! let response = app.clone().oneshot(request).await?;
//! aon::assert_problem!(
//!     response,
//!     status = 404,
//!     code = "unknown_operation",
//!     type_uri = "acme://problem/unknown_operation",
//!     extension("suggestion") = "/orders",
//! );
//!
//! let request = http::Request::post("/orders").header("content-type", "application/json").body(Body::from("{}"))?;
//! let response = app.oneshot(request).await?;
//! aon::assert_problem!(response, status = 422, code = "missing_field", pointer = "/item");
//! # Ok(())
//! # }
//! ```
//!
//! # What becomes of a response
//!
//! | response | what leaves |
//! | --- | --- |
//! | under 400 | itself |
//! | one of ours | the problem, with the id the request brought, in the form it asked for |
//! | `application/problem+json` of somebody else | itself; ids that are missing are added while the body is small |
//! | axum's and tower-http's own texts | what they mean: code, pointer, kind, valid values, suggestion |
//! | 404 without words | `unknown_operation` with the nearest route, or `not_found` where the route exists |
//! | 405, 415 | with the methods or media types that are accepted |
//! | a panic | `internal`; the message goes to the log and nowhere else |
//! | JSON-RPC, A2A, event streams, gRPC | itself: they have their own way to say it |
//! | [`Passthrough`] in its extensions | itself |
//! | other JSON | the problem of its status; or itself, completed or adopted: see [`Foreign`] |
//! | anything else | the problem of its status; its text is not shown |
//!
//! Headers of a replaced response survive, apart from those about its body. A body is only read when it says that it
//! has at most 64 KiB; a longer one or a stream is let through or dropped, never collected.
//!
//! # Which form
//!
//! `Accept` decides: `text/html` gets the [page](crate::surface::human), everybody else JSON, whatever
//! they asked for: an error is never a 406. `Vary: accept` is set.
//!
//! # Which request id
//!
//! `X-Request-Id` of the request if it is well-formed, else the trace id of its `traceparent`, else a UUID of version 7
//! ([P3]). It is in the body, in `instance`, in the response's `X-Request-Id` and in the log.
//!
//! # Where to put the layer
//!
//! Outermost. [`ProblemLayer::wrap`] takes the router, learns its routes, and stands around everything; as an ordinary
//! `Router::layer` it works too, but then axum adds `Allow` to a 405 only after the layer, so the body cannot list the
//! methods unless [`ProblemLayer::with_routes_of`] told them.
//!
//! Inside of the layer a failure is an empty response with its status: middleware in between sees that, and what it adds to the
//! headers stays. What leaves is written at the layer, once.
//!
//! Both ways end in a `Router`, and axum boxes whatever stands between a router and its routes: two allocations for each
//! request, whichever layer it is. To save them, put the layer around the router as a service (`docs/performance.md` has
//! the figures).
//!
//! ```
//! use aon::axum::ProblemLayer;
//! use axum::{Router, extract::Request, ServiceExt, routing::get};
//! use tower::Layer;
//!
//! # async fn serve() -> std::io::Result<()> {
//! let app: Router = Router::new().route("/health", get(async || "ok"));
//! let app = ProblemLayer::new().layer(app.with_state(()));
//!
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
//! axum::serve(listener, ServiceExt::<Request>::into_make_service(app)).await
//! # }
//! # let _ = serve;
//! ```
//!
//! [S2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s2
//! [S3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s3
//! [P3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p3

mod adopt;
mod answer;
mod edge;
mod extract;
mod foreign;
mod form;
mod framework;
mod future;
mod known;
mod layer;
mod media;
mod respond;
mod routes;
#[cfg(feature = "serve")]
mod serve;

pub use adopt::Foreign;
#[cfg(feature = "schema")]
pub use extract::Checked;
pub use extract::{Json, Path, Query};
pub use future::ResponseFuture;
pub use layer::{Passthrough, ProblemLayer, ProblemService};
pub use respond::respond;
#[cfg(feature = "serve")]
pub use serve::{Serve, serve};

pub(crate) use framework::ALL as TABLE;

/// The catalog entries of what the layer and the extractors say by themselves.
///
/// They are part of `catalog::all()` and of what `aon catalog` finds in a program.
pub fn entries() -> impl Iterator<Item = &'static aon_core::Entry> {
    crate::builtin::ALL.iter().chain(TABLE).copied()
}
