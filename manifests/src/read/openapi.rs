//! OpenAPI 3.0, 3.1, 3.2 and Swagger 2.0.

use std::collections::{BTreeMap, BTreeSet};

use super::extension::{
    A2A, A2A_SKILL, API, DOCS_URL, ID, MCP, MCP_TOOL, REMEDIATION_DEFAULT, SURFACES, VERIFY,
    VISIBILITY,
};
use super::responses::{contents, swagger_contents};
use super::{errors, expect_array, expect_object, parameters, stated_scores, wrong_shape};
use crate::document::{Document, reference};
use crate::format::Format;
use crate::issue::{Issue, IssueKind};
use crate::model::{
    A2aExposure, Api, Body, Content, ErrorResponse, Location, McpExposure, Method, Operation,
    Parameter, Remediation, Response, Schema, Status, Text, Verify, Visibility,
};
use crate::node::Node;
use crate::span::FileId;

pub(super) fn read<'a>(document: &'a Document, root: Node<'a>, format: Format) -> Api<'a> {
    let mut api = Api::empty(document, root, format);
    let version = root.get("openapi").or_else(|| root.get("swagger"));
    api.format_version = version.and_then(Text::of);
    if let Some(version) = api
        .format_version
        .filter(|version| !(version.starts_with("3.") || version.starts_with("2.")))
    {
        let message =
            format!("version {version} is not known; it is read like the nearest one that is");
        api.issues.push(Issue::new(
            root.tree().source(),
            version.node().span(),
            IssueKind::UnknownVersion,
            message,
            "use 2.0, 3.0 or 3.1",
        ));
    }
    let info = expect_object(root.get("info"), "`info`", &mut api.issues);
    let both =
        |read: &dyn Fn(Node<'a>) -> Option<Node<'a>>| read(root).or_else(|| info.and_then(read));
    api.title = info.and_then(|info| Text::member(info, "title"));
    api.version = info.and_then(|info| Text::member(info, "version"));
    api.purpose = info.and_then(|info| Text::member(info, "description"));
    api.slug = both(&|node| API.get(node)).and_then(Text::of);
    api.id = both(&|node| ID.get(node)).and_then(Text::of);
    api.visibility_node = both(&|node| VISIBILITY.get(node)).and_then(Text::of);
    api.visibility = api
        .visibility_node
        .map_or(Visibility::Unstated, |text| Visibility::from_text(&text));
    api.declared_surfaces = both(&|node| SURFACES.get(node));
    api.remediation_default = both(&|node| REMEDIATION_DEFAULT.get(node)).map(Remediation::read);
    api.docs_url = both(&|node| DOCS_URL.get(node))
        .and_then(Text::of)
        .or_else(|| external_docs(root));
    api.servers = servers(root);
    stated_scores(root, &mut api.stated_scores);
    if let Some(info) = info {
        stated_scores(info, &mut api.stated_scores);
    }
    api.unknown = root
        .members()
        .filter(|member| !KNOWN.contains(&member.name()))
        .map(|member| member.key)
        .collect();

    let mut reader = Reader {
        document,
        root,
        swagger: format == Format::Swagger,
        issues: Vec::new(),
        scores: Vec::new(),
        parameters: BTreeMap::new(),
        errors: BTreeMap::new(),
        callbacks: Vec::new(),
    };
    api.operations = reader.paths(root.get("paths"), "`paths`");
    api.webhooks = reader.paths(
        root.get("webhooks").or_else(|| root.get("x-webhooks")),
        "`webhooks`",
    );
    api.callbacks = reader.callbacks();
    api.issues.append(&mut reader.issues);
    api.stated_scores.append(&mut reader.scores);
    api
}

struct Reader<'a> {
    document: &'a Document,
    root: Node<'a>,
    swagger: bool,
    issues: Vec<Issue>,
    scores: Vec<Node<'a>>,
    /// Parameters that stand behind a `$ref`, which many operations share.
    parameters: BTreeMap<usize, Parameter<'a>>,
    /// The same for errors, by response.
    errors: BTreeMap<usize, Vec<ErrorResponse<'a>>>,
    /// The `callbacks` of the operations read so far.
    callbacks: Vec<Node<'a>>,
}

/// What a path item gives to each of its operations.
struct Shared<'a> {
    path: Text<'a>,
    parameters: Vec<Node<'a>>,
    visibility: Option<Text<'a>>,
}

