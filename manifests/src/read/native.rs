//! The native manifest (contract M2).

use super::responses::{contents, examples};
use super::{errors, expect_object, parameters, stated_scores, wrong_shape};
use crate::document::Document;
use crate::format::Format;
use crate::issue::Issue;
use crate::model::{
    A2aExposure, Api, Body, Content, McpExposure, Method, Operation, Parameter, Remediation,
    Response, Schema, Status, Text, Verify, Visibility,
};
use crate::node::Node;

pub(super) fn read<'a>(document: &'a Document, root: Node<'a>) -> Api<'a> {
    let mut api = Api::empty(document, root, Format::Native);
    for member in root.members() {
        let (value, text) = (member.value, Text::of(member.value));
        match member.name() {
            "$schema" => api.format_version = text,
            "id" => api.id = text,
            "slug" => api.slug = text,
            "type" => api.manifest_type = text,
            "version" => api.version = text,
            "title" => api.title = text,
            "purpose" | "description" if api.purpose.is_none() => api.purpose = text,
            "visibility" => api.visibility_node = text,
            "docs_url" => api.docs_url = text,
            "base_url" | "server" => api.servers.extend(text),
            "servers" => api.servers.extend(
                value
                    .items()
                    .filter_map(|server| Text::of(server).or_else(|| Text::member(server, "url"))),
            ),
            "surfaces" => api.declared_surfaces = Some(value),
            "remediation_default" if !value.is_null() => {
                api.remediation_default = Some(Remediation::read(value));
            }
            "operations" | "schemas" | "$defs" | "purpose" | "description" => {}
            _ => api.unknown.push(member.key),
        }
    }
    api.visibility = api
        .visibility_node
        .map_or(Visibility::Unstated, |text| Visibility::from_text(&text));
    stated_scores(root, &mut api.stated_scores);
    let mut reader = Reader {
        document,
        issues: Vec::new(),
        scores: Vec::new(),
    };
    for (key, node) in entries(root.get("operations"), "`operations`", &mut reader.issues) {
        api.operations.extend(reader.operation(key, node));
    }
    api.issues.append(&mut reader.issues);
    api.stated_scores.append(&mut reader.scores);
    api
}

struct Reader<'a> {
    document: &'a Document,
    issues: Vec<Issue>,
    scores: Vec<Node<'a>>,
}

