//! What every target works from: resolved, sorted, with all names decided.
//!
//! A target never looks at a manifest. If it needs to know something, this says it. Nothing in here can fail any more.

use std::borrow::Cow;
use std::sync::Arc;

use aon_core::catalog::Record;

use crate::json::Tree;
use crate::lower::LowerIssue;

mod binary;
mod operation;

pub(crate) use self::binary::Medium;
pub use self::operation::{Operation, Response};

/// One API.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Api {
    /// The name it is known by: lower case words with hyphens.
    pub slug: String,
    /// The title for people.
    pub title: String,
    /// Its version; empty when nobody says.
    pub version: String,
    /// What it is for.
    pub description: String,
    /// Its base addresses.
    pub servers: Vec<String>,
    /// Its documentation.
    pub docs_url: Option<String>,
    /// The documents it was read from, sorted.
    pub sources: Vec<String>,
    /// The named types, sorted by name.
    pub types: Vec<TypeDef>,
    /// What requests over HTTP are made of, part by part: see [`Operation::parts`]. Their ids follow those of `types`.
    pub requests: Vec<TypeDef>,
    /// The operations, sorted by id.
    pub operations: Vec<Operation>,
    /// The problems, sorted by code.
    pub problems: Vec<Problem>,
    /// Operations that share one method and path, as in an API with a single `POST /rpc`. A target that can have one operation
    /// there refuses the API with these, see [`Target::refusals`](crate::Target::refusals).
    pub shared_routes: Vec<LowerIssue>,
    /// What was decided for the author and may be decided otherwise, such as the name of a schema that another one has too.
    pub notes: Vec<LowerIssue>,
}

impl Api {
    /// A named type.
    pub fn definition(&self, id: TypeId) -> Option<&TypeDef> {
        match id.0.checked_sub(self.types.len()) {
            Some(at) => self.requests.get(at),
            None => self.types.get(id.0),
        }
    }

    /// Whether a type is the flat form of a request that [`Api::requests`] holds part by part: what documents need and programs
    /// do not.
    pub(crate) fn flat_requests(&self) -> Vec<bool> {
        let mut flat = vec![false; self.types.len()];
        for operation in &self.operations {
            if let (Some(TypeId(at)), Some(_)) = (operation.request, operation.parts)
                && let Some(slot) = flat.get_mut(at)
            {
                *slot = true;
            }
        }
        flat
    }

