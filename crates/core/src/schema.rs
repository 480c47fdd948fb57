//! JSON Schema of the envelope (feature `schema`).

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::{NoneReason, ProblemDetails, RemediationType};

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
