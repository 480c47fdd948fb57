//! An event as a client reads it: what it knows is typed, what it does not know is kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use aon::ProblemDetails;
use aon::surface::Surface as _;
use aon::surface::stream::Stream;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::wire::Fault;

/// One event, as it came: the text, and what a reader must know to go on. [`crate::Event::from_slice`] reads the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    kind: Arc<str>,
    seq: Option<u64>,
    epoch: Option<Arc<str>>,
    json: Arc<str>,
}

/// Only names and places of the members; numbers stay as they are written.
#[derive(Deserialize)]
struct Members<'a>(#[serde(borrow)] BTreeMap<Cow<'a, str>, &'a RawValue>);

impl Received {
    /// Reads the JSON of an event. `id` is what the channel says beside it, `name` its name there.
    ///
    /// # Errors
    ///
    /// When it is not a JSON object that says its type.
    pub fn read(json: &str, id: Option<&str>, name: Option<&str>) -> Result<Self, Fault> {
        let Members(members) = serde_json::from_str(json).map_err(|_not_json| Fault::NotAnEvent)?;
        let get = |name: &str| members.get(name).map(|raw| raw.get());
        let text = |name: &str| get(name).and_then(|raw| serde_json::from_str::<String>(raw).ok());
        // On SSE the name of the event is its type, also where the data has a member `type` of its own.
        let kind = name.map(str::to_owned).or_else(|| text("type"));
        let own = text("id").filter(|id| split(id).is_some());
        let parts = own.as_deref().or(id).and_then(split);
        let seq = get("seq").and_then(|raw| raw.parse().ok());
        Ok(Self {
            kind: kind.ok_or(Fault::NotAnEvent)?.into(),
            seq: seq.or_else(|| parts.map(|(_, seq)| seq)),
            epoch: text("epoch")
                .or_else(|| parts.map(|(epoch, _)| epoch.to_owned()))
                .map(Into::into),
            json: json.into(),
        })
    }

    /// Its type, such as `status`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Its number in its session. Heartbeats and the notes of a channel have none.
    pub fn seq(&self) -> Option<u64> {
        self.seq
    }

    /// The identity of the numbering it belongs to, where it says so.
    pub fn epoch(&self) -> Option<&str> {
        self.epoch.as_deref()
    }

    /// The JSON, byte for byte.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The member of this name, read as `T`; none if it is absent or is something else.
    pub fn member<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.raw(name)?).ok()
    }

    /// The JSON of the member of this name, byte for byte.
    pub fn raw(&self, name: &str) -> Option<&str> {
        let Members(members) = serde_json::from_str(&self.json).ok()?;
        members.get(name).map(|raw| raw.get())
    }

    /// The problem of an `error` event.
    pub fn problem(&self) -> Option<ProblemDetails> {
        Stream::default().recover(self.json.as_bytes()).ok()
    }

    /// Whether it is a sign of life and nothing else.
    pub fn is_heartbeat(&self) -> bool {
        match self.kind() {
            "heartbeat" => self.seq.is_none(),
            "status" => {
                self.seq.is_none()
                    && self.member::<String>("message").as_deref() == Some("heartbeat")
            }
            _ => false,
        }
    }

    /// Whether nothing may follow it.
    ///
    /// `done` ends a stream that is not one of ours, as the consumers of such streams agree; in a session it is an event
    /// like any other.
    pub fn is_terminal(&self) -> bool {
        match self.kind() {
            "result" | "error" => true,
            "done" => self.seq.is_none() && self.raw("session_id").is_none(),
            _ => false,
        }
    }
}

/// The epoch and the number of an id.
pub(super) fn split(id: &str) -> Option<(&str, u64)> {
    let (epoch, seq) = id.rsplit_once('-')?;
    Some((epoch, seq.parse().ok()?))
}
