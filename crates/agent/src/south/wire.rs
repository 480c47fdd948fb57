//! The messages of southbound, as the specification of the agents has them.
//!
//! Readers are lenient: the name of a method stands in `method` or `type`, its members beside it or in `params`. Writers are strict.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::fault::SouthFault;
use crate::fault::Unknown;

/// The version of the specification that is spoken; the major number has to agree.
pub const VERSION: &str = "1.0.0";

/// The longest `action_id` or `agent_id`.
const LONGEST_ID: usize = 128;

/// What an agent can be granted.
pub const CAPABILITIES: [&str; 4] = ["command.exec", "telemetry.push", "file.diff", "file.apply"];

/// Every method.
pub const METHODS: [&str; 7] = [
    "hello",
    "command.exec",
    "telemetry.push",
    "file.diff",
    "file.apply",
    "action.cancel",
    "action.state",
];

/// `hello`: who asks, and what for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "the message is the contract")]
pub struct Hello {
    /// Who it is: the name in the certificate, or the agent of the signature.
    pub agent_id: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The version of the specification, `x.y.z`; the major number has to agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What it wants to use; without it, everything it may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<String>>,
    /// When it was sent, ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
}

/// What both sides keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "the message is the contract")]
pub struct Policy {
    /// How long an action may take.
    pub timeouts: Timeouts,
    /// The largest message, in bytes.
    pub max_payload: u64,
}

/// How long an action may take, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "the message is the contract")]
pub struct Timeouts {
    /// `command.exec`.
    pub exec: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            timeouts: Timeouts { exec: 120_000 },
            max_payload: 1_048_576,
        }
    }
}

/// The answer to `hello`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "the message is the contract")]
pub struct Welcome {
    /// Always true.
    pub ok: bool,
    /// What both sides keep to.
    pub policy: Policy,
    /// The version that is spoken.
    #[serde(default)]
    pub version: String,
    /// What was granted.
    #[serde(default)]
    pub capabilities: Vec<String>,
}

/// `command.exec`: run a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "the message is the contract")]
pub struct Exec {
    /// The program, as an absolute path.
    pub command: String,
    /// Its arguments, as they are: no shell reads them.
    #[serde(default)]
    pub args: Vec<String>,
    /// How long it may take, in milliseconds; the policy has the longest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// The folder it runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Whether a person is asked for other arguments where these are not allowed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub heal: bool,
}

/// `telemetry.push`: figures and facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "the message is the contract")]
pub struct Telemetry {
    /// The facts: numbers become metrics, all of it is logged.
    pub payload: Map<String, Value>,
    /// When, ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ts: Option<String>,
}

/// `file.diff`: what would change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "the message is the contract")]
pub struct Diff {
    /// The file.
    pub path: String,
    /// What should be in it.
    pub want: String,
    /// Whether secrets are shown. A diff whose secrets are hidden does not apply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reveal: bool,
}

/// `file.apply`: change a file, exactly or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::exhaustive_structs, reason = "the message is the contract")]
pub struct Apply {
    /// The file.
    pub path: String,
    /// A unified diff of it.
    pub patch: String,
}

/// What is asked for, apart from `hello`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// `command.exec`.
    Exec(Exec),
    /// `telemetry.push`.
    Telemetry(Telemetry),
    /// `file.diff`.
    Diff(Diff),
    /// `file.apply`.
    Apply(Apply),
}

impl Action {
    /// Its method.
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Exec(_) => "command.exec",
            Self::Telemetry(_) => "telemetry.push",
            Self::Diff(_) => "file.diff",
            Self::Apply(_) => "file.apply",
        }
    }
}

/// A message that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// `hello`.
    Hello(Hello),
    /// An action with its id, and what makes two of them the same.
    Act {
        /// `action_id`.
        action_id: String,
        /// What to do.
        action: Action,
        /// The request in one spelling, to be hashed.
        canonical: String,
    },
    /// `action.cancel`: end a running action.
    Cancel {
        /// Which one.
        action_id: String,
    },
    /// `action.state`: where an action is.
    State {
        /// Which one.
        action_id: String,
    },
}

/// What stands around a message: what its answer has to repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Envelope {
    /// `id`, where the caller numbers its messages.
    pub id: Option<Value>,
    /// `action_id`.
    pub action_id: Option<String>,
}

impl Envelope {
    /// That of an action.
    pub(crate) fn with_action(action_id: &str) -> Self {
        Self {
            id: None,
            action_id: Some(action_id.to_owned()),
        }
    }

    /// What can be known of a message, whether it is valid or not.
    pub fn of(message: &Map<String, Value>) -> Self {
        let id = message
            .get("id")
            .filter(|id| id.is_string() || id.is_number());
        let params = message.get("params").and_then(Value::as_object);
        let action = message
            .get("action_id")
            .or_else(|| params?.get("action_id"))
            .and_then(Value::as_str)
            .filter(|id| good_id(id));
        Self {
            id: id.cloned(),
            action_id: action.map(str::to_owned),
        }
    }
}

/// The JSON object in a message.
///
/// # Errors
///
/// When it is not one.
pub fn object(bytes: &[u8]) -> Result<Map<String, Value>, SouthFault> {
    serde_json::from_slice(bytes).map_err(|error| SouthFault::MessageUnreadable {
        reason: format!(
            "{:?} at line {}, column {}",
            error.classify(),
            error.line(),
            error.column()
        )
        .to_lowercase(),
    })
}

