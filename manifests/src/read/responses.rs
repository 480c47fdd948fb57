//! Bodies, media types and examples of OpenAPI and Swagger.

use crate::document::Document;
use crate::model::{Content, Example, Schema, Text};
use crate::node::Node;

/// The `content` map of OpenAPI 3.
pub(super) fn contents<'a>(document: &'a Document, content: Option<Node<'a>>) -> Vec<Content<'a>> {
    let Some(content) = content else {
        return Vec::new();
    };
    let mut read = Vec::with_capacity(content.len());
    for member in content.members() {
        let Some(media) = document.resolve(member.value) else {
            continue;
        };
        let schema = media.get("schema").map(|node| Schema::new(document, node));
        let mut examples = examples(document, media);
        // Looking behind the schema's `$ref` pays only where the example tells a code.
        if examples.is_empty() && member.name().contains("problem+json") {
            let behind = schema.and_then(|schema| schema.get("example"));
            examples.extend(behind.map(|value| Example { name: None, value }));
        }
        read.push(Content {
            media_type: Text::of(member.key),
            schema,
            examples,
        });
    }
    read
}

/// `example` and `examples` of a media type or a native body.
pub(super) fn examples<'a>(document: &'a Document, node: Node<'a>) -> Vec<Example<'a>> {
    let (single, several) = (node.get("example"), node.get("examples"));
    let count = usize::from(single.is_some()) + several.map_or(0, Node::len);
    let mut found: Vec<Example<'a>> = Vec::with_capacity(count);
    found.extend(single.map(|value| Example { name: None, value }));
    if let Some(named) = several {
        found.extend(named.items().map(|value| Example { name: None, value }));
        for member in named.members() {
            let example = document.resolve(member.value).unwrap_or(member.value);
            found.push(Example {
                name: Text::of(member.key),
                value: example.get("value").unwrap_or(example),
            });
        }
    }
    found
}

/// A response of Swagger 2.0: one schema, examples by media type, media types from `produces`.
pub(super) fn swagger_contents<'a>(
    document: &'a Document,
    response: Node<'a>,
    produces: Option<Node<'a>>,
) -> Vec<Content<'a>> {
    let schema = response
        .get("schema")
        .map(|node| Schema::new(document, node));
    let examples = response.get("examples");
    let example_for = |media: &str| -> Vec<Example<'a>> {
        let own = examples.and_then(|examples| examples.get(media));
        own.map(|value| Example { name: None, value })
            .into_iter()
            .collect()
    };
    let mut found: Vec<Content<'a>> = produces
        .into_iter()
        .flat_map(Node::items)
        .filter_map(Text::of)
        .map(|media| Content {
            media_type: Some(media),
            schema,
            examples: example_for(&media),
        })
        .collect();
    for member in examples.into_iter().flat_map(Node::members) {
        let known = found.iter().any(|content| {
            content
                .media_type
                .is_some_and(|media| media.as_str() == member.name())
        });
        if !known {
            let examples = vec![Example {
                name: None,
                value: member.value,
            }];
            found.push(Content {
                media_type: Text::of(member.key),
                schema,
                examples,
            });
        }
    }
    if found.is_empty() && schema.is_some() {
        found.push(Content {
            media_type: None,
            schema,
            examples: Vec::new(),
        });
    }
    if schema.is_none() && examples.is_none() {
        // `produces` speaks about bodies, and this response has none.
        found.retain(Content::is_problem);
    }
    found
}
