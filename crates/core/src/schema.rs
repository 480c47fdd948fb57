//! JSON Schema of the envelope (feature `schema`).

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::{Choice, Choices, NoneReason, ProblemDetails, RemediationType};

impl JsonSchema for ProblemDetails {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("ProblemDetails")
    }

    fn schema_id() -> Cow<'static, str> {
        Cow::Borrowed("aon_core::ProblemDetails")
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let types: Vec<&str> = RemediationType::ALL
            .iter()
            .map(|kind| kind.as_str())
            .collect();
        let reasons: Vec<&str> = NoneReason::ALL
            .iter()
            .map(|reason| reason.as_str())
            .collect();
        let primitive = serde_json::json!({"type": ["string", "number", "boolean"]});
        json_schema!({
            "description": "A problem (RFC 9457) with what a caller needs to recover.",
            "type": "object",
            "properties": {
                "type": {"type": "string", "format": "uri-reference"},
                "title": {"type": "string"},
                "status": {"type": "integer", "minimum": 400, "maximum": 599},
                "detail": {"type": "string"},
                "instance": {"type": "string", "format": "uri-reference"},
                "code": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"},
                "request_id": {"type": "string"},
                "valid_values": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "array",
                        "items": {"anyOf": [primitive, {
                            "type": "object",
                            "properties": {
                                "value": primitive,
                                "label": {"type": "string"},
                                "description": {"type": "string"}
                            },
                            "required": ["value"]
                        }]}
                    }
                },
                "remediation": {
                    "type": "object",
                    "properties": {
                        "type": {"enum": types},
                        "reason": {"enum": reasons},
                        "message": {"type": "string"},
                        "next_action": {
                            "type": "object",
                            "properties": {
                                "endpoint_xri": {"type": "string"},
                                "endpoint_url": {"type": "string"},
                                "required_scope": {"type": "string"},
                                "guide_xri": {"type": "string"}
                            },
                            "minProperties": 1
                        },
                        "example_request": {
                            "type": "object",
                            "properties": {
                                "method": {"type": "string"},
                                "path": {"type": "string"},
                                "headers": {"type": "object", "additionalProperties": {"type": "string"}},
                                "body": {}
                            },
                            "required": ["method", "path"]
                        },
                        "auto_fix_available": {"type": "boolean"}
                    },
                    "required": ["type", "auto_fix_available"],
                    "if": {"properties": {"type": {"const": "none"}}},
                    "then": {"required": ["reason"]},
                    "else": {"not": {"required": ["reason"]}}
                },
                "docs_url": {"type": "string", "format": "uri-reference"},
                "mcp_tool": {"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,128}$"},
                "a2a_skill": {"type": "string"}
            }
        })
    }
}

/// The schema of a closed set: an `enum`, or a `oneOf` of constants where the values have words of their own.
///
/// `#[derive(Choices)]` with `#[choice(schema)]` uses it to implement `JsonSchema`; for a type that has its own, name it in
/// `#[schemars(schema_with = "…")]`.
///
/// # Examples
///
/// ```
/// use aon_core::{Choice, Choices, choices_schema};
///
/// struct Region;
///
/// impl Choices for Region {
///     const NAME: &'static str = "region";
///     const CHOICES: &'static [Choice] =
///         &[Choice::constant("eu", None, None), Choice::constant("us", None, None)];
///     const JSON: &'static str = r#"["eu","us"]"#;
/// }
/// assert_eq!(
///     choices_schema::<Region>().to_value(),
///     serde_json::json!({"type": "string", "enum": ["eu", "us"]})
/// );
/// ```
pub fn choices_schema<T: Choices>() -> Schema {
    let values = || T::CHOICES.iter().map(|choice| choice.value().to_value());
    let mut schema = Schema::default();
    if values().all(|value| value.is_string()) {
        schema.insert("type".to_owned(), "string".into());
    }
    let worded = |choice: &Choice| choice.label().is_some() || choice.description().is_some();
    if !T::CHOICES.iter().any(worded) {
        schema.insert("enum".to_owned(), values().collect());
        return schema;
    }
    let one = |choice: &Choice| {
        let mut one = serde_json::Map::new();
        one.insert("const".to_owned(), choice.value().to_value());
        if let Some(label) = choice.label() {
            one.insert("title".to_owned(), label.into());
        }
        if let Some(description) = choice.description() {
            one.insert("description".to_owned(), description.into());
        }
        serde_json::Value::Object(one)
    };
    schema.insert("oneOf".to_owned(), T::CHOICES.iter().map(one).collect());
    schema
}
