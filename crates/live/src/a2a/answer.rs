//! A message as the answer to a question: a JSON Patch, through the same guard as every other answer.

use serde_json::{Value, json};

use crate::heal::{Answer, HealFault, Question, Rejection, Responder};
use crate::surface::a2a::{Dialect, Message, TaskState, waits_for};

/// The answer in a message.
///
/// A data part is `{"patch": […]}`, `{"deny": true}`, `{"retry": true}`, a JSON Patch itself, or an object of fields and their new
/// values. Text is the value of the one field that may be changed; where none may be, or a right was asked for, `deny` declines and
/// everything else asks to try again. Where the field is `/message`, its value is the message itself.
pub(super) fn of(
    question: &Question,
    message: &Message,
    by: &Responder,
) -> Result<Answer, Rejection> {
    let shown = question.request();
    let allowed = &shown.allowed_patch_paths;
    if allowed.as_slice() == ["/message"] {
        let patch =
            json!([{"op": "add", "path": "/message", "value": message.to_json(Dialect::V10)}]);
        return question.read(patch.to_string().as_bytes(), by);
    }
    if let Some(data) = message.data() {
        let is = |name: &str| data.get(name) == Some(&Value::Bool(true));
        return match data {
            Value::Object(members) if members.len() == 1 && is("deny") => Ok(Answer::Deny),
            Value::Object(members) if members.len() == 1 && is("retry") => Ok(Answer::Retry),
            Value::Object(members) if members.get("patch").is_some_and(Value::is_array) => {
                let patch = members
                    .get("patch")
                    .map(Value::to_string)
                    .unwrap_or_default();
                question.read(patch.as_bytes(), by)
            }
            Value::Object(members) if !members.is_empty() => {
                let set = |(name, value): (&String, &Value)| json!({"op": "add", "path": path_of(name, allowed), "value": value});
                let patch: Vec<Value> = members.iter().map(set).collect();
                question.read(Value::Array(patch).to_string().as_bytes(), by)
            }
            Value::Array(_) => question.read(data.to_string().as_bytes(), by),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => Err(Rejection::fault(&HealFault::Invalid)),
        };
    }
    let text = message.text().unwrap_or_default();
    let word = text.trim().to_ascii_lowercase();
    let right = waits_for(&shown) == TaskState::AuthRequired;
    let path = match allowed.as_slice() {
        [path] if !right => path,
        paths => {
            return match &*word {
                "deny" => Ok(Answer::Deny),
                _ if paths.is_empty() || right || word == "retry" => Ok(Answer::Retry),
                _ => Err(Rejection::fault(&HealFault::Invalid)),
            };
        }
    };
    let set = |value: Value| {
        let patch = json!([{"op": "add", "path": path, "value": value}]);
        question.read(patch.to_string().as_bytes(), by)
    };
    let as_text = set(Value::from(text.as_str()))?;
    if question.check(&as_text).is_err() {
        // A number or a switch, perhaps.
        let other = serde_json::from_str(text.trim())
            .ok()
            .filter(|value: &Value| !value.is_string());
        if let Some(Ok(answer)) = other.map(set)
            && question.check(&answer).is_ok()
        {
            return Ok(answer);
        }
    }
    Ok(as_text)
}

/// The place a field names: a pointer as it is, a name as the place that may be changed and ends with it.
fn path_of(name: &str, allowed: &[String]) -> String {
    if name.starts_with('/') {
        return name.to_owned();
    }
    let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
    let named = allowed.iter().find(|path| path.ends_with(&pointer));
    named.cloned().unwrap_or(pointer)
}
