//! The way back: the event behind the updates it became.

use aon::surface::Surface as _;
use aon::surface::a2a::A2a;
use base64::Engine as _;
use serde_json::{Map, Value, json};

use super::model::{Content, Dialect, Part, Update};
use super::{SESSION_EXTENSION, Task};
use crate::event::Event;

/// The event that became these updates; `None` when they are not of one event of ours.
pub fn recover(updates: &[Update]) -> Option<Event> {
    let first = updates.first()?;
    let (task_id, metadata) = match first {
        Update::Task(task) => return opened(task),
        Update::Message(_) => return None,
        Update::Status(update) => (&update.task_id, &update.metadata),
        Update::Artifact(update) => (&update.task_id, &update.metadata),
    };
    // The last update of a result says what the others do not.
    let metadata = match updates.last() {
        Some(Update::Status(last)) => &last.metadata,
        _ => metadata,
    };
    let mut event = members(metadata)?;
    event.insert("session_id".to_owned(), json!(task_id));
    let kind = event.get("type")?.as_str()?.to_owned();
    match &*kind {
        "result" => result(updates, &mut event),
        "artifact" => {
            let Update::Artifact(update) = first else {
                return None;
            };
            let data = json!({
                "artifact": update.artifact.to_json(Dialect::V10),
                "append": update.append,
                "last_chunk": update.last_chunk,
            });
            event.insert("data".to_owned(), data);
        }
        "error" => {
            let problem = A2a::default()
                .recover(data(first)?.to_string().as_bytes())
                .ok()
                .or_else(|| {
                    let wire = json!({"error": {"code": 0, "message": "", "data": data(first)?}});
                    A2a::default().recover(wire.to_string().as_bytes()).ok()
                })?;
            let written: Value = serde_json::from_str(&problem.to_string()).ok()?;
            let message = problem
                .detail()
                .or_else(|| problem.title())
                .unwrap_or("The call failed");
            event.insert(
                "status".to_owned(),
                written.get("status").cloned().unwrap_or(json!(500)),
            );
            event.insert(
                "code".to_owned(),
                written.get("code").cloned().unwrap_or(json!("internal")),
            );
            event.insert("message".to_owned(), json!(message));
            event.insert("problem".to_owned(), written);
        }
        _ => {
            for (name, value) in data(first)?.as_object()? {
                event.insert(name.clone(), value.clone());
            }
        }
    }
    Event::from_slice(Value::Object(event).to_string().as_bytes()).ok()
}

/// What our metadata says, by the names of events.
fn members(metadata: &Map<String, Value>) -> Option<Map<String, Value>> {
    let members = metadata.get(SESSION_EXTENSION)?.as_object()?;
    Some(
        members
            .iter()
            .map(|(name, value)| (snake(name), value.clone()))
            .collect(),
    )
}

fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

fn opened(task: &Task) -> Option<Event> {
    let mut event = members(&task.metadata)?;
    event.insert("type".to_owned(), json!("session"));
    event.insert("ts_ms".to_owned(), json!(task.status.ts_ms));
    Event::from_slice(Value::Object(event).to_string().as_bytes()).ok()
}

/// The last data part of what a status says.
fn data(update: &Update) -> Option<&Value> {
    let Update::Status(update) = update else {
        return None;
    };
    let parts = &update.status.message.as_ref()?.parts;
    parts.iter().rev().find_map(|part| match &part.content {
        Content::Data(data) => Some(data),
        Content::Text(_) | Content::Raw(_) | Content::Url(_) => None,
    })
}

fn result(updates: &[Update], event: &mut Map<String, Value>) {
    let part: Option<&Part> = updates.iter().find_map(|update| match update {
        Update::Artifact(update) => update.artifact.parts.first(),
        Update::Task(_) | Update::Message(_) | Update::Status(_) => None,
    });
    let data = part.map_or(Value::Null, |part| match &part.content {
        Content::Text(text) | Content::Url(text) => json!(text),
        Content::Data(data) => data.clone(),
        Content::Raw(bytes) => json!(base64::engine::general_purpose::STANDARD.encode(bytes)),
    });
    event.insert("data".to_owned(), data);
}
