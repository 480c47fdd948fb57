//! One manifest or catalog in, every consumer's code out.
//!
//! The way is always the same: [`lower`] turns what was read into an [`Api`] (resolved, sorted, named, checked), a [`Target`] turns
//! that into [`GeneratedFile`]s, and whoever called writes them. Nothing here touches a disk.
//!
//! ```
//! use aon_codegen::{Options, lower, targets};
//! use aon_manifest::Document;
//!
//! let text = "
//! slug: possibility-auth
//! operations:
//!   - id: update_auth
//!     method: PATCH
//!     path: /possibilities/{id}/auth
//!     parameters:
//!       - { name: auth_ux, in: body, type: string, enum: [hosted, custom] }
//!     mcp: { tool: update_possibility_auth }
//!     error_responses:
//!       - { status: 422, code: invalid_auth_ux, valid_values: { auth_ux: [hosted, custom] } }
//! ";
//! let document = Document::from_text("auth.aon.yaml", text);
//! let api = lower(&document.apis(), None, &Options::default())?;
//! for target in targets() {
//!     assert!(!target.emit(&api, &Options::default()).is_empty());
//! }
//! # Ok::<(), aon_codegen::LowerError>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

pub mod ir;
pub mod names;
pub mod target;

mod file;
mod json;
mod lower;
mod order;
mod schema;
mod writer;

pub use file::{GeneratedFile, Origin};
pub use ir::Api;
pub use json::Tree;
pub use lower::{LowerError, LowerIssue, LowerIssueKind, lower};
pub use target::{Options, Target, targets};
