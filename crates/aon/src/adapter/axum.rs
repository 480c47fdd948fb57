//! axum 0.8: responses, a layer that leaves no error behind, and extractors whose rejections are full problems.

mod accept;
mod amend;
mod exchange;
mod extract;
mod facts;
mod fault;
mod framework;
mod future;
mod known;
mod layer;
mod media;
mod routes;
mod settings;

pub use aon_core::respond::respond;
pub use extract::{Json, Path, Query};
pub use future::ResponseFuture;
pub use layer::{Emitted, Passthrough, ProblemLayer, ProblemService};
pub use settings::{Defaults, Settings, Shared};

/// The catalog entries of what the framework answers by itself, for a catalog of the whole program (D4).
pub fn entries() -> &'static [&'static aon_core::Entry] {
    framework::ALL
}
