//! Where the answer of a handler becomes the terminal event: one place, for successes and failures alike.

use aon::axum::entries;
use aon::door::{Occurrence, Scope, Ticket};
use aon_core::{Code, ProblemDetails, Status as ProblemStatus};
use axum::body::{Body as HttpBody, to_bytes};
use base64::Engine as _;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::response::Parts;
use http::{HeaderMap, Response, StatusCode};
use serde_json::value::RawValue;

use crate::event::{Body, ErrorBody, ResultBody};
use crate::fault::Fault;

/// The terminal event of a response.
pub(crate) async fn of(response: Response<HttpBody>, scope: &Scope, limit: usize) -> Body {
    let (parts, body) = response.into_parts();
    match to_bytes(body, limit).await {
        Ok(bytes) => whole(&parts, &bytes, scope),
        Err(error) => {
            let too_large = std::error::Error::source(&error)
                .is_some_and(<dyn std::error::Error>::is::<http_body_util::LengthLimitError>);
            let fault = if too_large {
                Fault::ResultTooLarge
            } else {
                Fault::ResultUnreadable
            };
            failed(&fault, scope)
        }
    }
}

/// The terminal event of a response whose body is there.
pub(crate) fn whole(parts: &Parts, bytes: &Bytes, scope: &Scope) -> Body {
    if parts.status.as_u16() >= 400 {
        return error(&carried(parts, bytes, scope), scope);
    }
    let (data, content_type, encoding) = data(&parts.headers, bytes);
    Body::Result(ResultBody {
        status: parts.status.as_u16(),
        content_type,
        encoding,
        data,
    })
}

/// The terminal event of a failure of ours.
pub(crate) fn failed(fault: &Fault, scope: &Scope) -> Body {
    error(&Occurrence::of(fault), scope)
}

/// The failure of an answer: what its handler handed over, a problem somebody else wrote, or that of its status. The text of
/// any other answer is not shown, because nobody knows what is in it.
fn carried(parts: &Parts, bytes: &[u8], scope: &Scope) -> Occurrence {
    let ticket = parts.extensions.get::<Ticket>();
    if let Some(failure) = ticket.and_then(|ticket| scope.redeem(*ticket)) {
        return failure;
    }
    match foreign(&parts.headers, bytes) {
        Some(problem) => Occurrence::new(problem),
        None => Occurrence::built_in(of_status(parts.status))
            .with_cause("a handler answered with an error that is not a problem", ""),
    }
}

/// The problem in a body that says it is one.
pub(crate) fn foreign(headers: &HeaderMap, bytes: &[u8]) -> Option<ProblemDetails> {
    let is_problem = media_type(headers)
        .is_some_and(|kind| kind.eq_ignore_ascii_case(aon::surface::rest::MEDIA_TYPE));
    is_problem
        .then(|| ProblemDetails::from_slice(bytes).ok())
        .flatten()
}

fn of_status(status: StatusCode) -> ProblemDetails {
    let number = status.as_u16();
    // The general one of the status: what has a hole for something known elsewhere is not it.
    let general = |entry: &&aon_core::Entry| entry.status == number && !entry.detail.contains('{');
    entries()
        .find(general)
        .filter(|_| number != 422)
        .map_or_else(
            || {
                let status = ProblemStatus::new(number).unwrap_or(ProblemStatus::from_static(500));
                let code = match number {
                    422 => Code::from_static("unprocessable_content"),
                    400..=499 => Code::from_static("refused"),
                    _ => Code::from_static("internal"),
                };
                ProblemDetails::new(status, code)
            },
            |entry| entry.to_problem().with_detail(entry.detail),
        )
}

/// Lets a failure out through the door, as the last event.
pub(crate) fn error(failure: &Occurrence, scope: &Scope) -> Body {
    let problem = scope.pass(failure.clone(), "stream").into_problem();
    let status = problem.status();
    let code = problem.code().map_or("internal", Code::as_str).to_owned();
    let message = problem
        .detail()
        .or_else(|| problem.title())
        .unwrap_or_else(|| status.map_or("The call failed", ProblemStatus::phrase))
        .to_owned();
    Body::Error(ErrorBody {
        status: status.map_or(500, ProblemStatus::as_u16),
        code,
        message,
        problem,
    })
}

