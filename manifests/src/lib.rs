//! Reads the documents that describe an API into one model in which every node knows its place.
//!
//! Read are the native manifest (`.aon.yaml`, `.kno`), OpenAPI 3 and Swagger 2.0, MCP tool lists, and A2A agent cards, each as
//! JSON or YAML. The way is always the same:
//!
//! 1. [`parse`] turns bytes into a [`Tree`]: a flat list of nodes with byte spans. It never fails as a whole.
//! 2. [`Document::open`] parses an entry file, finds out its [`Format`], loads what `$ref`s name through a [`Loader`], and
//!    links them.
//! 3. [`Document::apis`] gives an [`Api`] for each manifest in the file: operations, parameters, errors, as small structs
//!    that borrow from the document. Schemas are not copied; a [`model::Schema`] looks things up when asked.
//!
//! Nothing here touches a disk, a network or a clock, and nothing panics on bad input: mistakes are [`Issue`]s with file, line,
//! column, what is wrong and what to do.
//!
//! ```
//! use aon_manifest::{Document, model::CarrierKind};
//!
//! let text = r#"
//! slug: possibility-auth
//! version: 1.0.0
//! operations:
//!   - id: update_auth
//!     method: PATCH
//!     path: /possibilities/{id}/auth
//!     parameters:
//!       - { name: auth_ux, in: body, type: string, enum: [hosted, custom] }
//!     error_responses:
//!       - { status: 422, code: invalid_auth_ux }
//! "#;
//! let document = Document::from_text("auth.aon.yaml", text);
//! let api = &document.apis()[0];
//! let operation = &api.operations[0];
//! let parameter = &operation.parameters[0];
//! assert_eq!(parameter.name(), "auth_ux");
//! assert_eq!(parameter.carriers()[0].kind, CarrierKind::Enum);
//! assert_eq!(parameter.anchor().pointer(), "/operations/0/parameters/0/name");
//! assert_eq!(operation.errors[0].code.unwrap().as_str(), "invalid_auth_ux");
//! ```
//!
//! # What a rule needs
//!
//! - [`Api::inputs`]: every parameter and every property of a request schema, each once, with its carriers.
//! - [`Api::properties`]: every property with its positions (request, response, both).
//! - [`Node::pointer`], [`Node::place`], [`Source::position`]: where a finding points.
//! - [`Node::source_text`] and [`Node::span`]: exactly the bytes of a value, quotes included, for a fix.
//! - [`Tree::comments`]: the comments of a YAML file, for `# aon-ignore: rule reason`.
//!
//! # Vendor extensions
//!
//! An OpenAPI, MCP or A2A document can say all that a native manifest says. A native member `docs_url` is written
//! `x-aon-docs-url`; in `_meta` of an MCP tool or `metadata` of a card also `aon/docs_url`.
//!
//! [`extension::EXTENSIONS`] lists them all with the objects they are read on, [`extension::RELATED`] the words of others;
//! `docs/reference/extensions.md` is written from both.
//!
//! Without extensions an OpenAPI response gets its code, type and remediation from the examples of its
//! `application/problem+json` body, or from the constants in that body's schema.
//!
//! # Writing
//!
//! [`native`] has the types of the native manifest for programs that write one; with the feature `schema` its JSON Schema.
//!
//! # Features
//!
//! | feature | gives | on by default |
//! |---|---|---|
//! | `schema` | the JSON Schema of the native manifest | no |

mod builder;
mod comment;
mod document;
mod format;
mod issue;
mod keyword;
pub mod model;
pub mod native;
mod node;
mod parse;
mod path;
mod read;
mod source;
mod span;
mod tree;

pub use comment::Comment;
pub use document::{Document, Loader, NoFiles, ReadOptions};
pub use format::{Format, InvalidFormat};
pub use issue::{Issue, IssueKind, Severity};
pub use model::Api;
pub use node::{Items, Kind, Member, Members, Node};
pub use parse::{ParseOptions, parse};
pub use path::percent_decode;
pub use read::extension;
pub use source::Source;
pub use span::{FileId, Place, Position, Span};
pub use tree::{Syntax, Tree};
