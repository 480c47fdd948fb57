//! Writing an event as JSON; the one door where secrets are taken out ([L9]).
//!
//! [L9]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l9

use aon_core::json::ObjectWriter;
use aon_core::redact;
use serde::Serialize;

use super::{Body, Event};

/// What stands at the head of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header<'a> {
    pub(crate) kind: &'a str,
    pub(crate) id: Option<&'a str>,
    pub(crate) seq: Option<u64>,
    pub(crate) ts_ms: u64,
    pub(crate) trace_id: Option<&'a str>,
    pub(crate) session_id: Option<&'a str>,
}

/// Opens the object with the members of the envelope; [`write_body`] goes on, and the caller closes it.
pub(crate) fn write_header(out: &mut Vec<u8>, header: &Header<'_>) {
    let mut object = ObjectWriter::begin(out);
    object.string("type", header.kind);
    if let Some(id) = header.id {
        object.string("id", id);
    }
    if let Some(seq) = header.seq {
        object.number("seq", seq);
    }
    object.number("timestamp", header.ts_ms / 1000);
    object.number("ts_ms", header.ts_ms);
    if let Some(trace_id) = header.trace_id {
        object.string("trace_id", trace_id);
    }
    if let Some(session_id) = header.session_id {
        object.string("session_id", session_id);
    }
}

/// Writes the members of a body into an object that has members already, without secrets. `result.data` is the
/// program's own answer and stays as it is.
pub(crate) fn write_body(out: &mut Vec<u8>, body: &Body) {
    let mut object = ObjectWriter::resume(out);
    match body {
        Body::IntentAnalysis(intent) => {
            if !intent.original_intent.is_empty() {
                object.string("original_intent", &redact::text(&intent.original_intent));
            }
            optional(
                &mut object,
                "detected_issue",
                intent.detected_issue.as_deref(),
            );
            optional(&mut object, "decision", intent.decision.as_deref());
        }
        Body::Healing(healing) => {
            object.string("severity", healing.severity.as_str());
            object.string("action", &redact::text(&healing.action));
            optional(&mut object, "description", healing.description.as_deref());
            if !healing.metadata.is_empty() {
                clean(&mut object, "metadata", &healing.metadata);
            }
        }
        Body::Status(status) => {
            object.string("message", &redact::text(&status.message));
            if let Some(delay) = status.estimated_delay_ms {
                object.number("estimated_delay_ms", delay);
            }
            optional(&mut object, "phase", status.phase.as_deref());
            if let Some(progress) = status.progress {
                object.value("progress", &progress);
            }
            if let Some(dropped) = status.dropped {
                object.number("dropped", dropped);
            }
            if let Some(last) = status.last_seq {
                object.number("last_seq", last);
            }
            if let Some(durability) = &status.durability {
                object.string("durability", durability);
            }
        }
        Body::Result(result) => {
            object.number("status", u64::from(result.status));
            optional(&mut object, "content_type", result.content_type.as_deref());
            optional(&mut object, "encoding", result.encoding.as_deref());
            object.raw("data", result.data.get());
        }
        Body::Error(error) => {
            object.number("status", u64::from(error.status));
            object.string("code", &error.code);
            object.string("message", &redact::text(&error.message));
            let problem = error.problem.to_string();
            object.raw("problem", &redact::json_text(&problem));
        }
        Body::Other(other) => {
            for (name, value) in &other.members {
                clean(&mut object, &redact::text(name), value);
            }
        }
        Body::InteractiveHealingRequest(request) => {
            let mut rest = (**request).clone();
            address(&mut object, "request_id", Some(&rest.request_id));
            let (url, base) = (rest.patch_url.take(), rest.base_hash.take());
            rest.request_id.clear();
            members(out, &rest, true);
            let mut object = ObjectWriter::resume(out);
            address(&mut object, "patch_url", url.as_deref());
            address(&mut object, "base_hash", base.as_deref());
        }
        Body::InteractiveHealingResult(result) => {
            address(&mut object, "request_id", Some(&result.request_id));
            object.string("outcome", &redact::text(&result.outcome));
            if !result.paths.is_empty() {
                clean(&mut object, "paths", &result.paths);
            }
        }
        // Made by the hub out of nothing but ids, numbers and its own addresses.
        Body::Session(opened) => members(out, opened, false),
        Body::Gap(gap) => members(out, gap, false),
        Body::ReplayComplete(complete) => members(out, complete, false),
        Body::Heartbeat(heartbeat) => members(out, heartbeat, false),
    }
}

fn optional(object: &mut ObjectWriter<'_>, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        object.string(name, &redact::text(text));
    }
}

/// What an answer is sent to: ids that were drawn at random stay as they are, wherever they stand.
fn address(object: &mut ObjectWriter<'_>, name: &str, text: Option<&str>) {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return;
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/:._-".contains(&byte);
    if text.bytes().all(plain) {
        object.string(name, text);
    } else {
        object.string(name, &redact::text(text));
    }
}

/// A value of the program's, without secrets; one that has no JSON form says so.
pub(crate) fn clean<T: Serialize + ?Sized>(object: &mut ObjectWriter<'_>, name: &str, value: &T) {
    // Secrets are known by their names too, so the value is looked at under its own.
    match serde_json::to_string(value) {
        Ok(text) => object.raw(name, &redact::json_text(&text)),
        Err(error) => object.display(name, format_args!("[no JSON form: {error}]")),
    }
}