/// The body as it stands in `data`: JSON as it is, text as a string, anything else in base64.
fn data(headers: &HeaderMap, bytes: &Bytes) -> (Box<RawValue>, Option<String>, Option<String>) {
    let media = media_type(headers);
    if bytes.is_empty() {
        return (RawValue::NULL.to_owned(), None, None);
    }
    let is_json = media.is_none_or(|kind| {
        let kind = kind.to_ascii_lowercase();
        kind == "application/json" || kind.ends_with("+json")
    });
    let text = std::str::from_utf8(bytes);
    if is_json
        && let Ok(text) = text
        && let Ok(raw) = serde_json::from_str::<&RawValue>(text)
    {
        return (one_line(raw), None, None);
    }
    let media = media.map(str::to_owned);
    let (text, encoding) = match text {
        Ok(text) => (text.to_owned(), None),
        Err(_binary) => (
            base64::engine::general_purpose::STANDARD.encode(bytes),
            Some("base64".to_owned()),
        ),
    };
    let data = serde_json::value::to_raw_value(&text).unwrap_or_else(|_| RawValue::NULL.to_owned());
    (data, media, encoding)
}

/// JSON that was laid out over several lines has to stand on one: a line end between two tokens becomes a space. Inside
/// a string there is none.
fn one_line(raw: &RawValue) -> Box<RawValue> {
    let text = raw.get();
    if !text.contains(['\n', '\r']) {
        return raw.to_owned();
    }
    RawValue::from_string(text.replace(['\n', '\r'], " ")).unwrap_or_else(|_| raw.to_owned())
}

pub(crate) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or(value).trim())
}

#[cfg(test)]
mod tests {
    use aon::door::{Door, Facts};

    use super::*;

    fn outcome(status: u16, media: &str, body: &'static [u8]) -> Body {
        let response = Response::builder()
            .status(status)
            .header(CONTENT_TYPE, media)
            .body(());
        let (parts, ()) = response.unwrap().into_parts();
        let facts = Facts::new("rest").with_request_id("req-1");
        let scope = Scope::open(&Door::new(), facts);
        whole(&parts, &Bytes::from_static(body), &scope)
    }

    fn result(media: &str, body: &'static [u8]) -> ResultBody {
        let Body::Result(result) = outcome(201, media, body) else {
            panic!("a result");
        };
        result
    }

    #[test]
    fn json_stays_as_it_is_to_the_byte() {
        for body in [
            r#"{"b": 12345678901234567890123, "a": [1.0, 1e400]}"#,
            "0",
            "false",
            "null",
            "\"\"",
            "[]",
        ] {
            let result = result("application/json", body.as_bytes());
            assert_eq!(result.data.get(), body);
            assert_eq!((result.status, result.content_type), (201, None));
        }
        let pretty = result(
            "application/json; charset=utf-8",
            b"{\n  \"a\": \"x\\ny\"\r\n}",
        );
        assert_eq!(pretty.data.get(), "{   \"a\": \"x\\ny\"  }");
    }

    #[test]
    fn what_is_not_json_says_what_it_is() {
        let text = result("text/plain; charset=utf-8", b"two\nlines");
        assert_eq!(text.data.get(), r#""two\nlines""#);
        assert_eq!(text.content_type.as_deref(), Some("text/plain"));
        let binary = result("image/png", &[0xff, 0xfe]);
        assert_eq!(
            (binary.data.get(), binary.encoding.as_deref()),
            (r#""//4=""#, Some("base64"))
        );
        assert_eq!(
            result("application/json", b"{broken").data.get(),
            r#""{broken""#
        );
        assert_eq!(result("application/json", b"").data.get(), "null");
    }

    #[test]
    fn a_failure_carries_the_problem_whole_or_that_of_its_status() {
        let own = br#"{"type":"acme://problem/late","title":"Late","status":503,"instance":"urn:acme:request:old","code":"late","request_id":"old","n":1}"#;
        let Body::Error(error) = outcome(503, "application/problem+json", own) else {
            panic!("a failure");
        };
        assert_eq!(
            (error.status, &*error.code, &*error.message),
            (503, "late", "Late")
        );
        assert_eq!(error.problem.to_string(), std::str::from_utf8(own).unwrap());
        for (status, code) in [
            (404, "not_found"),
            (422, "unprocessable_content"),
            (418, "refused"),
            (599, "internal"),
        ] {
            let Body::Error(error) = outcome(status, "text/plain", b"the password is hunter2")
            else {
                panic!("a failure");
            };
            assert_eq!((error.status, &*error.code), (status, code));
            assert!(!error.problem.to_string().contains("hunter2"));
        }
    }
}
