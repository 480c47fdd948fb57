//! The tree after checking: what stands here is right, and writing it out cannot fail.

use proc_macro2::Ident;
use syn::{DeriveInput, Member, Path, Type};

use crate::format::Detail;

/// A type that derives `Problem`.
pub(crate) struct Input<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) krate: Path,
    pub(crate) adapters: Adapters,
    pub(crate) variants: Vec<Variant<'a>>,
}

/// For which frameworks the type is made an answer.
pub(crate) struct Adapters {
    pub(crate) axum: bool,
    pub(crate) rmcp: bool,
    pub(crate) jsonrpsee: bool,
}

/// A variant, or the one of a struct.
pub(crate) struct Variant<'a> {
    /// The variant; `None` for a struct.
    pub(crate) ident: Option<&'a Ident>,
    pub(crate) fields: Vec<Field<'a>>,
    pub(crate) kind: Kind,
}

/// What becomes of a variant.
pub(crate) enum Kind {
    /// Its one field is the problem.
    Transparent,
    /// It is a problem of its own.
    Declared(Box<Declared>),
}

/// A field and what it is for.
pub(crate) struct Field<'a> {
    pub(crate) member: Member,
    pub(crate) name: String,
    pub(crate) ty: &'a Type,
    pub(crate) role: Role,
    /// Whether it is the source of the error.
    pub(crate) source: bool,
}

/// What a field is for.
pub(crate) enum Role {
    Private,
    Public,
    Extension(String),
    Values(String),
    RetryAfter,
    Challenge,
}

/// One catalog entry.
pub(crate) struct Declared {
    pub(crate) code: String,
    pub(crate) status: u16,
    /// The whole type, where it does not come from the namespace of the crate.
    pub(crate) type_uri: Option<String>,
    /// The name in URNs, where the type says a namespace of its own.
    pub(crate) urn: Option<String>,
    pub(crate) title: String,
    pub(crate) detail: Detail,
    pub(crate) template: String,
    pub(crate) summary: String,
    pub(crate) docs_url: Option<String>,
    pub(crate) mcp_tool: Option<String>,
    pub(crate) a2a_skill: Option<String>,
    pub(crate) remediation: Option<Remediation>,
    pub(crate) values: Vec<Values>,
    pub(crate) pointers: Vec<String>,
    pub(crate) retry_after: Option<u64>,
    pub(crate) challenge: Option<String>,
}

/// The values of one field.
pub(crate) struct Values {
    pub(crate) field: String,
    pub(crate) source: Source,
}

/// Where values come from.
pub(crate) enum Source {
    /// A type that implements `Choices`.
    Type(Box<Type>),
    /// Text.
    Words(Vec<String>),
    /// Numbers and booleans among them; only as JSON.
    Json(String),
    /// A field of the occurrence.
    RunTime,
}

/// A remediation and the JSON of the whole object.
pub(crate) struct Remediation {
    pub(crate) kind: aon_core::RemediationKind,
    pub(crate) message: Option<String>,
    pub(crate) next_action: Option<[Option<String>; 4]>,
    pub(crate) example: Option<Example>,
    pub(crate) auto_fix: bool,
    pub(crate) json: String,
}

/// An example request.
pub(crate) struct Example {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<String>,
}
