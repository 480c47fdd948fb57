//! One event: the envelope of [L3] around one of the types of [L4], as every channel carries it.
//!
//! On the wire an event is one flat JSON object. [`Event::from_slice`] reads it leniently: a type it does not know, or a
//! known one in an unknown shape, becomes [`Body::Other`] with all its members, so that nothing is lost and nobody
//! fails over a newer server.
//!
//! [L3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l3
//! [L4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l4

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

mod body;
mod name;
mod read;
mod reduce;
mod write;

pub use body::{
    Body, ErrorBody, Gap, GapReason, Healing, Heartbeat, IntentAnalysis, InteractiveHealingRequest,
    InteractiveHealingResult, Opened, Other, ReplayComplete, ResultBody, Status,
};
pub use name::{EventName, InvalidEventName, RESERVED};
pub use read::ReadEventError;

pub(crate) use name::may_be_used;
pub(crate) use reduce::write_reduced;
pub(crate) use write::{Header, clean, write_body, write_header};

/// The version of the protocol, as in `AON-Version` and in the `session` event.
pub const VERSION: u32 = 1;

/// What every event has ([L3]). What a peer left out is `None`.
///
/// [L3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l3
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Envelope {
    /// `<epoch>-<seq>`: what to resume from. Only stored events have one.
    pub id: Option<String>,
    /// The number in its session. Only stored events have one.
    pub seq: Option<u64>,
    /// Unix time in milliseconds.
    pub ts_ms: u64,
    /// W3C trace id.
    pub trace_id: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// One event.
///
/// # Examples
///
/// ```
/// use aon_live::event::{Body, Event};
///
/// let event = Event::from_slice(br#"{"type":"status","timestamp":1715432000,"seq":2,"message":"working"}"#)?;
/// assert_eq!(event.envelope.seq, Some(2));
/// assert!(matches!(&event.body, Body::Status(status) if status.message == "working"));
///
/// let newer = Event::from_slice(br#"{"type":"lesson","data":{"lessonId":"l1"}}"#)?;
/// assert_eq!(newer.body.kind(), "lesson");
/// # Ok::<(), aon_live::event::ReadEventError>(())
/// ```
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "an event is an envelope and a body"
)]
pub struct Event {
    /// What every event has.
    pub envelope: Envelope,
    /// What this one says.
    pub body: Body,
}

impl Event {
    /// Whether it is the last one of its session: `result` or `error`.
    pub fn is_terminal(&self) -> bool {
        self.body.is_terminal()
    }

    /// The word in `type`.
    pub fn kind(&self) -> &str {
        self.body.kind()
    }
}

impl Body {
    /// The word in `type`.
    pub fn kind(&self) -> &str {
        match self {
            Self::Session(_) => "session",
            Self::IntentAnalysis(_) => "intent_analysis",
            Self::Healing(_) => "healing",
            Self::Status(_) => "status",
            Self::InteractiveHealingRequest(_) => "interactive_healing_request",
            Self::InteractiveHealingResult(_) => "interactive_healing_result",
            Self::Gap(_) => "gap",
            Self::ReplayComplete(_) => "replay_complete",
            Self::Heartbeat(_) => "heartbeat",
            Self::Result(_) => "result",
            Self::Error(_) => "error",
            Self::Other(other) => &other.kind,
        }
    }

    /// Whether nothing can follow it.
    pub const fn is_terminal(&self) -> bool {
        matches!(self, Self::Result(_) | Self::Error(_))
    }

    /// Whether it is a sign of life and nothing else: `heartbeat`, or `status` with that message and no number.
    pub fn is_heartbeat(&self) -> bool {
        let beat = |status: &Status| status.last_seq.is_some() && status.message == "heartbeat";
        matches!(self, Self::Heartbeat(_)) || matches!(self, Self::Status(status) if beat(status))
    }
}

/// An event type of your own: the name and what it carries, which travels in `data`.
///
/// ```
/// use aon_live::ApplicationEvent;
///
/// #[derive(serde::Serialize)]
/// struct Lesson { #[serde(rename = "lessonId")] id: String }
/// impl ApplicationEvent for Lesson { const TYPE: &'static str = "lesson"; }
/// ```
pub trait ApplicationEvent: Serialize {
    /// The word in `type`: lower case, not one of [`RESERVED`]. Anything else does not compile.
    const TYPE: &'static str;
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = String::from_utf8(self.to_vec()).map_err(serde::ser::Error::custom)?;
        let raw = RawValue::from_string(text).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::from_slice(raw.get().as_bytes()).map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.to_vec()))
    }
}

/// The members of an object, in order of their names.
pub type Members = Map<String, Value>;
