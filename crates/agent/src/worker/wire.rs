//! The messages of the worker socket (W1), one JSON object per line.
//!
//! A reader takes `type` or `method` for the operation, and finds members in `params` too, so that
//! `{"id": 1, "method": "generate", "params": {"session_id": "…", "prompt": "…"}, "timestamp": "…"}` says the same as the
//! flat form. An `id` is given back. What is written has one shape: the flat one.

use aon_core::json::ObjectWriter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fault::{Fault, Told, Unknown};

/// What a client asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Request {
    /// Creates a session. The answer has its `session_id`.
    CreateSession {
        /// What the backend may want to know.
        params: Map<String, Value>,
    },
    /// Generates text. The answer is a stream, after which the connection is closed.
    Generate {
        /// The session.
        session_id: String,
        /// The prompt.
        prompt: String,
        /// Whether the answer is a stream; with `false` it is one answer with `text`.
        #[serde(default = "yes")]
        stream: bool,
    },
    /// Ends what the session is generating, from any connection.
    Abort {
        /// The session.
        session_id: String,
    },
    /// Ends the session.
    CloseSession {
        /// The session.
        session_id: String,
    },
    /// Asks how the worker is.
    Status,
}

/// One line of a stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// Some text. Blanks count.
    Token {
        /// The text.
        text: String,
    },
    /// The end.
    Stop {
        /// Why, where it is not that everything was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<StopReason>,
    },
    /// The end, because something failed.
    Error {
        /// What, in a sentence.
        message: String,
        /// The problem whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(
            feature = "schema",
            schemars(with = "Option<aon_core::ProblemDetails>")
        )]
        problem: Option<Value>,
    },
}

/// Why a stream ended before everything was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// Somebody aborted it.
    Aborted,
    /// Somebody closed its session.
    Closed,
}

impl StopReason {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Aborted => "aborted",
            Self::Closed => "closed",
        }
    }
}

/// An answer that is not a stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Answer {
    /// Whether it worked.
    pub ok: bool,
    /// The `id` of the request, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// Why not, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why not, whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<aon_core::ProblemDetails>")
    )]
    pub problem: Option<Value>,
    /// Of `create_session`: the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Of `status`: `running`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Of `generate` without a stream: the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Anything else.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The operations.
pub const OPERATIONS: [&str; 5] = [
    "create_session",
    "generate",
    "abort",
    "close_session",
    "status",
];

/// A request as it came.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "a request and its id")]
pub struct Incoming {
    /// What to give back, if the request had an `id`.
    pub id: Option<Value>,
    /// The request, or what is wrong with it.
    pub request: Result<Request, Fault>,
    /// Whether it asks for a stream, as far as that can be seen.
    pub streams: bool,
}

impl Incoming {
    /// Reads a line.
    pub fn read(line: &[u8]) -> Self {
        let object = match object(line) {
            Ok(object) => object,
            Err(fault) => {
                return Self {
                    id: None,
                    request: Err(fault),
                    streams: false,
                };
            }
        };
        let id = object.get("id").filter(|id| !id.is_null()).cloned();
        let operation = word(&object, "type").or_else(|| word(&object, "method"));
        let streams = operation == Some("generate")
            && member(&object, "stream").is_none_or(|stream| *stream != Value::Bool(false));
        Self {
            id,
            request: request(&object, operation),
            streams,
        }
    }
}

fn object(line: &[u8]) -> Result<Map<String, Value>, Fault> {
    let text = std::str::from_utf8(line).map_err(|_invalid| Fault::InvalidUtf8)?;
    let value: Value = serde_json::from_str(text).map_err(|error| Fault::MalformedRequest {
        reason: error.to_string(),
    })?;
    match value {
        Value::Object(object) => Ok(object),
        other => Err(Fault::MalformedRequest {
            reason: format!("it is {}", kind(&other)),
        }),
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn word<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str)
}

/// A member of the request itself, or of its `params`.
fn member<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object
        .get(name)
        .or_else(|| object.get("params")?.as_object()?.get(name))
}

fn request(object: &Map<String, Value>, operation: Option<&str>) -> Result<Request, Fault> {
    let Some(operation) = operation else {
        return Err(Fault::MissingField {
            operation: "a request",
            field: "type",
            expected: "the operation",
        });
    };
    match operation {
        "create_session" => {
            let params = match object.get("params") {
                Some(Value::Object(params)) => params.clone(),
                Some(_) => return Err(invalid("create_session", "params", "an object")),
                None => return Err(missing("create_session", "params", "an object")),
            };
            Ok(Request::CreateSession { params })
        }
        "generate" => Ok(Request::Generate {
            session_id: string(object, "generate", "session_id")?,
            prompt: string(object, "generate", "prompt")?,
            stream: match member(object, "stream") {
                None | Some(Value::Null | Value::Bool(true)) => true,
                Some(Value::Bool(false)) => false,
                Some(_) => return Err(invalid("generate", "stream", "a boolean")),
            },
        }),
        "abort" => Ok(Request::Abort {
            session_id: string(object, "abort", "session_id")?,
        }),
        "close_session" => Ok(Request::CloseSession {
            session_id: string(object, "close_session", "session_id")?,
        }),
        "status" => Ok(Request::Status),
        other => Err(Fault::UnknownOperation(Unknown::new(
            "operation",
            other,
            &OPERATIONS,
        ))),
    }
}

