//! Events of a session as updates of an A2A task, and the way back.
//!
//! A task is a session, so its id is the session's. [`Tracker`] takes event after event and gives the updates of each, and
//! is the task as it is at that moment: what `GetTask` answers, and what a stream begins with.
//!
//! | event | becomes |
//! | --- | --- |
//! | `session` | the task itself, `submitted`; its addresses are in `metadata` of the task |
//! | `a2a_task`, `a2a_message` | `contextId` and `history` of the task; no update |
//! | `intent_analysis`, `healing`, `status` | a status update in the state the task is in; a sentence as text, all members as data |
//! | `interactive_healing_request` | a status update to `input-required`, or `auth-required` where the problem is 401 or 403; a question as text, all members as data |
//! | `interactive_healing_result` | a status update to `working` |
//! | `artifact` | an artifact update |
//! | `gap` | a status update; all members as data |
//! | `result` | an artifact update (`result`) where there is data, and a status update to `completed` |
//! | `error` | a status update to `failed`, `canceled` or `rejected`; a sentence as text, the envelope of [S6] as data |
//! | any other event | a status update in the state the task is in; its name as text, all members as data |
//!
//! | member of the envelope | becomes |
//! | --- | --- |
//! | `type`, `id`, `seq`, `ts_ms`, `trace_id` | members of `metadata` under [`SESSION_EXTENSION`], in camel case |
//! | `session_id` | `taskId` |
//! | `ts_ms` | also `status.timestamp` |
//!
//! What does not come back is in [`LOSSES`].
//!
//! [S6]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s6

use aon::surface::Call;
use aon::surface::a2a::A2a;
use aon_core::{ProblemDetails, Remediation};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::event::{Body, Event, InteractiveHealingRequest};

mod made;
mod model;
mod read;
mod recover;
mod seen;
mod time;

pub use made::Made;
pub use model::{
    Artifact, ArtifactUpdate, Content, Dialect, Message, Part, Role, StatusUpdate, Task, TaskState,
    TaskStatus, Update,
};
pub(crate) use read::kind;
pub use read::{InvalidMessage, message, update};
pub use recover::recover;
pub use time::read as timestamp;

/// The extension under which tasks name their session, and streams are resumed; the key of our `metadata`.
pub const SESSION_EXTENSION: &str = "https://possibility.space/a2a/extensions/session/v1";

/// What is lost on the way to A2A and back: which event, which member, and why.
pub const LOSSES: &[(&str, &str, &str)] = &[
    ("*", "timestamp", "seconds; they follow from ts_ms"),
    (
        "heartbeat",
        "*",
        "a sign of life is a comment of the stream, as A2A has none",
    ),
    ("status", "*", "of a heartbeat alone, which has no number"),
    (
        "replay_complete",
        "*",
        "A2A does not tell the past from the present",
    ),
    ("ticket", "*", "tickets are for browsers"),
    (
        "result",
        "data",
        "the layout of JSON and numbers beyond 64 bits: A2A carries values, not bytes",
    ),
    (
        "artifact",
        "*",
        "a part that has none of text, data, raw and url",
    ),
    (
        "artifact",
        "data",
        "in 0.3, the media type of text and data, which it has for files alone",
    ),
    (
        "result",
        "data",
        "in 0.3, data that is neither an object nor text is the member `value` of one",
    ),
];

/// The most messages of a history, and the most artifacts of a task, that are kept.
const MOST: usize = 100;
/// The most bytes of artifacts that are kept.
const MOST_BYTES: usize = 1024 * 1024;

/// `a2a_task`: what a task began with. `a2a_message`: what was said to it then.
#[derive(Debug, Serialize)]
pub(crate) struct Said<'a> {
    pub(crate) context_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skill: Option<&'a str>,
    pub(crate) message: Value,
}

pub(crate) const TASK: &str = "a2a_task";
pub(crate) const MESSAGE: &str = "a2a_message";

/// A task that follows its session: events go in, updates come out.
#[derive(Clone, Debug)]
pub struct Tracker {
    task: Task,
    seq: u64,
    bytes: usize,
    /// What the status says to readers who may not see details, where that is something else.
    reduced: Option<Box<Message>>,
}

