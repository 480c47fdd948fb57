//! Reading what A2A clients write: messages and parts, and the updates of a stream.

use base64::Engine as _;
use serde_json::{Map, Value};

use super::model::{
    Artifact, ArtifactUpdate, Content, Dialect, Message, Part, Role, StatusUpdate, Task, TaskState,
    TaskStatus, Update,
};
use super::time;

/// What is wrong with a message, and where in it, as a JSON Pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidMessage {
    /// Where.
    pub pointer: String,
    /// What.
    pub reason: String,
    /// The values it may have.
    pub valid: &'static [&'static str],
}

impl InvalidMessage {
    fn new(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            reason: reason.into(),
            valid: &[],
        }
    }
}

/// The most parts of a message.
const PARTS: usize = 100;
/// The longest id.
const LONGEST: usize = 256;
/// The largest number that a float holds exactly.
const LARGEST: f64 = 9_007_199_254_740_992.0;
/// Who sends a message to an agent, in the words of 1.0 and of 0.3.
const ROLES: &[&str] = &["ROLE_USER", "user"];

/// Reads a message. The words of either version are taken for the role.
///
/// # Errors
///
/// With the first thing that is wrong with it.
pub fn message(value: &Value, dialect: Dialect) -> Result<Message, InvalidMessage> {
    let Some(members) = value.as_object() else {
        return Err(InvalidMessage::new(
            "",
            format!("message must be an object, not {}", kind(value)),
        ));
    };
    let message_id = id(members, "messageId")?
        .ok_or_else(|| InvalidMessage::new("/messageId", "messageId is required"))?;
    let role = members.get("role").and_then(Value::as_str);
    if !role.is_some_and(|role| ROLES.contains(&role)) {
        let mut invalid = InvalidMessage::new("/role", "role must be that of a user");
        invalid.valid = ROLES;
        return Err(invalid);
    }
    let list = members
        .get("parts")
        .ok_or_else(|| InvalidMessage::new("/parts", "parts is required"))?
        .as_array()
        .ok_or_else(|| InvalidMessage::new("/parts", "parts must be an array"))?;
    if list.is_empty() || list.len() > PARTS {
        return Err(InvalidMessage::new(
            "/parts",
            format!("parts must hold 1 to {PARTS} parts"),
        ));
    }
    let mut parts = Vec::with_capacity(list.len());
    for (at, value) in list.iter().enumerate() {
        let read = part(value, dialect);
        parts.push(read.map_err(|reason| InvalidMessage::new(format!("/parts/{at}"), reason))?);
    }
    Ok(Message {
        context_id: id(members, "contextId")?,
        task_id: id(members, "taskId")?,
        metadata: object(members, "metadata")?,
        reference_task_ids: texts(members, "referenceTaskIds")?,
        extensions: texts(members, "extensions")?,
        ..Message::new(message_id, Role::User, parts)
    })
}

/// Reads one part; the error says what is wrong with it.
pub(super) fn part(value: &Value, dialect: Dialect) -> Result<Part, String> {
    let Some(members) = value.as_object() else {
        return Err(format!("a part must be an object, not {}", kind(value)));
    };
    let named = members.get("kind").and_then(Value::as_str);
    if dialect == Dialect::V03 && !matches!(named, Some("text" | "data" | "file")) {
        return Err("kind must be text, data or file".to_owned());
    }
    let text = |holder: &Map<String, Value>, name: &str| match holder.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("{name} must be a string, not {}", kind(other))),
    };
    let file = members
        .get("file")
        .and_then(Value::as_object)
        .filter(|_| dialect == Dialect::V03);
    let (holder, raw, url, media, name) = match file {
        Some(file) => (file, "bytes", "uri", "mimeType", "name"),
        None => (members, "raw", "url", "mediaType", "filename"),
    };
    let mut found = Vec::new();
    if let Some(text) = text(members, "text")? {
        found.push(Content::Text(text));
    }
    if let Some(data) = members.get("data") {
        let mut data = data.clone();
        whole_numbers(&mut data);
        found.push(Content::Data(data));
    }
    if let Some(encoded) = text(holder, raw)? {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(&encoded)
            .or_else(|_other| base64::engine::general_purpose::URL_SAFE.decode(&encoded))
            .map_err(|_malformed| format!("{raw} must be base64"))?;
        found.push(Content::Raw(bytes));
    }
    if let Some(address) = text(holder, url)? {
        found.push(Content::Url(address));
    }
    let content = match (found.pop(), found.pop()) {
        (Some(content), None) => content,
        (None, _) => return Err("a part must hold one of text, data and a file".to_owned()),
        (Some(_), Some(_)) => {
            return Err("a part holds one of text, data and a file, not several".to_owned());
        }
    };
    let is = match content {
        Content::Text(_) => "text",
        Content::Data(_) => "data",
        Content::Raw(_) | Content::Url(_) => "file",
    };
    if let Some(named) = named.filter(|named| dialect == Dialect::V03 && *named != is) {
        return Err(format!("the part holds {is}, but its kind says {named}"));
    }
    Ok(Part {
        content,
        media_type: text(holder, media)?.filter(|media| !media.is_empty()),
        filename: text(holder, name)?.filter(|name| !name.is_empty()),
        metadata: members
            .get("metadata")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
    })
}

