//! One thing an API can do.

use std::borrow::Cow;

use super::Visibility;
use super::body::{Body, Response};
use super::error::ErrorResponse;
use super::parameter::Parameter;
use super::schema::Schema;
use super::surface::{Surface, Surfaces};
use super::text::Text;
use crate::node::Node;

/// An operation: a method on a path, an MCP tool, or an A2A skill.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Operation<'a> {
    /// The object that describes it.
    pub node: Node<'a>,
    /// The node to point at when the operation as a whole is meant: its id, its method key, its name.
    pub anchor: Node<'a>,
    /// Its id (`id`, `operationId`, the tool's name, the skill's id).
    pub id: Option<Text<'a>>,
    /// The HTTP method.
    pub method: Option<Method>,
    /// The node of the method.
    pub method_node: Option<Node<'a>>,
    /// The path.
    pub path: Option<Text<'a>>,
    /// A short line about it.
    pub summary: Option<Text<'a>>,
    /// More about it.
    pub description: Option<Text<'a>>,
    /// Its tags.
    pub tags: Vec<Text<'a>>,
    /// Its parameters, those of the path included.
    pub parameters: Vec<Parameter<'a>>,
    /// The body of its request.
    pub request_body: Option<Body<'a>>,
    /// Responses that are not errors.
    pub responses: Vec<Response<'a>>,
    /// The errors it can answer with, in source order.
    pub errors: Vec<ErrorResponse<'a>>,
    /// Its exposure as an MCP tool.
    pub mcp: Option<McpExposure<'a>>,
    /// Its exposure as an A2A skill.
    pub a2a: Option<A2aExposure<'a>>,
    /// How its effect can be checked.
    pub verify: Option<Verify<'a>>,
    /// Its own visibility.
    pub visibility: Visibility,
    /// Whether outsiders may use it: neither the operation nor the API is restricted.
    pub public: bool,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// The page that explains it.
    pub docs_url: Option<Text<'a>>,
}

impl<'a> Operation<'a> {
    pub(crate) fn empty(node: Node<'a>) -> Operation<'a> {
        Operation {
            node,
            anchor: node,
            id: None,
            method: None,
            method_node: None,
            path: None,
            summary: None,
            description: None,
            tags: Vec::new(),
            parameters: Vec::new(),
            request_body: None,
            responses: Vec::new(),
            errors: Vec::new(),
            mcp: None,
            a2a: None,
            verify: None,
            visibility: Visibility::Unstated,
            public: true,
            deprecated: false,
            docs_url: None,
        }
    }

    /// A name for messages: the id, else method and path, else "unnamed operation".
    pub fn name(&self) -> Cow<'a, str> {
        if let Some(id) = self.id {
            return Cow::Borrowed(id.node().text());
        }
        match (self.method, self.path) {
            (Some(method), Some(path)) => Cow::Owned(format!("{} {path}", method.as_str())),
            (None, Some(path)) => Cow::Borrowed(path.node().text()),
            _ => Cow::Borrowed("unnamed operation"),
        }
    }

    /// The name of its MCP tool when it is exposed: the written one, else its id.
    pub fn tool_name(&self) -> Option<Cow<'a, str>> {
        let mcp = self.mcp.filter(|mcp| mcp.expose)?;
        let name = mcp.tool.or(self.id)?;
        Some(Cow::Borrowed(name.node().text()))
    }

    /// Its A2A skill.
    pub fn skill(&self) -> Option<Text<'a>> {
        self.a2a.and_then(|a2a| a2a.skill)
    }

    /// The surfaces it is on.
    pub fn surfaces(&self) -> Surfaces {
        let mut surfaces = Surfaces::default();
        if self.path.is_some() {
            surfaces.add(Surface::Rest);
        }
        if self.tool_name().is_some() {
            surfaces.add(Surface::Mcp);
        }
        if self.skill().is_some() {
            surfaces.add(Surface::A2a);
        }
        surfaces
    }

    /// A parameter by name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter<'a>> {
        self.parameters
            .iter()
            .find(|parameter| parameter.name() == name)
    }

    /// The schemas of everything a caller sends, parameters first.
    pub fn request_schemas(&self) -> impl Iterator<Item = Schema<'a>> + '_ {
        let parameters = self.parameters.iter().map(|parameter| parameter.schema);
        let bodies = self
            .request_body
            .iter()
            .flat_map(|body| &body.contents)
            .filter_map(|content| content.schema);
        parameters.chain(bodies)
    }

    /// The schemas of everything a server answers with, errors last.
    pub fn response_schemas(&self) -> impl Iterator<Item = Schema<'a>> + '_ {
        let good = self
            .responses
            .iter()
            .flat_map(|response| &response.contents);
        let bad = self.errors.iter().flat_map(|error| &error.contents);
        good.chain(bad).filter_map(|content| content.schema)
    }
}

/// How an operation is exposed as an MCP tool.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct McpExposure<'a> {
    /// Where it is said.
    pub node: Node<'a>,
    /// Whether it is exposed. True when only a tool is named.
    pub expose: bool,
    /// The name of the tool.
    pub tool: Option<Text<'a>>,
}