impl Tracker {
    /// The task of the session with that id, before its first event.
    pub fn new(id: impl Into<String>) -> Self {
        let status = TaskStatus {
            state: TaskState::Submitted,
            message: None,
            ts_ms: 0,
        };
        Self {
            task: Task {
                id: id.into(),
                context_id: String::new(),
                status,
                artifacts: Vec::new(),
                history: Vec::new(),
                metadata: Map::new(),
            },
            seq: 0,
            bytes: 0,
            reduced: None,
        }
    }

    /// The task as it is.
    pub const fn task(&self) -> &Task {
        &self.task
    }

    /// The number of the last event it has seen.
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Goes on after a hole: what was lost cannot be told.
    pub(crate) fn skip_to(&mut self, seq: u64) {
        self.seq = self.seq.max(seq);
        self.session("gap", Value::Bool(true));
    }

    /// Takes the next event, and gives its updates.
    pub fn apply(&mut self, event: &Event) -> Vec<Update> {
        if let Some(seq) = event.envelope.seq {
            self.seq = seq;
        }
        let ts_ms = event.envelope.ts_ms;
        match &event.body {
            Body::Session(opened) => {
                self.task.status.ts_ms = ts_ms;
                if let Ok(Value::Object(members)) = serde_json::to_value(opened) {
                    for (name, value) in members {
                        self.session(&name, value);
                    }
                }
                self.session("session_id", json!(self.task.id));
                if let Some(trace) = &event.envelope.trace_id {
                    self.session("trace_id", json!(trace));
                }
                vec![Update::Task(Box::new(self.task.clone()))]
            }
            Body::Heartbeat(_) | Body::ReplayComplete(_) => Vec::new(),
            Body::Status(status) if event.envelope.seq.is_none() && status.last_seq.is_some() => {
                Vec::new()
            }
            Body::Status(status) => {
                let state = self.going();
                vec![self.say(event, state, &status.message, event_members(event))]
            }
            Body::IntentAnalysis(intent) => {
                let said = [&intent.detected_issue, &intent.decision]
                    .into_iter()
                    .flatten();
                let said: Vec<&str> = said.map(String::as_str).collect();
                let text = if said.is_empty() {
                    "The request was understood.".to_owned()
                } else {
                    said.join(": ")
                };
                let state = self.going();
                vec![self.say(event, state, &text, event_members(event))]
            }
            Body::Healing(healing) => {
                let text = healing.description.as_deref().unwrap_or(&healing.action);
                let state = self.going();
                vec![self.say(event, state, text, event_members(event))]
            }
            Body::InteractiveHealingRequest(request) => {
                let state = waits_for(request);
                let update = self.say(event, state, &question(request), event_members(event));
                if let Some(message) = self.task.status.message.clone() {
                    self.remember(message);
                }
                vec![update]
            }
            Body::InteractiveHealingResult(result) => {
                let text = match &*result.outcome {
                    "accepted" => "The answer was taken.",
                    "consumed" => "The answer was used.",
                    "denied" => "The question was declined.",
                    "expired" => "Nobody answered in time.",
                    _ => "There is news of the question.",
                };
                vec![self.say(event, TaskState::Working, text, event_members(event))]
            }
            Body::Gap(_) => {
                let state = self.going();
                vec![self.say(
                    event,
                    state,
                    "Some updates were lost.",
                    event_members(event),
                )]
            }
            Body::Result(result) => {
                let mut updates = Vec::with_capacity(2);
                let data: Value = serde_json::from_str(result.data.get()).unwrap_or_default();
                let metadata = origin(event);
                if !data.is_null() {
                    let mut part = match (&result.encoding, &data) {
                        (Some(_), Value::String(text)) => raw(text),
                        _ => Part::of(&data),
                    };
                    if let Some(media) = &result.content_type {
                        part = part.with_media_type(media.clone());
                    }
                    updates.push(self.made(
                        Artifact::new("result", vec![part]),
                        false,
                        true,
                        metadata,
                    ));
                }
                let mut update = self.status(event, TaskState::Completed, None);
                if let Some(origin) = update.metadata.get_mut(SESSION_EXTENSION) {
                    origin["status"] = json!(result.status);
                    for (name, text) in [
                        ("contentType", &result.content_type),
                        ("encoding", &result.encoding),
                    ] {
                        if let Some(text) = text {
                            origin[name] = json!(text);
                        }
                    }
                }
                updates.push(Update::Status(Box::new(update)));
                updates
            }
            Body::Error(error) => {
                let state = match &*error.code {
                    "cancelled" => TaskState::Canceled,
                    REJECTED => TaskState::Rejected,
                    _ => TaskState::Failed,
                };
                let text = A2a::new(aon::surface::a2a::Profile::A2A_1_0).message(&error.problem);
                let update = self.say(event, state, &text, envelope(&error.problem));
                vec![update]
            }
            Body::Other(other) => self.other(event, &other.kind, other.data()),
        }
    }