    /// The problems that the program itself declares.
    pub fn own_problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| !problem.built_in)
    }

    /// The problems that come with the framework, such as the 404 of a router.
    pub fn framework_problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.built_in)
    }

    /// The codes of the problems that have a type of their own, by that type. A server that keeps RFC 9457 alone tells its problems
    /// apart by `type`, and sends no `code`.
    pub fn codes_by_type(&self) -> Vec<(&str, &str)> {
        let pairs = self.own_problems().map(|problem| {
            let record = &problem.record;
            (record.type_uri.as_str(), record.code.as_str())
        });
        let mut pairs: Vec<(&str, &str)> = pairs
            .filter(|(uri, code)| {
                let ours = uri.strip_suffix(code);
                let ours = ours.is_some_and(|start| start.ends_with("://problem/"));
                !(ours || uri.is_empty() || *uri == "about:blank")
            })
            .collect();
        pairs.sort_unstable();
        // A type that two problems share tells nothing.
        let twice = |uri: &str| pairs.iter().filter(|(own, _)| *own == uri).count() > 1;
        let told = pairs.iter().filter(|(uri, _)| !twice(uri));
        told.copied().collect()
    }

    /// The name of a type; empty for an id of another API.
    pub fn type_name(&self, id: TypeId) -> &str {
        self.definition(id)
            .map_or("", |definition| &definition.name)
    }

    /// The problem with a code.
    pub fn problem(&self, code: &str) -> Option<&Problem> {
        let at = self
            .problems
            .binary_search_by(|problem| problem.record.code.as_str().cmp(code))
            .ok()?;
        self.problems.get(at)
    }

    /// The problems of an operation, in the order of their codes.
    pub fn problems_of<'a>(
        &'a self,
        operation: &'a Operation,
    ) -> impl Iterator<Item = &'a Problem> {
        operation
            .problems
            .iter()
            .filter_map(|code| self.problem(code))
    }

    /// What a type is once aliases are looked through; the id is that of the definition it ends at.
    pub fn behind<'a>(&'a self, shape: &'a Type) -> (&'a Type, Option<&'a TypeDef>) {
        let mut current = shape;
        // Aliases never lead round in a circle; the bound only says so to the reader.
        for _ in 0..=self.types.len() {
            let Type::Named(id) = current else {
                return (current, None);
            };
            match self.definition(*id) {
                Some(TypeDef {
                    shape: Shape::Alias(next),
                    ..
                }) => current = next,
                Some(definition) => return (current, Some(definition)),
                None => return (current, None),
            }
        }
        (current, None)
    }

    /// Whether an object may fit more than one branch of this union, and no member says which: the first that fits may know less
    /// than another.
    pub fn is_ambiguous(&self, definition: &TypeDef) -> bool {
        match &definition.shape {
            Shape::Union(branches) => {
                let objects = branches.iter().filter(|branch| self.has_members(branch));
                definition.discriminator.is_none() && objects.count() > 1
            }
            Shape::Choice(_) | Shape::Object(_) | Shape::All(_) | Shape::Alias(_) => false,
        }
    }

    /// Whether a value of a type may be an object, or have objects in it.
    fn has_members(&self, shape: &Type) -> bool {
        let (shape, definition) = self.behind(shape);
        match shape {
            Type::Any | Type::Map(_) => true,
            Type::Nullable(inner) | Type::List(inner, _) => self.has_members(inner),
            Type::Tuple(places) => places.iter().any(|place| self.has_members(place)),
            Type::Named(_) => {
                definition.is_some_and(|definition| !matches!(definition.shape, Shape::Choice(_)))
            }
            Type::Null | Type::Boolean | Type::Integer(_) | Type::Number(_) | Type::Text(_) => {
                false
            }
        }
    }
}

/// The place of a type in [`Api::types`].
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct TypeId(pub(crate) usize);

/// A named type.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TypeDef {
    /// Its name, the same in all languages.
    pub name: String,
    /// The name it has in its document, when it has one.
    pub wire: Option<String>,
    /// What it is.
    pub description: String,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// What it looks like.
    pub shape: Shape,
    /// Whether the source lists the values of a choice as `oneOf` instead of `enum`, or a union as `oneOf` instead of `anyOf`.
    pub one_of: bool,
    /// The member that tells the branches of a union apart, when the source names one.
    pub discriminator: Option<Discriminator>,
    /// Set when it contains itself, directly or through others: the number of the circle it is in.
    pub cycle: Option<usize>,
}

/// What a named type looks like.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a new shape must be written by every target"
)]
pub enum Shape {
    /// One of several literal values, in the order of the source.
    Choice(Vec<Choice>),
    /// An object.
    Object(Object),
    /// One of several types.
    Union(Vec<Type>),
    /// All of several types at once: the members of an object, and what must hold beside them.
    All(Vec<Type>),
    /// Another name for a type.
    Alias(Type),
}

/// The member that tells the branches of a union apart.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Discriminator {
    /// Its name in JSON.
    pub property: String,
    /// Its values for each branch, in the order of the branches; none is in two lists.
    pub values: Vec<Vec<String>>,
}

/// An object with known fields.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Object {
    /// Its fields, sorted by name.
    pub fields: Vec<Field>,
    /// What other members are: none (`additionalProperties: false`), or of a type.
    pub others: Others,
}

/// The members of an object beyond its fields.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON Schema has these three answers"
)]
pub enum Others {
    /// Nothing is said, so they are allowed and mean nothing.
    #[default]
    Unsaid,
    /// There are none.
    Forbidden,
    /// They are of this type.
    Of(Box<Type>),
}

