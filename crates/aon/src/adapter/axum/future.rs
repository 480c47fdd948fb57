//! The future of a request inside the layer.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum_core::BoxError;
use axum_core::body::Body;
use bytes::Bytes;
use http::Response;
use http_body::Body as _;
use pin_project_lite::pin_project;

use super::exchange::{Exchange, Reading, Step};
use super::facts::{After, Kept};
use super::respond::Inside;
use super::settings::{Config, Defaults, Settings};

pin_project! {
    /// What [`ProblemService`](super::ProblemService) answers with, later.
    #[derive(Debug)]
    pub struct ResponseFuture<F, C = Defaults> {
        #[pin]
        pub(super) inner: F,
        pub(super) kept: Kept,
        pub(super) settings: C,
    }
}

impl<F, C, B, E> Future for ResponseFuture<F, C>
where
    F: Future<Output = Result<Response<B>, E>>,
    C: Settings,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Output = Result<Response<Body>, E>;

    // Every request runs through here, so what a success needs stands alone: everything else is out of line.
    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if this.kept.is_over() {
            return go_on(this.kept, this.settings.config(), cx).map(Ok);
        }
        let inside = Inside::enter();
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let polled = this.inner.poll(cx);
            let left = inside.leave();
            if left || is_error(&polled) {
                return settle(polled, left, this.kept, this.settings.config(), cx);
            }
            polled.map_ok(with_body)
        }));
        match polled {
            Ok(polled) => polled,
            Err(payload) => {
                let left = inside.leave();
                panicked(&*payload, left, this.kept, this.settings.config()).map(Ok)
            }
        }
    }
}

/// Whether the layer has to do something about it.
#[inline]
fn is_error<B, E>(polled: &Poll<Result<Response<B>, E>>) -> bool {
    matches!(polled, Poll::Ready(Ok(response)) if response.status().as_u16() >= 400)
}

/// The response with a body of axum's type; one that has it already is moved, not taken apart.
#[inline]
fn with_body<B>(response: Response<B>) -> Response<Body>
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let mut response = Some(response);
    let same: Option<&mut Option<Response<Body>>> = (&mut response as &mut dyn Any).downcast_mut();
    if let Some(same) = same.and_then(Option::take) {
        return same;
    }
    response
        .map(|response| response.map(Body::new))
        .unwrap_or_default()
}

/// Takes over the report that was left.
fn take_report(left: bool, kept: &mut Kept) {
    if left
        && let Some(report) = Inside::report()
        && let Some(unsent) = kept.set_report(report)
    {
        unsent.emit(None);
    }
}

/// What is left to do after the inner future was polled.
#[cold]
#[inline(never)]
fn settle<B, E>(
    polled: Poll<Result<Response<B>, E>>,
    left: bool,
    kept: &mut Kept,
    config: &Config,
    cx: &mut Context<'_>,
) -> Poll<Result<Response<Body>, E>>
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    take_report(left, kept);
    let is_error = is_error(&polled);
    match polled.map_ok(with_body) {
        Poll::Ready(Ok(response)) if is_error => {
            let report = kept.take_report();
            let exchange = Exchange::new(config, std::mem::take(kept), report);
            match exchange.begin(response) {
                Step::Done(response) => Poll::Ready(Ok(*response)),
                Step::Read(reading) => {
                    kept.set_after(After::Reading(reading));
                    go_on(kept, config, cx).map(Ok)
                }
            }
        }
        other @ (Poll::Ready(_) | Poll::Pending) => other,
    }
}

#[cold]
#[inline(never)]
fn panicked(
    payload: &(dyn Any + Send),
    left: bool,
    kept: &mut Kept,
    config: &Config,
) -> Poll<Response<Body>> {
    take_report(left, kept);
    let report = kept.take_report();
    let exchange = Exchange::new(config, std::mem::take(kept), report);
    let response = exchange.panicked(message(payload));
    kept.set_after(After::Nothing);
    Poll::Ready(response)
}

/// What a panic said.
fn message(payload: &(dyn Any + Send)) -> &str {
    match (
        payload.downcast_ref::<&str>(),
        payload.downcast_ref::<String>(),
    ) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "a panic without a message",
    }
}

/// Polls what came after the inner future, which is not polled again.
#[cold]
#[inline(never)]
fn go_on(kept: &mut Kept, config: &Config, cx: &mut Context<'_>) -> Poll<Response<Body>> {
    let mut after = After::Nothing;
    let mut answer = Poll::Pending;
    if let Some(After::Reading(mut reading)) = kept.take_after() {
        if poll_reading(&mut reading, cx).is_ready() {
            answer = Poll::Ready(Exchange::finish(config, *reading));
        } else {
            after = After::Reading(reading);
        }
    }
    kept.set_after(after);
    answer
}

/// Reads a small body of known length to its end.
fn poll_reading(reading: &mut Reading, cx: &mut Context<'_>) -> Poll<()> {
    loop {
        match Pin::new(&mut reading.body).poll_frame(cx) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Some(Ok(frame))) => {
                if let Ok(data) = frame.into_data() {
                    reading.bytes.extend_from_slice(&data);
                }
            }
            // A body that breaks off tells nothing: what there is counts as unknown.
            Poll::Ready(Some(Err(_))) => {
                reading.bytes.clear();
                return Poll::Ready(());
            }
            Poll::Ready(None) => return Poll::Ready(()),
        }
    }
}
