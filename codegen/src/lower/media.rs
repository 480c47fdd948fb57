//! How requests are written: lists and objects in a query, and forms of Swagger 2.0.

use aon_manifest::model::{Api, Location, Operation, Parameter};
use aon_manifest::{Format, Node};

use crate::ir::Style;

/// How a list or an object is written in a query, as OpenAPI (`style`, `explode`, `content`) or Swagger (`collectionFormat`) says it.
pub(super) fn style(api: &Api<'_>, parameter: &Parameter<'_>) -> Style {
    let word = |key: &str| parameter.node.get(key).map_or("", Node::text);
    let explode = parameter.node.get("explode").and_then(Node::as_bool);
    match (word("style"), word("collectionFormat")) {
        _ if in_json(parameter) => Style::Json,
        ("deepObject", _) => Style::Deep,
        ("spaceDelimited" | "pipeDelimited", _) if explode == Some(true) => Style::Repeated,
        ("spaceDelimited", _) | (_, "ssv") => Style::Space,
        ("pipeDelimited", _) | (_, "pipes") => Style::Pipe,
        (_, "tsv") => Style::Tab,
        (_, "csv") => Style::Comma,
        // Where Swagger says nothing, it means commas.
        (_, "") if api.format == Format::Swagger && is_list(parameter) => Style::Comma,
        _ if explode == Some(false) => Style::Comma,
        _ => Style::Repeated,
    }
}

fn is_list(parameter: &Parameter<'_>) -> bool {
    parameter.location == Location::Query && parameter.types().contains("array")
}

/// Whether the value is sent as JSON: `content: { application/json: … }` in the place of `schema`.
fn in_json(parameter: &Parameter<'_>) -> bool {
    let content = parameter.node.get("content");
    let media = content.and_then(|content| content.members().next());
    media.is_some_and(|media| media.name().to_ascii_lowercase().contains("json"))
}

/// The media type of a body whose members are parameters (`in: formData`).
pub(super) fn of_form(api: &Api<'_>, operation: &Operation<'_>) -> Option<String> {
    let mut fields = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.location == Location::Form)
        .peekable();
    fields.peek()?;
    let listed = operation.node.get("consumes");
    let listed = listed.or_else(|| api.node.get("consumes"));
    let has = |media: &str| {
        let mut all = listed.into_iter().flat_map(Node::items);
        all.any(|own| own.text().to_ascii_lowercase().starts_with(media))
    };
    let (parts, pairs) = ("multipart/form-data", "application/x-www-form-urlencoded");
    let has_file = fields.any(|field| field.types().contains("file"));
    let media = if has_file || (has(parts) && !has(pairs)) {
        parts
    } else {
        pairs
    };
    Some(media.to_owned())
}