/// Reads a message. `key` is the id of an action whose message has none (`Idempotency-Key`).
///
/// # Errors
///
/// When the method is unknown, or a member is missing or wrong.
pub fn read(mut message: Map<String, Value>, key: Option<&str>) -> Result<Request, SouthFault> {
    let name = message
        .remove("method")
        .or_else(|| message.get("type").cloned());
    message.remove("type");
    let expected = "must be the name of a method, as a string";
    let method = match name {
        Some(Value::String(method)) => method,
        Some(_) => return Err(invalid("method", expected)),
        None => return Err(missing("method", expected)),
    };
    // The outside of a message is not part of what is asked for.
    message.remove("id");
    if let Some(params) = message.remove("params") {
        let Value::Object(params) = params else {
            return Err(invalid("params", "must be an object"));
        };
        message.extend(params);
    }
    // A member that is `null` is not there.
    message.retain(|_, value| !value.is_null());
    if method == "hello" {
        let hello: Hello = members(&message)?;
        return if good_id(&hello.agent_id) {
            Ok(Request::Hello(hello))
        } else {
            Err(invalid("agent_id", "must be 1 to 128 visible characters"))
        };
    }
    if !METHODS.contains(&method.as_str()) {
        let unknown = Unknown::new("method", &method, &METHODS);
        return Err(SouthFault::UnknownOperation(unknown));
    }
    // When it was sent and whether its events are shown changes nothing about what is done.
    message.remove("timestamp");
    message.remove("stream");
    let action_id = match (message.remove("action_id"), key) {
        (Some(Value::String(id)), Some(key)) if id != key => {
            return Err(invalid(
                "action_id",
                "must be equal to the header Idempotency-Key",
            ));
        }
        (Some(Value::String(id)), _) => id,
        (None, Some(key)) => key.to_owned(),
        (Some(_), _) => return Err(invalid("action_id", ACTION_ID)),
        (None, None) => return Err(missing("action_id", ACTION_ID)),
    };
    if !good_id(&action_id) {
        return Err(invalid("action_id", "must be 1 to 128 visible characters"));
    }
    let mut canonical = method.clone();
    write_sorted(&mut canonical, &Value::Object(message.clone()));
    let action = match method.as_str() {
        "action.cancel" => return Ok(Request::Cancel { action_id }),
        "action.state" => return Ok(Request::State { action_id }),
        "command.exec" => {
            let exec: Exec = members(&message)?;
            if exec.timeout == Some(0) {
                return Err(invalid("timeout", "must be at least 1 millisecond"));
            }
            Action::Exec(exec)
        }
        "telemetry.push" => Action::Telemetry(members(&message)?),
        "file.diff" => Action::Diff(members(&message)?),
        _ => Action::Apply(members(&message)?),
    };
    Ok(Request::Act {
        action_id,
        action,
        canonical,
    })
}

fn members<T: serde::de::DeserializeOwned>(message: &Map<String, Value>) -> Result<T, SouthFault> {
    let read = |message: &Map<String, Value>| {
        let read = serde_json::from_value(Value::Object(message.clone()));
        read.map_err(|error: serde_json::Error| error.to_string())
    };
    read(message).map_err(|words| {
        if words.starts_with("missing field") {
            let member = words.split('`').nth(1).unwrap_or("message");
            return missing(member, "is required for this method");
        }
        // The wrong member is the one without which serde says something else.
        let is_wrong = |name: &&String| {
            let mut others = message.clone();
            others.remove(*name);
            read(&others).map(|_: T| ()) != Err(words.clone())
        };
        let member = message.keys().find(is_wrong);
        // What serde says has the expected type, and may repeat a value: that is redacted at the door and short here.
        let words = aon_core::redact::echo(&words).to_string();
        let member = member.map_or("message", String::as_str);
        invalid(member, &format!("has the wrong type ({words})"))
    })
}

/// What an `action_id` is.
const ACTION_ID: &str = "must be a string, new for every action";

fn missing(member: &str, expected: &str) -> SouthFault {
    SouthFault::MemberMissing {
        member: member.to_owned(),
        expected: expected.to_owned(),
    }
}

fn invalid(member: &str, expected: &str) -> SouthFault {
    SouthFault::MessageInvalid {
        member: member.to_owned(),
        expected: expected.to_owned(),
    }
}

/// Visible, without spaces, not too long.
pub(crate) fn good_id(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

/// JSON with the members of every object in one order.
fn write_sorted(to: &mut String, value: &Value) {
    match value {
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort_unstable();
            to.push('{');
            for name in names {
                to.push_str(&Value::String(name.clone()).to_string());
                to.push(':');
                write_sorted(to, &members[name]);
                to.push(',');
            }
            to.push('}');
        }
        Value::Array(items) => {
            to.push('[');
            for item in items {
                write_sorted(to, item);
                to.push(',');
            }
            to.push(']');
        }
        other => to.push_str(&other.to_string()),
    }
}

/// Whether two versions can talk: the major number decides.
///
/// # Errors
///
/// When it is another one, or not a version.
pub fn agree(version: Option<&str>) -> Result<(), SouthFault> {
    let major = |version: &str| {
        version
            .trim_start_matches('v')
            .split('.')
            .next()?
            .parse()
            .ok()
    };
    let own: u64 = major(VERSION).unwrap_or(1);
    match version {
        Some(version) if major(version) != Some(own) => Err(SouthFault::UnsupportedVersion {
            version: aon_core::redact::echo(version).to_string(),
            major: own,
        }),
        _ => Ok(()),
    }
}
