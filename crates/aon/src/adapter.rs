//! Adapters: a projection in the clothes of a framework.

#[cfg(feature = "axum")]
pub mod axum;
