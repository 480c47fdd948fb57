//! An OpenAPI document can say everything a native manifest says: every example is rewritten and must give the same model.

use std::fs;

use aon_manifest::model::{Api, ErrorResponse, Location};
use aon_manifest::{Document, Node};
use aon_tests::place;
use serde_json::{Map, Value, json};

/// Rewrites a native manifest with the vendor extensions.
fn to_openapi(api: &Api<'_>) -> Value {
    let root = api.node.to_json();
    let mut paths = Map::new();
    for operation in root["operations"].as_array().unwrap() {
        let method = operation["method"].as_str().unwrap().to_lowercase();
        let mut written = json!({"operationId": operation["id"], "summary": operation["summary"]});
        for (native, vendor) in [
            ("mcp", "x-aon-mcp"),
            ("a2a", "x-aon-a2a"),
            ("verify", "x-aon-verify"),
        ] {
            if let Some(value) = operation.get(native) {
                written[vendor] = value.clone();
            }
        }
        let (mut parameters, mut properties, mut required) = (Vec::new(), Map::new(), Vec::new());
        for parameter in operation
            .get("parameters")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let mut schema = parameter.as_object().unwrap().clone();
            for key in ["name", "in", "required"] {
                schema.remove(key);
            }
            if let Some(endpoint) = schema.remove("choices_endpoint") {
                schema.insert("x-choices-endpoint".into(), endpoint);
            }
            if parameter["in"] == "body" {
                if parameter["required"] == true {
                    required.push(parameter["name"].clone());
                }
                properties.insert(
                    parameter["name"].as_str().unwrap().to_owned(),
                    Value::Object(schema),
                );
            } else {
                let needed = parameter["required"] == true;
                parameters.push(json!({"name": parameter["name"], "in": parameter["in"], "required": needed, "schema": schema}));
            }
        }
        written["parameters"] = parameters.into();
        if !properties.is_empty() {
            let schema = json!({"type": "object", "required": required, "properties": properties});
            written["requestBody"] = json!({"content": {"application/json": {"schema": schema}}});
        }
        let mut responses = json!({"200": {"description": "ok"}});
        for error in operation
            .get("error_responses")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let entry = &mut responses[error["status"].to_string()];
            if entry.is_null() {
                let media = if error.get("code").is_some() {
                    "application/problem+json"
                } else {
                    "text/plain"
                };
                *entry = json!({"description": "bad", "x-aon-errors": [], "content": {media: {}}});
            }
            entry["x-aon-errors"]
                .as_array_mut()
                .unwrap()
                .push(error.clone());
        }
        written["responses"] = responses;
        paths
            .entry(operation["path"].as_str().unwrap())
            .or_insert_with(|| json!({}))[method] = written;
    }
    let mut info = json!({"title": root["title"], "version": root["version"], "x-aon-api": root["slug"], "x-aon-visibility": root["visibility"]});
    for (native, vendor) in [
        ("remediation_default", "x-aon-remediation-default"),
        ("surfaces", "x-aon-surfaces"),
        ("docs_url", "x-aon-docs-url"),
        ("self_healing_score", "x-aon-score"),
    ] {
        if let Some(value) = root.get(native) {
            info[vendor] = value.clone();
        }
    }
    json!({"openapi": "3.1.0", "info": info, "paths": paths})
}

/// Everything the model knows, in a form that does not depend on where it stands.
fn facts(api: &Api<'_>) -> Vec<String> {
    let mut facts = vec![
        format!(
            "slug {} title {:?} version {:?} visibility {:?}",
            api.slug(),
            api.title,
            api.version,
            api.visibility
        ),
        format!(
            "surfaces {:?} scores {}",
            api.surfaces(),
            api.stated_scores.len()
        ),
        format!(
            "default {:?}",
            api.remediation_default.map(|one| one.node.to_json())
        ),
    ];
    for operation in &api.operations {
        let verify = operation.verify.and_then(|verify| verify.operation);
        facts.push(format!(
            "{:?} {:?} {} tool {:?} skill {:?} verify {verify:?}",
            operation.method,
            operation.path,
            operation.name(),
            operation.tool_name(),
            operation.skill()
        ));
        facts.extend(
            operation
                .errors
                .iter()
                .map(|error| format!("{} {}", operation.name(), error_facts(error))),
        );
    }
    for input in api.inputs() {
        let location = if input.location == Location::Property {
            Location::Body
        } else {
            input.location
        };
        let carriers: Vec<_> = input
            .carriers()
            .iter()
            .map(|carrier| {
                (
                    carrier.kind,
                    carrier.endpoint(),
                    carrier
                        .choices()
                        .iter()
                        .map(|choice| choice.value.to_json())
                        .collect::<Vec<_>>(),
                )
            })
            .map(|carrier| format!("{carrier:?}"))
            .collect();
        facts.push(format!(
            "{location:?} {} {} {:?} {carriers:?} {:?}",
            input.name(),
            input.is_required(),
            input.types(),
            input.schema.default().map(Node::to_json)
        ));
    }
    facts.sort();
    facts
}

fn error_facts(error: &ErrorResponse<'_>) -> String {
    let json = |node: Option<Node<'_>>| node.map(Node::to_json);
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} examples {} envelope {}",
        error.status,
        error.code,
        error.type_uri,
        error.title,
        error.docs_url,
        error.mcp_tool,
        error.a2a_skill,
        json(error.valid_values),
        json(error.remediation.map(|one| one.node)),
        error.examples.len(),
        error.has_envelope(),
    )
}

#[test]
fn native_and_openapi_spellings_give_the_same_model() {
    let mut compared = 0;
    for entry in fs::read_dir(place::root().join("manifests/examples")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // A request body of its own has no native parameters to compare with.
        if name.ends_with(".md") || name.starts_with("webhooks") {
            continue;
        }
        let native = Document::from_text(&name, &fs::read_to_string(&path).unwrap());
        let written = to_openapi(&native.apis()[0]).to_string();
        let openapi = Document::from_text("api.json", &written);
        assert!(
            openapi.issues().is_empty(),
            "{name}: {:?}",
            openapi.issues()
        );
        let (left, right) = (facts(&native.apis()[0]), facts(&openapi.apis()[0]));
        let missing: Vec<_> = left.iter().filter(|fact| !right.contains(fact)).collect();
        let added: Vec<_> = right.iter().filter(|fact| !left.contains(fact)).collect();
        assert!(
            missing.is_empty() && added.is_empty(),
            "{name}\nonly native: {missing:#?}\nonly OpenAPI: {added:#?}"
        );
        compared += left.len();
    }
    println!("{compared} facts in both spellings");
    assert!(compared > 100);
}
