//! The black box: the answer of the handler as it is, and three headers.

use std::convert::Infallible;
use std::future::{Future, pending};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use aon::door::{Door, Facts, Scope};
use axum::body::Body;
use axum::response::IntoResponse as _;
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, Response, StatusCode};
use tokio::time::sleep;

use super::caught::{Caught, poll};
use super::work::Work;
use super::{OnDisconnect, REQUEST_ID, SESSION, stamp, stamp_trace};
use crate::accept::Mode;
use crate::fault::Fault;
use crate::hub::Hub;
use crate::session::Session;
use crate::store::WhenGone;

const REPORT: HeaderName = HeaderName::from_static("x-aon-report");

/// Gives the request id back to who brought one.
fn stamp_brought(headers: &mut HeaderMap) {
    if !headers.contains_key(REQUEST_ID)
        && let Some(scope) = Scope::current()
        && let Some(id) = scope.brought_id()
        && let Ok(id) = HeaderValue::from_str(id)
    {
        headers.insert(REQUEST_ID, id);
    }
}

pub(super) struct Black<F> {
    /// `None` once the work was handed over.
    inner: Option<Work<F>>,
    session: Session,
    hub: Hub,
    deadline: Option<Duration>,
    report: bool,
    on_disconnect: OnDisconnect,
    /// Made when the handler first waits: most never do.
    patience: Option<Pin<Box<dyn Future<Output = OutOf> + Send>>>,
}

/// What a black box that waits has run out of.
enum OutOf {
    Time,
    /// The program ends.
    Server,
}

impl<F> Black<F>
where
    F: Future<Output = Result<Response<Body>, Infallible>> + Send + 'static,
{
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Response<Body>> {
        let Some(inner) = &mut self.inner else {
            return Poll::Pending;
        };
        let polled = self.session.run(|| poll(Pin::new(inner), cx));
        let response = match polled {
            Poll::Ready(Ok(response)) => response,
            Poll::Ready(Err(_panicked)) => Fault::InternalPanic.into_response(),
            Poll::Pending => match self.too_late(cx) {
                Some(response) => response,
                None => return Poll::Pending,
            },
        };
        Poll::Ready(self.stamped(response))
    }

    fn stamped(&self, mut response: Response<Body>) -> Response<Body> {
        // An upgrade has no modes.
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            stamp(response.headers_mut(), Mode::BlackBox);
            if let Some(trace) = self.session.trace_id() {
                stamp_trace(response.headers_mut(), trace);
            }
            stamp_brought(response.headers_mut());
            if self.report
                && let Some(report) = self.session.tally().report()
            {
                response.headers_mut().insert(REPORT, report);
            }
        }
        response
    }

    /// The 504 of a handler that took too long. Its work goes on in a session, where its outcome can be read. The 503 of one
    /// that a shutdown did not wait for.
    fn too_late(&mut self, cx: &mut Context<'_>) -> Option<Response<Body>> {
        let patience = self
            .patience
            .get_or_insert_with(|| Box::pin(patience(self.deadline, self.hub.closing())));
        let Poll::Ready(out_of) = patience.as_mut().poll(cx) else {
            return None;
        };
        let inner = self.inner.take()?;
        if let OutOf::Server = out_of {
            return Some(Fault::ShuttingDown.into_response());
        }
        let goes_on = self.on_disconnect == OnDisconnect::Continue;
        let room = goes_on.then(|| self.hub.reserve(Some(WhenGone::Memory)).ok());
        let live = room.flatten().and_then(|room| {
            self.session.placed(room);
            self.session.open()
        });
        let facts = Facts::new("rest");
        let scope = Scope::current().unwrap_or_else(|| Scope::open(&Door::new(), facts));
        let (around, own) = (scope.clone(), self.session.clone());
        let caught = Caught {
            inner: Box::pin(async move { around.enter(own.enter(inner)).await }),
            span: tracing::Span::none(),
        };
        let state_url = live.map(|live| {
            let unfinished = super::driver::Unfinished(live.clone());
            let work = super::driver::drive(caught, unfinished, scope, None);
            tokio::spawn(work);
            self.hub.address(live.origin.session, "")
        });
        let address = state_url.as_deref().map(HeaderValue::from_str);
        let mut response = Fault::TimedOut { state_url }.into_response();
        if let Some(Ok(address)) = address {
            response.headers_mut().insert(SESSION, address);
        }
        Some(response)
    }

    pub(super) fn new(
        inner: F,
        session: Session,
        hub: &Hub,
        deadline: Option<Duration>,
        report: bool,
        on_disconnect: OnDisconnect,
    ) -> Self {
        Self {
            inner: Some(Work::new(inner)),
            session,
            hub: hub.clone(),
            deadline,
            report,
            on_disconnect,
            patience: None,
        }
    }
}

/// Ends when the time is over or the server is gone.
async fn patience(deadline: Option<Duration>, closing: impl Future<Output = ()> + Send) -> OutOf {
    let late = async {
        match deadline {
            Some(deadline) => sleep(deadline).await,
            None => pending().await,
        }
    };
    tokio::select! {
        biased;
        () = closing => OutOf::Server,
        () = late => OutOf::Time,
    }
}
