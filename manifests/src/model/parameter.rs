//! A parameter of an operation.

use super::carrier::{Carrier, CarrierKind, Reach};
use super::schema::{Schema, Types};
use super::text::Text;
use crate::node::Node;
use crate::span::Place;

/// A parameter: of a path, query or header, a field of a form, an argument of a tool.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Parameter<'a> {
    /// The object that describes it, behind any `$ref`.
    pub node: Node<'a>,
    /// The node of its name: the value of `name`, or the key of an argument.
    pub name_node: Option<Node<'a>>,
    /// Where it is sent.
    pub location: Location,
    /// The node of `in`.
    pub location_node: Option<Text<'a>>,
    /// Whether it must be sent.
    pub required: bool,
    /// Its description, of the parameter or of its schema.
    pub description: Option<Text<'a>>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// Its schema. In a native manifest and in Swagger 2.0 it is the parameter itself.
    pub schema: Schema<'a>,
}

impl<'a> Parameter<'a> {
    /// Its name; empty when it has none.
    pub fn name(&self) -> &'a str {
        self.name_node.map_or("", Node::text)
    }

    /// The node to point at: its name, else the whole object.
    pub fn anchor(&self) -> Node<'a> {
        self.name_node.unwrap_or(self.node)
    }

    /// File and bytes of the object.
    pub fn place(&self) -> Place {
        self.node.place()
    }

    /// Its types.
    pub fn types(&self) -> Types {
        self.schema.types()
    }

    /// `format`.
    pub fn format(&self) -> Option<Text<'a>> {
        self.schema.format()
    }

    /// `pattern`.
    pub fn pattern(&self) -> Option<Text<'a>> {
        self.schema.pattern()
    }

    /// `default`.
    pub fn default(&self) -> Option<Node<'a>> {
        self.schema.default()
    }

    /// Example values of the parameter and of its schema.
    pub fn examples(&self) -> Vec<Node<'a>> {
        let mut found = self.schema.examples();
        if self.schema.node() != self.node {
            found.extend(self.schema.with(self.node).examples());
        }
        found
    }

    /// All carriers of its allowed values, of the parameter and of its schema.
    pub fn carriers(&self) -> Vec<Carrier<'a>> {
        let mut found = Vec::new();
        if self.schema.node() != self.node {
            let own = self.schema.with(self.node);
            for member in self.node.members() {
                let kind = match member.name() {
                    "choices_endpoint" | "x-choices-endpoint" | "x-aon-choices-endpoint"
                        if !member.value.is_null() =>
                    {
                        CarrierKind::ChoicesEndpoint
                    }
                    "x-extensible-enum" if member.value.is_array() => CarrierKind::Enum,
                    _ => continue,
                };
                found.push(Carrier {
                    kind,
                    node: member.value,
                    schema: own,
                    reach: Reach::Own,
                });
            }
        }
        found.extend(self.schema.carriers());
        found
    }
}

/// Where a parameter is sent.
#[expect(
    clippy::exhaustive_enums,
    reason = "the formats name exactly these places; the rest is `Other`"
)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Location {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
    /// In a cookie.
    Cookie,
    /// In the body (a native manifest).
    Body,
    /// In a form (Swagger 2.0).
    Form,
    /// An argument of a tool.
    Argument,
    /// A property of a request schema.
    Property,
    /// Anything else, or nothing said.
    Other,
}

impl Location {
    pub(crate) fn parse(text: &str) -> Location {
        // Nearly always it is written like this.
        match text {
            "path" => return Location::Path,
            "query" => return Location::Query,
            "header" => return Location::Header,
            _ => {}
        }
        match text.to_ascii_lowercase().as_str() {
            "path" => Location::Path,
            "query" | "querystring" => Location::Query,
            "header" => Location::Header,
            "cookie" => Location::Cookie,
            "body" => Location::Body,
            "form" | "formdata" => Location::Form,
            "argument" | "args" => Location::Argument,
            _ => Location::Other,
        }
    }
}