    fn other(&mut self, event: &Event, kind: &str, data: Option<&Value>) -> Vec<Update> {
        match (kind, data) {
            (TASK | MESSAGE, Some(data)) => {
                if let Some(context) = data.get("context_id").and_then(Value::as_str) {
                    context.clone_into(&mut self.task.context_id);
                }
                if let Some(skill) = data.get("skill").and_then(Value::as_str) {
                    self.session("skill", json!(skill));
                }
                if let Some(Ok(message)) =
                    data.get("message").map(|said| message(said, Dialect::V10))
                {
                    let message = Message {
                        context_id: Some(self.task.context_id.clone()),
                        task_id: Some(self.task.id.clone()),
                        ..message
                    };
                    self.remember(message);
                }
                return Vec::new();
            }
            ("artifact", Some(data)) => {
                if let Some(artifact) = data.get("artifact").and_then(read::artifact) {
                    let is = |name: &str| data.get(name).and_then(Value::as_bool);
                    let (append, last) = (
                        is("append").unwrap_or(false),
                        is("last_chunk").unwrap_or(true),
                    );
                    let going = self.going();
                    self.task.status.state = going;
                    return vec![self.made(artifact, append, last, origin(event))];
                }
            }
            ("ticket", _) => return Vec::new(),
            _ => {}
        }
        let state = self.going();
        vec![self.say(event, state, kind, event_members(event))]
    }

    /// The state while something is told that changes none.
    fn going(&self) -> TaskState {
        let state = self.task.status.state;
        if state == TaskState::Submitted {
            TaskState::Working
        } else {
            state
        }
    }

    fn status(
        &mut self,
        event: &Event,
        state: TaskState,
        message: Option<Message>,
    ) -> StatusUpdate {
        let status = TaskStatus {
            state,
            message,
            ts_ms: event.envelope.ts_ms,
        };
        self.task.status = status.clone();
        self.reduced = None;
        StatusUpdate {
            task_id: self.task.id.clone(),
            context_id: self.task.context_id.clone(),
            status,
            metadata: origin(event),
        }
    }

    /// A status with a sentence and, for programs, with what it is about.
    fn say(&mut self, event: &Event, state: TaskState, text: &str, data: Value) -> Update {
        let id = event
            .envelope
            .id
            .clone()
            .unwrap_or_else(|| format!("{}-{}", self.task.id, self.seq));
        let parts = vec![Part::text(text), Part::data(data)];
        let message = Message {
            context_id: Some(self.task.context_id.clone()),
            task_id: Some(self.task.id.clone()),
            ..Message::new(id, Role::Agent, parts)
        };
        Update::Status(Box::new(self.status(event, state, Some(message))))
    }

    fn made(
        &mut self,
        artifact: Artifact,
        append: bool,
        last_chunk: bool,
        metadata: Map<String, Value>,
    ) -> Update {
        let update = ArtifactUpdate {
            task_id: self.task.id.clone(),
            context_id: self.task.context_id.clone(),
            artifact: artifact.clone(),
            append,
            last_chunk,
            metadata,
        };
        let size: usize = artifact.parts.iter().map(size).sum();
        let fits = self.bytes + size <= MOST_BYTES;
        let room = self.task.artifacts.len() < MOST;
        let known = self
            .task
            .artifacts
            .iter_mut()
            .find(|known| known.artifact_id == artifact.artifact_id);
        match known {
            Some(known) if append && fits => known.parts.extend(artifact.parts),
            Some(known) if fits => *known = artifact,
            None if fits && room => self.task.artifacts.push(artifact),
            Some(_) | None => self.session("artifacts_truncated", Value::Bool(true)),
        }
        if fits {
            self.bytes += size;
        }
        Update::Artifact(Box::new(update))
    }

