//! One error enum, every surface: REST (RFC 9457), MCP and A2A say the same thing the same way.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::wildcard_enum_match_arm)]

// The macros write paths that start at `aon`; they work in here too.
extern crate self as aon;

pub mod accept;
pub mod arguments;
pub mod catalog;
pub mod door;
pub mod jsonrpc;
pub mod surface;
pub mod testing;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

mod adapter;
mod builtin;
mod program;

#[cfg(feature = "axum")]
pub use adapter::axum;
#[cfg(feature = "jsonrpsee")]
pub use adapter::jsonrpsee;
#[cfg(feature = "rmcp")]
pub use adapter::rmcp;
#[cfg(feature = "schema")]
pub use aon_core::choices_schema;
pub use aon_core::{
    AutoFix, Category, Choice, ChoiceValue, Choices, Code, Entry, ExampleRequest, ExtensionName,
    Extensions, FieldValues, Fingerprint, InvalidChoice, InvalidCode, InvalidExtensionName,
    InvalidJson, InvalidNamespace, InvalidPointer, InvalidSkillId, InvalidStatus, InvalidToolName,
    InvalidUriRef, Json, MAX_PROBLEM, MachineHints, Members, Namespace, NextAction, NoneReason,
    Origin, Parts, Pointer, Problem, ProblemDetails, ReadProblemError, Reading, Remediation,
    RemediationKind, RemediationType, STANDARD_MEMBERS, Severity, SkillId, Status, ToolName,
    UriRef, ValidValues,
};
pub use aon_core::{canary, ids, json, pointer, redact, suggest};
#[cfg(feature = "derive")]
#[doc = include_str!("docs/choices.md")]
pub use aon_derive::Choices;
#[cfg(feature = "derive")]
#[doc = include_str!("docs/problem.md")]
pub use aon_derive::Problem;
#[cfg(feature = "derive")]
#[doc = include_str!("docs/namespace.md")]
pub use aon_derive::namespace;
pub use door::{Door, Failure};
pub use program::program_namespace;
