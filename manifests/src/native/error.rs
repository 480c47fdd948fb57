//! Errors and remediation of the native manifest.

use std::collections::BTreeMap;

use aon_core::{NoneReason, RemediationType};
use serde::Serialize;
use serde_json::Value;

/// An error an operation can answer with.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ErrorResponse {
    /// Its status.
    #[cfg_attr(feature = "schema", schemars(range(min = 400, max = 599)))]
    pub status: u16,
    /// Its code, unique for what went wrong.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[a-z][a-z0-9_]*$")))]
    pub code: String,
    /// Its type URI; made of the namespace and the code unless given.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_uri: Option<String>,
    /// What went wrong, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The page that explains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs_url: Option<String>,
    /// The MCP tool that helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_tool: Option<String>,
    /// The A2A skill that helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a2a_skill: Option<String>,
    /// The allowed values by field: primitives, or `{value, label?, description?}`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub valid_values: BTreeMap<String, Vec<Value>>,
    /// What the caller can do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remediation: Option<Remediation>,
    /// An example of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
}

/// What the caller can do about an error.
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(extend(
        "if" = {"properties": {"type": {"const": "none"}}},
        "then" = {"required": ["reason"]},
        "else" = {"not": {"required": ["reason"]}}
    ))
)]
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remediation {
    /// The type.
    #[serde(rename = "type")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "super::schema::remediation_types")
    )]
    pub kind: RemediationType,
    /// Why nothing can be done; only with `none`, and always with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "super::schema::none_reasons")
    )]
    pub reason: Option<NoneReason>,
    /// What to do, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where to go next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_action: Option<NextAction>,
    /// A call that would succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example_request: Option<ExampleRequest>,
    /// Whether a tool, a skill or an endpoint can repair it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_fix_available: Option<bool>,
}

impl Remediation {
    /// A remediation of a type; `none` needs its reason set as well.
    pub fn new(kind: RemediationType) -> Remediation {
        Remediation {
            kind,
            reason: None,
            message: None,
            next_action: None,
            example_request: None,
            auto_fix_available: None,
        }
    }
}

/// Where to go next; at least one of the members.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("minProperties" = 1)))]
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NextAction {
    /// The operation, as an XRI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_xri: Option<String>,
    /// The operation, as a path or URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_url: Option<String>,
    /// The scope that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_scope: Option<String>,
    /// A guide for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guide_xri: Option<String>,
}

/// A call that would succeed; without secrets and without data of a tenant.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExampleRequest {
    /// Its method.
    pub method: super::Method,
    /// Its path.
    pub path: String,
    /// Its headers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Its body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}