/// All members of a struct.
fn members<T: Serialize>(out: &mut Vec<u8>, value: &T, redacted: bool) {
    let Ok(text) = serde_json::to_string(value) else {
        return;
    };
    let text = if redacted {
        redact::json_text(&text)
    } else {
        text.as_str().into()
    };
    let inside = text.trim_start_matches('{').trim_end();
    let inside = inside.strip_suffix('}').unwrap_or(inside);
    if !inside.is_empty() {
        out.push(b',');
        out.extend_from_slice(inside.as_bytes());
    }
}

impl Event {
    /// The event as one JSON object, without the line end.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        write_header(
            &mut out,
            &Header {
                kind: self.kind(),
                id: self.envelope.id.as_deref(),
                seq: self.envelope.seq,
                ts_ms: self.envelope.ts_ms,
                trace_id: self.envelope.trace_id.as_deref(),
                session_id: self.envelope.session_id.as_deref(),
            },
        );
        write_body(&mut out, &self.body);
        out.push(b'}');
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_read_as_it_was_written() {
        let head = r#""id":"0000000a-3","seq":3,"timestamp":1715432000,"ts_ms":1715432000250,"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","session_id":"s""#;
        let bodies = [
            r#""type":"session",HEAD,"version":1,"durability":"memory","sse_url":"/a","ws_url":"/b","patch_url":"/c","state_url":"/d","expires_at":5"#,
            r#""type":"intent_analysis",HEAD,"original_intent":"create_user","detected_issue":"invalid_schema","decision":"map""#,
            r#""type":"healing",HEAD,"severity":"medium","action":"refresh_token","description":"d","metadata":{"attempt":1}"#,
            r#""type":"status",HEAD,"message":"m","estimated_delay_ms":200,"progress":0.5"#,
            r#""type":"interactive_healing_request",HEAD,"request_id":"r","error":{"code":"schema_mismatch"},"allowedPatchPaths":["/userId"]"#,
            r#""type":"interactive_healing_result",HEAD,"request_id":"r","outcome":"accepted","paths":["/userId"]"#,
            r#""type":"gap",HEAD,"requested":"0000000a-1","oldest":5,"newest":9,"reason":"evicted""#,
            r#""type":"replay_complete",HEAD,"last_seq":9"#,
            r#""type":"heartbeat",HEAD,"ts":1715432000250,"uptimeMs":12"#,
            r#""type":"result",HEAD,"status":201,"data":{"b": 12345678901234567890123,"a":[1.0]}"#,
            r#""type":"error",HEAD,"status":503,"code":"db_unreachable","message":"gone","problem":{"status":503,"detail":"gone","code":"db_unreachable"}"#,
            r#""type":"lesson",HEAD,"data":{"lessonId":"l1","type":"PAUSE"}"#,
        ];
        for body in bodies {
            let wire = format!("{{{}}}", body.replace("HEAD", head));
            let event = Event::from_slice(wire.as_bytes()).unwrap();
            assert_eq!(event.to_string(), wire);
            assert_eq!(
                matches!(event.body, Body::Other(_)),
                event.kind() == "lesson"
            );
            let again: Event =
                serde_json::from_str(&serde_json::to_string(&event).unwrap()).unwrap();
            assert_eq!(again.to_string(), wire);
        }
    }

    #[test]
    fn what_is_not_known_is_kept_and_what_is_malformed_is_refused() {
        for wire in [
            r#"{"type":"status","severity":"none of these"}"#,
            r#"{"type":"healing","severity":"awful","action":"a"}"#,
            r#"{"type":"x","seq":"seven","id":5,"timestamp":null,"ts_ms":[]}"#,
        ] {
            let event = Event::from_slice(wire.as_bytes()).unwrap();
            assert!(matches!(event.body, Body::Other(_)), "{wire}");
        }
        for wire in [
            "",
            "[]",
            "{}",
            r#"{"type":5}"#,
            "nonsense",
            "{\"type\":\"x\"",
        ] {
            assert!(Event::from_slice(wire.as_bytes()).is_err(), "{wire}");
        }
        let error = Event::from_slice(br#"{"type":"error","problem":7}"#).unwrap();
        assert!(error.is_terminal());
    }

    #[test]
    fn seconds_and_milliseconds_are_told_apart() {
        let at = |wire: &str| Event::from_slice(wire.as_bytes()).unwrap().envelope.ts_ms;
        assert_eq!(
            at(r#"{"type":"x","timestamp":1715432000}"#),
            1_715_432_000_000
        );
        assert_eq!(
            at(r#"{"type":"x","timestamp":1715432000123}"#),
            1_715_432_000_123
        );
        assert_eq!(
            at(r#"{"type":"x","timestamp":1715432000,"ts_ms":1715432000007}"#),
            1_715_432_000_007
        );
    }

    #[test]
    fn a_secret_leaves_through_no_member() {
        let wire = r#"{"type":"healing","severity":"low","action":"use token=hunter2secret","description":"postgres://app:hunter2secret@db/main","metadata":{"password":"hunter2secret","note":{"api_key":"hunter2secret"}}}"#;
        let event = Event::from_slice(wire.as_bytes()).unwrap();
        assert!(!event.to_string().contains("hunter2secret"), "{event}");
    }
}
