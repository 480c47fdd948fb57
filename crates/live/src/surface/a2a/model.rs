//! What A2A is made of: tasks, messages, parts, artifacts and updates, in the words of both versions.

use std::fmt;

use base64::Engine as _;
use serde_json::{Map, Value, json};

use super::time;

/// How a version writes things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// Up to 0.3: `message/send`, `kind` in every object, words in lower case.
    V03,
    /// From 1.0 on: `SendMessage`, one member per kind, words in capitals.
    V10,
}

/// Where a task is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskState {
    /// It was taken.
    Submitted,
    /// It is being worked on.
    Working,
    /// It succeeded.
    Completed,
    /// It failed.
    Failed,
    /// Somebody cancelled it.
    Canceled,
    /// It waits for an answer.
    InputRequired,
    /// The agent will not do it.
    Rejected,
    /// It waits for a right that the caller has to get.
    AuthRequired,
}

/// Every state with its words in 1.0 and in 0.3.
const STATES: [(TaskState, &str, &str); 8] = [
    (TaskState::Submitted, "TASK_STATE_SUBMITTED", "submitted"),
    (TaskState::Working, "TASK_STATE_WORKING", "working"),
    (TaskState::Completed, "TASK_STATE_COMPLETED", "completed"),
    (TaskState::Failed, "TASK_STATE_FAILED", "failed"),
    (TaskState::Canceled, "TASK_STATE_CANCELED", "canceled"),
    (
        TaskState::InputRequired,
        "TASK_STATE_INPUT_REQUIRED",
        "input-required",
    ),
    (TaskState::Rejected, "TASK_STATE_REJECTED", "rejected"),
    (
        TaskState::AuthRequired,
        "TASK_STATE_AUTH_REQUIRED",
        "auth-required",
    ),
];

impl TaskState {
    /// Every state.
    pub fn all() -> impl Iterator<Item = Self> {
        STATES.iter().map(|(state, ..)| *state)
    }

    /// The word of a version.
    pub fn word(self, dialect: Dialect) -> &'static str {
        let line = STATES.iter().find(|(state, ..)| *state == self);
        line.map_or("", |(_, new, old)| match dialect {
            Dialect::V10 => new,
            Dialect::V03 => old,
        })
    }

    /// The state of a word, in either version.
    pub fn from_word(word: &str) -> Option<Self> {
        let line = STATES
            .iter()
            .find(|(_, new, old)| *new == word || *old == word);
        line.map(|(state, ..)| *state)
    }

    /// Whether nothing can follow.
    pub const fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected
        )
    }

    /// Whether the caller has to do something before it goes on.
    pub const fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }
}

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "A2A knows two sides")]
pub enum Role {
    /// The client.
    User,
    /// The agent.
    Agent,
}

/// What is in a part.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the specification closes the set")]
pub enum Content {
    /// Text.
    Text(String),
    /// JSON.
    Data(Value),
    /// The bytes of a file.
    Raw(Vec<u8>),
    /// Where a file is.
    Url(String),
}

/// One part of a message or of an artifact.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// What is in it.
    pub content: Content,
    /// Its media type, where it was said.
    pub media_type: Option<String>,
    /// The name of the file.
    pub filename: Option<String>,
    /// Anything else.
    pub metadata: Map<String, Value>,
}

impl Part {
    fn new(content: Content) -> Self {
        Self {
            content,
            media_type: None,
            filename: None,
            metadata: Map::new(),
        }
    }

    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Content::Text(text.into()))
    }

    /// JSON.
    pub fn data(data: Value) -> Self {
        Self::new(Content::Data(data)).with_media_type("application/json")
    }

    /// A file.
    pub fn raw(bytes: Vec<u8>) -> Self {
        Self::new(Content::Raw(bytes))
    }

    /// The address of a file.
    pub fn url(url: impl Into<String>) -> Self {
        Self::new(Content::Url(url.into()))
    }

    /// Says what it is.
    #[must_use]
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// Says what the file is called.
    #[must_use]
    pub fn with_filename(mut self, filename: impl Into<String>) -> Self {
        self.filename = Some(filename.into());
        self
    }

    /// The media type, or what it is without one.
    pub fn media_type(&self) -> &str {
        let default = match self.content {
            Content::Text(_) => "text/plain",
            Content::Data(_) => "application/json",
            Content::Raw(_) | Content::Url(_) => "application/octet-stream",
        };
        self.media_type.as_deref().unwrap_or(default)
    }

    /// What a value is as a part: text where it is text, JSON otherwise.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::text(text.clone()),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => Self::data(value.clone()),
        }
    }

    /// As a version writes it.
    pub fn to_json(&self, dialect: Dialect) -> Value {
        let base64 = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
        let mut part = match (dialect, &self.content) {
            (Dialect::V10, Content::Text(text)) => json!({"text": text}),
            (Dialect::V10, Content::Data(data)) => json!({"data": data}),
            (Dialect::V10, Content::Raw(bytes)) => json!({"raw": base64(bytes)}),
            (Dialect::V10, Content::Url(url)) => json!({"url": url}),
            (Dialect::V03, Content::Text(text)) => json!({"kind": "text", "text": text}),
            // 0.3 has objects alone there.
            (Dialect::V03, Content::Data(data)) if !data.is_object() => {
                json!({"kind": "data", "data": {"value": data}})
            }
            (Dialect::V03, Content::Data(data)) => json!({"kind": "data", "data": data}),
            (Dialect::V03, Content::Raw(bytes)) => {
                json!({"kind": "file", "file": {"bytes": base64(bytes)}})
            }
            (Dialect::V03, Content::Url(url)) => json!({"kind": "file", "file": {"uri": url}}),
        };
        match dialect {
            Dialect::V10 => {
                set(&mut part, "mediaType", self.media_type.as_deref());
                set(&mut part, "filename", self.filename.as_deref());
            }
            Dialect::V03 => {
                if let Some(file) = part.get_mut("file") {
                    set(file, "mimeType", self.media_type.as_deref());
                    set(file, "name", self.filename.as_deref());
                }
            }
        }
        set_map(&mut part, &self.metadata);
        part
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// Its id, of its writer's making.
    pub message_id: String,
    /// The conversation.
    pub context_id: Option<String>,
    /// The task it is about.
    pub task_id: Option<String>,
    /// Who wrote it.
    pub role: Role,
    /// What it says.
    pub parts: Vec<Part>,
    /// Anything else.
    pub metadata: Map<String, Value>,
    /// Other tasks it refers to.
    pub reference_task_ids: Vec<String>,
    /// The extensions it uses.
    pub extensions: Vec<String>,
}

