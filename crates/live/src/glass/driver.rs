//! Running a handler to its end, whatever that is, and saying it once.

use std::convert::Infallible;
use std::future::{Future, pending};
use std::sync::Arc;
use std::time::Duration;

use aon::door::Scope;
use axum::body::Body;
use http::Response;
use tokio::time::{sleep, timeout};

use super::caught::{Answer, Caught, Panicked};
use crate::fault::Fault;
use crate::hub::live::{Live, Stop};
use crate::outcome;

/// Runs a handler whose session is open; the session has ended when this returns, or is dropped, even if it is never
/// polled: that is why the guard is made by the caller.
pub(super) async fn drive<F>(
    mut inner: Caught<F>,
    unfinished: Unfinished,
    scope: Scope,
    limit: Option<Duration>,
) where
    F: Future<Output = Result<Response<Body>, Infallible>>,
{
    let live = Arc::clone(&unfinished.0);
    let grace = live.grace();
    let late = async {
        match limit {
            Some(limit) => sleep(limit).await,
            None => pending().await,
        }
    };
    let answer = tokio::select! {
        biased;
        answer = &mut inner => Ok(answer),
        stop = live.stopped() => {
            // Who watches may end by itself; who does not would not know that it should.
            let ended = if live.is_watched() && stop != Stop::Expired {
                timeout(grace, &mut inner).await.ok()
            } else {
                None
            };
            ended.ok_or_else(|| stop.fault())
        }
        () = late => Err(Fault::TimedOut { state_url: None }),
    };
    match answer {
        Ok(answer) => finish(answer, &live, &scope).await,
        Err(fault) => {
            // The work is over before its end is told.
            drop(inner);
            live.finish(&outcome::failed(&fault, &scope));
        }
    }
    drop(unfinished);
}

/// Ends a session with what its handler answered.
pub(super) async fn finish(answer: Answer, live: &Arc<Live>, scope: &Scope) {
    let body = match answer {
        Ok(response) => outcome::of(response, scope, live.max_result()).await,
        Err(Panicked) => outcome::failed(&Fault::InternalPanic, scope),
    };
    live.finish(&body);
}

/// Says `abandoned` when the work was dropped before it had an outcome.
#[derive(Debug)]
pub(super) struct Unfinished(pub(super) Arc<Live>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.fail(&Fault::Abandoned);
    }
}
