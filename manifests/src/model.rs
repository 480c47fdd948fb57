//! One model for every format (contract M1).
//!
//! The structs here are small and borrow from the [`Document`]: a field is a [`Node`] or a [`Text`], so
//! everything knows its file, bytes and JSON Pointer. Schemas are not copied at all; a [`Schema`] is a handle that looks
//! things up when asked.

mod body;
mod carrier;
mod discriminator;
mod error;
mod input;
mod operation;
mod parameter;
mod remediation;
mod schema;
mod status;
mod surface;
mod text;
mod walk;

pub use body::{Body, Content, Example, Response};
pub use carrier::{Carrier, CarrierKind, Choice, Reach};
pub use discriminator::{Discriminator, Discriminators};
pub use error::ErrorResponse;
pub use input::Input;
pub use operation::{A2aExposure, McpExposure, Method, Operation, Verify};
pub use parameter::{Location, Parameter};
pub use remediation::{ExampleRequest, NextAction, Remediation};
pub use schema::{Property, Schema, Types};
pub use status::Status;
pub use surface::{Surface, Surfaces};
pub use text::Text;
pub use walk::PropertyUse;

use crate::document::Document;
use crate::format::Format;
use crate::issue::Issue;
use crate::node::Node;

/// An API as one manifest describes it.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Api<'a> {
    /// The document it was read from.
    pub document: &'a Document,
    /// The object that describes it.
    pub node: Node<'a>,
    /// The format it was read from.
    pub format: Format,
    /// The version of the format: `3.0.3` of OpenAPI, `kno@0.0.9` of a native manifest, `1.0` of an agent card.
    pub format_version: Option<Text<'a>>,
    /// The unique id of a native manifest (`id`, `x-aon-id`).
    pub id: Option<Text<'a>>,
    /// The written slug (`slug`, `x-aon-api`). See [`Api::slug`] for one that always exists.
    pub slug: Option<Text<'a>>,
    /// `type` of a native manifest.
    pub manifest_type: Option<Text<'a>>,
    /// The title or name.
    pub title: Option<Text<'a>>,
    /// The version of the API.
    pub version: Option<Text<'a>>,
    /// What it is for (`purpose`, `info.description`, the card's description).
    pub purpose: Option<Text<'a>>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Where visibility is written.
    pub visibility_node: Option<Text<'a>>,
    /// Base addresses (`servers[].url`, `base_url`, host and base path of Swagger, the card's interfaces).
    pub servers: Vec<Text<'a>>,
    /// The documentation page (`docs_url`, `externalDocs.url`, `documentationUrl`).
    pub docs_url: Option<Text<'a>>,
    /// What to do about an error that has no remediation of its own.
    pub remediation_default: Option<Remediation<'a>>,
    /// The operations, in source order.
    pub operations: Vec<Operation<'a>>,
    /// Calls that the server makes (`webhooks` of OpenAPI); their bodies count as responses.
    pub webhooks: Vec<Operation<'a>>,
    /// Calls that the server makes because of an operation (`callbacks` of OpenAPI), each once; their path is the expression that
    /// gives the address, and their bodies count as responses.
    pub callbacks: Vec<Operation<'a>>,
    /// The surfaces a manifest names itself (`surfaces`, `x-aon-surfaces`). See [`Api::surfaces`] for those that really exist.
    pub declared_surfaces: Option<Node<'a>>,
    /// Keys of members that state a score (contract M3), at the top or at an operation.
    pub stated_scores: Vec<Node<'a>>,
    /// Top-level members the reader has no use for, by key; `taxonomy`, `provenance` and the like of a native manifest.
    pub unknown: Vec<Node<'a>>,
    /// What is wrong with the shape of the manifest.
    pub issues: Vec<Issue>,
}

impl<'a> Api<'a> {
    /// The name an API is joined by across documents: the written slug, else one made of the title, else of the file's name.
    pub fn slug(&self) -> String {
        if let Some(slug) = self.slug {
            return slug.as_str().to_owned();
        }
        let from_title = self.title.map(|title| slugify(&title)).unwrap_or_default();
        if !from_title.is_empty() {
            return from_title;
        }
        let name = self.node.tree().source().name();
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = file.split('.').next().unwrap_or(file);
        slugify(stem)
    }

