//! JSON Schema of the events (feature `schema`).

use aon_core::Severity;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use crate::event::{
    Gap, Healing, Heartbeat, IntentAnalysis, InteractiveHealingRequest, InteractiveHealingResult,
    Opened, ReplayComplete, ResultBody, Status,
};

pub(crate) fn severity(_: &mut SchemaGenerator) -> Schema {
    let words: Vec<&str> = Severity::ALL.iter().map(|word| word.as_str()).collect();
    json_schema!({ "type": "string", "enum": words })
}

/// The schema of one event, whatever its type and channel.
pub fn event() -> Value {
    let mut generator = SchemaGenerator::default();
    let mut kinds = Vec::new();
    let mut add = |kind: &str, numbered: bool, schema: Schema| {
        let mut schema = schema.to_value();
        if let Some(object) = schema.as_object_mut() {
            object.remove("$schema");
        }
        let properties = schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let mut required = schema["required"].as_array().cloned().unwrap_or_default();
        required.insert(0, json!("type"));
        if numbered {
            required.extend([json!("seq"), json!("id")]);
        }
        let mut all = serde_json::Map::new();
        all.insert("type".to_owned(), json!({ "const": kind }));
        all.extend(properties);
        kinds.push(json!({
            "title": kind,
            "description": schema["description"],
            "type": "object",
            "properties": all,
            "required": required,
        }));
    };
    add("session", true, generator.root_schema_for::<Opened>());
    add(
        "intent_analysis",
        true,
        generator.root_schema_for::<IntentAnalysis>(),
    );
    add("healing", true, generator.root_schema_for::<Healing>());
    add("status", false, generator.root_schema_for::<Status>());
    add(
        "interactive_healing_request",
        true,
        generator.root_schema_for::<InteractiveHealingRequest>(),
    );
    add(
        "interactive_healing_result",
        true,
        generator.root_schema_for::<InteractiveHealingResult>(),
    );
    add("gap", false, inlined::<Gap>());
    add(
        "replay_complete",
        false,
        generator.root_schema_for::<ReplayComplete>(),
    );
    add("heartbeat", false, generator.root_schema_for::<Heartbeat>());
    add("result", true, generator.root_schema_for::<ResultBody>());
    kinds.push(json!({
        "title": "error",
        "description": "`error`: it failed.",
        "type": "object",
        "properties": {
            "type": { "const": "error" },
            "status": { "type": "integer", "minimum": 400, "maximum": 599 },
            "code": { "type": "string" },
            "message": { "type": "string" },
            "problem": generator.root_schema_for::<aon_core::ProblemDetails>(),
        },
        "required": ["type", "seq", "id", "status", "code", "message", "problem"],
    }));
    let own: Vec<&str> = crate::event::RESERVED.to_vec();
    kinds.push(json!({
        "title": "an event of the program's own",
        "type": "object",
        "properties": {
            "type": { "type": "string", "pattern": "^[a-z][a-z0-9_.-]{0,63}$", "not": { "enum": own } },
            "data": true,
        },
        "required": ["type", "seq", "id"],
    }));
    kinds.push(json!({
        "title": "ticket",
        "description": "`ticket`: what to come back with, for a reader that came with a ticket.",
        "type": "object",
        "properties": { "type": { "const": "ticket" }, "ticket": { "type": "string" }, "expires_at": { "type": "integer" } },
        "required": ["type", "ticket", "expires_at"],
    }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Event",
        "description": "One event of a session, on every channel: a line of NDJSON, the data of a server-sent event, a WebSocket message.",
        "type": "object",
        "properties": {
            "type": { "type": "string" },
            "id": { "type": "string", "pattern": "^[0-9a-f]{8}-[0-9]+$" },
            "seq": { "type": "integer", "minimum": 1 },
            "timestamp": { "type": "integer", "minimum": 0 },
            "ts_ms": { "type": "integer", "minimum": 0 },
            "trace_id": { "type": "string", "pattern": "^[0-9a-f]{32}$" },
            "session_id": { "type": "string", "pattern": "^[0-9a-f]{32}$" },
        },
        "required": ["type", "timestamp", "ts_ms", "trace_id", "session_id"],
        "oneOf": kinds,
    })
}

fn inlined<T: schemars::JsonSchema>() -> Schema {
    schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T>()
}
