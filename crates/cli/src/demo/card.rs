//! The agent card: the skills, and the envelope as an extension.

use aon::surface::a2a;
use serde_json::{Value, json};

use super::operation::OPERATIONS;

/// The card of the agent at `base`, for clients of 1.0 and of 0.3.
pub(crate) fn card(base: &str) -> Value {
    let url = format!("{base}/a2a");
    let skills: Vec<Value> = OPERATIONS
        .iter()
        .map(|operation| {
            let mut example = json!({"skill": operation.skill});
            for argument in operation.arguments {
                let value = argument
                    .choices
                    .last()
                    .map_or_else(|| json!("acme"), |choice| choice.value().to_value());
                example[argument.name] = value;
            }
            json!({
                "id": operation.skill,
                "name": operation.title,
                "description": operation.summary,
                "tags": ["possibilities", "sign-in"],
                "examples": [example.to_string()],
                "inputModes": ["application/json"],
                "outputModes": ["application/json"],
            })
        })
        .collect();
    json!({
        "name": "AON demo",
        "description": "Sets how people sign in to possibilities. Every failure says what happened, why, and what to try.",
        "version": env!("CARGO_PKG_VERSION"),
        "protocolVersion": "0.3.0",
        "url": url,
        "preferredTransport": "JSONRPC",
        "supportedInterfaces": [
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
        ],
        "capabilities": {
            "streaming": false,
            "pushNotifications": false,
            "extensions": [a2a::extension_declaration().to_value()],
        },
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": skills,
    })
}
