//! Failures that keep their own words: without secrets (L9), and byte for byte where there are none.

use std::borrow::Cow;

use aon::axum::ProblemLayer;
use aon::redact;
use http::{HeaderMap, Response};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::desk::Head;
use super::wire::{self, Body, Held};

/// So much of a failure is read.
const SMALL: usize = 64 * 1024;

/// A text or a JSON document without its secrets; `None` when it may go as it is.
pub(super) fn bytes(all: &[u8]) -> Option<Vec<u8>> {
    match redact::json_text(&String::from_utf8_lossy(all)) {
        Cow::Borrowed(_) => None,
        Cow::Owned(hidden) => Some(hidden.into_bytes()),
    }
}

/// A failed answer of JSON-RPC without its secrets, whatever it answers; `None` when it may go as it is.
pub(super) fn answer(head: &Head<'_>) -> Option<Vec<u8>> {
    let failed = |result: &&RawValue| {
        result.get().contains("\"isError\"")
            && serde_json::from_str::<Value>(result.get())
                .is_ok_and(|result| result.get("isError") == Some(&Value::Bool(true)))
    };
    let (name, part) = match (head.error, head.result.filter(failed)) {
        (Some(error), _) => ("error", error),
        (None, Some(result)) => ("result", result),
        (None, None) => return None,
    };
    let hidden = bytes(part.get().as_bytes())?;
    let hidden = serde_json::from_slice::<Value>(&hidden).ok();
    let hidden = hidden.unwrap_or_else(|| Value::String(redact::REDACTED.to_owned()));
    let answer = json!({"jsonrpc": "2.0", "id": head.id, name: hidden});
    Some(answer.to_string().into_bytes())
}

/// Each message of a batch, or the one there is; `None` when nothing was amended.
pub(super) fn each(
    message: &[u8],
    mut judge: impl FnMut(&[u8]) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    if message.trim_ascii_start().first() != Some(&b'[') {
        return judge(message);
    }
    let items = serde_json::from_slice::<Vec<&RawValue>>(message).ok()?;
    let judged: Vec<Option<Vec<u8>>> = items
        .iter()
        .map(|item| judge(item.get().as_bytes()))
        .collect();
    if judged.iter().all(Option::is_none) {
        return None;
    }
    let parts = items.iter().zip(judged);
    let parts = parts.map(|(item, judged)| judged.unwrap_or_else(|| item.get().into()));
    Some([b"[", &*parts.collect::<Vec<_>>().join(&b','), b"]"].concat())
}

/// A response that tells of a failure in words of its own. What cannot be looked at as a whole becomes a problem by its status.
pub(super) async fn response(response: Response<Body>) -> Response<Body> {
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error())
        || is_binary(response.headers())
        || http_body::Body::is_end_stream(response.body())
    {
        return response;
    }
    let (parts, body) = response.into_parts();
    if wire::is_encoded(&parts.headers) {
        return by_status(parts, b"");
    }
    match tokio::time::timeout(wire::PATIENCE, Held::read(body, SMALL)).await {
        Ok(Ok(held)) if held.is_whole() => whole(parts, held),
        Ok(Ok(held)) => by_status(parts, &held.bytes),
        Ok(Err(_)) | Err(_) => by_status(parts, b""),
    }
}

/// A failure that was read to its end.
pub(super) fn whole(mut parts: http::response::Parts, held: Held) -> Response<Body> {
    let failed = parts.status.is_client_error() || parts.status.is_server_error();
    match bytes(&held.bytes).filter(|_| failed) {
        Some(hidden) => {
            let media = parts.headers.get(http::header::CONTENT_TYPE).cloned();
            wire::describe(&mut parts.headers, "application/json");
            match media {
                Some(media) => parts.headers.insert(http::header::CONTENT_TYPE, media),
                None => parts.headers.remove(http::header::CONTENT_TYPE),
            };
            Response::from_parts(parts, wire::full(hidden))
        }
        None => Response::from_parts(parts, held.into_body()),
    }
}

/// The problem of a status, with the words that could be read.
pub(super) fn by_status(mut parts: http::response::Parts, words: &[u8]) -> Response<Body> {
    let mut problem = ProblemLayer::new().read(&parts, "/", b"");
    let words = String::from_utf8_lossy(words);
    if !words.trim().is_empty() {
        problem = problem.with_detail(words.chars().take(1024).collect::<String>());
    }
    let problem = redact::problem(problem, redact::Policy::default());
    wire::describe(&mut parts.headers, aon::surface::rest::MEDIA_TYPE);
    Response::from_parts(parts, wire::full(problem.to_vec()))
}

/// Whether a body has no words.
fn is_binary(headers: &HeaderMap) -> bool {
    let media = wire::media_type(headers);
    ["image/", "audio/", "video/", "font/", "application/grpc"]
        .iter()
        .any(|start| media.starts_with(start))
}
