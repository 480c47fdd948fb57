//! From an A2A error back to the problem: the envelope, or else what `ErrorInfo` says, or else the bare number.

use std::borrow::Cow;

use aon_core::json::ObjectWriter;
use aon_core::{Code, Pointer, ProblemDetails, Status, UriRef};

use super::details::{BAD_REQUEST, ERROR_INFO, HELP, REQUEST_INFO, RETRY_INFO};
use super::{Kind, Profile};
use crate::surface::envelope::{self, A2A};
use crate::surface::{RecoverError, raw};

pub(super) fn recover(wire: &[u8], profile: &Profile) -> Result<ProblemDetails, RecoverError> {
    let wire = raw::document(wire)?;
    let outer = raw::members(wire).ok_or_else(|| {
        RecoverError::new("a JSON-RPC response with an error, or an error object, is expected")
    })?;
    if envelope::is_envelope(wire, &A2A) {
        return envelope::read(wire, &A2A);
    }
    let inner = raw::find(&outer, "error").and_then(raw::members);
    let error = Bare {
        members: inner.as_ref().unwrap_or(&outer),
    };
    let entries = error.entries();
    if let Some(ours) = entries
        .iter()
        .find(|entry| envelope::is_envelope(entry, &A2A))
        .or_else(|| entries.iter().find(|entry| looks_like_a_problem(entry)))
    {
        return envelope::read(ours, &A2A);
    }
    error.rebuild(&entries, profile)
}

/// An untyped object with a member of a problem: a peer that sends RFC 9457 without a schema.
fn looks_like_a_problem(entry: &str) -> bool {
    raw::members(entry).is_some_and(|members| {
        raw::find(&members, "@type").is_none()
            && [
                "type",
                "title",
                "status",
                "detail",
                "code",
                "valid_values",
                "remediation",
            ]
            .iter()
            .any(|name| raw::find(&members, name).is_some())
    })
}

/// An error object without an envelope.
struct Bare<'a> {
    members: &'a [(Cow<'a, str>, &'a str)],
}

impl<'a> Bare<'a> {
    /// The objects in `data` (JSON-RPC) or `details` (HTTP).
    fn entries(&self) -> Vec<&'a str> {
        let data = raw::find(self.members, "data").or_else(|| raw::find(self.members, "details"));
        match data {
            Some(data) => raw::items(data).unwrap_or_else(|| vec![data]),
            None => Vec::new(),
        }
    }

    fn rebuild(&self, entries: &[&str], profile: &Profile) -> Result<ProblemDetails, RecoverError> {
        let number = raw::find(self.members, "code").and_then(|code| code.parse::<i32>().ok());
        let message = raw::find(self.members, "message").and_then(raw::text);
        if number.is_none() && message.is_none() {
            return Err(RecoverError::new("an error needs a code or a message"));
        }
        let of_type = |name: &str| {
            let wanted = name.rsplit('/').next();
            entries.iter().copied().find(|entry| {
                raw::member(entry, "@type")
                    .and_then(raw::text)
                    .is_some_and(|name| name.rsplit('/').next() == wanted)
            })
        };
        let info = of_type(ERROR_INFO).unwrap_or("{}");
        let metadata = raw::member(info, "metadata").unwrap_or("{}");
        let told = |name| raw::member(metadata, name).and_then(raw::text);
        let reason = raw::member(info, "reason").and_then(raw::text);
        let own_number = number
            .and_then(|number| u16::try_from(number).ok())
            .and_then(|number| Status::new(number).ok());
        // A name decides before a number does: numbers mean different things to different peers.
        let kind = told("kind")
            .and_then(|kind| Kind::from_word(&kind))
            .or_else(|| reason.as_deref().and_then(kind_of_reason))
            .or_else(|| number.and_then(|number| profile.kind_of_number(number)))
            .unwrap_or(Kind::Internal);
        let code = told("code")
            .or_else(|| {
                reason
                    .as_deref()
                    .map(|reason| Cow::Owned(reason.to_ascii_lowercase()))
            })
            .filter(|code| Code::parse(code.clone().into_owned()).is_ok())
            .unwrap_or(Cow::Borrowed(kind.code()));
        let status = told("status")
            .and_then(|status| Status::new(status.parse().ok()?).ok())
            .or(own_number)
            .map_or(kind.status(), Status::as_u16);
        let mut json = Vec::with_capacity(256);
        let mut object = ObjectWriter::begin(&mut json);
        if let Ok(status) = Status::new(status) {
            object.string("title", status.phrase());
        }
        object.number("status", u64::from(status));
        if let Some(message) = message {
            object.string("detail", &message);
        }
        object.string("code", &code);
        let id = told("request_id")
            .or_else(|| raw::text(raw::member(of_type(REQUEST_INFO)?, "requestId")?));
        if let Some(id) = id {
            object.string("request_id", &id);
        }
        let docs = told("docs_url").or_else(|| {
            let links = raw::items(raw::member(of_type(HELP)?, "links")?)?;
            raw::text(raw::member(links.first()?, "url")?)
        });
        if let Some(docs) = docs.filter(|docs| UriRef::parse(docs.clone().into_owned()).is_ok()) {
            object.string("docs_url", &docs);
        }
        let violations = of_type(BAD_REQUEST)
            .and_then(|entry| raw::items(raw::member(entry, "fieldViolations")?))
            .unwrap_or_default();
        if !violations.is_empty() {
            object.array("errors", violations, |out, violation| {
                let text = |name| raw::member(violation, name).and_then(raw::text);
                let mut error = ObjectWriter::begin(out);
                let pointer = pointer(&text("field").unwrap_or_default());
                error.display("pointer", pointer.to_fragment());
                if let Some(description) = text("description") {
                    error.string("detail", &description);
                }
                error.end();
            });
        }
        let delay = of_type(RETRY_INFO)
            .and_then(|entry| raw::text(raw::member(entry, "retryDelay")?))
            .and_then(|delay| seconds(&delay));
        if let Some(delay) = delay {
            object.number("retry_after", delay);
        }
        object.end();
        ProblemDetails::from_slice(&json).map_err(RecoverError::read)
    }
}

