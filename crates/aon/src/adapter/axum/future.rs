//! The future of a request inside the layer.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use super::respond::{Report, inside_layer};
use axum_core::BoxError;
use axum_core::body::Body;
use bytes::Bytes;
use http::Response;
use http_body::Body as _;
use pin_project_lite::pin_project;

use super::exchange::{Exchange, Reading, Step};
use super::facts::Kept;
use super::settings::{Config, Defaults, Settings};

pin_project! {
    /// What [`ProblemService`](super::ProblemService) answers with, later.
    #[derive(Debug)]
    pub struct ResponseFuture<F, C = Defaults> {
        #[pin]
        state: State<F>,
        facts: Kept,
        settings: C,
        report: Option<Box<Report>>,
    }
}

pin_project! {
    #[project = StateProjection]
    #[derive(Debug)]
    enum State<F> {
        Inner { #[pin] future: F },
        Panicked { payload: Option<Panic> },
        Reading { reading: Option<Box<Reading>> },
    }
}

/// What a panic carried.
struct Panic(Box<dyn Any + Send>);

impl std::fmt::Debug for Panic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.message())
    }
}

impl Panic {
    fn message(&self) -> &str {
        let Self(payload) = self;
        match (
            payload.downcast_ref::<&str>(),
            payload.downcast_ref::<String>(),
        ) {
            (Some(text), _) => text,
            (None, Some(text)) => text,
            (None, None) => "a panic without a message",
        }
    }
}

impl<F, C> ResponseFuture<F, C> {
    #[inline]
    pub(super) fn new(future: F, facts: Kept, settings: C) -> Self {
        Self {
            state: State::Inner { future },
            facts,
            settings,
            report: None,
        }
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

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let StateProjection::Inner { future } = this.state.as_mut().project() {
            let (polled, report) =
                inside_layer(|| catch_unwind(AssertUnwindSafe(|| future.poll(cx))));
            if let Some(report) = report
                && let Some(unsent) = this.report.replace(report)
            {
                unsent.emit(None);
            }
            match polled {
                Ok(Poll::Pending) => return Poll::Pending,
                Ok(Poll::Ready(Ok(response))) if response.status().as_u16() < 400 => {
                    return Poll::Ready(Ok(response.map(Body::new)));
                }
                Ok(Poll::Ready(Err(error))) => return Poll::Ready(Err(error)),
                Ok(Poll::Ready(Ok(response))) => {
                    let exchange = Exchange::new(
                        this.settings.config(),
                        std::mem::take(this.facts),
                        this.report.take(),
                    );
                    match exchange.begin(response.map(Body::new)) {
                        Step::Done(response) => return Poll::Ready(Ok(*response)),
                        Step::Read(reading) => this.state.set(State::Reading {
                            reading: Some(reading),
                        }),
                    }
                }
                Err(payload) => this.state.set(State::Panicked {
                    payload: Some(Panic(payload)),
                }),
            }
        }
        match this.state.as_mut().project() {
            StateProjection::Reading { reading } => {
                poll_reading(reading, this.settings.config(), cx).map(Ok)
            }
            StateProjection::Panicked { payload } => {
                let exchange = Exchange::new(
                    this.settings.config(),
                    std::mem::take(this.facts),
                    this.report.take(),
                );
                let message = payload.as_ref().map_or("", Panic::message);
                Poll::Ready(Ok(exchange.panicked(message)))
            }
            StateProjection::Inner { .. } => Poll::Pending,
        }
    }
}

/// Reads a small body of known length to its end, then finishes.
fn poll_reading(
    slot: &mut Option<Box<Reading>>,
    config: &Config,
    cx: &mut Context<'_>,
) -> Poll<Response<Body>> {
    let Some(reading) = slot.as_deref_mut() else {
        return Poll::Pending;
    };
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
                break;
            }
            Poll::Ready(None) => break,
        }
    }
    match slot.take() {
        Some(reading) => Poll::Ready(Exchange::finish(config, *reading)),
        None => Poll::Pending,
    }
}