impl<'a> Reader<'a> {
    fn paths(&mut self, node: Option<Node<'a>>, what: &str) -> Vec<Operation<'a>> {
        let mut operations = Vec::new();
        let Some(paths) = expect_object(node, what, &mut self.issues) else {
            return operations;
        };
        for member in paths.members() {
            if member.name().starts_with("x-") {
                continue;
            }
            let Some(path) = Text::of(member.key) else {
                continue;
            };
            // A reference that leads nowhere leaves what stands beside it.
            let item = self.document.resolve(member.value).unwrap_or(member.value);
            let Some(item) = expect_object(Some(item), "a path item", &mut self.issues) else {
                continue;
            };
            // A `$ref` beside operations adds to them.
            let beside = reference(member.value)
                .filter(|_| item != member.value)
                .map(|_| member.value);
            let parameters = std::iter::once(item)
                .chain(beside)
                .filter_map(|source| source.get("parameters"))
                .flat_map(Node::items)
                .collect();
            let shared = Shared {
                path,
                parameters,
                visibility: VISIBILITY.text(item),
            };
            for source in std::iter::once(item).chain(beside) {
                for member in source.members() {
                    let Some(method) = Method::parse(member.name())
                        .filter(|_| !member.name().bytes().any(|byte| byte.is_ascii_uppercase()))
                    else {
                        continue;
                    };
                    let Some(node) = self.document.resolve(member.value) else {
                        continue;
                    };
                    if node.is_object() {
                        operations.push(self.operation(node, member.key, method, &shared));
                    } else if !node.is_null() {
                        self.issues.push(wrong_shape(
                            node,
                            "an operation should be an object",
                            "describe the operation, or remove the method",
                        ));
                    }
                }
            }
        }
        operations
    }

    /// The callbacks of all operations, and of callbacks themselves. One that several operations refer to comes once.
    fn callbacks(&mut self) -> Vec<Operation<'a>> {
        let mut operations = Vec::new();
        let mut seen = BTreeSet::new();
        let mut at = 0;
        while let Some(node) = self.callbacks.get(at).copied() {
            at += 1;
            let Some(named) = expect_object(Some(node), "`callbacks`", &mut self.issues) else {
                continue;
            };
            for member in named.members() {
                let callback = self.document.resolve(member.value);
                let new = callback.is_some_and(|node| seen.insert((node.file(), node.index())));
                if new && !member.name().starts_with("x-") {
                    operations.extend(self.paths(callback, "a callback"));
                }
            }
        }
        operations
    }

