//! Metrics, traces and logs of what AON does.
//!
//! Give one [`Telemetry`] value to whatever reports: the door of the problem layers, the settings of a hub, a router. Nothing in
//! AON depends on this crate, so a program without it pays nothing.
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
//! # A tour
//!
//! 1. **Metrics.** [`Telemetry::routes`] serves `/metrics`, as Prometheus text or OpenMetrics, and a page of moving plots at `/aon/live`. [`names`] lists every metric.
//! 2. **Traces.** With the feature `otlp`, calls are spans in the caller's trace; the trace id is that of the events.
//! 3. **Logs.** [`log`] writes one line of JSON for each event, and [`sample`] thins debug lines out when there are too many.
//! 4. **Dashboard and alerts.** Files for Grafana and Prometheus are in the repository, with
//!    [a runbook](https://github.com/aon-rs/aon/blob/main/docs/observability/runbook.md).
//! 5. **Tests.** [`Force`] fixes a decision, so that a test takes the way it wants; the event says that it was forced.
//!
//! # Features
//!
//! | feature | you get |
//! | --- | --- |
//! | `otlp` | spans over OTLP, by HTTP or gRPC |
//!
//! # Elsewhere
//!
//! - [Observability](https://github.com/aon-rs/aon/blob/main/docs/observability.md) in the book, and
//!   [every metric](https://github.com/aon-rs/aon/blob/main/docs/observability/metrics.md).
//! - [`aon-rs`](https://docs.rs/aon-rs) and [`aon-live`](https://docs.rs/aon-live), which it watches.
//!
//! # Limits
//!
//! Labels come from closed sets: codes of the catalog, surfaces, statuses, types of events, channels. Anything else is
//! `other`, and no metric has more than [`MOST_SERIES`] series.

#![cfg_attr(docsrs, feature(doc_cfg))]

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