impl<'a> McpExposure<'a> {
    /// Reads `{expose, tool}`, the name of a tool, or a bool.
    pub(crate) fn read(node: Node<'a>) -> Option<McpExposure<'a>> {
        if node.is_null() {
            return None;
        }
        if let Some(expose) = node.as_bool() {
            return Some(McpExposure {
                node,
                expose,
                tool: None,
            });
        }
        let tool = if node.is_object() {
            Text::first(node, &["tool", "name"])
        } else {
            Text::of(node)
        };
        let expose = node
            .get("expose")
            .and_then(Node::as_bool)
            .unwrap_or(tool.is_some());
        Some(McpExposure { node, expose, tool })
    }
}

/// How an operation is exposed as an A2A skill.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct A2aExposure<'a> {
    /// Where it is said.
    pub node: Node<'a>,
    /// The skill.
    pub skill: Option<Text<'a>>,
}

impl<'a> A2aExposure<'a> {
    /// Reads `{skill}` or the name of a skill.
    pub(crate) fn read(node: Node<'a>) -> Option<A2aExposure<'a>> {
        if node.is_null() {
            return None;
        }
        let hidden = node.get("expose").and_then(Node::as_bool) == Some(false);
        let skill = if node.is_object() {
            Text::first(node, &["skill", "id", "name"])
        } else {
            Text::of(node)
        };
        Some(A2aExposure {
            node,
            skill: skill.filter(|_| !hidden),
        })
    }
}

/// How the effect of an operation can be checked.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Verify<'a> {
    /// Where it is said.
    pub node: Node<'a>,
    /// The operation that checks it (`verify: id`, `operation`, `operation_id`).
    pub operation: Option<Text<'a>>,
    /// Its method, when it is named by method and path.
    pub method: Option<Text<'a>>,
    /// Its path (`path`, `endpoint_url`).
    pub path: Option<Text<'a>>,
}

impl<'a> Verify<'a> {
    pub(crate) fn read(node: Node<'a>) -> Option<Verify<'a>> {
        if node.is_null() {
            return None;
        }
        let text = if node.is_object() {
            None
        } else {
            Text::of(node)
        };
        let is_path = text.is_some_and(|text| text.contains('/'));
        Some(Verify {
            node,
            operation: text
                .filter(|_| !is_path)
                .or_else(|| Text::first(node, &["operation", "operation_id", "operationId"])),
            method: Text::member(node, "method"),
            path: text
                .filter(|_| is_path)
                .or_else(|| Text::first(node, &["path", "endpoint_url", "url"])),
        })
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $variant:ident = $upper:literal $lower:literal,)*) => {
        /// An HTTP method.
        #[expect(clippy::exhaustive_enums, reason = "OpenAPI 3.2 names exactly these; other words are kept as text only")]
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Method { $($(#[$doc])* $variant,)* }

        impl Method {
            /// All methods.
            pub const ALL: &'static [Method] = &[$(Method::$variant,)*];

            /// The name in upper case.
            pub const fn as_str(self) -> &'static str {
                match self { $(Method::$variant => $upper,)* }
            }

            /// Reads the name of a method in upper or lower case.
            pub fn parse(text: &str) -> Option<Method> {
                match text { $($upper | $lower => Some(Method::$variant),)* _ => None }
            }
        }
    };
}

methods! {
    /// GET.
    Get = "GET" "get",
    /// PUT.
    Put = "PUT" "put",
    /// POST.
    Post = "POST" "post",
    /// DELETE.
    Delete = "DELETE" "delete",
    /// OPTIONS.
    Options = "OPTIONS" "options",
    /// HEAD.
    Head = "HEAD" "head",
    /// PATCH.
    Patch = "PATCH" "patch",
    /// TRACE.
    Trace = "TRACE" "trace",
    /// QUERY.
    Query = "QUERY" "query",
}

/// The path of an address, without host, query and fragment.
pub(super) fn path_only(url: &str) -> &str {
    let rest = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"),
        None => url,
    };
    let rest = rest.split_whitespace().last().unwrap_or(rest);
    rest.split(['?', '#']).next().unwrap_or(rest)
}

/// Whether two paths are the same. `{id}`, `:id` and `<id>` match each other; unless `exact`, they match any one segment.
pub(super) fn same_path(a: &str, b: &str, exact: bool) -> bool {
    let is_parameter =
        |part: &str| part.starts_with(':') || part.starts_with('<') || part.contains('{');
    let (mut a, mut b) = (
        a.trim_matches('/').split('/'),
        b.trim_matches('/').split('/'),
    );
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(x), Some(y)) => {
                let both = is_parameter(x) && is_parameter(y);
                let either = !exact && (is_parameter(x) || is_parameter(y));
                if x != y && !both && !either {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_parse_back() {
        for method in Method::ALL {
            assert_eq!(Method::parse(method.as_str()), Some(*method));
            assert_eq!(
                Method::parse(&method.as_str().to_lowercase()),
                Some(*method)
            );
        }
    }

    #[test]
    fn paths_match_whatever_their_parameters_are_called() {
        assert!(same_path("/pets/{id}", "/pets/:petId/", true));
        assert!(!same_path("/pets/{id}", "/pets/7", true));
        assert!(same_path("/pets/{id}", "/pets/7", false));
        assert!(!same_path("/pets/{id}", "/pets", false));
        assert_eq!(path_only("https://a.example/v1/pets?x=1"), "/v1/pets");
        assert_eq!(path_only("GET /pets"), "/pets");
    }
}
