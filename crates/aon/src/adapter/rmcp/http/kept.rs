//! Whether a service keeps its events for clients that come back.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

use ::http::request::Parts;
use ::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use bytes::Bytes;
use http_body_util::Full;
use tower_service::Service;

/// What is known about it, shared by the clones of a service.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept(Arc<OnceLock<bool>>);

impl Kept {
    /// Asks once: a service without an event store refuses to go on with a stream, whatever else is set. Any other
    /// answer is taken for a store, because what is kept must be whole.
    pub(super) async fn ask<S, R>(&self, service: &mut S, like: &Parts) -> bool
    where
        S: Service<Request<Full<Bytes>>, Response = Response<R>, Error = Infallible>,
    {
        if let Some(kept) = self.0.get() {
            return *kept;
        }
        let mut question = Request::new(Full::default());
        *question.method_mut() = Method::GET;
        *question.uri_mut() = like.uri.clone();
        let headers = question.headers_mut();
        headers.clone_from(&like.headers);
        headers.remove(header::CONTENT_LENGTH);
        headers.remove(header::CONTENT_TYPE);
        for (name, value) in [
            ("accept", "text/event-stream"),
            ("last-event-id", "none"),
            ("mcp-protocol-version", "2026-07-28"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        let Ok(answer) = service.call(question).await;
        let kept = answer.status() != StatusCode::METHOD_NOT_ALLOWED;
        // Only an answer about streams is remembered: one about the caller says nothing.
        let told = !kept || answer.status().is_success();
        if told {
            return *self.0.get_or_init(|| kept);
        }
        kept
    }
}
