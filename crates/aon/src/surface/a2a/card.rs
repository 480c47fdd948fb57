//! What an agent card says about the envelope: a data-only extension, never required.

use aon_core::Json;
use aon_core::json::ObjectWriter;
use serde_json::Value;

use super::EXTENSION_URI;

/// The entry for `capabilities.extensions` of an agent card.
///
/// # Examples
///
/// ```
/// use aon::surface::a2a;
///
/// let entry = a2a::extension_declaration().to_value();
/// assert_eq!(entry["uri"], a2a::EXTENSION_URI);
/// assert_eq!(entry["required"], false);
/// ```
pub fn extension_declaration() -> Json {
    extension_declaration_with_skills([])
}

/// The same, with the JSON Schema of the arguments of skills, by their id: a card has no other place for them.
///
/// # Examples
///
/// ```
/// use aon::Json;
/// use aon::surface::a2a;
///
/// let schema = Json::parse(r#"{"type":"object","required":["size"]}"#)?;
/// let card = serde_json::json!({
///     "capabilities": {"extensions": [a2a::extension_declaration_with_skills([("order", schema)]).to_value()]},
/// });
/// assert_eq!(a2a::skill_schema(&card, "order").unwrap()["required"][0], "size");
/// # Ok::<(), aon::InvalidJson>(())
/// ```
pub fn extension_declaration_with_skills<'a>(
    skills: impl IntoIterator<Item = (&'a str, Json)>,
) -> Json {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.string("uri", EXTENSION_URI);
    object.string(
        "description",
        "Errors carry the problem: what happened, why, the valid values, what to do next, and the corrected \
         parameters where they are clear.",
    );
    object.boolean("required", false);
    object.object("params", |params| {
        params.string("schema", crate::surface::envelope::A2A.schema);
        let mut skills = skills.into_iter().peekable();
        if skills.peek().is_some() {
            params.object("skills", |listed| {
                for (skill, schema) in skills {
                    listed.json(skill, &schema);
                }
            });
        }
    });
    object.end();
    Json::parse(&String::from_utf8_lossy(&out)).unwrap_or(Json::from(""))
}

/// The JSON Schema of the arguments of a skill, where its agent card declares it.
pub fn skill_schema<'a>(card: &'a Value, skill: &str) -> Option<&'a Value> {
    let extensions = card.pointer("/capabilities/extensions")?.as_array()?;
    let ours = extensions
        .iter()
        .find(|entry| entry.get("uri").and_then(Value::as_str) == Some(EXTENSION_URI))?;
    let schema = ours.get("params")?.get("skills")?.get(skill)?;
    schema.is_object().then_some(schema)
}
