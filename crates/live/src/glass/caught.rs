//! Polling somebody's future so that a panic in it does not get out.

use std::any::Any;
use std::convert::Infallible;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use http::Response;

/// The handler panicked. What it said is in the log, and nowhere else.
#[derive(Debug)]
pub(super) struct Panicked;

/// What a handler came to.
pub(super) type Answer = Result<Response<Body>, Panicked>;

/// A handler that answers or panics, inside the span of its session.
#[derive(Debug)]
pub(super) struct Caught<F> {
    pub(super) inner: Pin<Box<F>>,
    pub(super) span: tracing::Span,
}

impl<F> Future for Caught<F>
where
    F: Future<Output = Result<Response<Body>, Infallible>>,
{
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        let this = &mut *self;
        let _inside = this.span.enter();
        poll(this.inner.as_mut(), cx)
    }
}

pub(super) fn poll<F>(inner: Pin<&mut F>, cx: &mut Context<'_>) -> Poll<Answer>
where
    F: Future<Output = Result<Response<Body>, Infallible>>,
{
    // What a panic left behind is dropped unread, so nothing broken is seen again.
    match catch_unwind(AssertUnwindSafe(|| inner.poll(cx))) {
        Ok(Poll::Ready(Ok(response))) => Poll::Ready(Ok(response)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panic) => {
            log(&*panic);
            Poll::Ready(Err(Panicked))
        }
    }
}

fn log(panic: &(dyn Any + Send)) {
    let words = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or_default();
    let words = aon_core::redact::text(words);
    tracing::error!(target: "aon::problem", code = "internal_panic", "a handler panicked: {words}");
}
