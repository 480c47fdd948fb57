//! A2A agent cards, 0.3 and 1.0.

use super::extension::{
    API, DOCS_URL, ERRORS, ID, MCP, MCP_TOOL, REMEDIATION_DEFAULT, SURFACES, VERIFY, VISIBILITY,
};
use super::{errors, expect_array, stated_scores, wrong_shape};
use crate::document::Document;
use crate::format::{Format, a2a_card};
use crate::model::{
    A2aExposure, Api, McpExposure, Operation, Remediation, Text, Verify, Visibility,
};
use crate::node::Node;

pub(super) fn read<'a>(document: &'a Document, root: Node<'a>) -> Api<'a> {
    let card = a2a_card(root).unwrap_or(root);
    let mut api = Api::empty(document, card, Format::A2a);
    let interfaces = |key: &str| {
        card.get(key)
            .into_iter()
            .flat_map(Node::items)
            .collect::<Vec<_>>()
    };
    let supported = interfaces("supportedInterfaces");
    // 1.0 names the protocol version for each interface, 0.3 once for the card.
    let of_interface = || {
        supported
            .iter()
            .find_map(|interface| Text::member(*interface, "protocolVersion"))
    };
    api.format_version = Text::member(card, "protocolVersion").or_else(of_interface);
    api.title = Text::member(card, "name");
    api.version = Text::member(card, "version");
    api.purpose = Text::member(card, "description");
    api.docs_url = DOCS_URL
        .text(card)
        .or_else(|| Text::member(card, "documentationUrl"));
    api.slug = API.text(card);
    api.id = ID.text(card);
    api.visibility_node = VISIBILITY.text(card);
    api.visibility = api
        .visibility_node
        .map_or(Visibility::Unstated, |text| Visibility::from_text(&text));
    api.declared_surfaces = SURFACES.get(card);
    api.remediation_default = REMEDIATION_DEFAULT.get(card).map(Remediation::read);
    let additional = interfaces("additionalInterfaces");
    let urls = supported
        .iter()
        .chain(&additional)
        .filter_map(|interface| Text::member(*interface, "url"));
    for url in Text::member(card, "url").into_iter().chain(urls) {
        if !api
            .servers
            .iter()
            .any(|known| known.as_str() == url.as_str())
        {
            api.servers.push(url);
        }
    }
    stated_scores(card, &mut api.stated_scores);
    let skills = expect_array(card.get("skills"), "`skills`", &mut api.issues);
    for node in skills.into_iter().flat_map(Node::items) {
        if node.is_object() {
            stated_scores(node, &mut api.stated_scores);
            api.operations.push(skill(node));
        } else {
            api.issues.push(wrong_shape(
                node,
                "a skill should be an object",
                "give it `id`, `name`, `description` and `tags`",
            ));
        }
    }
    api
}

fn skill(node: Node<'_>) -> Operation<'_> {
    let mut operation = Operation::empty(node);
    let id = Text::member(node, "id");
    operation.id = id.or_else(|| Text::member(node, "name"));
    operation.anchor = operation.id.map_or(node, |id| id.node());
    operation.summary = Text::member(node, "name");
    operation.description = Text::member(node, "description");
    operation.tags = node
        .get("tags")
        .into_iter()
        .flat_map(Node::items)
        .filter_map(Text::of)
        .collect();
    operation.docs_url = DOCS_URL.text(node);
    operation.mcp = MCP
        .get(node)
        .or_else(|| MCP_TOOL.get(node))
        .and_then(McpExposure::read);
    operation.a2a = Some(A2aExposure {
        node: operation.anchor,
        skill: operation.id,
    });
    operation.verify = VERIFY.get(node).and_then(Verify::read);
    operation.visibility = VISIBILITY
        .text(node)
        .map_or(Visibility::Unstated, |text| Visibility::from_text(&text));
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
