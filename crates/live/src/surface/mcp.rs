//! MCP: the events of a session as notifications of the call they belong to ([L13]).
//!
//! A client that sent a progress token gets `notifications/progress`; one that asked for a level of logs gets
//! `notifications/message`; one that asked for neither gets neither. What a field becomes stands in [`FIELDS`], what has no
//! notification in [`LOSSES`]. Each notification carries the event whole, so that a client which knows this protocol
//! [reads it back](Notification::recover).
//!
//! ```
//! use aon_live::Event;
//! use aon_live::surface::mcp::{Notification, Projection};
//! use serde_json::json;
//!
//! let event = Event::from_slice(br#"{"type":"status","seq":2,"ts_ms":1,"message":"half of it","progress":0.5}"#)?;
//! let mut projection = Projection::new().with_token(json!("t1"));
//! let told = projection.project(&event);
//! assert_eq!(told[0].method(), "notifications/progress");
//! assert_eq!(told[0].params()["progress"], 0.5);
//! assert_eq!(Notification::recover(&told[0].params())?.to_vec(), event.to_vec());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [L13]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l13

use std::fmt;

use serde_json::{Map, Value, json};

use crate::event::{
    Body, Event, Gap, Healing, IntentAnalysis, InteractiveHealingRequest, InteractiveHealingResult,
    Status,
};

pub mod form;
mod table;

pub use table::{FIELDS, LOSSES};

/// The key of the whole event in the `_meta` of a notification.
pub const EVENT_KEY: &str = "space.possibility/event";
/// The key of the session in the `_meta` of a result: its id, its trace, and where it is followed.
pub const SESSION_KEY: &str = "space.possibility/session";

/// How serious a log message is (RFC 5424), least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "RFC 5424 closes the set")]
pub enum Level {
    /// Details.
    Debug,
    /// What is usual.
    Info,
    /// Worth to be noticed.
    Notice,
    /// Something is not as it should be.
    Warning,
    /// Something failed.
    Error,
    /// A part is broken.
    Critical,
    /// Somebody has to act.
    Alert,
    /// Nothing works.
    Emergency,
}

impl Level {
    /// Every level, least serious first.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    /// The level with that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }
}

/// One notification.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "MCP has these two for a call")]
pub enum Notification {
    /// `notifications/progress`.
    Progress(Progress),
    /// `notifications/message`.
    Message(Message),
}

/// `notifications/progress`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The token of the request.
    pub token: Value,
    /// How far it is: larger each time.
    pub progress: f64,
    /// 1, once the handler said how far it is.
    pub total: Option<f64>,
    /// What is going on, for people.
    pub message: Option<String>,
    /// The event whole.
    pub event: Value,
}

/// `notifications/message`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// How serious it is.
    pub level: Level,
    /// The type of the event.
    pub logger: String,
    /// The event whole.
    pub event: Value,
}

impl Notification {
    /// The method.
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Progress(_) => "notifications/progress",
            Self::Message(_) => "notifications/message",
        }
    }

    /// The parameters.
    pub fn params(&self) -> Value {
        match self {
            Self::Progress(told) => {
                let mut params = Map::new();
                params.insert("progressToken".to_owned(), told.token.clone());
                params.insert("progress".to_owned(), json!(told.progress));
                if let Some(total) = told.total {
                    params.insert("total".to_owned(), json!(total));
                }
                if let Some(message) = &told.message {
                    params.insert("message".to_owned(), json!(message));
                }
                params.insert("_meta".to_owned(), json!({EVENT_KEY: told.event}));
                Value::Object(params)
            }
            Self::Message(told) => {
                json!({"level": told.level.as_str(), "logger": told.logger, "data": told.event})
            }
        }
    }

    /// The event in the parameters of a notification.
    ///
    /// # Errors
    ///
    /// When there is no event in it.
    pub fn recover(params: &Value) -> Result<Event, NoEvent> {
        let meta = params.get("_meta").and_then(|meta| meta.get(EVENT_KEY));
        let event = meta.or_else(|| params.get("data")).ok_or(NoEvent)?;
        Event::from_slice(event.to_string().as_bytes()).map_err(|_unreadable| NoEvent)
    }
}

/// A notification that is not made of an event of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoEvent;

impl fmt::Display for NoEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the notification does not carry an event of a session")
    }
}

impl std::error::Error for NoEvent {}

/// What one call gets of its session. It remembers how far it said that the call is, because that may only grow.
#[derive(Clone, Debug, Default)]
pub struct Projection {
    token: Option<Value>,
    level: Option<Level>,
    last: Option<f64>,
    measured: bool,
}

/// How much further it is when nothing was said about it: progress has to grow.
const STEP: f64 = 1e-6;