    fn remember(&mut self, message: Message) {
        if self.task.history.len() >= MOST {
            self.task.history.remove(0);
        }
        self.task.history.push(message);
    }

    /// Says something about the session in the metadata of the task.
    fn session(&mut self, name: &str, value: Value) {
        let entry = self.task.metadata.entry(SESSION_EXTENSION);
        if let Value::Object(members) = entry.or_insert_with(|| json!({})) {
            members.insert(camel(name), value);
        }
    }
}

/// A name as A2A writes names: `sessionId`.
pub(crate) fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut out = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        out.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}

/// The code of a problem with which an agent says that it will not do a task.
pub const REJECTED: &str = "task_rejected";

/// What a question waits for: a right where the problem is 401 or 403, an answer otherwise.
pub(crate) fn waits_for(request: &InteractiveHealingRequest) -> TaskState {
    let problem = request.problem.as_ref();
    match problem.and_then(|problem| problem.get("status")?.as_u64()) {
        Some(401 | 403) => TaskState::AuthRequired,
        _ => TaskState::InputRequired,
    }
}

/// A question in words: what is wrong, what may be changed, and what it may be.
fn question(request: &InteractiveHealingRequest) -> String {
    let wrong = request
        .error
        .get("message")
        .and_then(Value::as_str)
        .unwrap_or("The step failed.");
    let mut text = wrong.trim_end().to_owned();
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    let problem = request.problem.as_ref();
    let problem =
        problem.and_then(|problem| ProblemDetails::from_slice(problem.to_string().as_bytes()).ok());
    if let Some(advice) = problem
        .as_ref()
        .and_then(ProblemDetails::remediation)
        .and_then(Remediation::message)
    {
        text.push(' ');
        text.push_str(advice);
    }
    if !request.allowed_patch_paths.is_empty() {
        text.push_str(" Answer with a value for ");
        text.push_str(&request.allowed_patch_paths.join(", "));
        text.push('.');
    }
    for (field, choices) in problem
        .iter()
        .flat_map(|problem| problem.valid_values().iter())
    {
        let values: Vec<String> = choices
            .iter()
            .take(50)
            .map(|choice| choice.value().to_string())
            .collect();
        for piece in [" ", field, " may be ", &values.join(", "), "."] {
            text.push_str(piece);
        }
    }
    text
}

/// The envelope of a problem as A2A carries it ([S6]).
///
/// [S6]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s6
fn envelope(problem: &ProblemDetails) -> Value {
    let mut out = Vec::new();
    A2a::default().write_data(problem, &Call::default(), &mut out);
    serde_json::from_slice(&out).unwrap_or_default()
}

/// The members of an event beside its envelope.
fn event_members(event: &Event) -> Value {
    let Ok(Value::Object(mut members)) = serde_json::to_value(event) else {
        return Value::Null;
    };
    for name in [
        "type",
        "id",
        "seq",
        "timestamp",
        "ts_ms",
        "trace_id",
        "session_id",
    ] {
        members.remove(name);
    }
    Value::Object(members)
}

/// Which event an update comes from.
fn origin(event: &Event) -> Map<String, Value> {
    let envelope = &event.envelope;
    let mut origin = json!({"type": event.kind(), "tsMs": envelope.ts_ms});
    if let Some(id) = &envelope.id {
        origin["id"] = json!(id);
    }
    if let Some(seq) = envelope.seq {
        origin["seq"] = json!(seq);
    }
    if let Some(trace) = &envelope.trace_id {
        origin["traceId"] = json!(trace);
    }
    Map::from_iter([(SESSION_EXTENSION.to_owned(), origin)])
}

/// A body in base64 as a file.
fn raw(text: &str) -> Part {
    use base64::Engine as _;
    match base64::engine::general_purpose::STANDARD.decode(text) {
        Ok(bytes) => Part::raw(bytes),
        Err(_) => Part::text(text),
    }
}

fn size(part: &Part) -> usize {
    match &part.content {
        Content::Text(text) | Content::Url(text) => text.len(),
        Content::Raw(bytes) => bytes.len(),
        Content::Data(data) => data.to_string().len(),
    }
}

#[cfg(test)]
mod tests;
