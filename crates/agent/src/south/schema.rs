//! JSON Schema of the messages (feature `schema`).

use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::wire::{Apply, Diff, Exec, Hello, Telemetry, Welcome};

/// The schema of a message: a request, an answer, or an event.
pub fn southbound() -> Value {
    let mut generator = SchemaGenerator::default();
    let mut any = Vec::new();
    let requests = [
        ("hello", generator.subschema_for::<Hello>()),
        ("command.exec", generator.subschema_for::<Exec>()),
        ("telemetry.push", generator.subschema_for::<Telemetry>()),
        ("file.diff", generator.subschema_for::<Diff>()),
        ("file.apply", generator.subschema_for::<Apply>()),
    ];
    let action_id =
        || json!({ "type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[!-~]+$" });
    for (method, schema) in requests {
        let mut required = vec!["method"];
        let mut properties = json!({ "method": { "const": method } });
        if method != "hello" {
            required.push("action_id");
            properties["action_id"] = action_id();
        }
        any.push(json!({
            "title": method,
            "type": "object",
            "properties": properties,
            "required": required,
            "allOf": [schema],
        }));
    }
    for method in ["action.state", "action.cancel"] {
        any.push(json!({
            "title": method,
            "type": "object",
            "properties": { "method": { "const": method }, "action_id": action_id() },
            "required": ["method", "action_id"],
        }));
    }
    any.push(json!({ "title": "welcome", "allOf": [generator.subschema_for::<Welcome>()] }));
    any.push(json!({
        "title": "answer",
        "type": "object",
        "properties": {
            "ok": { "const": true },
            "action_id": { "type": "string" },
            "exit_code": { "type": "integer" },
            "stdout": { "type": "string" },
            "stderr": { "type": "string" },
            "signal": { "type": "integer" },
            "truncated": { "type": "boolean" },
            "lossy": { "type": "boolean" },
            "patch": { "type": "string" },
            "redacted": { "type": "boolean" },
            "applied": { "type": "boolean" },
            "replayed": { "type": "boolean" },
        },
        "required": ["ok"],
    }));
    any.push(json!({
        "title": "failure",
        "type": "object",
        "properties": {
            "ok": { "const": false },
            "error": { "type": "string" },
            "problem": generator.subschema_for::<aon_core::ProblemDetails>(),
        },
        "required": ["ok", "error", "problem"],
    }));
    any.push(json!({
        "title": "exec_log",
        "type": "object",
        "properties": {
            "type": { "const": "exec_log" },
            "action_id": { "type": "string" },
            "stream": { "enum": ["stdout", "stderr"] },
            "chunk": { "type": "string" },
        },
        "required": ["type", "stream", "chunk"],
    }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Southbound",
        "description": "One message between the side that asks and the side that acts: a request, an answer, or an event.",
        "anyOf": any,
        "$defs": generator.take_definitions(true),
    })
}
