//! REST: routes of axum, and an OpenAPI document of them.

use std::collections::BTreeMap;
use std::time::Duration;

use aon::{Failure, ProblemDetails};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt as _;
use serde_json::{Map, Value, json};

use super::super::scenario::{Failing, Scenario};
use super::super::world::Outcome;
use super::{Arm, Shared, plain, success};

/// Reads the arguments from path, query and body, and calls.
pub async fn call(shared: Shared, name: &str, request: Request) -> Response {
    let operation = shared
        .world
        .operation(name)
        .expect("a route has an operation")
        .clone();
    let (parts, body) = request.into_parts();
    let body = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let mut arguments: Map<String, Value> = match serde_json::from_slice(&body) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let query = parts.uri.query().unwrap_or_default();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, text) = (decode(name), decode(value));
        let schema = &operation.input["properties"][&name];
        if schema["type"] == "array" {
            let items = arguments.entry(name).or_insert_with(|| json!([]));
            let items = items.as_array_mut().expect("a list");
            items.extend(text.split(',').map(|item| typed(&schema["items"], item)));
        } else {
            arguments.insert(name, typed(schema, &text));
        }
    }
    let template = operation.path();
    let segments = template.split('/').zip(parts.uri.path().split('/'));
    for (own, given) in segments {
        if let Some(name) = own.strip_prefix('{').and_then(|own| own.strip_suffix('}')) {
            let value = typed(&operation.input["properties"][name], &decode(given));
            arguments.insert(name.to_owned(), value);
        }
    }
    let arguments = Value::Object(arguments);
    if shared.arm == Arm::GlassBox && operation.fails.iter().any(|failing| failing.lost) {
        // What breaks is a connection over which the stream has begun, as in any call that takes its time.
        tokio::time::sleep(Duration::from_millis(80)).await;
    }
    answer(&shared, shared.world.call(name, &arguments), &arguments)
}

fn answer(shared: &Shared, outcome: Outcome, arguments: &Value) -> Response {
    let arm = shared.arm;
    match outcome {
        Outcome::Answer(value) => success(&value),
        Outcome::Crash => panic!("the scenario crashes"),
        Outcome::Unknown => unreachable!("routes are operations"),
        Outcome::Arguments(schema) if arm.ours() => {
            let faults = aon::arguments::check(arguments, &schema);
            let problem = aon::arguments::problem(&faults).expect("a fault");
            Failure::built_in(problem).into_response()
        }
        Outcome::Arguments(schema) => {
            let words = plain::serde_words(arguments, &schema);
            let words =
                format!("Failed to deserialize the JSON body into the target type: {words}");
            refuse(arm, 422, &words, &BTreeMap::new())
        }
        Outcome::Failed(failing) if arm.ours() => {
            let mut response = Failure::from(problem(&failing)).into_response();
            plain::add(&mut response, &failing.headers);
            response
        }
        Outcome::Failed(failing) => refuse(arm, failing.status, &failing.message, &failing.headers),
    }
}

fn refuse(arm: Arm, status: u16, message: &str, headers: &BTreeMap<String, String>) -> Response {
    match arm {
        Arm::Plain => plain::text_response(status, message, headers),
        _ => plain::problem_response(status, message, headers),
    }
}

/// The problem a program of ours has for a failure.
pub fn problem(failing: &Failing) -> ProblemDetails {
    read_problem(failing).expect("the scenario was checked")
}

/// The same; why not, where a member makes that impossible.
pub fn read_problem(failing: &Failing) -> Result<ProblemDetails, String> {
    let code = if failing.code.is_empty() {
        let phrase = http::StatusCode::from_u16(failing.status).ok();
        let phrase = phrase.and_then(|status| status.canonical_reason());
        let phrase = phrase.unwrap_or("failed").to_lowercase();
        phrase.replace(|letter: char| !letter.is_ascii_lowercase(), "_")
    } else {
        failing.code.clone()
    };
    let mut members = Map::new();
    members.insert("type".into(), json!(format!("pspace://problem/{code}")));
    members.insert("title".into(), json!(failing.message.trim_end_matches('.')));
    members.insert("status".into(), json!(failing.status));
    members.insert("detail".into(), json!(failing.message));
    members.insert("code".into(), json!(code));
    for (name, value) in failing.problem.as_object().into_iter().flatten() {
        members.insert(name.clone(), value.clone());
    }
    let text = Value::Object(members).to_string();
    ProblemDetails::from_slice(text.as_bytes()).map_err(|error| error.to_string())
}

/// Text of a path or query as the type its schema wants, where it spells one.
fn typed(schema: &Value, text: &str) -> Value {
    match schema["type"].as_str() {
        Some("object") => serde_json::from_str(text).unwrap_or(json!(text)),
        Some("integer" | "number") => text
            .parse::<serde_json::Number>()
            .map_or(json!(text), Value::Number),
        Some("boolean") => text.parse::<bool>().map_or(json!(text), Value::Bool),
        _ => json!(text),
    }
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let hex: String = rest.by_ref().take(2).map(char::from).collect();
                bytes.extend(u8::from_str_radix(&hex, 16).ok());
            }
            b'+' => bytes.push(b' '),
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The OpenAPI document: what the caller knows on this surface.
pub fn document(scenario: &Scenario) -> Value {
    let mut paths = Map::new();
    for operation in &scenario.operations {
        let path = operation.path();
        let in_path = |name: &str| path.contains(&format!("{{{name}}}"));
        let has_body = !matches!(operation.method(), "GET" | "DELETE" | "HEAD");
        let required: Vec<&str> = names(&operation.input["required"]);
        let properties = operation.input["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let mut parameters = Vec::new();
        let mut body = operation.input.clone();
        for (name, schema) in &properties {
            if in_path(name) || !has_body {
                let place = if in_path(name) { "path" } else { "query" };
                let needed = in_path(name) || required.contains(&name.as_str());
                parameters
                    .push(json!({"name": name, "in": place, "required": needed, "schema": schema}));
                if let Some(members) = body["properties"].as_object_mut() {
                    members.remove(name);
                }
                if let Some(names) = body["required"].as_array_mut() {
                    names.retain(|known| known != name);
                }
            }
        }
        let mut item = json!({
            "operationId": operation.name, "summary": operation.summary, "parameters": parameters,
            "responses": {"200": {"description": "Done."}},
        });
        if has_body {
            item["requestBody"] =
                json!({"required": true, "content": {"application/json": {"schema": body}}});
        }
        if operation.effect == aon::recovery::Effect::Idempotent {
            item["x-idempotent"] = json!(true);
        }
        let methods = paths.entry(path.clone()).or_insert_with(|| json!({}));
        methods[operation.method().to_lowercase()] = item;
    }
    json!({"openapi": "3.1.0", "info": {"title": scenario.name, "version": "1"}, "paths": paths})
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}