/// Clients that speak Protocol Buffers write every number as a float: one that is whole is a whole number here.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let whole = number
                .as_f64()
                .filter(|float| number.is_f64() && float.fract() == 0.0);
            let whole = whole.filter(|float| float.abs() <= LARGEST);
            if let Some(whole) = whole.and_then(|float| format!("{float:.0}").parse::<i64>().ok()) {
                *value = Value::from(whole);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(members) => members.values_mut().for_each(whole_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn id(members: &Map<String, Value>, name: &str) -> Result<Option<String>, InvalidMessage> {
    let place = || format!("/{name}");
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) if text.len() > LONGEST => Err(InvalidMessage::new(
            place(),
            format!("{name} must be at most {LONGEST} bytes long"),
        )),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(InvalidMessage::new(
            place(),
            format!("{name} must be a string, not {}", kind(other)),
        )),
    }
}

fn object(members: &Map<String, Value>, name: &str) -> Result<Map<String, Value>, InvalidMessage> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members.clone()),
        Some(other) => Err(InvalidMessage::new(
            format!("/{name}"),
            format!("{name} must be an object, not {}", kind(other)),
        )),
    }
}

fn texts(members: &Map<String, Value>, name: &str) -> Result<Vec<String>, InvalidMessage> {
    let wrong = || {
        InvalidMessage::new(
            format!("/{name}"),
            format!("{name} must be an array of strings"),
        )
    };
    match members.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) if list.len() <= PARTS => {
            let texts = list.iter().map(|each| each.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<_>>>().ok_or_else(wrong)
        }
        Some(_) => Err(wrong()),
    }
}

/// The JSON type of a value, in words.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// An artifact in the words of 1.0.
pub(super) fn artifact(value: &Value) -> Option<Artifact> {
    artifact_of(value, Dialect::V10)
}

fn artifact_of(value: &Value, dialect: Dialect) -> Option<Artifact> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let list = value.get("parts")?.as_array()?;
    let parts: Result<Vec<Part>, String> = list.iter().map(|value| part(value, dialect)).collect();
    Some(Artifact {
        name: text("name"),
        description: text("description"),
        metadata: map(value),
        ..Artifact::new(text("artifactId")?, parts.ok()?)
    })
}

fn map(value: &Value) -> Map<String, Value> {
    value
        .get("metadata")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

fn agents_message(value: &Value, dialect: Dialect) -> Option<Message> {
    let is_agent = matches!(
        value.get("role").and_then(Value::as_str),
        Some("ROLE_AGENT" | "agent")
    );
    let mut value = value.clone();
    value["role"] = Value::from("user");
    let read = message(&value, dialect).ok()?;
    Some(Message {
        role: if is_agent { Role::Agent } else { Role::User },
        ..read
    })
}

fn status(value: &Value, dialect: Dialect) -> Option<TaskStatus> {
    Some(TaskStatus {
        state: TaskState::from_word(value.get("state")?.as_str()?)?,
        message: value
            .get("message")
            .and_then(|message| agents_message(message, dialect)),
        ts_ms: value
            .get("timestamp")
            .and_then(Value::as_str)
            .and_then(time::read)
            .unwrap_or(0),
    })
}

fn task(value: &Value, dialect: Dialect) -> Option<Task> {
    let text = |name: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let list = |name: &str| {
        value
            .get(name)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    Some(Task {
        id: text("id"),
        context_id: text("contextId"),
        status: status(value.get("status")?, dialect)?,
        artifacts: list("artifacts")
            .iter()
            .filter_map(|each| artifact_of(each, dialect))
            .collect(),
        history: list("history")
            .iter()
            .filter_map(|each| agents_message(each, dialect))
            .collect(),
        metadata: map(value),
    })
}

/// Reads one object of a stream; `None` when it is not one.
pub fn update(value: &Value, dialect: Dialect) -> Option<Update> {
    let (word, body) = match dialect {
        Dialect::V03 => (value.get("kind")?.as_str()?, value),
        Dialect::V10 => {
            let (name, body) = value.as_object()?.iter().next()?;
            (name.as_str(), body)
        }
    };
    let text = |name: &str| {
        body.get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let is = |name: &str| body.get(name).and_then(Value::as_bool).unwrap_or(false);
    Some(match word {
        "task" => Update::Task(Box::new(task(body, dialect)?)),
        "message" => Update::Message(Box::new(agents_message(body, dialect)?)),
        "statusUpdate" | "status-update" => Update::Status(Box::new(StatusUpdate {
            task_id: text("taskId"),
            context_id: text("contextId"),
            status: status(body.get("status")?, dialect)?,
            metadata: map(body),
        })),
        "artifactUpdate" | "artifact-update" => Update::Artifact(Box::new(ArtifactUpdate {
            task_id: text("taskId"),
            context_id: text("contextId"),
            artifact: artifact_of(body.get("artifact")?, dialect)?,
            append: is("append"),
            last_chunk: is("lastChunk"),
            metadata: map(body),
        })),
        _ => return None,
    })
}
