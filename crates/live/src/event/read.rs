//! Reading an event from its JSON, leniently.

use std::fmt;

use aon::surface::Surface as _;
use aon::surface::stream::Stream;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::body::{Body, ErrorBody, Other};
use super::{Envelope, Event, Members};

/// Why a text is not an event: it is not a JSON object with a string in `type`.
#[derive(Debug)]
pub struct ReadEventError(serde_json::Error);

/// Times at or above this are milliseconds, below it seconds.
const MILLISECONDS: u64 = 100_000_000_000;

/// The members of the envelope, each read on its own: one of a wrong type is as good as absent.
const ENVELOPE: &[&str] = &[
    "type",
    "id",
    "seq",
    "timestamp",
    "ts_ms",
    "trace_id",
    "session_id",
];

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "type")]
    kind: String,
}

impl Event {
    /// Reads one event: a line of NDJSON, the `data` of a server-sent event, a WebSocket message.
    ///
    /// # Errors
    ///
    /// When the text is not a JSON object with a string in `type`.
    pub fn from_slice(json: &[u8]) -> Result<Self, ReadEventError> {
        let head: Head = serde_json::from_slice(json).map_err(ReadEventError)?;
        let envelope = envelope(json)?;
        let body = match known(&head.kind, json) {
            Some(body) => body,
            None => Body::Other(other(head.kind, json)?),
        };
        Ok(Self { envelope, body })
    }
}

fn envelope(json: &[u8]) -> Result<Envelope, ReadEventError> {
    use serde_json::Value;
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Loose {
        id: Value,
        seq: Value,
        timestamp: Value,
        ts_ms: Value,
        trace_id: Value,
        session_id: Value,
    }
    let loose: Loose = serde_json::from_slice(json).map_err(ReadEventError)?;
    let text = |value: Value| value.as_str().map(str::to_owned);
    let stamp = loose.timestamp.as_u64().map(|stamp| {
        if stamp >= MILLISECONDS {
            stamp
        } else {
            stamp.saturating_mul(1000)
        }
    });
    Ok(Envelope {
        id: text(loose.id),
        seq: loose.seq.as_u64(),
        ts_ms: loose.ts_ms.as_u64().or(stamp).unwrap_or(0),
        trace_id: text(loose.trace_id),
        session_id: text(loose.session_id),
    })
}

fn known(kind: &str, json: &[u8]) -> Option<Body> {
    fn read<T: DeserializeOwned>(json: &[u8], body: fn(T) -> Body) -> Option<Body> {
        serde_json::from_slice(json).ok().map(body)
    }
    match kind {
        "session" => read(json, Body::Session),
        "intent_analysis" => read(json, Body::IntentAnalysis),
        "healing" => read(json, Body::Healing),
        "status" => read(json, Body::Status),
        "interactive_healing_request" => {
            read(json, |body| Body::InteractiveHealingRequest(Box::new(body)))
        }
        "interactive_healing_result" => read(json, Body::InteractiveHealingResult),
        "gap" => read(json, Body::Gap),
        "replay_complete" => read(json, Body::ReplayComplete),
        "heartbeat" => read(json, Body::Heartbeat),
        "result" => read(json, Body::Result),
        "error" => error(json).map(Body::Error),
        _ => None,
    }
}

/// An `error` is terminal whatever it carries, so it is never read as something else.
fn error(json: &[u8]) -> Option<ErrorBody> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Words {
        status: Option<u16>,
        code: Option<String>,
        message: Option<String>,
    }
    let problem = Stream::default()
        .recover(json)
        .or_else(|_unreadable| aon_core::ProblemDetails::from_slice(b"{}"))
        .ok()?;
    let words: Words = serde_json::from_slice(json).unwrap_or_default();
    let status = words
        .status
        .or_else(|| problem.status().map(aon_core::Status::as_u16));
    let code = words
        .code
        .or_else(|| problem.code().map(|code| code.as_str().to_owned()));
    let message = words
        .message
        .or_else(|| problem.detail().map(str::to_owned))
        .or_else(|| problem.title().map(str::to_owned));
    Some(ErrorBody {
        status: status.unwrap_or(500),
        code: code.unwrap_or_else(|| "internal".to_owned()),
        message: message.unwrap_or_else(|| "The call failed".to_owned()),
        problem,
    })
}

fn other(kind: String, json: &[u8]) -> Result<Other, ReadEventError> {
    let mut members: Members = serde_json::from_slice(json).map_err(ReadEventError)?;
    for name in ENVELOPE {
        members.remove(*name);
    }
    Ok(Other { kind, members })
}

impl fmt::Display for ReadEventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event is a JSON object with a string in `type`")
    }
}

impl std::error::Error for ReadEventError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}
