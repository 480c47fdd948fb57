//! Stream: the terminal `error` event with the problem whole ([S8], [L4]).
//!
//! | member | on the wire |
//! | --- | --- |
//! | all of [P1] | `problem`, as it is |
//! | `code`, `detail` or `title`, `status` | also `code`, `message`, `status` of the event |
//! | of the session | `timestamp`, `ts_ms`, `trace_id`, `session_id`, `seq` ([L3]), given by the caller |
//!
//! Nothing is lost.
//!
//! [S8]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s8
//! [L4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l4
//! [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1
//! [L3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l3

use aon_core::json::ObjectWriter;
use aon_core::{Parts, ProblemDetails};

use super::{Call, RecoverError, Surface, raw};

/// What the session knows about one of its events ([L3]).
///
/// [L3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l3
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "L3 lists the members; whoever emits an event must have them all"
)]
pub struct EventContext<'a> {
    /// Unix time in milliseconds; `timestamp` is its seconds.
    pub ts_ms: u64,
    /// W3C trace id, 32 hexadecimal digits.
    pub trace_id: &'a str,
    /// The session.
    pub session_id: &'a str,
    /// The number of the event in its session, from 1.
    pub seq: u64,
}

impl EventContext<'static> {
    /// No session: for showing what an event looks like.
    pub const NEUTRAL: Self = Self {
        ts_ms: 0,
        trace_id: "00000000000000000000000000000000",
        session_id: "none",
        seq: 1,
    };
}

/// The stream surface: one JSON object, without the line end.
///
/// # Examples
///
/// ```
/// use aon::surface::stream::{EventContext, Stream};
/// use aon::surface::{Call, Surface};
/// use aon::{Code, ProblemDetails, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(503), Code::from_static("db_unreachable"));
/// let event = Stream::new(EventContext { ts_ms: 1_715_432_000_250, seq: 9, ..EventContext::NEUTRAL });
/// let mut out = Vec::new();
/// event.project(&problem, &Call::default(), &mut out);
/// assert!(out.starts_with(br#"{"type":"error","timestamp":1715432000,"ts_ms":1715432000250,"#));
/// assert_eq!(event.recover(&out)?, problem);
/// # Ok::<(), aon::surface::RecoverError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    context: EventContext<'a>,
}

impl<'a> Stream<'a> {
    /// The surface inside a session.
    pub const fn new(context: EventContext<'a>) -> Self {
        Self { context }
    }
}

impl Default for Stream<'static> {
    fn default() -> Self {
        Self::new(EventContext::NEUTRAL)
    }
}

impl Surface for Stream<'_> {
    fn name(&self) -> &'static str {
        "stream"
    }

    fn project(&self, problem: &ProblemDetails, _call: &Call<'_>, out: &mut Vec<u8>) {
        let EventContext {
            ts_ms,
            trace_id,
            session_id,
            seq,
        } = self.context;
        let Parts {
            type_uri: _,
            title,
            status,
            detail,
            instance: _,
            code,
            request_id: _,
            valid_values: _,
            remediation: _,
            docs_url: _,
            mcp_tool: _,
            a2a_skill: _,
            extensions: _,
        } = problem.parts();
        out.reserve(1024);
        let mut event = ObjectWriter::begin(out);
        event.string("type", "error");
        event.number("timestamp", ts_ms / 1000);
        event.number("ts_ms", ts_ms);
        event.string("trace_id", trace_id);
        event.string("session_id", session_id);
        event.number("seq", seq);
        event.number(
            "status",
            status.map_or(500, |status| u64::from(status.as_u16())),
        );
        event.string("code", code.map_or("internal", aon_core::Code::as_str));
        let phrase = status.map_or("The call failed", aon_core::Status::phrase);
        event.string("message", detail.or(title).unwrap_or(phrase));
        problem.write(event.key("problem"));
        event.end();
    }

    fn recover(&self, wire: &[u8]) -> Result<ProblemDetails, RecoverError> {
        let expected = || RecoverError::new("an event of type error is expected");
        let members = raw::members(raw::document(wire)?).ok_or_else(expected)?;
        let text = |name| raw::find(&members, name).and_then(raw::text);
        if text("type").as_deref() != Some("error") {
            return Err(expected());
        }
        if let Some(problem) = raw::find(&members, "problem") {
            return ProblemDetails::from_slice(problem.as_bytes()).map_err(RecoverError::read);
        }
        // A peer that sends only what the specification demands.
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        if let Some(status) = raw::find(&members, "status") {
            object.raw("status", status);
        }
        if let Some(message) = text("message") {
            object.string("detail", &message);
        }
        if let Some(code) = text("code") {
            object.string("code", &code.to_lowercase());
        }
        object.end();
        ProblemDetails::from_slice(&json).map_err(RecoverError::read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_without_the_problem_is_read_by_its_words() {
        let wire = br#"{"type":"error","code":"DB_UNREACHABLE","message":"All retries exhausted.","trace_id":"t"}"#;
        assert_eq!(
            Stream::default().recover(wire).unwrap().to_string(),
            r#"{"detail":"All retries exhausted.","code":"db_unreachable"}"#
        );
        for other in [
            "",
            "{}",
            "[]",
            r#"{"type":"result"}"#,
            r#"{"type":"error","problem":5}"#,
        ] {
            assert!(
                Stream::default().recover(other.as_bytes()).is_err(),
                "{other}"
            );
        }
    }

    #[test]
    fn an_empty_problem_still_has_a_code_and_a_message() {
        let empty = ProblemDetails::from_slice(b"{}").unwrap();
        let mut out = Vec::new();
        Stream::default().project(&empty, &Call::default(), &mut out);
        let wire: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(wire["code"], "internal");
        assert_eq!(wire["message"], "The call failed");
        assert_eq!(Stream::default().recover(&out).unwrap(), empty);
    }
}
