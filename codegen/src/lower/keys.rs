//! The keywords of a schema, found in one walk over its members.

use aon_manifest::Node;
use aon_manifest::model::Types;

use super::pattern::is_sound;
use crate::ir::Medium;

/// What a schema says, by keyword. Looking each keyword up on its own would walk the members thirty times.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keys<'a> {
    pub(super) reference: Option<Node<'a>>,
    pub(super) kind: Option<Node<'a>>,
    nullable: Option<Node<'a>>,
    pub(super) title: Option<Node<'a>>,
    pub(super) description: Option<Node<'a>>,
    pub(super) default: Option<Node<'a>>,
    pub(super) deprecated: Option<Node<'a>>,
    pub(super) enumeration: Option<Node<'a>>,
    pub(super) constant: Option<Node<'a>>,
    pub(super) labels: Option<Node<'a>>,
    pub(super) explanations: Option<Node<'a>>,
    pub(super) one_of: Option<Node<'a>>,
    pub(super) any_of: Option<Node<'a>>,
    pub(super) all_of: Option<Node<'a>>,
    pub(super) discriminator: Option<Node<'a>>,
    pub(super) properties: Option<Node<'a>>,
    pub(super) required: Option<Node<'a>>,
    pub(super) additional: Option<Node<'a>>,
    pub(super) pattern_properties: Option<Node<'a>>,
    pub(super) items: Option<Node<'a>>,
    pub(super) prefix_items: Option<Node<'a>>,
    pub(super) choices_endpoint: Option<Node<'a>>,
    pub(super) format: Option<Node<'a>>,
    pub(super) pattern: Option<Node<'a>>,
    media_type: Option<Node<'a>>,
    encoding: Option<Node<'a>>,
    pub(super) min_length: Option<Node<'a>>,
    pub(super) max_length: Option<Node<'a>>,
    pub(super) minimum: Option<Node<'a>>,
    pub(super) maximum: Option<Node<'a>>,
    pub(super) exclusive_minimum: Option<Node<'a>>,
    pub(super) exclusive_maximum: Option<Node<'a>>,
    pub(super) multiple_of: Option<Node<'a>>,
    pub(super) min_items: Option<Node<'a>>,
    pub(super) max_items: Option<Node<'a>>,
    pub(super) unique_items: Option<Node<'a>>,
    /// What `type` and `nullable` say.
    types: Types,
}

impl<'a> Keys<'a> {
    /// The keywords of a node; none of anything that is not an object.
    pub(super) fn of(node: Node<'a>) -> Keys<'a> {
        let mut keys = Keys::default();
        for member in node.members() {
            // The frequent ones come first.
            let slot = match member.name() {
                "type" => &mut keys.kind,
                "description" => &mut keys.description,
                "$ref" => &mut keys.reference,
                "properties" => &mut keys.properties,
                "items" => &mut keys.items,
                "format" => &mut keys.format,
                "enum" => &mut keys.enumeration,
                "required" => &mut keys.required,
                "nullable" | "x-nullable" => &mut keys.nullable,
                "title" => &mut keys.title,
                "default" => &mut keys.default,
                "additionalProperties" => &mut keys.additional,
                "oneOf" => &mut keys.one_of,
                "anyOf" => &mut keys.any_of,
                "allOf" => &mut keys.all_of,
                "const" => &mut keys.constant,
                "deprecated" => &mut keys.deprecated,
                "pattern" => &mut keys.pattern,
                "minLength" => &mut keys.min_length,
                "maxLength" => &mut keys.max_length,
                "minimum" => &mut keys.minimum,
                "maximum" => &mut keys.maximum,
                "exclusiveMinimum" => &mut keys.exclusive_minimum,
                "exclusiveMaximum" => &mut keys.exclusive_maximum,
                "multipleOf" => &mut keys.multiple_of,
                "minItems" => &mut keys.min_items,
                "maxItems" => &mut keys.max_items,
                "uniqueItems" => &mut keys.unique_items,
                "prefixItems" => &mut keys.prefix_items,
                "contentMediaType" => &mut keys.media_type,
                "contentEncoding" => &mut keys.encoding,
                "discriminator" => &mut keys.discriminator,
                "patternProperties" => &mut keys.pattern_properties,
                "x-enum-varnames" | "x-enumNames" => &mut keys.labels,
                "x-enum-descriptions" | "x-enumDescriptions" => &mut keys.explanations,
                "choices_endpoint" | "x-choices-endpoint" | "x-aon-choices-endpoint"
                    if !member.value.is_null() =>
                {
                    &mut keys.choices_endpoint
                }
                _ => continue,
            };
            *slot = Some(member.value);
        }
        keys.types = Types::read(keys.kind, keys.nullable);
        keys
    }

    /// Its types, `null` included; empty when it says nothing.
    pub(super) fn types(&self) -> Types {
        self.types
    }

    /// The branches of `oneOf` or `anyOf`.
    pub(super) fn branches(&self) -> Option<Node<'a>> {
        self.one_of.or(self.any_of).filter(|list| list.is_array())
    }

    /// What it is: the description, else the title.
    pub(super) fn describe(&self) -> String {
        let text = trimmed(self.description);
        if text.is_empty() {
            trimmed(self.title).to_owned()
        } else {
            text.to_owned()
        }
    }

    /// What stands beside a field, with a pattern that cannot be checked.
    pub(super) fn remark(&self) -> Box<str> {
        let text = trimmed(self.description);
        if let Some(pattern) = self.pattern.and_then(Node::as_str)
            && !is_sound(pattern)
        {
            let mut text = text.to_owned();
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str("Pattern: `");
            text.push_str(pattern);
            text.push('`');
            return text.into_boxed_str();
        }
        Box::from(text)
    }

    /// The same without what is meant for people.
    pub(super) fn without_words(self) -> Keys<'a> {
        Keys {
            title: None,
            description: None,
            ..self
        }
    }

    /// Whether a string is a file: a media type of bytes, and no encoding that would make it text.
    pub(super) fn holds_bytes(&self) -> bool {
        self.encoding.is_none()
            && self
                .media_type
                .is_some_and(|media| Medium::of(media.as_str()) == Medium::Bytes)
    }

    pub(super) fn is_deprecated(&self) -> bool {
        self.deprecated.and_then(Node::as_bool) == Some(true)
    }

    /// Where the valid values can be asked for.
    pub(super) fn endpoint(&self) -> Option<String> {
        let value = self.choices_endpoint?;
        if !value.is_object() {
            return Some(value.text().to_owned());
        }
        let path = ["path", "url", "endpoint", "href"]
            .iter()
            .find_map(|key| value.get(key))?
            .text();
        let method = value.get("method").map_or("", Node::text);
        Some(if method.is_empty() {
            path.to_owned()
        } else {
            format!("{} {path}", method.to_uppercase())
        })
    }
}

pub(super) fn trimmed(node: Option<Node<'_>>) -> &str {
    node.map_or("", Node::text).trim()
}
