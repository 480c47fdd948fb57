//! The native manifest as types, for programs that write one (contract M2).
//!
//! Reading does not go through these types: the reader in this crate keeps places and forgives mistakes. Every field here is a
//! member of the format, in the order it is written.
//!
//! ```
//! use aon_manifest::native::{Manifest, Method, Operation};
//!
//! let mut operation = Operation::default();
//! operation.id = "list_pets".to_owned();
//! operation.method = Some(Method::Get);
//! operation.path = Some("/pets".to_owned());
//! let mut manifest = Manifest::default();
//! manifest.slug = "pets".to_owned();
//! manifest.version = "1.0.0".to_owned();
//! manifest.operations.push(operation);
//!
//! let text = serde_json::to_string(&manifest).unwrap();
//! assert_eq!(text, r#"{"slug":"pets","version":"1.0.0","operations":[{"id":"list_pets","method":"GET","path":"/pets"}]}"#);
//! ```

mod error;
#[cfg(feature = "schema")]
mod schema;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

pub use error::{ErrorResponse, ExampleRequest, NextAction, Remediation};
#[cfg(feature = "schema")]
pub use schema::json_schema;

/// A manifest: one API, its operations, and what can go wrong with them.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Manifest {
    /// The format and its version, such as `aon@0.1` or `kno@0.0.9`.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// An id that never changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The short name by which documents about the same API are joined.
    pub slug: String,
    /// What the manifest describes; `api` for an API.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The version of the API.
    pub version: String,
    /// Who may see the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the API is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The address paths are relative to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The page that explains the API to people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs_url: Option<String>,
    /// The surfaces the API is meant to have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub surfaces: Vec<Surface>,
    /// What to do about an error that has no remediation of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remediation_default: Option<Remediation>,
    /// What the API can do.
    pub operations: Vec<Operation>,
    /// Named JSON Schemas, for `$ref: '#/schemas/…'`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub schemas: BTreeMap<String, Value>,
}

/// One thing an API can do.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Operation {
    /// Its id, unique in the manifest.
    pub id: String,
    /// The HTTP method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// The path, with parameters as `{name}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A short line about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who may use it, when that differs from the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    /// The page that explains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs_url: Option<String>,
    /// Words to group it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Its parameters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// The body of its request, when parameters of the body do not say it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_body: Option<Body>,
    /// Responses that are not errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub responses: Vec<Response>,
    /// Errors it can answer with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub error_responses: Vec<ErrorResponse>,
    /// Its exposure as an MCP tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp: Option<Mcp>,
    /// Its exposure as an A2A skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a2a: Option<A2a>,
    /// The id of the operation that shows whether it had its effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// Whether callers should stop using it.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub deprecated: bool,
}

/// A parameter. It has at most one of `enum`, `oneOf` and `choices_endpoint`.
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(extend("not" = {"anyOf": [
        {"required": ["enum", "oneOf"]}, {"required": ["enum", "choices_endpoint"]}, {"required": ["oneOf", "choices_endpoint"]}
    ]}))
)]
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Where it is sent.
    #[serde(rename = "in")]
    pub location: Location,
    /// Its type in JSON Schema.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its format in JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The pattern it matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The schema of its items, when it is an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Value>,
    /// Whether it must be sent.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub required: bool,
    /// What is taken when it is not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A value it can have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
    /// The closed set of its values.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Value>,
    /// Alternatives, each a schema.
    #[serde(rename = "oneOf", skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<Value>,
    /// The path that answers with the current values as `[{value, label?, description?}]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices_endpoint: Option<String>,
}

/// The body of a request.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Body {
    /// Its media type; `application/json` unless said otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Its schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// A body that would be accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
}

/// A response that is not an error.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Response {
    /// Its status.
    #[cfg_attr(feature = "schema", schemars(range(min = 100, max = 399)))]
    pub status: u16,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The schema of its body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// An example of its body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
}

/// How an operation is exposed as an MCP tool.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Mcp {
    /// Whether it is.
    pub expose: bool,
    /// The name of the tool; the operation's id unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// How an operation is exposed as an A2A skill.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct A2a {
    /// The skill it belongs to.
    pub skill: String,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $(#[$first_doc:meta])* $first:ident = $first_word:literal, $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
        pub enum $name {
            $(#[$first_doc])* #[default] #[serde(rename = $first_word)] $first,
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)*
        }
    };
}

words! {
    /// Who may see something.
    Visibility {
        /// Everybody.
        Public = "public",
        /// The organisation.
        Internal = "internal",
        /// Its owners.
        Private = "private",
    }
}

words! {
    /// An HTTP method.
    Method {
        /// GET.
        Get = "GET",
        /// POST.
        Post = "POST",
        /// PUT.
        Put = "PUT",
        /// PATCH.
        Patch = "PATCH",
        /// DELETE.
        Delete = "DELETE",
        /// HEAD.
        Head = "HEAD",
        /// OPTIONS.
        Options = "OPTIONS",
    }
}

words! {
    /// Where a parameter is sent.
    Location {
        /// In the query.
        Query = "query",
        /// In the path.
        Path = "path",
        /// In a header.
        Header = "header",
        /// In a cookie.
        Cookie = "cookie",
        /// As a member of the body.
        Body = "body",
    }
}

words! {
    /// A surface.
    Surface {
        /// HTTP.
        Rest = "rest",
        /// The Model Context Protocol.
        Mcp = "mcp",
        /// Agent to agent.
        A2a = "a2a",
        /// Pages and texts for people.
        Human = "human",
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands in a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}
