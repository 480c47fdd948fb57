//! What an agent card says about the envelope: a data-only extension, never required.

use aon_core::Json;
use aon_core::json::ObjectWriter;

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
    });
    object.end();
    Json::parse(&String::from_utf8_lossy(&out)).unwrap_or(Json::from(""))
}
