//! Metrics, traces and logs of what AON does.
//!
//! One [`Telemetry`] value is given to what reports: the door of the problem layers, the settings of a hub, a router. Nothing
//! of AON depends on this crate; what does not use it pays nothing.
//!
//! ```
//! use aon::axum::ProblemLayer;
//! use aon_live::{GlassBox, Hub, Settings};
//! use aon_observe::Telemetry;
//! use axum::{Router, routing::get};
//!
//! let telemetry = Telemetry::new();
//! let hub = Hub::with(Settings::new().observe(telemetry.clone()));   // sessions, events, readers, repairs
//! let app: Router = Router::new()
//!     .route("/report", get(async || "\"done\""))
//!     .layer(GlassBox::new(&hub))
//!     .merge(hub.routes())
//!     .merge(telemetry.routes())                                     // GET /metrics
//!     .layer(telemetry.layer())                                      // requests
//!     .layer(ProblemLayer::new().with_door(telemetry.door()));       // problems
//! # let _ = app;
//! ```
//!
//! Labels come from closed sets: codes of the catalog, surfaces, statuses, types of events, channels. Whatever else comes in is
//! `other`, and no metric has more than [`MOST_SERIES`] series.

mod bounded;
mod clock;
mod force;
mod hook;
pub mod log;
mod metrics;
pub mod names;
#[cfg(feature = "otlp")]
mod otlp;
mod page;
mod questions;
mod request;
pub mod sample;
mod telemetry;
mod text;

pub use bounded::MOST_SERIES;
pub use force::{Decision, FORCE_VARIABLE, Force, ForceError};
#[cfg(feature = "otlp")]
pub use otlp::Transport;
pub use prometheus_client;
pub use questions::{Questions, Routed};
pub use request::{RequestFuture, RequestLayer, RequestService};
pub use telemetry::{Builder, Telemetry};
pub use text::{OPEN_METRICS, PROMETHEUS};