impl Message {
    /// A message.
    pub fn new(message_id: impl Into<String>, role: Role, parts: Vec<Part>) -> Self {
        Self {
            message_id: message_id.into(),
            context_id: None,
            task_id: None,
            role,
            parts,
            metadata: Map::new(),
            reference_task_ids: Vec::new(),
            extensions: Vec::new(),
        }
    }

    /// All its text, part after part.
    pub fn text(&self) -> Option<String> {
        let texts = self.parts.iter().filter_map(|part| match &part.content {
            Content::Text(text) => Some(text.as_str()),
            Content::Data(_) | Content::Raw(_) | Content::Url(_) => None,
        });
        let texts: Vec<&str> = texts.collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Its first data part.
    pub fn data(&self) -> Option<&Value> {
        self.parts.iter().find_map(|part| match &part.content {
            Content::Data(data) => Some(data),
            Content::Text(_) | Content::Raw(_) | Content::Url(_) => None,
        })
    }

    /// As a version writes it.
    pub fn to_json(&self, dialect: Dialect) -> Value {
        let role = match (dialect, self.role) {
            (Dialect::V10, Role::User) => "ROLE_USER",
            (Dialect::V10, Role::Agent) => "ROLE_AGENT",
            (Dialect::V03, Role::User) => "user",
            (Dialect::V03, Role::Agent) => "agent",
        };
        let mut message = json!({
            "messageId": self.message_id,
            "role": role,
            "parts": parts(&self.parts, dialect),
        });
        kind(&mut message, "message", dialect);
        set(&mut message, "contextId", self.context_id.as_deref());
        set(&mut message, "taskId", self.task_id.as_deref());
        if !self.reference_task_ids.is_empty() {
            message["referenceTaskIds"] = json!(self.reference_task_ids);
        }
        if !self.extensions.is_empty() {
            message["extensions"] = json!(self.extensions);
        }
        set_map(&mut message, &self.metadata);
        message
    }
}

/// Something a task made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Artifact {
    /// Its id, unique in its task.
    pub artifact_id: String,
    /// What it is called.
    pub name: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// What is in it.
    pub parts: Vec<Part>,
    /// Anything else.
    pub metadata: Map<String, Value>,
}

impl Artifact {
    /// An artifact.
    pub fn new(artifact_id: impl Into<String>, parts: Vec<Part>) -> Self {
        Self {
            artifact_id: artifact_id.into(),
            name: None,
            description: None,
            parts,
            metadata: Map::new(),
        }
    }

    /// As a version writes it; both write the same but for the parts.
    pub fn to_json(&self, dialect: Dialect) -> Value {
        let mut artifact =
            json!({"artifactId": self.artifact_id, "parts": parts(&self.parts, dialect)});
        set(&mut artifact, "name", self.name.as_deref());
        set(&mut artifact, "description", self.description.as_deref());
        set_map(&mut artifact, &self.metadata);
        artifact
    }
}

/// Where a task is, since when, and what the agent says to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TaskStatus {
    /// Where it is.
    pub state: TaskState,
    /// What the agent says to it.
    pub message: Option<Message>,
    /// Unix time in milliseconds.
    pub ts_ms: u64,
}