impl Projection {
    /// For a client that asked for nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// For a client that sent this progress token.
    #[must_use]
    pub fn with_token(mut self, token: Value) -> Self {
        self.token = Some(token);
        self
    }

    /// For a client that wants log messages of this level, and more serious ones.
    #[must_use]
    pub const fn with_level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Whether the client asked for anything.
    pub const fn is_wanted(&self) -> bool {
        self.token.is_some() || self.level.is_some()
    }

    /// The notifications of an event: a progress, a message, both or none.
    pub fn project(&mut self, event: &Event) -> Vec<Notification> {
        let mut told = Vec::new();
        if !self.is_wanted() {
            return told;
        }
        let Some(said) = said(&event.body) else {
            return told;
        };
        let whole = serde_json::from_slice(&event.to_vec()).unwrap_or_default();
        if let Some(token) = self.token.clone() {
            let (progress, total) = self.advance(said.progress);
            told.push(Notification::Progress(Progress {
                token,
                progress,
                total,
                message: said.message,
                event: Value::clone(&whole),
            }));
        }
        if let (Some(least), Some(level)) = (self.level, said.level)
            && level >= least
        {
            told.push(Notification::Message(Message {
                level,
                logger: event.kind().to_owned(),
                event: whole,
            }));
        }
        told
    }

    fn advance(&mut self, said: Option<f64>) -> (f64, Option<f64>) {
        self.measured |= said.is_some();
        let next = match (self.last, said) {
            (None, said) => said.unwrap_or(0.0),
            (Some(last), Some(said)) if said > last => said,
            (Some(last), _) => last + STEP,
        };
        self.last = Some(next);
        (next, (self.measured && next <= 1.0).then_some(1.0))
    }
}

/// What an event says to people.
struct Said {
    message: Option<String>,
    progress: Option<f64>,
    level: Option<Level>,
}

impl Said {
    fn new(level: Level, message: impl Into<String>) -> Self {
        Self {
            message: Some(message.into()),
            progress: None,
            level: Some(level),
        }
    }
}

/// Field by field, so that a new one does not compile until somebody decides what becomes of it ([S1]).
///
/// [S1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s1
fn said(body: &Body) -> Option<Said> {
    Some(match body {
        Body::Session(_) => Said {
            message: None,
            progress: None,
            level: None,
        },
        Body::Status(status) => {
            if body.is_heartbeat() {
                return None;
            }
            let Status {
                message,
                estimated_delay_ms: _,
                phase: _,
                progress,
                dropped,
                last_seq: _,
                durability: _,
            } = status;
            let level = if dropped.is_some() {
                Level::Warning
            } else {
                Level::Info
            };
            Said {
                message: Some(message.clone()),
                progress: *progress,
                level: Some(level),
            }
        }
        Body::IntentAnalysis(IntentAnalysis {
            original_intent,
            detected_issue,
            decision,
        }) => {
            let parts = [
                Some(original_intent.as_str()).filter(|intent| !intent.is_empty()),
                detected_issue.as_deref(),
                decision.as_deref(),
            ];
            let parts: Vec<&str> = parts.into_iter().flatten().collect();
            Said::new(Level::Info, parts.join(": "))
        }
        Body::Healing(Healing {
            severity,
            action,
            description,
            metadata: _,
        }) => {
            let level = match severity.as_str() {
                "critical" => Level::Critical,
                "high" => Level::Warning,
                "medium" => Level::Notice,
                _ => Level::Info,
            };
            Said::new(level, description.as_deref().unwrap_or(action))
        }
        Body::InteractiveHealingRequest(request) => {
            let InteractiveHealingRequest { step, error, .. } = &**request;
            let why = error["message"].as_str().unwrap_or_default();
            let step = step.as_deref().unwrap_or("a step");
            let message = format!("Waiting for a person to repair {step}: {why}");
            Said::new(Level::Notice, message)
        }
        Body::InteractiveHealingResult(InteractiveHealingResult {
            request_id: _,
            outcome,
            paths: _,
        }) => {
            let level = match outcome.as_str() {
                "denied" | "expired" => Level::Warning,
                _ => Level::Notice,
            };
            Said::new(level, format!("The answer of a person: {outcome}"))
        }
        Body::Gap(Gap { .. }) => Said::new(Level::Warning, "Some events were lost."),
        Body::Other(other) => {
            let data = other.data();
            let text = |name: &str| data.and_then(|data| data.get(name)).and_then(Value::as_str);
            let level = text("level").and_then(Level::from_word);
            let message = text("message").unwrap_or(&other.kind);
            Said::new(level.unwrap_or(Level::Info), message)
        }
        // The end is the result of the call itself; the others are between a hub and its reader.
        Body::Result(_) | Body::Error(_) | Body::Heartbeat(_) | Body::ReplayComplete(_) => {
            return None;
        }
    })
}