    fn operation(
        &mut self,
        node: Node<'a>,
        key: Node<'a>,
        method: Method,
        shared: &Shared<'a>,
    ) -> Operation<'a> {
        let mut operation = Operation::empty(node);
        let mut responses = None;
        let mut own = None;
        let mut body = None;
        for member in node.members() {
            let value = member.value;
            match member.name() {
                "operationId" => operation.id = Text::of(value),
                "summary" => operation.summary = Text::of(value),
                "description" => operation.description = Text::of(value),
                "tags" => operation.tags = value.items().filter_map(Text::of).collect(),
                "deprecated" => operation.deprecated = value.as_bool() == Some(true),
                "parameters" => own = Some(value),
                "requestBody" => body = Some(value),
                "responses" => responses = Some(value),
                "callbacks" => self.callbacks.push(value),
                "x-internal" if value.as_bool() == Some(true) => {
                    operation.visibility = Visibility::Restricted;
                }
                "externalDocs" => operation.docs_url = Text::member(value, "url"),
                _ => {}
            }
        }
        operation.anchor = key;
        operation.method = Some(method);
        operation.method_node = Some(key);
        operation.path = Some(shared.path);
        operation.docs_url = DOCS_URL.text(node).or(operation.docs_url);
        operation.mcp = MCP
            .get(node)
            .or_else(|| MCP_TOOL.get(node))
            .and_then(McpExposure::read);
        operation.a2a = A2A
            .get(node)
            .or_else(|| A2A_SKILL.get(node))
            .and_then(A2aExposure::read);
        operation.verify = VERIFY.get(node).and_then(Verify::read);
        if let Some(text) = VISIBILITY.text(node).or(shared.visibility) {
            operation.visibility = Visibility::from_text(&text);
        }
        stated_scores(node, &mut self.scores);
        self.parameters(&mut operation, own, &shared.parameters);
        if let Some(body) = body
            .and_then(|body| self.document.resolve(body))
            .filter(|body| body.is_object())
        {
            operation.request_body = Some(Body {
                node: body,
                required: body.get("required").and_then(Node::as_bool) == Some(true),
                description: Text::member(body, "description"),
                contents: contents(self.document, body.get("content")),
            });
        }
        self.responses(&mut operation, node, responses);
        operation
    }

    fn parameters(
        &mut self,
        operation: &mut Operation<'a>,
        own: Option<Node<'a>>,
        shared: &[Node<'a>],
    ) {
        let own = expect_array(own, "`parameters`", &mut self.issues);
        let mut read = Vec::with_capacity(own.map_or(0, Node::len));
        let items = own.into_iter().flat_map(Node::items);
        read.extend(items.filter_map(|node| self.parameter(node)));
        let own: Vec<Parameter<'a>> = read;
        let overridden = |parameter: &Parameter<'a>| {
            own.iter().any(|other| {
                other.location == parameter.location && other.name() == parameter.name()
            })
        };
        let mut all: Vec<Parameter<'a>> = shared
            .iter()
            .filter_map(|node| self.parameter(*node))
            .filter(|parameter| !overridden(parameter))
            .collect();
        if all.is_empty() {
            all = own;
        } else {
            all.extend(own);
        }
        if self.swagger {
            for parameter in all
                .iter()
                .filter(|parameter| parameter.location == Location::Body)
            {
                let schema =
                    (parameter.schema.node() != parameter.node).then_some(parameter.schema);
                let media = operation
                    .node
                    .get("consumes")
                    .or_else(|| self.root.get("consumes"));
                let media: Vec<_> = media
                    .into_iter()
                    .flat_map(Node::items)
                    .filter_map(Text::of)
                    .collect();
                let content = |media_type| Content {
                    media_type,
                    schema,
                    examples: Vec::new(),
                };
                let contents = if media.is_empty() {
                    vec![content(None)]
                } else {
                    media
                        .into_iter()
                        .map(|media| content(Some(media)))
                        .collect()
                };
                operation.request_body = Some(Body {
                    node: parameter.node,
                    required: parameter.required,
                    description: parameter.description,
                    contents,
                });
            }
            all.retain(|parameter| parameter.location != Location::Body);
        }
        operation.parameters = all;
    }

    fn parameter(&mut self, node: Node<'a>) -> Option<Parameter<'a>> {
        let target = self
            .document
            .resolve(node)
            .filter(|node| node.is_object())?;
        let read = || parameters::read(self.document, target, None);
        if !is_shared(node, target) {
            return Some(read());
        }
        let mut known = self
            .parameters
            .entry(target.index())
            .or_insert_with(read)
            .clone();
        // OpenAPI 3.1 lets a description stand beside the reference; it speaks about this use only.
        if node.len() > 1
            && let Some(description) = Text::member(node, "description")
        {
            known.description = Some(description);
        }
        Some(known)
    }

    fn responses(
        &mut self,
        operation: &mut Operation<'a>,
        node: Node<'a>,
        responses: Option<Node<'a>>,
    ) {
        let Some(responses) = expect_object(responses, "`responses`", &mut self.issues) else {
            return;
        };
        let produces = node.get("produces").or_else(|| self.root.get("produces"));
        let mut listed = Vec::with_capacity(responses.len());
        listed.extend(
            responses
                .members()
                .filter_map(|member| Some((Status::parse(member.name())?, member))),
        );
        let succeeds = listed
            .iter()
            .any(|(status, _)| matches!(status, Status::Code(..400) | Status::Class(..4)));
        // Errors are large, and most operations have one or two.
        let failures = listed
            .iter()
            .filter(|(status, _)| status.is_error())
            .count();
        operation.errors.reserve_exact(failures);
        operation.responses.reserve_exact(listed.len() - failures);
        for (status, member) in listed {
            let Some(response) = self.document.resolve(member.value) else {
                continue;
            };
            // Beside a success `default` stands for everything that goes wrong.
            let failure = status.is_error() || (status == Status::Default && succeeds);
            let shared = failure && !self.swagger && is_shared(member.value, response);
            if let Some(known) = self.errors.get(&response.index()).filter(|_| shared) {
                let here = known.iter().cloned().map(|error| ErrorResponse {
                    status: Some(status),
                    status_node: Some(member.key),
                    ..error
                });
                operation.errors.extend(here);
                continue;
            }
            let contents = if self.swagger {
                swagger_contents(self.document, response, produces)
            } else {
                contents(self.document, response.get("content"))
            };
            if failure {
                let found = errors::from_response(response, member.key, &contents);
                if shared {
                    self.errors.insert(response.index(), found.clone());
                }
                operation.errors.extend(found);
            } else {
                operation.responses.push(Response {
                    node: response,
                    status: Some(status),
                    status_node: Some(member.key),
                    description: Text::member(response, "description"),
                    contents,
                });
            }
        }
    }
}

/// Whether a target in the entry file was reached through `$ref`, so that it is likely to come again.
fn is_shared(node: Node<'_>, target: Node<'_>) -> bool {
    node != target && target.file() == FileId::ENTRY
}

fn servers(root: Node<'_>) -> Vec<Text<'_>> {
    let listed = root
        .get("servers")
        .into_iter()
        .flat_map(Node::items)
        .filter_map(|server| Text::member(server, "url"));
    listed.chain(Text::member(root, "basePath")).collect()
}

fn external_docs(root: Node<'_>) -> Option<Text<'_>> {
    Text::member(root.get("externalDocs")?, "url")
}

/// A schema by name, for readers of `components`.
pub(crate) fn named_schemas<'a>(
    document: &'a Document,
    root: Node<'a>,
) -> Vec<(Text<'a>, Schema<'a>)> {
    let modern = root
        .get("components")
        .and_then(|components| components.get("schemas"));
    let tables = [
        modern,
        root.get("definitions"),
        root.get("schemas"),
        root.get("$defs"),
    ];
    let members = tables.into_iter().flatten().flat_map(Node::members);
    members
        .filter_map(|member| Some((Text::of(member.key)?, Schema::new(document, member.value))))
        .collect()
}

const KNOWN: &[&str] = &[
    "openapi",
    "swagger",
    "info",
    "jsonSchemaDialect",
    "servers",
    "paths",
    "webhooks",
    "components",
    "security",
    "tags",
    "externalDocs",
    "host",
    "basePath",
    "schemes",
    "consumes",
    "produces",
    "definitions",
    "parameters",
    "responses",
    "securityDefinitions",
    "$self",
];