impl<'a> Reader<'a> {
    fn operation(&mut self, key: Option<Node<'a>>, node: Node<'a>) -> Option<Operation<'a>> {
        let node = self.document.resolve(node)?;
        if !node.is_object() {
            self.issues.push(wrong_shape(
                node,
                "an operation should be an object",
                "give it `id`, `method` and `path`",
            ));
            return None;
        }
        let mut operation = Operation::empty(node);
        for member in node.members() {
            let (value, text) = (member.value, Text::of(member.value));
            match member.name() {
                "id" => operation.id = text,
                "method" => {
                    operation.method_node = Some(value);
                    operation.method =
                        text.and_then(|text| Method::parse(&text.to_ascii_uppercase()));
                    if operation.method.is_none() {
                        self.issues.push(wrong_shape(
                            value,
                            "this is not an HTTP method",
                            "use one like GET, POST, PATCH or DELETE",
                        ));
                    }
                }
                "path" => operation.path = text,
                "summary" => operation.summary = text,
                "description" => operation.description = text,
                "docs_url" => operation.docs_url = text,
                "deprecated" => operation.deprecated = value.as_bool() == Some(true),
                "visibility" => {
                    operation.visibility =
                        text.map_or(Visibility::Unstated, |text| Visibility::from_text(&text));
                }
                "tags" => operation.tags = value.items().filter_map(Text::of).collect(),
                "parameters" => operation.parameters = self.parameters(value),
                "request_body" => operation.request_body = self.body(value),
                "responses" => self.responses(&mut operation, value),
                "error_responses" => {
                    let entries = entries(Some(value), "`error_responses`", &mut self.issues);
                    for (key, entry) in entries {
                        self.error(&mut operation, key, entry);
                    }
                }
                "mcp" => operation.mcp = McpExposure::read(value),
                "a2a" => operation.a2a = A2aExposure::read(value),
                "verify" => operation.verify = Verify::read(value),
                _ => {}
            }
        }
        operation.id = operation.id.or_else(|| key.and_then(Text::of));
        operation.anchor = operation
            .id
            .map(|id| id.node())
            .or_else(|| operation.path.map(|path| path.node()))
            .unwrap_or(node);
        stated_scores(node, &mut self.scores);
        Some(operation)
    }

    fn parameters(&mut self, node: Node<'a>) -> Vec<Parameter<'a>> {
        let mut found = Vec::new();
        for (key, node) in entries(Some(node), "`parameters`", &mut self.issues) {
            let Some(node) = self.document.resolve(node) else {
                continue;
            };
            if !node.is_object() {
                self.issues.push(wrong_shape(
                    node,
                    "a parameter should be an object",
                    "give it `name`, `in` and `type`",
                ));
                continue;
            }
            let parameter = parameters::read(self.document, node, key);
            if parameter.name_node.is_none() {
                self.issues
                    .push(wrong_shape(node, "a parameter has no name", "add `name`"));
            }
            found.push(parameter);
        }
        found
    }

    /// A body is `{content}`, `{schema, example}`, or a schema itself.
    fn body(&mut self, node: Node<'a>) -> Option<Body<'a>> {
        let node = expect_object(
            Some(self.document.resolve(node)?),
            "`request_body`",
            &mut self.issues,
        )?;
        Some(Body {
            node,
            required: node.get("required").and_then(Node::as_bool).unwrap_or(true),
            description: Text::member(node, "description"),
            contents: self.contents(node),
        })
    }

    fn contents(&self, node: Node<'a>) -> Vec<Content<'a>> {
        if node.get("content").is_some() {
            return contents(self.document, node.get("content"));
        }
        let is_schema = [
            "type",
            "properties",
            "$ref",
            "oneOf",
            "anyOf",
            "allOf",
            "items",
            "enum",
        ]
        .iter()
        .any(|key| node.get(key).is_some());
        let schema = node
            .get("schema")
            .or_else(|| is_schema.then_some(node))
            .map(|node| Schema::new(self.document, node));
        let examples = examples(self.document, node);
        if schema.is_none() && examples.is_empty() {
            return Vec::new();
        }
        vec![Content {
            media_type: Text::first(node, &["content_type", "media_type"]),
            schema,
            examples,
        }]
    }

    fn responses(&mut self, operation: &mut Operation<'a>, node: Node<'a>) {
        for (key, entry) in entries(Some(node), "`responses`", &mut self.issues) {
            let Some(node) = self.document.resolve(entry) else {
                continue;
            };
            let status_node = node
                .get("status")
                .or(key)
                .or_else(|| Text::of(node).map(|text| text.node()));
            let status = status_node.and_then(|status| Status::parse(status.text()));
            if status.is_some_and(Status::is_error) {
                self.error(operation, key, node);
                continue;
            }
            operation.responses.push(Response {
                node,
                status,
                status_node,
                description: Text::member(node, "description"),
                contents: if node.is_object() {
                    self.contents(node)
                } else {
                    Vec::new()
                },
            });
        }
    }

    fn error(&mut self, operation: &mut Operation<'a>, key: Option<Node<'a>>, node: Node<'a>) {
        let Some(node) = self.document.resolve(node) else {
            return;
        };
        if !node.is_object() {
            self.issues.push(wrong_shape(
                node,
                "an error response should be an object",
                "give it `status` and `code`",
            ));
            return;
        }
        let mut error = errors::from_entry(node, node.get("status").or(key));
        if error.status.is_none() {
            let at = error.status_node.unwrap_or(node);
            self.issues.push(wrong_shape(
                at,
                "an error response needs a status from 400 to 599",
                "add `status`",
            ));
        }
        if let Some(schema) = node.get("schema") {
            let schema = Some(Schema::new(self.document, schema));
            error.contents = vec![Content {
                media_type: Text::first(node, &["content_type", "media_type"]),
                schema,
                examples: Vec::new(),
            }];
        }
        operation.errors.push(error);
    }
}

/// The entries of a list, or of an object that names them by key.
fn entries<'a>(
    node: Option<Node<'a>>,
    what: &str,
    issues: &mut Vec<Issue>,
) -> Vec<(Option<Node<'a>>, Node<'a>)> {
    let Some(node) = node.filter(|node| !node.is_null()) else {
        return Vec::new();
    };
    if node.is_array() {
        return node.items().map(|item| (None, item)).collect();
    }
    if node.is_object() {
        return node
            .members()
            .map(|member| (Some(member.key), member.value))
            .collect();
    }
    issues.push(wrong_shape(
        node,
        &format!("{what} should be a list"),
        "write one entry for each",
    ));
    Vec::new()
}
