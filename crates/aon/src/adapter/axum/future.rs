//! The future of a request inside the layer.

use std::any::Any;
use std::future::Future;
use std::mem;
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
    E: 'static,
{
    type Output = Result<Response<Body>, E>;

    // Every request runs through here, so what a success needs stands alone: everything else is out of line. The answer
    // is large, so it has one place, and nobody is handed it by value.
    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut answer = Poll::Pending;
        if this.kept.is_over() {
            go_on(&mut answer, this.kept, this.settings.config(), cx);
            return answer;
        }
        let inner = this.inner;
        let inside = Inside::enter();
        let caught = catch_unwind(AssertUnwindSafe(|| poll_into(&mut answer, inner, cx)));
        let left = inside.leave();
        if let Err(payload) = caught {
            let config = this.settings.config();
            panicked(&mut answer, &*payload, left, this.kept, config);
        } else if left || is_error(&answer) {
            settle(&mut answer, left, this.kept, this.settings.config(), cx);
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

/// Whether the layer has to do something about it.
#[inline]
fn is_error<E>(answer: &Answer<E>) -> bool {
    matches!(answer, Poll::Ready(Ok(response)) if response.status().as_u16() >= 400)
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
fn settle<E>(
    answer: &mut Answer<E>,
    left: bool,
    kept: &mut Kept,
    config: &Config,
    cx: &mut Context<'_>,
) {
    take_report(left, kept);
    if !is_error(answer) {
        return;
    }
    if let Poll::Ready(Ok(response)) = mem::replace(answer, Poll::Pending) {
        let report = kept.take_report();
        let exchange = Exchange::new(config, mem::take(kept), report);
        match exchange.begin(response) {
            Step::Done(response) => *answer = Poll::Ready(Ok(*response)),
            Step::Read(reading) => {
                kept.set_after(After::Reading(reading));
                go_on(answer, kept, config, cx);
            }
        }
    }
}

#[cold]
#[inline(never)]
fn panicked<E>(
    answer: &mut Answer<E>,
    payload: &(dyn Any + Send),
    left: bool,
    kept: &mut Kept,
    config: &Config,
) {
    take_report(left, kept);
    let report = kept.take_report();
    let exchange = Exchange::new(config, mem::take(kept), report);
    let response = exchange.panicked(message(payload));
    kept.set_after(After::Nothing);
    *answer = Poll::Ready(Ok(response));
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
fn go_on<E>(answer: &mut Answer<E>, kept: &mut Kept, config: &Config, cx: &mut Context<'_>) {
    let mut after = After::Nothing;
    if let Some(After::Reading(mut reading)) = kept.take_after() {
        if poll_reading(&mut reading, cx).is_ready() {
            *answer = Poll::Ready(Ok(Exchange::finish(config, *reading)));
        } else {
            after = After::Reading(reading);
        }
    }
    kept.set_after(after);
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