fn kind_of_reason(reason: &str) -> Option<Kind> {
    Profile::A2A_1_0
        .rules()
        .find(|rule| rule.reason() == Some(reason))
        .map(super::Rule::kind)
}

/// A protobuf JSON duration such as `30s` or `1.5s`, in whole seconds, rounded up.
fn seconds(duration: &str) -> Option<u64> {
    let number = duration.strip_suffix('s')?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole: u64 = whole.parse().ok()?;
    let more = fraction.bytes().any(|digit| digit != b'0');
    whole.checked_add(u64::from(more))
}

/// `a[0].b` as a JSON Pointer.
fn pointer(field: &str) -> Pointer {
    let tokens = field.split(['.', '[']);
    let tokens = tokens.map(|token| token.strip_suffix(']').unwrap_or(token));
    tokens.filter(|token| !token.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(wire: &str) -> ProblemDetails {
        recover(wire.as_bytes(), &Profile::A2A_1_0).unwrap()
    }

    #[test]
    fn error_info_decides_before_the_number() {
        let problem = read(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"slow down","data":[
                {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","domain":"x","metadata":{"request_id":"r1"}},
                {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"},
                {"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"d","url":"https://x/y"}]},
                {"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"a[0].b","description":"no"}]}]}}"#,
        );
        assert_eq!(
            problem.to_string(),
            r##"{"title":"Too Many Requests","status":429,"detail":"slow down","code":"rate_limit_exceeded","request_id":"r1","docs_url":"https://x/y","errors":[{"pointer":"#/a/0/b","detail":"no"}],"retry_after":2}"##
        );
    }

    #[test]
    fn a_bare_number_is_read_with_the_profile() {
        let bare = br#"{"code":-32001,"message":"m"}"#;
        let official = recover(bare, &Profile::A2A_1_0).unwrap();
        assert_eq!(official.code().unwrap().as_str(), "task_not_found");
        let ours = recover(bare, &Profile::PSPACE).unwrap();
        assert_eq!(ours.status().unwrap().as_u16(), 401);
        let unknown = recover(br#"{"code":-1,"message":"m"}"#, &Profile::PSPACE).unwrap();
        assert_eq!(unknown.status().unwrap().as_u16(), 500);
        let internal = recover(br#"{"code":-32603,"message":"m"}"#, &Profile::A2A_1_0).unwrap();
        assert_eq!(internal.code().unwrap().as_str(), "internal");
    }

    #[test]
    fn an_untyped_problem_in_data_is_taken_as_it_is() {
        let problem = read(
            r#"{"error":{"code":1,"message":"m","data":{"title":"T","status":418,"documentation_uri":"https://x"}}}"#,
        );
        assert_eq!(
            problem.to_string(),
            r#"{"title":"T","status":418,"docs_url":"https://x"}"#
        );
    }

    #[test]
    fn the_http_form_is_read_too() {
        let problem = read(
            r#"{"error":{"code":404,"status":"NOT_FOUND","message":"no task","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}"#,
        );
        assert_eq!(problem.code().unwrap().as_str(), "task_not_found");
        assert_eq!(problem.status().unwrap().as_u16(), 404);
    }

    #[test]
    fn odd_wires_end_in_an_error_or_a_problem() {
        for wire in [
            "",
            "[]",
            "{}",
            "null",
            r#"{"result":1}"#,
            r#"{"error":"x"}"#,
            r#"{"error":{"data":[1]}}"#,
        ] {
            assert!(
                recover(wire.as_bytes(), &Profile::PSPACE).is_err(),
                "{wire}"
            );
        }
        for wire in [
            r#"{"error":{"code":"x","message":"m","data":null}}"#,
            r#"{"error":{"code":-32602,"data":[[],5,{"@type":7}]}}"#,
            r#"{"error":{"code":99999999999,"message":"m"}}"#,
        ] {
            assert!(recover(wire.as_bytes(), &Profile::PSPACE).is_ok(), "{wire}");
        }
    }
}
