//! A problem that passed the door, as the head and body of an HTTP response ([S2]).
//!
//! [S2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s2

use aon_core::{Entry, ProblemDetails};
use axum_core::body::Body;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::response::Parts;
use http::{Response, StatusCode};

use super::form::Form;
use crate::surface::{human, rest};

/// `x-request-id`.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Puts a problem in the place of what the response held; headers about that go, others stay.
pub(super) fn write(
    mut parts: Parts,
    problem: &ProblemDetails,
    form: Form,
    brand: Option<&human::Brand>,
    head: bool,
) -> Response<Body> {
    if let Some(status) = problem.status() {
        parts.status = StatusCode::from_u16(status.as_u16()).unwrap_or(parts.status);
    }
    let headers = &mut parts.headers;
    for replaced in [
        header::CONTENT_LENGTH,
        header::CONTENT_ENCODING,
        header::CONTENT_RANGE,
        header::TRANSFER_ENCODING,
        header::ETAG,
        header::LAST_MODIFIED,
        header::TRAILER,
    ] {
        headers.remove(replaced);
    }
    set_headers(problem, headers);
    set_id(problem.request_id().unwrap_or_default(), headers);
    headers.insert(header::CONTENT_TYPE, media_type(form));
    let body = match form {
        Form::Json => problem.to_vec(),
        Form::Html => {
            headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
            let no_sniffing = HeaderValue::from_static("nosniff");
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, no_sniffing);
            human::branded(problem, brand).into_bytes()
        }
    };
    // HEAD has the headers of GET, and nothing else.
    let body = if head {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
        Body::empty()
    } else {
        Body::from(body)
    };
    Response::from_parts(parts, body)
}

/// A response of JSON that is written already, with the headers that follow from the entry.
pub(super) fn of_json(entry: &Entry, id: &str, body: Vec<u8>) -> Response<Body> {
    let mut headers = HeaderMap::with_capacity(6);
    headers.insert(header::CONTENT_TYPE, media_type(Form::Json));
    let delay = entry.retry_after.map(|seconds| seconds.min(86_400));
    if let Some(seconds) = delay.or_else(|| rest::unknown_delay(entry.status)) {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(url) = entry.docs_url {
        let link = format!("<{url}>; rel=\"help\"");
        if url.is_ascii()
            && let Ok(link) = HeaderValue::try_from(link)
        {
            headers.insert(header::LINK, link);
        } else {
            set_headers(&entry.to_problem(), &mut headers);
        }
    }
    set_id(id, &mut headers);
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(entry.status).unwrap_or_default();
    *response.headers_mut() = headers;
    response
}

/// Whether the headers follow from the entry alone.
pub(super) fn is_plain(entry: &Entry) -> bool {
    entry.json.is_some()
        && !matches!(entry.status, 401 | 403 | 405 | 415)
        && !entry.retry_after_varies
        && entry.challenge.is_none()
}

/// Adds `Accept` to `Vary`, once.
pub(super) fn vary_on_accept(headers: &mut HeaderMap) {
    let there = headers.get_all(header::VARY).iter().any(|value| {
        value.to_str().is_ok_and(|value| {
            value.split(',').any(|name| {
                matches!(name.trim(), "*") || name.trim().eq_ignore_ascii_case("accept")
            })
        })
    });
    if !there {
        headers.append(header::VARY, HeaderValue::from_static("accept"));
    }
}

/// Sets what the problem lowers to, where the header is not there already.
fn set_headers(problem: &ProblemDetails, headers: &mut HeaderMap) {
    for (name, value) in rest::headers(problem) {
        let name = HeaderName::from_static(name);
        // Nothing to allow means that nothing is known here; a router around this may know.
        if !value.is_empty()
            && let Ok(value) = HeaderValue::try_from(value)
            && !headers.contains_key(&name)
        {
            headers.insert(name, value);
        }
    }
}

pub(super) fn set_id(id: &str, headers: &mut HeaderMap) {
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
}

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
);

pub(super) fn media_type(form: Form) -> HeaderValue {
    HeaderValue::from_static(match form {
        Form::Json => rest::MEDIA_TYPE,
        Form::Html => "text/html; charset=utf-8",
    })
}
