//! A2A: a skill for each operation, called with a data part.

use aon::jsonrpc::{self, Endpoint};
use aon::recovery::Effect;
use aon::surface::a2a;
use aon::{Failure, Json};
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use super::super::scenario::Scenario;
use super::super::world::Outcome;
use super::{Arm, Shared, plain, rest};

/// The agent card: what the caller knows on this surface. By itself it has no schemas, only an example for each skill; our
/// extension adds them.
pub fn card(scenario: &Scenario, arm: Arm) -> Value {
    let skills = scenario.operations.iter().map(|operation| {
        let mut example = json!({"skill": operation.name});
        for (name, schema) in operation.input["properties"]
            .as_object()
            .into_iter()
            .flatten()
        {
            example[name] = schema["enum"][0].clone();
        }
        let effect = match operation.effect {
            Effect::Safe => "read-only",
            Effect::Idempotent => "idempotent",
            Effect::Unsafe => "effect",
        };
        json!({
            "id": operation.name, "name": operation.name, "description": operation.summary,
            "tags": [effect], "examples": [example.to_string()],
        })
    });
    let mut card = json!({
        "name": scenario.name, "version": "1", "protocolVersion": "0.3.0", "skills": skills.collect::<Vec<_>>(),
    });
    if arm.ours() {
        let operations = scenario.operations.iter();
        let schemas =
            operations.map(|operation| (operation.name.as_str(), Json::from(&operation.input)));
        let declared = a2a::extension_declaration_with_skills(schemas);
        card["capabilities"] = json!({"extensions": [declared.to_value()]});
    }
    card
}

/// The skill and its arguments in the first data part.
fn data(params: &Value) -> (String, Value) {
    let mut data = params
        .pointer("/message/parts/0/data")
        .cloned()
        .unwrap_or_default();
    let skill = data["skill"].as_str().unwrap_or_default().to_owned();
    if let Some(members) = data.as_object_mut() {
        members.remove("skill");
    }
    (skill, data)
}

fn reply(value: &Value) -> Value {
    json!({"message": {"messageId": "1", "role": "ROLE_AGENT", "parts": [{"data": value}]}})
}

/// Answered by our endpoint.
pub async fn ours(endpoint: Endpoint, shared: Shared, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let response = endpoint.open(&parts).answer(&body, |request| {
        let params = request.params().map(Json::to_value).unwrap_or_default();
        let (skill, arguments) = data(&params);
        let failure = match shared.world.call(&skill, &arguments) {
            Outcome::Answer(value) => return Ok(Json::from(&reply(&value))),
            Outcome::Crash => panic!("the scenario crashes"),
            Outcome::Unknown => {
                let known = shared
                    .world
                    .scenario
                    .operations
                    .iter()
                    .map(|operation| operation.name.as_str());
                Failure::built_in(jsonrpc::unknown_operation("skill", &skill, known))
            }
            Outcome::Arguments(schema) => {
                let faults = aon::arguments::check(&arguments, &schema);
                Failure::built_in(aon::arguments::problem(&faults).expect("a fault"))
            }
            Outcome::Failed(failing) => Failure::from(rest::problem(&failing)),
        };
        Err(failure.with_arguments(Some(Json::from(&arguments))))
    });
    let mut response = response.map(Body::from);
    response.extensions_mut().insert(aon::axum::Passthrough);
    response
}

/// Answered with the bare numbers of JSON-RPC.
pub fn plain(shared: &Shared, body: &[u8]) -> Response {
    let request: Value = serde_json::from_slice(body).unwrap_or_default();
    let (skill, arguments) = data(&request["params"]);
    let (status, message) = match shared.world.call(&skill, &arguments) {
        Outcome::Answer(value) => {
            return axum::Json(
                json!({"jsonrpc": "2.0", "id": request["id"], "result": reply(&value)}),
            )
            .into_response();
        }
        Outcome::Crash => panic!("the scenario crashes"),
        Outcome::Unknown => (404, "Unknown skill".to_owned()),
        Outcome::Arguments(schema) => (422, plain::serde_words(&arguments, &schema)),
        Outcome::Failed(failing) => (failing.status, failing.message.clone()),
    };
    let code = match status {
        400 | 422 => -32602,
        404 => -32601,
        _ => -32603,
    };
    let mut error = json!({"code": code, "message": message});
    if shared.arm == Arm::Rfc9457 {
        error["data"] = plain::problem(status, &message);
    }
    axum::Json(json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).into_response()
}
