//! Output schemas that allow for errors, so that strict clients accept them.

use std::sync::Arc;

use ::rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

/// The schema of a tool that either succeeds as `success` says, or fails with `{"error": …}`.
///
/// Clients of the TypeScript SDK's first line check results that are errors too, and hide what does not fit.
///
/// # Examples
///
/// ```
/// use serde_json::json;
///
/// let success = json!({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]});
/// let composed = aon::rmcp::compose(success.as_object().expect("an object"));
/// assert_eq!(composed["type"], "object");
/// assert_eq!(composed["anyOf"][0]["required"], json!(["sum"]));
/// assert_eq!(composed["anyOf"][1]["required"], json!(["error"]));
/// ```
pub fn compose(success: &JsonObject) -> JsonObject {
    let mut success = success.clone();
    let mut composed = JsonObject::new();
    // References start at the root, so what they lead to must stay there.
    for key in ["$schema", "$defs", "definitions"] {
        if let Some(value) = success.remove(key) {
            composed.insert(key.to_owned(), value);
        }
    }
    if success.get("type").and_then(Value::as_str) == Some("object") {
        composed.insert("type".to_owned(), "object".into());
    }
    let error = json!({
        "type": "object",
        "properties": {"error": {"type": "object", "description": "The problem, as in RFC 9457, and what to do about it."}},
        "required": ["error"]
    });
    composed.insert("anyOf".to_owned(), json!([success, error]));
    composed
}

/// The tool with its output schema composed; one that is composed already stays as it is.
pub(super) fn composed(mut tool: Tool) -> Tool {
    if let Some(schema) = &tool.output_schema
        && !allows_errors(schema)
    {
        tool.output_schema = Some(Arc::new(compose(schema)));
    }
    tool
}

fn allows_errors(schema: &JsonObject) -> bool {
    let branches = schema.get("anyOf").and_then(Value::as_array);
    branches.is_some_and(|branches| {
        branches
            .iter()
            .any(|branch| branch.get("required") == Some(&json!(["error"])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_still_lead_somewhere() {
        let success = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string"}}});
        let composed = Value::Object(compose(success.as_object().unwrap()));
        assert_eq!(
            composed.pointer("/$defs/A"),
            Some(&json!({"type": "string"}))
        );
        assert!(composed.pointer("/anyOf/0/$defs").is_none());
    }

    #[test]
    fn composing_twice_changes_nothing() {
        let success = json!({"type": "object"});
        let mut tool = Tool::default();
        tool.output_schema = Some(Arc::new(success.as_object().unwrap().clone()));
        let once = composed(tool);
        assert_eq!(composed(once.clone()), once);
    }
}