fn string(
    object: &Map<String, Value>,
    operation: &'static str,
    field: &'static str,
) -> Result<String, Fault> {
    match member(object, field) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(invalid(operation, field, "a string")),
        None => Err(missing(operation, field, "a string")),
    }
}

const fn missing(operation: &'static str, field: &'static str, expected: &'static str) -> Fault {
    Fault::MissingField {
        operation,
        field,
        expected,
    }
}

const fn invalid(operation: &'static str, field: &'static str, expected: &'static str) -> Fault {
    Fault::InvalidField {
        operation,
        field,
        expected,
    }
}

const fn yes() -> bool {
    true
}

/// Writes `{"ok": true, …}` with what `more` adds, and the line end.
pub(crate) fn write_ok(
    out: &mut Vec<u8>,
    id: Option<&Value>,
    more: impl FnOnce(&mut ObjectWriter<'_>),
) {
    let mut object = ObjectWriter::begin(out);
    object.boolean("ok", true);
    more(&mut object);
    end(object, id);
    out.push(b'\n');
}

/// Writes `{"ok": false, …}` and the line end. Where a stream was asked for, it is its `error` event too.
pub(crate) fn write_refusal(out: &mut Vec<u8>, id: Option<&Value>, told: &Told, streams: bool) {
    let mut object = told.answer(out);
    if streams {
        object.string("type", "error");
        object.string("message", &told.words);
    }
    end(object, id);
    out.push(b'\n');
}

/// Writes a token and the line end.
pub(crate) fn write_token(out: &mut Vec<u8>, id: Option<&Value>, text: &str) {
    // Most of what is ever written, so what is always the same is only copied.
    out.extend_from_slice(br#"{"type":"token""#);
    let mut object = ObjectWriter::resume(out);
    object.string("text", text);
    end(object, id);
    out.push(b'\n');
}

/// Writes `stop` and the line end.
pub(crate) fn write_stop(out: &mut Vec<u8>, id: Option<&Value>, reason: Option<StopReason>) {
    let mut object = ObjectWriter::begin(out);
    object.string("type", "stop");
    if let Some(reason) = reason {
        object.string("reason", reason.as_str());
    }
    end(object, id);
    out.push(b'\n');
}

/// Writes `error` and the line end.
pub(crate) fn write_error(out: &mut Vec<u8>, id: Option<&Value>, told: &Told) {
    end(told.event(out), id);
    out.push(b'\n');
}

fn end(mut object: ObjectWriter<'_>, id: Option<&Value>) {
    if let Some(id) = id {
        object.value("id", id);
    }
    object.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Request, String> {
        let incoming = Incoming::read(line.as_bytes());
        incoming.request.map_err(|fault| fault.to_string())
    }

    #[test]
    fn both_shapes_say_the_same() {
        let flat = r#"{"type":"generate","session_id":"abc","prompt":" hi ","stream":true}"#;
        let named = r#"{"method":"generate","session_id":"abc","prompt":" hi "}"#;
        let later = r#"{"id":7,"method":"generate","params":{"session_id":"abc","prompt":" hi "},"timestamp":"2026-01-01T00:00:00Z"}"#;
        let request = read(flat).unwrap();
        assert_eq!(
            request,
            Request::Generate {
                session_id: "abc".to_owned(),
                prompt: " hi ".to_owned(),
                stream: true
            }
        );
        assert_eq!(read(named).unwrap(), request);
        assert_eq!(read(later).unwrap(), request);
        assert_eq!(Incoming::read(later.as_bytes()).id, Some(Value::from(7)));
        assert_eq!(read(r#"{"type":"status"}"#).unwrap(), Request::Status);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, words) in [
            ("", "not a JSON object"),
            ("[]", "it is an array"),
            ("{\"type\":\"status\"}\0", "not a JSON object"),
            ("{}", "`type`"),
            (r#"{"type":"create_session"}"#, "`params`"),
            (r#"{"type":"create_session","params":[]}"#, "an object"),
            (r#"{"type":"generate","prompt":"x"}"#, "`session_id`"),
            (r#"{"type":"generate","session_id":"x"}"#, "`prompt`"),
            (
                r#"{"type":"generate","session_id":"x","prompt":"x","stream":"yes"}"#,
                "a boolean",
            ),
            (r#"{"type":"abort","session_id":5}"#, "a string"),
            (r#"{"type":"genrate"}"#, "no operation `genrate`"),
        ] {
            let refused = read(line).unwrap_err();
            assert!(refused.contains(words), "{line}: {refused}");
        }
        assert!(Incoming::read(b"\xff").request.is_err());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut out = Vec::new();
        write_token(&mut out, None, " \"olá\"\n");
        assert_eq!(
            out,
            "{\"type\":\"token\",\"text\":\" \\\"olá\\\"\\n\"}\n".as_bytes()
        );
        let event: Event = serde_json::from_slice(&out).unwrap();
        assert_eq!(
            event,
            Event::Token {
                text: " \"olá\"\n".to_owned()
            }
        );
        out.clear();
        write_stop(&mut out, Some(&Value::from("a")), Some(StopReason::Aborted));
        assert_eq!(
            out,
            b"{\"type\":\"stop\",\"reason\":\"aborted\",\"id\":\"a\"}\n"
        );
    }
}
