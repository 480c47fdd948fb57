//! The future of a request inside the layer.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum_core::BoxError;
use axum_core::body::Body;
use bytes::Bytes;
use http::Response;
use http_body::Body as _;
use pin_project_lite::pin_project;

use super::edge::{Edge, Reading, Step};
use super::layer::Config;
use crate::adapter::unwind::catch;
use crate::door::current::{self, Around};

pin_project! {
    /// What [`ProblemService`](super::ProblemService) answers with, later.
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        inner: Option<F>,
        // Set aside while the inner future is polled: then it is around everything that runs.
        around: Option<Around>,
        config: Arc<Config>,
        after: After,
    }
}

/// What there is to do beside polling the inner future.
#[derive(Debug)]
enum After {
    Nothing,
    /// The inner service panicked before there was a future.
    Panicked(String),
    /// The body of an error is read.
    Reading(Box<Reading>),
}

impl<F> ResponseFuture<F> {
    /// Calls the service with the scope around it; a panic in there is answered like one in its future.
    #[inline]
    pub(super) fn new(around: Around, config: Arc<Config>, call: impl FnOnce() -> F) -> Self {
        let mut this = Self {
            inner: None,
            around: None,
            config,
            after: After::Nothing,
        };
        let before = current::swap(Some(around));
        // Made where it stays: it is large, and moving it costs more than everything else here.
        let called = catch(|| this.inner = Some(call()));
        this.around = current::swap(before);
        if let Err(words) = called {
            this.after = After::Panicked(words);
        }
        this
    }
}

impl<F, B, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<B>, E>>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
    E: 'static,
{
    type Output = Result<Response<Body>, E>;

    // Every request runs through here, so what a success needs stands alone and everything else is out of line. The answer is
    // large, so it has one place, and nobody is handed it by value.
    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut answer = Poll::Pending;
        if let Some(inner) = this.inner.as_pin_mut().filter(|_| is_nothing(this.after)) {
            let before = current::swap(this.around.take());
            let caught = catch(|| poll_into(&mut answer, inner, cx));
            *this.around = current::swap(before);
            if let Err(words) = caught {
                *this.after = After::Panicked(words);
                go_on(&mut answer, this.after, this.around, this.config, cx);
            } else if is_error(&answer) {
                settle(&mut answer, this.after, this.around, this.config, cx);
            }
        } else {
            go_on(&mut answer, this.after, this.around, this.config, cx);
        }
        answer
    }
}

/// What the layer answers with, or not yet.
type Answer<E> = Poll<Result<Response<Body>, E>>;

/// Polls the inner future; a response whose body is of axum's type already is not taken apart.
#[inline]
fn poll_into<F, B, E>(answer: &mut Answer<E>, inner: Pin<&mut F>, cx: &mut Context<'_>)
where
    F: Future<Output = Result<Response<B>, E>>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
    E: 'static,
{
    let same: Option<&mut Poll<Result<Response<B>, E>>> = (answer as &mut dyn Any).downcast_mut();
    match same {
        Some(answer) => *answer = inner.poll(cx),
        None => *answer = inner.poll(cx).map_ok(|response| response.map(Body::new)),
    }
}

#[inline]
fn is_nothing(after: &After) -> bool {
    matches!(after, After::Nothing)
}

/// Whether the layer has to do something about it.
#[inline]
fn is_error<E>(answer: &Answer<E>) -> bool {
    matches!(answer, Poll::Ready(Ok(response)) if response.status().as_u16() >= 400)
}

/// An error arrived at the edge.
#[cold]
#[inline(never)]
fn settle<E>(
    answer: &mut Answer<E>,
    after: &mut After,
    around: &mut Option<Around>,
    config: &Config,
    cx: &mut Context<'_>,
) {
    let Poll::Ready(Ok(response)) = std::mem::replace(answer, Poll::Pending) else {
        return;
    };
    match Edge::new(around, config).begin(response) {
        Step::Done(response) => *answer = Poll::Ready(Ok(*response)),
        Step::Read(reading) => {
            *after = After::Reading(reading);
            go_on(answer, after, around, config, cx);
        }
    }
}

/// Goes on without the inner future, which is not polled again.
#[cold]
#[inline(never)]
fn go_on<E>(
    answer: &mut Answer<E>,
    after: &mut After,
    around: &mut Option<Around>,
    config: &Config,
    cx: &mut Context<'_>,
) {
    if let After::Reading(reading) = after
        && poll_reading(reading, cx).is_pending()
    {
        return;
    }
    let edge = Edge::new(around, config);
    let response = match std::mem::replace(after, After::Nothing) {
        After::Reading(reading) => edge.finish(*reading),
        After::Panicked(message) => edge.panicked(message),
        After::Nothing => edge.panicked("polled after it was over".to_owned()),
    };
    *answer = Poll::Ready(Ok(response));
}

/// Reads a small body of known length to its end.
fn poll_reading(reading: &mut Reading, cx: &mut Context<'_>) -> Poll<()> {
    loop {
        match ready!(Pin::new(&mut reading.body).poll_frame(cx)) {
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    reading.bytes.extend_from_slice(&data);
                }
            }
            // A body that breaks off tells nothing: what there is counts as unknown.
            Some(Err(_)) => {
                reading.bytes.clear();
                return Poll::Ready(());
            }
            None => return Poll::Ready(()),
        }
    }
}
