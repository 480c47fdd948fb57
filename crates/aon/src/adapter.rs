//! Adapters: a projection in the clothes of a framework.

#[cfg(feature = "axum")]
pub mod axum;
#[cfg(feature = "rmcp")]
pub mod rmcp;

#[cfg(feature = "jsonrpsee")]
pub mod jsonrpsee;

pub(crate) mod unwind;
