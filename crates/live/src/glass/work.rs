//! The work of a black box, which may have to go on in a task of its own and so has to be movable.

use std::any::Any;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::routing::future::RouteFuture;
use http::Response;

/// Work that can be moved at any time. That of an axum route can be as it is; any other is put into a box.
#[expect(
    clippy::large_enum_variant,
    reason = "the large one is the usual one, and a box is what it is there to save"
)]
pub(super) enum Work<F> {
    Route(RouteFuture<Infallible>),
    Boxed(Pin<Box<F>>),
    Gone,
}

impl<F: 'static> Work<F> {
    pub(super) fn new(work: F) -> Self {
        let mut work = Some(work);
        let slot: &mut dyn Any = &mut work;
        let route = slot.downcast_mut::<Option<RouteFuture<Infallible>>>();
        match (route.and_then(Option::take), work) {
            (Some(route), _) => Self::Route(route),
            (None, Some(other)) => Self::Boxed(Box::pin(other)),
            // Nothing was taken out but by the first.
            (None, None) => Self::Gone,
        }
    }
}

impl<F> Future for Work<F>
where
    F: Future<Output = Result<Response<Body>, Infallible>>,
{
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Route(route) => Pin::new(route).poll(cx),
            Self::Boxed(work) => work.as_mut().poll(cx),
            Self::Gone => Poll::Pending,
        }
    }
}
