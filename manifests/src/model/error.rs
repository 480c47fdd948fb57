//! An error an operation can answer with.

use super::body::{Content, Example};
use super::remediation::Remediation;
use super::status::Status;
use super::text::Text;
use crate::node::Node;

/// One error of one operation. An OpenAPI response that stands for several codes becomes several of these, with the same
/// [`response`](ErrorResponse::response).
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct ErrorResponse<'a> {
    /// The object that describes this error: the entry of `error_responses` or `x-aon-errors`, else the response.
    pub node: Node<'a>,
    /// The response it belongs to; the same as `node` in a native manifest.
    pub response: Node<'a>,
    /// The node of the status, to point at.
    pub status_node: Option<Node<'a>>,
    /// The status; none when it is missing or cannot be read.
    pub status: Option<Status>,
    /// The code.
    pub code: Option<Text<'a>>,
    /// The type URI.
    pub type_uri: Option<Text<'a>>,
    /// The title.
    pub title: Option<Text<'a>>,
    /// What it means (`description`).
    pub description: Option<Text<'a>>,
    /// Where it is explained.
    pub docs_url: Option<Text<'a>>,
    /// The MCP tool that helps.
    pub mcp_tool: Option<Text<'a>>,
    /// The A2A skill that helps.
    pub a2a_skill: Option<Text<'a>>,
    /// The allowed values by field.
    pub valid_values: Option<Node<'a>>,
    /// Its own remediation. See [`ErrorResponse::remediation_or`] for the one that applies.
    pub remediation: Option<Remediation<'a>>,
    /// Its example bodies.
    pub examples: Vec<Example<'a>>,
    /// Its representations; empty in a native manifest.
    pub contents: Vec<Content<'a>>,
    /// Whether it is described in a way that is a problem by definition (a native manifest).
    pub native: bool,
}

impl<'a> ErrorResponse<'a> {
    /// The remediation that applies: its own, else the default of the API.
    pub fn remediation_or(&self, default: Option<Remediation<'a>>) -> Option<Remediation<'a>> {
        self.remediation.or(default)
    }

    /// Whether the answer is a problem document: `application/problem+json`, or an entry of a native manifest with a code
    /// or type.
    pub fn has_envelope(&self) -> bool {
        if self.native {
            return self.code.is_some() || self.type_uri.is_some();
        }
        self.contents.iter().any(Content::is_problem)
    }

    /// Whether the body has a schema.
    pub fn has_schema(&self) -> bool {
        self.contents.iter().any(|content| content.schema.is_some())
    }

    /// The node to point at when the error as a whole is meant: the status, else the object.
    pub fn anchor(&self) -> Node<'a> {
        self.status_node.unwrap_or(self.node)
    }
}
