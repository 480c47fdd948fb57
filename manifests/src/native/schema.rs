//! The JSON Schema of the native manifest, made from its types (feature `schema`).

use aon_core::{NoneReason, RemediationType};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::Manifest;

/// The JSON Schema (2020-12) of the native manifest.
///
/// Members that the schema does not know are allowed, so that `taxonomy`, `provenance` and the like may stay.
///
/// ```
/// let schema = aon_manifest::native::json_schema();
/// assert_eq!(schema["$id"], "https://aon-rs.dev/schema/aon-manifest.schema.json");
/// assert!(schema["$defs"]["Parameter"]["properties"]["choices_endpoint"].is_object());
/// ```
pub fn json_schema() -> Value {
    let generator = SchemaGenerator::new(SchemaSettings::draft2020_12().for_serialize());
    let mut schema = generator.into_root_schema_for::<Manifest>();
    schema.insert(
        "$id".to_owned(),
        "https://aon-rs.dev/schema/aon-manifest.schema.json".into(),
    );
    schema.insert("title".to_owned(), "AON manifest".into());
    let mut value = schema.to_value();
    forbid_null(&mut value);
    value
}

/// An absent member is left out, never null, so the alternative that schemars adds for an `Option` goes.
fn forbid_null(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(forbid_null),
        Value::Object(members) => {
            if let Some(Value::Array(types)) = members.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    members.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(branches)) = members.get_mut("anyOf") {
                branches.retain(|branch| branch.get("type").is_none_or(|name| name != "null"));
                if let [Value::Object(only)] = branches.as_mut_slice() {
                    let only = std::mem::take(only);
                    members.remove("anyOf");
                    members.extend(only);
                }
            }
            members.values_mut().for_each(forbid_null);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

pub(super) fn remediation_types(_: &mut SchemaGenerator) -> Schema {
    let words: Vec<&str> = RemediationType::ALL
        .iter()
        .map(|kind| kind.as_str())
        .collect();
    json_schema!({"enum": words, "description": "What sort of step it is."})
}

pub(super) fn none_reasons(_: &mut SchemaGenerator) -> Schema {
    let words: Vec<&str> = NoneReason::ALL
        .iter()
        .map(|reason| reason.as_str())
        .collect();
    json_schema!({"enum": words, "description": "Why nothing can be done; only with `none`, and always with it."})
}
