//! Arguments of a call checked against a JSON Schema: what is wrong, where, and what would do.
//!
//! Adapters use it to turn bad arguments into a problem with JSON Pointers and valid values; it is of use to anybody
//! with a server of their own. All faults are found at once, and no message repeats a value: that may be a secret
//! pasted into the wrong field.
//!
//! It knows what generated schemas consist of: `type`, `enum`, `const`, `properties`, `required`,
//! `additionalProperties`, `items`, `prefixItems`, `allOf`, `anyOf`, `oneOf`, local `$ref`, and the limits of numbers,
//! texts and arrays. What it does not know it takes for good: the program's own reading has the last word.

use aon_core::Choice;
use serde_json::Value;

pub(crate) mod collect;
mod fault;
pub(crate) mod place;
mod problem;
mod read;
mod schema;
pub(crate) mod serde_words;

pub use fault::Fault;
pub(crate) use fault::What;
pub use problem::problem;
#[cfg(feature = "axum")]
pub(crate) use problem::problem_as;
#[cfg(any(feature = "axum", feature = "rmcp"))]
pub(crate) use read::{ROUNDS, faults};
pub use read::{explain, read};
pub(crate) use schema::pattern;

/// What is expected of a boolean, on every surface.
pub(crate) const BOOLEAN: &str = "a boolean";

/// Everything that is wrong with the arguments, as far as the schema tells.
///
/// # Examples
///
/// ```
/// use aon::arguments;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"auth_ux": {"enum": ["hosted", "custom"]}}});
/// let faults = arguments::check(&json!({"auth_ux": "Hosted"}), &schema);
/// let problem = arguments::problem(&faults).expect("a fault");
/// assert_eq!(problem.detail(), Some(r#"/auth_ux must be "hosted" or "custom"."#));
/// assert_eq!(problem.field_paths(), ["/auth_ux"]);
/// ```
pub fn check(arguments: &Value, schema: &Value) -> Vec<Fault> {
    schema::check(arguments, schema, false)
}

/// The same, for arguments serde did not take: what it is stricter about counts too.
#[cfg(any(feature = "rmcp", all(feature = "axum", feature = "schema")))]
pub(crate) fn check_strictly(arguments: &Value, schema: &Value) -> Vec<Fault> {
    schema::check(arguments, schema, true)
}

/// A choice with the words a schema has for it.
fn choice(value: &Value, schema: &Value) -> Option<Choice> {
    let mut choice = match value {
        Value::String(text) => Choice::new(text.clone()),
        Value::Bool(value) => Choice::new(*value),
        Value::Number(_) => number(value)?,
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    if let Some(title) = schema.get("title").and_then(Value::as_str) {
        choice = choice.with_label(title.to_owned());
    }
    if let Some(description) = schema.get("description").and_then(Value::as_str) {
        choice = choice.with_description(description.to_owned());
    }
    Some(choice)
}

fn number(value: &Value) -> Option<Choice> {
    value
        .as_u64()
        .map(Choice::from)
        .or_else(|| value.as_i64().map(Choice::from))
}

#[cfg(test)]
mod tests;
