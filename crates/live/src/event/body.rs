//! What an event says, one struct per type.

use aon_core::{ProblemDetails, Severity};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Members;

/// What an event says (L4).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Body {
    /// `session`: the first event.
    Session(Opened),
    /// `intent_analysis`: the input was understood in a way that changes what is done.
    IntentAnalysis(IntentAnalysis),
    /// `healing`: something was repaired, or that was tried.
    Healing(Healing),
    /// `status`: progress; also the heartbeat.
    Status(Status),
    /// `interactive_healing_request`: a person is asked.
    InteractiveHealingRequest(Box<InteractiveHealingRequest>),
    /// `interactive_healing_result`: what became of it.
    InteractiveHealingResult(InteractiveHealingResult),
    /// `gap`: events were lost to this reader. Not numbered.
    Gap(Gap),
    /// `replay_complete`: from here on the reader is live. Not numbered.
    ReplayComplete(ReplayComplete),
    /// `heartbeat`: a sign of life, in the profile that asks for it. Not numbered.
    Heartbeat(Heartbeat),
    /// `result`: it succeeded. Nothing follows.
    Result(ResultBody),
    /// `error`: it failed. Nothing follows.
    Error(ErrorBody),
    /// An event of the program's own, or of a type that this version does not know.
    Other(Other),
}

/// `session`: how to follow the session from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Opened {
    /// The version of the protocol.
    pub version: u32,
    /// How much survives: `memory`, `replicated` or `fsync`.
    pub durability: String,
    /// Server-sent events, or NDJSON when that is asked for.
    pub sse_url: String,
    /// WebSocket: the same path; the scheme follows that of the page.
    pub ws_url: String,
    /// Where a person's answer goes.
    pub patch_url: String,
    /// State and outcome as JSON; `DELETE` cancels.
    pub state_url: String,
    /// Unix seconds: the session is gone by then.
    pub expires_at: u64,
    /// How long the server is silent before it sends a heartbeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat_ms: Option<u64>,
}

/// `intent_analysis`: the input was understood in a way that changes what is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct IntentAnalysis {
    /// What the caller wanted; left out for readers who may not see details.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub original_intent: String,
    /// What is in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detected_issue: Option<String>,
    /// What is done about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
}

/// `healing`: something was repaired, or that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Healing {
    /// How bad it was.
    #[serde(deserialize_with = "severity")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "super::super::schema::severity")
    )]
    pub severity: Severity,
    /// What was done, in one word such as `refresh_token`.
    pub action: String,
    /// The same for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Anything else: attempt, provider, outcome.
    #[serde(default, skip_serializing_if = "Members::is_empty")]
    pub metadata: Members,
}

/// `status`: progress; also the heartbeat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Status {
    /// What is going on.
    pub message: String,
    /// How long it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_delay_ms: Option<u64>,
    /// A word for programs: `processing`, `draining`, `dropped`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// How far it is, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
    /// How many events were left out, where that is what it reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<u64>,
    /// Of a heartbeat: the number of the last event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seq: Option<u64>,
    /// How much survives from here on, where that is what it reports: `memory`, `replicated` or `fsync`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<String>,
}

/// `interactive_healing_request`: a person is asked for a patch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct InteractiveHealingRequest {
    /// The id of the request.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request_id: String,
    /// The step that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// How often it was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// How often the question was offered, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// What went wrong, in short: `code`, `message`.
    pub error: Value,
    /// The problem whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Value>,
    /// JSON Pointers a patch may touch.
    #[serde(rename = "allowedPatchPaths")]
    pub allowed_patch_paths: Vec<String>,
    /// JSON Pointers a patch may remove.
    #[serde(
        rename = "removablePaths",
        default,
        skip_serializing_if = "Vec::is_empty"
    )]
    pub removable_paths: Vec<String>,
    /// What to decide on, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Value>,
    /// The values at the paths that may be changed, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Value>,
    /// Unix seconds: an answer after that is late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// How long there was to answer when it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in_ms: Option<u64>,
    /// Where to post the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_url: Option<String>,
    /// What the patch is based on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<String>,
    /// The most operations of a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_operations: Option<usize>,
    /// What can be answered: `patch`, `retry`, `deny`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
}

/// `interactive_healing_result`: what became of a request to a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct InteractiveHealingResult {
    /// The id of the request.
    pub request_id: String,
    /// `accepted`, `consumed`, `denied`, `expired`.
    pub outcome: String,
    /// The JSON Pointers that were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// Why events were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GapReason {
    /// They are older than what is kept.
    Evicted,
    /// The cursor is of another numbering, or not a cursor at all.
    Epoch,
    /// The cursor is of an event that has not happened.
    Ahead,
}

/// `gap`: events were lost to this reader; what follows starts at `oldest`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Gap {
    /// What the reader had seen last, as it said, or as was sent to it.
    pub requested: String,
    /// The first number that is still there.
    pub oldest: u64,
    /// The last number there is.
    pub newest: u64,
    /// Why.
    pub reason: GapReason,
}

/// `replay_complete`: from here on the reader is live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReplayComplete {
    /// The last number that was there when the reader came.
    pub last_seq: u64,
}

/// `heartbeat`: a sign of life for readers that expect one each second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Heartbeat {
    /// Unix time in milliseconds.
    pub ts: u64,
    /// How long the hub has been running.
    #[serde(rename = "uptimeMs")]
    pub uptime_ms: u64,
}

/// `result`: it succeeded.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ResultBody {
    /// The status the black box has.
    #[serde(default = "ok")]
    pub status: u16,
    /// The media type of the body, where it is not JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// `base64`, where the body is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The body of the black box, byte for byte where it is JSON.
    #[serde(default = "null")]
    #[cfg_attr(feature = "schema", schemars(with = "Value"))]
    pub data: Box<RawValue>,
}

/// `error`: it failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ErrorBody {
    /// The status the black box has.
    pub status: u16,
    /// The stable name of the failure.
    pub code: String,
    /// What happened, in a sentence.
    pub message: String,
    /// The problem whole.
    pub problem: ProblemDetails,
}

/// An event of the program's own, or of a type that this version does not know.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Other {
    /// The word in `type`.
    pub kind: String,
    /// All members but those of the envelope; what the program gave is in `data`.
    pub members: Members,
}

impl Other {
    /// What the program gave.
    pub fn data(&self) -> Option<&Value> {
        self.members.get("data")
    }
}

impl PartialEq for ResultBody {
    fn eq(&self, other: &Self) -> bool {
        self.status == other.status && self.data.get() == other.data.get()
    }
}

fn severity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Severity, D::Error> {
    let word = String::deserialize(deserializer)?;
    Severity::from_word(&word)
        .ok_or_else(|| serde::de::Error::custom("a severity is low, medium, high or critical"))
}

const fn ok() -> u16 {
    200
}

pub(super) fn null() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}