impl TaskStatus {
    /// As a version writes it.
    pub fn to_json(&self, dialect: Dialect) -> Value {
        let mut status = json!({
            "state": self.state.word(dialect),
            "timestamp": time::write(self.ts_ms),
        });
        if let Some(message) = &self.message {
            status["message"] = message.to_json(dialect);
        }
        status
    }
}

/// A task as it is at one moment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Task {
    /// Its id: that of its session.
    pub id: String,
    /// The conversation it belongs to.
    pub context_id: String,
    /// Where it is.
    pub status: TaskStatus,
    /// What it made.
    pub artifacts: Vec<Artifact>,
    /// What was said, oldest first.
    pub history: Vec<Message>,
    /// Anything else; how to follow its session among it.
    pub metadata: Map<String, Value>,
}

impl Task {
    /// As a version writes it.
    pub fn to_json(&self, dialect: Dialect) -> Value {
        let mut task = json!({
            "id": self.id,
            "contextId": self.context_id,
            "status": self.status.to_json(dialect),
        });
        kind(&mut task, "task", dialect);
        if !self.artifacts.is_empty() {
            task["artifacts"] = self
                .artifacts
                .iter()
                .map(|each| each.to_json(dialect))
                .collect();
        }
        if !self.history.is_empty() {
            task["history"] = self
                .history
                .iter()
                .map(|each| each.to_json(dialect))
                .collect();
        }
        set_map(&mut task, &self.metadata);
        task
    }

    /// The last `length` messages of its history alone.
    #[must_use]
    pub fn with_history(mut self, length: Option<usize>) -> Self {
        if let Some(length) = length {
            let extra = self.history.len().saturating_sub(length);
            self.history.drain(..extra);
        }
        self
    }
}

/// What a stream is made of.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the specification closes the set")]
pub enum Update {
    /// The task as it is.
    Task(Box<Task>),
    /// An answer without a task.
    Message(Box<Message>),
    /// The task is somewhere else, or something is said about it.
    Status(Box<StatusUpdate>),
    /// The task made something.
    Artifact(Box<ArtifactUpdate>),
}

/// The task is somewhere else, or something is said about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StatusUpdate {
    /// The task.
    pub task_id: String,
    /// Its conversation.
    pub context_id: String,
    /// Where it is.
    pub status: TaskStatus,
    /// The event behind it.
    pub metadata: Map<String, Value>,
}

/// The task made something.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ArtifactUpdate {
    /// The task.
    pub task_id: String,
    /// Its conversation.
    pub context_id: String,
    /// What it made.
    pub artifact: Artifact,
    /// Whether it goes on with an artifact of the same id.
    pub append: bool,
    /// Whether nothing of it follows.
    pub last_chunk: bool,
    /// The event behind it.
    pub metadata: Map<String, Value>,
}

impl Update {
    /// As a version writes it: `{"statusUpdate": …}` in 1.0, `{"kind": "status-update", …}` in 0.3.
    pub fn to_json(&self, dialect: Dialect) -> Value {
        let (name, kind_word, mut body) = match self {
            Self::Task(task) => ("task", "task", task.to_json(dialect)),
            Self::Message(message) => ("message", "message", message.to_json(dialect)),
            Self::Status(update) => {
                let mut body = json!({
                    "taskId": update.task_id,
                    "contextId": update.context_id,
                    "status": update.status.to_json(dialect),
                });
                if dialect == Dialect::V03 {
                    let state = update.status.state;
                    body["final"] = json!(state.is_terminal() || state.is_interrupted());
                }
                set_map(&mut body, &update.metadata);
                ("statusUpdate", "status-update", body)
            }
            Self::Artifact(update) => {
                let mut body = json!({
                    "taskId": update.task_id,
                    "contextId": update.context_id,
                    "artifact": update.artifact.to_json(dialect),
                    "append": update.append,
                    "lastChunk": update.last_chunk,
                });
                set_map(&mut body, &update.metadata);
                ("artifactUpdate", "artifact-update", body)
            }
        };
        kind(&mut body, kind_word, dialect);
        match dialect {
            Dialect::V10 => json!({name: body}),
            Dialect::V03 => body,
        }
    }

    /// The state it tells of.
    pub fn state(&self) -> Option<TaskState> {
        match self {
            Self::Task(task) => Some(task.status.state),
            Self::Status(update) => Some(update.status.state),
            Self::Message(_) | Self::Artifact(_) => None,
        }
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word(Dialect::V03))
    }
}

fn parts(parts: &[Part], dialect: Dialect) -> Vec<Value> {
    parts.iter().map(|part| part.to_json(dialect)).collect()
}

fn set(object: &mut Value, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        object[name] = Value::from(text);
    }
}

fn set_map(object: &mut Value, metadata: &Map<String, Value>) {
    if !metadata.is_empty() {
        object["metadata"] = Value::Object(metadata.clone());
    }
}

/// In 0.3 every object says what it is.
fn kind(object: &mut Value, word: &str, dialect: Dialect) {
    if dialect == Dialect::V03 {
        object["kind"] = Value::from(word);
    }
}
