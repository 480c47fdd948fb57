//! One error enum for every surface: the same failure reaches REST (RFC 9457), MCP and A2A saying the same thing.
//!
//! Derive [`Problem`](macro@Problem) next to `thiserror::Error`. The caller, a person or an agent, then reads what happened, which values are
//! valid and what to do next, on whichever surface it called you.
//!
//! ```
//! use aon::Problem as _;
//!
//! #[derive(Debug, Clone, Copy, aon::Choices)]
//! enum Shipping { Standard, Express }
//!
//! #[derive(Debug, thiserror::Error, aon::Problem)]
//! enum OrderError {
//!     #[error("shipping must be one of \"standard\" or \"express\".")]
//!     #[problem(status = 422, title = "Invalid shipping", valid_values(shipping = Shipping))]
//!     InvalidShipping { given: String },
//!
//!     #[error("the orders cannot be read now")]
//!     #[problem(status = 503, retry_after = 5)]
//!     Storage(#[from] std::io::Error),
//! }
//!
//! let error = OrderError::InvalidShipping { given: "expres".to_owned() };
//! aon::assert_problem!(
//!     error.to_problem(),
//!     status = 422,
//!     code = "invalid_shipping",
//!     valid_values("shipping") = ["standard", "express"],
//! );
//!
//! // The cause goes to the log, and nothing that is private reaches a caller, on any surface.
//! aon::testing::assert_no_leaks::<OrderError>();
//! ```
//!
//! # A tour
//!
//! 1. **Declare.** [`Problem`](macro@Problem) turns variants into problems, [`Choices`](macro@Choices) an enum into a set of values that callers can
//!    discover. [`namespace!`] says whose problems they are.
//! 2. **Return.** With the feature of your framework, handlers, tools and methods return `Result<T, OrderError>`: `axum`, `rmcp` and `jsonrpsee`
//!    below. [`Failure`] is for functions with several error types, and [`Failure::internal`](door::Occurrence::internal) for errors that callers must not see.
//! 3. **Cover everything.** The layer for each framework turns the framework's own errors into problems: an unknown route names the nearest one, a bad body
//!    lists every wrong field, and panics and body limits are problems too. JSON errors you wrote by hand are replaced, kept or adopted (`axum::Foreign`).
//! 4. **Watch.** Each problem is one `tracing` event (target `aon::problem`) with its request id, and one call to your [`Door::on_problem`] hook.
//! 5. **Test.** [`assert_problem!`] compares, [`testing::assert_no_leaks`] proves that private fields stay private.
//! 6. **Publish.** [`catalog`] lists every problem a program can emit; the command line turns it into documentation and typed clients.
//! 7. **Recover.** [`recovery`] is the other side: a client that knows nothing but the problem decides what to do next.
//!
//! Without a framework, use [`surface`] (the projections, as pure functions), [`door`] (the one way out: ids, redaction, log), [`jsonrpc`] and
//! [`arguments`].
//!
//! # Features
//!
//! A feature adds API and never changes behaviour. With the default features, this crate depends on `serde`, `serde_json`, `tracing` and `uuid`.
//!
//! | feature | you get |
//! | --- | --- |
//! | `derive` (default) | the macros [`Problem`](macro@Problem), [`Choices`](macro@Choices) and [`namespace!`] |
//! | `axum` | `aon::axum`: `IntoResponse` for your errors, `ProblemLayer`, the extractors `Json`, `Query` and `Path`, for axum 0.8 |
//! | `serve` | `aon::axum::serve`: `axum::serve` with time-outs for heads and bodies |
//! | `rmcp` | `aon::rmcp`: tools that fail with problems, for rmcp 3 |
//! | `jsonrpsee` | `aon::jsonrpsee`: methods that fail with problems, for jsonrpsee 0.26 |
//! | `anyhow` | `aon::anyhow`: catch-all errors that show only the problems you name |
//! | `catalog` | `aon::catalog::all`: every problem of the program, collected by the linker |
//! | `schema` | JSON Schema of problems and choices, and the extractor `aon::axum::Checked` |
//! | `http` | `door::Facts` of an HTTP request and `jsonrpc::Endpoint`; the adapters turn it on |
//!
//! # Elsewhere
//!
//! - [Examples to copy](https://github.com/aon-rs/aon/tree/main/examples): one complete program for each framework.
//! - [The book](https://github.com/aon-rs/aon/blob/main/docs/README.md): getting started, migrating, how-to pages.
//! - [The contract](https://github.com/aon-rs/aon/blob/main/docs/contract.md): what holds on every surface, clause by clause. Names such as [P3] or [S5] in these
//!   pages are its clauses; `aon explain S5` prints one.
//! - [`aon-live`](https://docs.rs/aon-live): the glass box, a request that can be watched while it runs, and healed.
//! - [`aon-observe`](https://docs.rs/aon-observe): metrics, logs and traces. [`aon-agent`](https://docs.rs/aon-agent): workers, daemons, agents on other machines.
//!
//! [P3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p3
//! [S5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s5

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::wildcard_enum_match_arm)]

// The macros write paths that start at `aon`; they work in here too.
extern crate self as aon;

pub mod accept;
#[cfg(feature = "anyhow")]
pub mod anyhow;
pub mod arguments;
pub mod catalog;
pub mod door;
pub mod jsonrpc;
pub mod recovery;
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
