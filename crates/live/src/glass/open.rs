//! The glass box: when the stream starts, and what happens before.
//!
//! The stream starts with the first event the handler publishes, with its success, or when it has waited for a moment
//! after its body was read. Until then nothing was promised, so a refusal is a plain response with its real status.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use aon::door::{Scope, Ticket};
use aon_core::ProblemDetails;
use axum::body::{Body, to_bytes};
use axum::response::IntoResponse as _;
use futures_util::FutureExt as _;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, Response, StatusCode};

use super::caught::{Answer, Caught};
use super::upload::Upload;
use super::{OnDisconnect, REQUEST_ID, Rules, SESSION, driver, stamp, stamp_trace};
use crate::accept::{Mode, NDJSON, SSE};
use crate::channel::feed::Feed;
use crate::fault::Fault;
use crate::hub::Hub;
use crate::hub::live::Live;
use crate::outcome::{self, media_type};
use crate::session::Session;

/// The largest refusal that is looked into.
const LARGEST_REFUSAL: usize = 64 * 1024;

/// What is known about a request before it starts.
pub(super) struct Start {
    pub(super) hub: Hub,
    pub(super) rules: Rules,
    pub(super) on_disconnect: OnDisconnect,
    /// The scope of the request: that of the layer around, where there is one.
    pub(super) scope: Scope,
    pub(super) layered: bool,
    /// The types of the stream, where it is server-sent events.
    pub(super) sse: Option<&'static [&'static str]>,
    /// Whether the router knew the path.
    pub(super) matched: bool,
}

/// Marks a response as a refusal that came before the work: an extractor of your own puts it into the extensions of its
/// rejection, and the rejection stays plain HTTP in both modes.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a marker has no fields")]
pub struct Refusal;

pub(super) async fn open<F>(
    inner: Pin<Box<F>>,
    session: Session,
    upload: Arc<Upload>,
    start: Start,
) -> Response<Body>
where
    F: Future<Output = Result<Response<Body>, Infallible>> + Send + 'static,
{
    let mut unstarted = Unstarted(Some(session.clone()));
    let span = crate::trace::span(&session);
    let mut inner = Caught { inner, span };
    let early = tokio::select! {
        biased;
        answer = &mut inner => Some(answer),
        () = session.begun() => None,
        () = upload.settled(start.rules.settle) => None,
    };
    let answer = match early {
        Some(Ok(response)) if !session.has_begun() => {
            match refused(response, &start).await {
                Ok(mut plain) => {
                    // It is not a stream, whatever was asked for.
                    stamp(plain.headers_mut(), Mode::BlackBox);
                    return plain;
                }
                Err(response) => Some(Ok(response)),
            }
        }
        early => early,
    };
    session.begin();
    let Some(live) = session.live() else {
        return Fault::TooManySessions.into_response();
    };
    // From here on the end is somebody else's to tell.
    unstarted.0 = None;
    if let Some(answer) = answer {
        end(answer, live, start.scope.clone());
    } else {
        let limit = start.rules.time_limit;
        let work = driver::drive(
            inner,
            driver::Unfinished(Arc::clone(live)),
            start.scope.clone(),
            limit,
        );
        tokio::spawn(work);
    }
    let feed = Feed::responder(&start.hub, live, start.on_disconnect);
    let feed = feed.seen_by(live.owner.as_ref());
    let (feed, media) = match start.sse {
        Some(types) => (feed.sse_of(types), SSE),
        None => (feed, NDJSON),
    };
    let mut response = Response::new(feed.into_body());
    stream_headers(response.headers_mut(), media);
    let address = start.hub.address(live.origin.session, "");
    if let Ok(address) = HeaderValue::from_str(&address) {
        response.headers_mut().insert(SESSION, address);
    }
    stamp(response.headers_mut(), Mode::GlassBox);
    stamp_trace(response.headers_mut(), live.origin.trace);
    if let Ok(id) = HeaderValue::from_str(start.scope.request_id()) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Ends a session that was opened from elsewhere (a task, a blocking call) while its request was dropped.
struct Unstarted(Option<Session>);

impl Drop for Unstarted {
    fn drop(&mut self) {
        if let Some(live) = self.0.as_ref().and_then(Session::live) {
            live.fail(&Fault::Abandoned);
        }
    }
}

/// Ends a session whose handler is done. Its body is there in most cases, and then nobody has to wait.
fn end(answer: Answer, live: &Arc<Live>, scope: Scope) {
    let unfinished = driver::Unfinished(Arc::clone(live));
    let live = Arc::clone(live);
    let mut end = Box::pin(async move {
        driver::finish(answer, &live, &scope).await;
        drop(unfinished);
    });
    if end.as_mut().now_or_never().is_none() {
        tokio::spawn(end);
    }
}

/// The headers of a stream: nobody keeps it, nobody changes it, nobody waits for more of it.
pub(crate) fn stream_headers(headers: &mut HeaderMap, media: &'static str) {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("no-store, no-transform"),
    );
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
}

/// A response that came before the work began, to be sent as it is; or an outcome of the work.
async fn refused(
    mut response: Response<Body>,
    start: &Start,
) -> Result<Response<Body>, Response<Body>> {
    let status = response.status();
    if is_stream(response.headers()) || status == StatusCode::SWITCHING_PROTOCOLS {
        return Ok(response);
    }
    if status.as_u16() < 400 {
        return Err(response);
    }
    let scope = &start.scope;
    let ticket = response.extensions_mut().remove::<Ticket>();
    if let Some(failure) = ticket.and_then(|ticket| scope.redeem(ticket)) {
        let plain = is_refusal(&response, Some(failure.problem()), start.matched);
        if plain && !start.layered {
            // Nobody around would write it.
            return Ok(failure.into_response());
        }
        response.extensions_mut().insert(scope.hold(failure));
        return if plain { Ok(response) } else { Err(response) };
    }
    let (parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, LARGEST_REFUSAL).await else {
        return Ok(Response::from_parts(parts, Body::empty()));
    };
    let problem = outcome::foreign(&parts.headers, &bytes);
    let response = Response::from_parts(parts, Body::from(bytes));
    if is_refusal(&response, problem.as_ref(), start.matched) {
        Ok(response)
    } else {
        Err(response)
    }
}

/// What the extractors of `aon` say by themselves.
const EXTRACTORS: &[&str] = &[
    "missing_field",
    "unknown_field",
    "invalid_value",
    "invalid_body",
    "invalid_json",
    "body_unreadable",
    "invalid_query",
    "invalid_path",
    "invalid_header",
];

/// Whether an answer of 400 and more, given before anything was published, refuses the request itself.
///
/// That is so for statuses that are about the request and not about the work (credentials, methods, formats, sizes,
/// rates), for what the extractors of axum and of `aon` say, for paths no route has, and for what is marked. A problem
/// of the program's own is the outcome of its work.
fn is_refusal(response: &Response<Body>, problem: Option<&ProblemDetails>, matched: bool) -> bool {
    if response.extensions().get::<Refusal>().is_some() {
        return true;
    }
    match response.status().as_u16() {
        401 | 403 | 405..=408 | 411 | 413..=415 | 417 | 421 | 426 | 428 | 429 | 431 => true,
        404 => !matched,
        400 | 422 => problem.is_none_or(|problem| {
            let code = problem.code().map_or("", aon_core::Code::as_str);
            EXTRACTORS.contains(&code)
        }),
        _ => false,
    }
}

/// A handler that streams by itself is left alone.
fn is_stream(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|kind| kind == crate::accept::SSE || kind == NDJSON)
}
