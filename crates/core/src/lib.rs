//! The canonical problem of AON: one failure, every surface, the same words.
//!
//! This crate holds the value ([`ProblemDetails`]), its parts, the trait a program's errors implement
//! ([`Problem`]), the catalog of what a program can emit, and the redactor. It knows no framework, does no I/O and
//! reads no clock. Depend on `aon` instead, unless you write a surface or an adapter of your own.
//!
//! # Examples
//!
//! ```
//! use aon_core::{Code, NextAction, ProblemDetails, Remediation, Status};
//!
//! let problem = ProblemDetails::new(Status::from_static(403), Code::from_static("missing_scope"))
//!     .with_detail("Creating orders needs the scope orders:write.")
//!     .with_remediation(
//!         Remediation::request_scope_elevation().with_next_action(NextAction::required_scope("orders:write")),
//!     );
//! let read = ProblemDetails::from_slice(&problem.to_vec())?;
//! assert_eq!(read, problem);
//! # Ok::<(), aon_core::ReadProblemError>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::wildcard_enum_match_arm)]

pub mod canary;
pub mod catalog;
pub mod ids;
pub mod json;
pub mod pointer;
pub mod recovery;
pub mod redact;
pub mod suggest;

mod choices;
mod details;
mod entry;
mod example;
mod extensions;
mod hints;
mod invalid_choice;
#[doc(hidden)]
pub mod macro_support;
mod parts;
mod problem;
mod read;
mod remediation;
#[cfg(feature = "schema")]
mod schema;
mod status;
mod text;
mod uri;
mod write;

pub use choices::{Choice, ChoiceValue, Choices, ValidValues};
pub use details::ProblemDetails;
#[doc(hidden)]
pub use entry::{Embedded, EntryJson};
pub use entry::{Entry, FieldValues, Origin};
pub use example::ExampleRequest;
pub use extensions::Extensions;
pub use hints::{Category, Fingerprint, MachineHints, Severity};
pub use invalid_choice::InvalidChoice;
pub use json::{InvalidJson, Json};
pub use parts::Parts;
pub use pointer::{InvalidPointer, Pointer};
pub use problem::{Members, Problem};
pub use read::{MAX_PROBLEM, ReadProblemError, Reading};
pub use remediation::{
    AutoFix, NextAction, NoneReason, Remediation, RemediationKind, RemediationType,
};
#[cfg(feature = "schema")]
pub use schema::choices_schema;
pub use status::{InvalidStatus, Status};
pub use text::{
    Code, ExtensionName, InvalidCode, InvalidExtensionName, InvalidSkillId, InvalidToolName,
    STANDARD_MEMBERS, SkillId, ToolName,
};
pub use uri::{InvalidNamespace, InvalidUriRef, Namespace, UriRef};