/// A field of an object.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Field {
    /// The name in JSON.
    pub wire: Box<str>,
    /// Whether it must be there.
    pub required: bool,
    /// Its type.
    pub shape: Type,
    /// What it is.
    pub description: Box<str>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// Where it is sent, for the fields of a request.
    pub location: Location,
    /// What few fields have; a large document has so many fields that the room for it would count.
    pub(crate) rare: Option<Box<Rare>>,
}

/// What few fields have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rare {
    pub(crate) sent_as: Option<String>,
    /// The names in Rust and in Python where one of them is not `wire`.
    pub(crate) names: Option<(String, String)>,
    pub(crate) default: Option<Tree>,
    pub(crate) choices_endpoint: Option<String>,
    pub(crate) style: Style,
}

/// How a list or an object is written in a query.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "OpenAPI has these")]
pub enum Style {
    /// `a=1&a=2`, and the members of an object each by its own name.
    #[default]
    Repeated,
    /// `a=1,2`
    Comma,
    /// `a=1%202`
    Space,
    /// `a=1|2`
    Pipe,
    /// `a=1%092`
    Tab,
    /// `a[x]=1&a[y]=2`
    Deep,
    /// `a={"x":1}`
    Json,
}

impl Style {
    /// Its name in generated code; none for the usual one.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Style::Repeated => None,
            Style::Comma => Some("comma"),
            Style::Space => Some("space"),
            Style::Pipe => Some("pipe"),
            Style::Tab => Some("tab"),
            Style::Deep => Some("deep"),
            Style::Json => Some("json"),
        }
    }
}

impl Field {
    /// How its value is written in a query.
    pub fn style(&self) -> Style {
        self.rare
            .as_ref()
            .map_or(Style::Repeated, |rare| rare.style)
    }

    /// The name in Rust, raw where the word is reserved.
    pub fn rust(&self) -> &str {
        self.names().map_or(&self.wire, |names| names.0.as_str())
    }

    /// The name in Python.
    pub fn python(&self) -> &str {
        self.names().map_or(&self.wire, |names| names.1.as_str())
    }

    fn names(&self) -> Option<&(String, String)> {
        self.rare.as_ref()?.names.as_ref()
    }

    /// The name of a parameter on HTTP: `wire`, unless two parameters of a request share that.
    pub fn sent_as(&self) -> &str {
        let told = self.rare.as_ref().and_then(|rare| rare.sent_as.as_deref());
        told.unwrap_or(&self.wire)
    }

    /// Its default.
    pub fn default(&self) -> Option<&Tree> {
        self.rare.as_ref()?.default.as_ref()
    }

    /// Where its valid values can be asked for.
    pub fn choices_endpoint(&self) -> Option<&str> {
        self.rare.as_ref()?.choices_endpoint.as_deref()
    }

    pub(crate) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// The description, which ends with where to ask for the valid values (contract G1).
    pub fn full_description(&self) -> Cow<'_, str> {
        self.extended(None)
    }

    /// The same with the default, for languages that have no other place for it: a default is what the receiver takes when the
    /// member is missing, so generated code must not send it on its own.
    pub fn description_with_default(&self) -> Cow<'_, str> {
        self.extended(self.default())
    }

    fn extended(&self, default: Option<&Tree>) -> Cow<'_, str> {
        if self.choices_endpoint().is_none() && default.is_none() {
            return Cow::Borrowed(&self.description);
        }
        let mut text = self.description.trim_end().to_owned();
        let gap = |text: &str| match text.chars().last() {
            None => "",
            Some('.' | '!' | '?' | ':') => " ",
            Some(_) => ". ",
        };
        if let Some(default) = default {
            text.push_str(gap(&text));
            text.push_str("Default: ");
            default.push_compact(&mut text);
        }
        if let Some(endpoint) = self.choices_endpoint() {
            text.push_str(gap(&text));
            text.push_str("Valid choices: ");
            if !endpoint.contains(' ') {
                text.push_str("GET ");
            }
            text.push_str(endpoint);
        }
        Cow::Owned(text)
    }
}

