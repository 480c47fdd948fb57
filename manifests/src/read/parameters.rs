//! Parameters of OpenAPI, Swagger and native manifests.

use crate::document::Document;
use crate::model::{Location, Parameter, Schema, Text};
use crate::node::Node;

/// Reads one parameter object. In OpenAPI 3 its schema is in `schema` or `content`, elsewhere it is the object itself.
pub(super) fn read<'a>(
    document: &'a Document,
    node: Node<'a>,
    key: Option<Node<'a>>,
) -> Parameter<'a> {
    let in_content = || node.get("content")?.members().next()?.value.get("schema");
    let schema = Schema::new(
        document,
        node.get("schema")
            .filter(|node| node.is_object())
            .or_else(in_content)
            .unwrap_or(node),
    );
    let location_node = Text::member(node, "in");
    let location = location_node.map_or(Location::Other, |text| Location::parse(&text));
    let required = node.get("required").and_then(Node::as_bool);
    Parameter {
        node,
        name_node: node
            .get("name")
            .filter(|name| Text::of(*name).is_some())
            .or(key),
        location,
        location_node,
        required: required.unwrap_or(location == Location::Path),
        description: Text::member(node, "description").or_else(|| schema.description()),
        deprecated: node.get("deprecated").and_then(Node::as_bool) == Some(true)
            || schema.is_deprecated(),
        schema,
    }
}

/// Takes the properties of an object schema for parameters, as with the arguments of an MCP tool.
pub(super) fn arguments(schema: Schema<'_>) -> Vec<Parameter<'_>> {
    let read = schema
        .all_properties()
        .into_iter()
        .map(|property| Parameter {
            node: property.schema.node(),
            name_node: Some(property.key),
            location: Location::Argument,
            location_node: None,
            required: property.is_required() || schema.requires(property.name()),
            description: property.schema.description(),
            deprecated: property.schema.is_deprecated(),
            schema: property.schema,
        });
    read.collect()
}
