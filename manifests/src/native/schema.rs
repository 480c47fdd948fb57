//! The JSON Schema of the native manifest, made from its types (feature `schema`).

use aon_core::{NoneReason, RemediationType};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};

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
pub fn json_schema() -> serde_json::Value {
    let generator = SchemaGenerator::new(SchemaSettings::draft2020_12().for_serialize());
    let mut schema = generator.into_root_schema_for::<Manifest>();
    schema.insert(
        "$id".to_owned(),
        "https://aon-rs.dev/schema/aon-manifest.schema.json".into(),
    );
    schema.insert("title".to_owned(), "AON manifest".into());
    schema.to_value()
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