/// Where a field of a request is sent.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a new place must be handled by every target"
)]
pub enum Location {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
    /// In a cookie.
    Cookie,
    /// A member of the body.
    #[default]
    Body,
    /// The whole body.
    WholeBody,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a new type must be written by every target"
)]
pub enum Type {
    /// Anything.
    Any,
    /// `null`.
    Null,
    /// A bool.
    Boolean,
    /// A whole number.
    Integer(Facets),
    /// A number.
    Number(Facets),
    /// A string.
    Text(Facets),
    /// A list.
    List(Box<Type>, Facets),
    /// A list of exactly these, in this order.
    Tuple(Vec<Type>),
    /// An object whose members are all of one type.
    Map(Box<Type>),
    /// The type or `null`.
    Nullable(Box<Type>),
    /// A named type.
    Named(TypeId),
}

/// What is said about a scalar or a list beyond its type: keywords of JSON Schema, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Facets {
    /// Shared, because a large document says `format: uri` ten thousand times.
    keywords: Option<Arc<Vec<(&'static str, Tree)>>>,
}

impl Facets {
    pub(crate) fn of<const N: usize>(all: [Option<(&'static str, Tree)>; N]) -> Facets {
        let count = all.iter().flatten().count();
        if count == 0 {
            return Facets::default();
        }
        let mut keywords = Vec::with_capacity(count);
        keywords.extend(all.into_iter().flatten());
        Facets {
            keywords: Some(Arc::new(keywords)),
        }
    }

    /// Keyword and value: `format`, `minLength`, `maximum` and the like.
    pub fn keywords(&self) -> &[(&'static str, Tree)] {
        self.keywords.as_ref().map_or(&[], |keywords| keywords)
    }

    /// The value of a keyword.
    pub fn get(&self, keyword: &str) -> Option<&Tree> {
        self.keywords()
            .iter()
            .find(|(name, _)| *name == keyword)
            .map(|(_, value)| value)
    }

    /// The value of a keyword that is a text.
    pub fn text(&self, keyword: &str) -> Option<&str> {
        self.get(keyword)?.as_str()
    }

    /// A bound, as it is written.
    pub fn number(&self, keyword: &str) -> Option<&str> {
        match self.get(keyword)? {
            Tree::Number(text) => Some(text),
            Tree::Null | Tree::Bool(_) | Tree::String(_) | Tree::Array(_) | Tree::Object(_) => None,
        }
    }
}

/// One literal value of a choice.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The value: a string, a number or a bool.
    pub value: Tree,
    /// The name of the variant in Rust.
    pub variant: String,
    /// The name of the member in Python.
    pub member: String,
    /// A short name for people.
    pub label: String,
    /// A sentence for people.
    pub description: String,
}

/// A problem.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Problem {
    /// All that is known about it before it occurs.
    pub record: Record,
    /// Its code as a type or variant: `InvalidAuthUx`.
    pub variant: String,
    /// What comes before the code in its type URI.
    pub namespace: Option<String>,
    /// A body as it may look on the wire.
    pub example: Tree,
    /// Members of its own, beside those that every problem has. They may be absent.
    pub extensions: Vec<Field>,
    /// Whether it comes with the framework and not from the program.
    pub built_in: bool,
    /// The ids of the operations that answer with it, sorted.
    pub operations: Vec<String>,
    /// How the example looks on each surface, filled in by whoever knows the surfaces.
    pub samples: Vec<Sample>,
}

/// How a problem looks on one surface.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sample {
    /// The name of the surface for people.
    pub surface: String,
    /// What is sent, as text.
    pub text: String,
}

impl Sample {
    /// A sample.
    pub fn new(surface: impl Into<String>, text: impl Into<String>) -> Sample {
        Sample {
            surface: surface.into(),
            text: text.into(),
        }
    }
}
