//! Request and response bodies.

use super::schema::Schema;
use super::status::Status;
use super::text::Text;
use crate::node::Node;

/// The body of a request.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Body<'a> {
    /// Where it is described.
    pub node: Node<'a>,
    /// Whether it must be sent.
    pub required: bool,
    /// What it is.
    pub description: Option<Text<'a>>,
    /// Its representations, one for each media type.
    pub contents: Vec<Content<'a>>,
}

/// A response that is not an error.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Response<'a> {
    /// Where it is described, behind any `$ref`.
    pub node: Node<'a>,
    /// The status as written; none when it cannot be read.
    pub status: Option<Status>,
    /// The node of the status, to point at.
    pub status_node: Option<Node<'a>>,
    /// What it means.
    pub description: Option<Text<'a>>,
    /// Its representations.
    pub contents: Vec<Content<'a>>,
}

/// One representation of a body.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Content<'a> {
    /// The media type; none where the format does not name one.
    pub media_type: Option<Text<'a>>,
    /// Its schema.
    pub schema: Option<Schema<'a>>,
    /// Its examples.
    pub examples: Vec<Example<'a>>,
}

impl Content<'_> {
    /// The media type without parameters, in lower case; empty when there is none.
    pub fn essence(&self) -> String {
        self.bare_type().to_ascii_lowercase()
    }

    /// Whether it is `application/problem+json`.
    pub fn is_problem(&self) -> bool {
        self.bare_type()
            .eq_ignore_ascii_case("application/problem+json")
    }

    fn bare_type(&self) -> &str {
        let text = self.media_type.as_ref().map_or("", |text| text.as_str());
        text.split(';').next().unwrap_or("").trim()
    }
}

/// An example value.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// Its name, where examples have names.
    pub name: Option<Text<'a>>,
    /// The value.
    pub value: Node<'a>,
}
