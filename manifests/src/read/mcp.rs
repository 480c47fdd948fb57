//! The answer of an MCP server to `tools/list`: bare, in a JSON-RPC answer, or just the list.

use super::extension::{
    A2A, A2A_SKILL, API, DOCS_URL, ERRORS, ID, REMEDIATION_DEFAULT, SURFACES, VERIFY, VISIBILITY,
};
use super::{errors, expect_array, expect_object, parameters, stated_scores, wrong_shape};
use crate::document::Document;
use crate::format::{Format, mcp_tools};
use crate::issue::Issue;
use crate::model::{
    A2aExposure, Api, Content, McpExposure, Operation, Remediation, Response, Schema, Text, Verify,
    Visibility,
};
use crate::node::Node;

pub(super) fn read<'a>(document: &'a Document, root: Node<'a>) -> Api<'a> {
    let mut api = Api::empty(document, root, Format::Mcp);
    let result = root
        .get("result")
        .filter(|result| result.get("tools").is_some())
        .unwrap_or(root);
    let server = result.get("serverInfo").unwrap_or(result);
    api.title = Text::first(server, &["title", "name"]);
    api.version = Text::member(server, "version");
    api.purpose = Text::first(result, &["instructions", "description"]);
    api.format_version = Text::member(result, "protocolVersion");
    api.slug = API.text(result);
    api.id = ID.text(result);
    api.docs_url = DOCS_URL.text(result);
    api.visibility_node = VISIBILITY.text(result);
    api.visibility = api
        .visibility_node
        .map_or(Visibility::Unstated, |text| Visibility::from_text(&text));
    api.declared_surfaces = SURFACES.get(result);
    api.remediation_default = REMEDIATION_DEFAULT.get(result).map(Remediation::read);
    stated_scores(result, &mut api.stated_scores);
    let tools =
        mcp_tools(root).or_else(|| expect_array(result.get("tools"), "`tools`", &mut api.issues));
    for node in tools.into_iter().flat_map(Node::items) {
        if node.is_object() {
            stated_scores(node, &mut api.stated_scores);
            let operation = tool(document, node, &mut api.issues);
            api.operations.push(operation);
        } else {
            api.issues.push(wrong_shape(
                node,
                "a tool should be an object",
                "give it `name`, `description` and `inputSchema`",
            ));
        }
    }
    api
}

fn tool<'a>(document: &'a Document, node: Node<'a>, issues: &mut Vec<Issue>) -> Operation<'a> {
    let mut operation = Operation::empty(node);
    operation.id = Text::member(node, "name");
    operation.anchor = operation.id.map_or(node, |id| id.node());
    operation.summary =
        Text::member(node, "title").or_else(|| Text::member(node.get("annotations")?, "title"));
    operation.description = Text::member(node, "description");
    operation.docs_url = DOCS_URL.text(node);
    operation.mcp = Some(McpExposure {
        node: operation.anchor,
        expose: true,
        tool: operation.id,
    });
    operation.a2a = A2A
        .get(node)
        .or_else(|| A2A_SKILL.get(node))
        .and_then(A2aExposure::read);
    operation.verify = VERIFY.get(node).and_then(Verify::read);
    operation.visibility = VISIBILITY
        .text(node)
        .map_or(Visibility::Unstated, |text| Visibility::from_text(&text));
    let input = node.get("inputSchema").or_else(|| node.get("input_schema"));
    if let Some(input) = expect_object(input, "`inputSchema`", issues) {
        operation.parameters = parameters::arguments(Schema::new(document, input));
    }
    let output = node
        .get("outputSchema")
        .or_else(|| node.get("output_schema"));
    if let Some(output) = expect_object(output, "`outputSchema`", issues) {
        let content = Content {
            media_type: None,
            schema: Some(Schema::new(document, output)),
            examples: Vec::new(),
        };
        operation.responses.push(Response {
            node: output,
            status: None,
            status_node: None,
            description: None,
            contents: vec![content],
        });
    }
    let entries = ERRORS
        .get(node)
        .into_iter()
        .flat_map(Node::items)
        .filter(|entry| entry.is_object());
    operation.errors = entries
        .map(|entry| errors::from_entry(entry, None))
        .collect();
    operation
}
