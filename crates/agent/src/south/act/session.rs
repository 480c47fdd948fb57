//! An action as a session of the hub: it can be watched, cancelled and healed like any other.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use aon_live::{ApplicationEvent, GlassBox, OnDisconnect, Session};
use axum::body::Body;
use axum::response::Response;
use futures_util::StreamExt as _;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderValue, Request};
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};
use tower::{Layer as _, ServiceExt as _};

use super::{Acting, How, Running, Who};
use crate::south::answer::Answer;
use crate::south::ledger::ActionKey;
use crate::south::wire::Exec;

/// A piece of output, while the command runs.
#[derive(Clone, Copy, Debug, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "the event is the contract")]
pub struct ExecLog<'a> {
    /// `stdout` or `stderr`.
    pub stream: &'a str,
    /// What came.
    pub chunk: &'a str,
}

impl ApplicationEvent for ExecLog<'_> {
    const TYPE: &'static str = "exec_log";
}

/// Who hears the lines of a session.
pub(crate) type Follower = mpsc::Sender<String>;

/// Who a request is from; the hub asks for it.
#[derive(Clone, Debug)]
pub(crate) struct From(pub(crate) Who);

impl Acting {
    /// Runs a command in a session: that of its request, or a new one.
    pub(super) async fn in_session(
        &self,
        who: &Who,
        key: &ActionKey,
        exec: Exec,
        running: Running,
        how: How,
    ) -> Answer {
        // Only a request that asked for events has a session that others can see.
        let seen = how
            .session
            .inspect(Session::begin)
            .filter(|session| session.id().is_some());
        if let Some(session) = seen {
            self.known_as(key, &session);
            return self.exec(exec, &session, &running).await;
        }
        let (tell, told) = oneshot::channel();
        let work = Arc::new(Mutex::new(Some((exec, running, tell))));
        let taken = Arc::clone(&work);
        let (this, own) = (self.clone(), key.clone());
        let service = tower::service_fn(move |request: Request<Body>| {
            let session = request
                .extensions()
                .get::<Session>()
                .cloned()
                .unwrap_or_else(Session::detached);
            let work = taken.lock().unwrap_or_else(PoisonError::into_inner).take();
            let (this, key) = (this.clone(), own.clone());
            async move {
                let Some((exec, running, tell)) = work else {
                    return Ok::<_, Infallible>(Response::default());
                };
                session.begin();
                this.known_as(&key, &session);
                let answer = this.exec(exec, &session, &running).await;
                let response = in_glass(&answer);
                // Nobody waits any more where the task was ended.
                let _gone = tell.send(answer);
                Ok(response)
            }
        });
        let glass = GlassBox::new(self.hub())
            .deadline(None)
            .on_disconnect(OnDisconnect::Continue);
        let mut request = Request::post("/southbound")
            .body(Body::empty())
            .unwrap_or_default();
        request
            .headers_mut()
            .insert(ACCEPT, HeaderValue::from_static("application/x-ndjson"));
        request.extensions_mut().insert(From(who.clone()));
        let response = glass.layer(service).oneshot(request).await;
        let Ok(response) = response;
        if let Some(follower) = how.follower {
            tokio::spawn(forward(response, follower));
        }
        // A hub without room does not keep anybody from acting: then nobody can watch.
        let refused = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((exec, running, _)) = refused {
            return self.exec(exec, &Session::detached(), &running).await;
        }
        told.await
            .unwrap_or_else(|_dropped| self.failed(&super::SouthFault::Cancelled))
    }

    fn known_as(&self, key: &ActionKey, session: &Session) {
        if let Some(running) = self.running().get_mut(key) {
            running.session = session.id().map(|id| id.to_string());
        }
    }
}

/// The answer as the end of a session: the answer itself, or the problem.
pub(crate) fn in_glass(answer: &Answer) -> Response {
    let (text, media) = match answer.body.get("problem") {
        Some(problem) => (problem.to_string(), "application/problem+json"),
        None => (answer.text(), "application/json"),
    };
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = http::StatusCode::from_u16(answer.status).unwrap_or_default();
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

/// Reads the lines of a session for somebody. A slow reader sees a gap, and holds nobody up.
async fn forward(response: Response, follower: Follower) {
    let mut body = response.into_body().into_data_stream();
    let mut rest = Vec::new();
    while let Some(Ok(piece)) = body.next().await {
        rest.extend_from_slice(&piece);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            let Ok(line) = String::from_utf8(line) else {
                continue;
            };
            if follower.send(line).await.is_err() {
                return;
            }
        }
    }
}