    /// The calls that the server makes: webhooks, then callbacks.
    pub fn outgoing(&self) -> impl Iterator<Item = &Operation<'a>> {
        self.webhooks.iter().chain(&self.callbacks)
    }

    /// The operation with this id, exactly as written.
    pub fn operation(&self, id: &str) -> Option<&Operation<'a>> {
        self.operations
            .iter()
            .find(|operation| operation.id.is_some_and(|own| own.as_str() == id))
    }

    /// The operation a path leads to, whatever its parameters are called: `/pets/{id}`, `/pets/:id`, `/pets/7` and the same
    /// behind a server's base path are one. With `method` only that one counts.
    pub fn operation_at(&self, method: Option<&str>, path: &str) -> Option<&Operation<'a>> {
        let found = self.operations_at(path);
        let mut fits = found.into_iter().filter(|operation| {
            method.is_none_or(|method| {
                operation
                    .method
                    .is_some_and(|own| own.as_str().eq_ignore_ascii_case(method))
            })
        });
        fits.next()
    }

    fn operations_at(&self, path: &str) -> Vec<&Operation<'a>> {
        let mut wanted = vec![operation::path_only(path)];
        for server in &self.servers {
            let base = operation::path_only(server.as_str()).trim_end_matches('/');
            if let Some(rest) = wanted.first().and_then(|path| path.strip_prefix(base))
                && rest.starts_with('/')
                && !base.is_empty()
            {
                wanted.push(rest);
            }
        }
        let fits = |own: &str, exact: bool| {
            wanted
                .iter()
                .any(|path| operation::same_path(own, path, exact))
        };
        for exact in [true, false] {
            let found: Vec<_> = self
                .operations
                .iter()
                .filter(|operation| operation.path.is_some_and(|own| fits(&own, exact)))
                .collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The operation exposed as this MCP tool.
    pub fn operation_of_tool(&self, tool: &str) -> Option<&Operation<'a>> {
        self.operations
            .iter()
            .find(|operation| operation.tool_name().as_deref() == Some(tool))
    }

    /// The operation exposed as this A2A skill.
    pub fn operation_of_skill(&self, skill: &str) -> Option<&Operation<'a>> {
        self.operations
            .iter()
            .find(|operation| operation.skill().is_some_and(|own| own.as_str() == skill))
    }

    /// The named schemas of the document (`components.schemas`, `definitions`, `schemas`, `$defs`), in source order.
    pub fn schemas(&self) -> Vec<(Text<'a>, Schema<'a>)> {
        crate::read::named_schemas(self.document, self.node)
    }

    /// Every property of every schema that an operation uses, each once, with the positions it is used in.
    ///
    /// Costs one walk over the schemas that can be reached.
    pub fn properties(&self) -> Vec<PropertyUse<'a>> {
        walk::properties(self)
    }

    /// Every place where a caller hands something in: all parameters, and all properties of request schemas at any depth.
    /// A parameter or property that several operations share comes once (unless they describe it in other words, beside the
    /// reference); what is marked as read-only is left out.
    ///
    /// Costs one walk over the request schemas only, so it is cheap even for large documents.
    pub fn inputs(&self) -> Vec<Input<'a>> {
        input::inputs(self)
    }

    /// What the discriminators of the document say about the values of properties.
    ///
    /// Costs a look at every discriminator, and at all named schemas for one without `mapping`, so it is best asked for once.
    pub fn discriminators(&self) -> Discriminators<'a> {
        discriminator::discriminators(self)
    }

    /// The surfaces the API really has: those its operations are on, and the human one when it is documented.
    pub fn surfaces(&self) -> Surfaces {
        surface::of_api(self)
    }

    /// The surfaces the manifest says it is meant to have (`surfaces`, `x-aon-surfaces`); empty when it says nothing.
    pub fn declares(&self) -> Surfaces {
        surface::declared(self)
    }

    /// The issue list together with where it came from, for a reader.
    pub(crate) fn empty(document: &'a Document, node: Node<'a>, format: Format) -> Api<'a> {
        Api {
            document,
            node,
            format,
            format_version: None,
            id: None,
            slug: None,
            manifest_type: None,
            title: None,
            version: None,
            purpose: None,
            visibility: Visibility::Unstated,
            visibility_node: None,
            servers: Vec::new(),
            docs_url: None,
            remediation_default: None,
            operations: Vec::new(),
            webhooks: Vec::new(),
            callbacks: Vec::new(),
            declared_surfaces: None,
            stated_scores: Vec::new(),
            unknown: Vec::new(),
            issues: Vec::new(),
        }
    }
}

/// Who may see an API or an operation.
#[expect(
    clippy::exhaustive_enums,
    reason = "a manifest says public, says something else, or says nothing"
)]
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Visibility {
    /// `public`.
    Public,
    /// Any other word, such as `private` or `internal`.
    Restricted,
    /// Nothing is said, which counts as public.
    #[default]
    Unstated,
}

impl Visibility {
    /// Whether outsiders may see it.
    pub fn is_public(self) -> bool {
        self != Visibility::Restricted
    }

    pub(crate) fn from_text(text: &str) -> Visibility {
        if text.eq_ignore_ascii_case("public") {
            Visibility::Public
        } else {
            Visibility::Restricted
        }
    }
}

/// Lower case words joined by hyphens.
fn slugify(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() {
            slug.extend(c.to_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    while slug.ends_with('-') {
        slug.pop();
    }
    slug
}
