//! The layer that measures requests.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::extract::MatchedPath;
use http::{HeaderMap, Method, Request, Response};
use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;

use crate::bounded::{among, word};
use crate::clock;
use crate::metrics::{METHODS, class};
use crate::telemetry::{Telemetry, exemplar, trace_of};

impl Telemetry {
    /// A layer that measures how long answers take. Put it on a router with `layer`, after every route and every `merge`, so
    /// that it knows the templates of the routes and sees what none of them answers.
    pub fn layer(&self) -> RequestLayer {
        RequestLayer {
            telemetry: self.clone(),
        }
    }
}

/// Measures how long answers take.
#[derive(Clone, Debug)]
pub struct RequestLayer {
    telemetry: Telemetry,
}

impl<S> Layer<S> for RequestLayer {
    type Service = RequestService<S>;

    fn layer(&self, inner: S) -> RequestService<S> {
        RequestService {
            inner,
            telemetry: self.telemetry.clone(),
        }
    }
}

/// What [`RequestLayer`] makes of a service.
#[derive(Clone, Debug)]
pub struct RequestService<S> {
    inner: S,
    telemetry: Telemetry,
}

impl<S, Q, B> Service<Request<Q>> for RequestService<S>
where
    S: Service<Request<Q>, Response = Response<B>>,
{
    type Response = Response<B>;
    type Error = S::Error;
    type Future = RequestFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let facts = Measured {
            telemetry: self.telemetry.clone(),
            method: request.method().clone(),
            route: request.extensions().get::<MatchedPath>().cloned(),
            parent: header(request.headers(), "traceparent"),
            start: clock::start(),
            #[cfg(feature = "otlp")]
            span: self
                .telemetry
                .0
                .spans
                .get()
                .map(|spans| (spans.begin_request(request.headers()), clock::wall_ms())),
        };
        RequestFuture {
            inner: facts.within(|| self.inner.call(request)),
            facts: Some(facts),
        }
    }
}

/// A request that is being served.
#[derive(Debug)]
struct Measured {
    telemetry: Telemetry,
    method: Method,
    route: Option<MatchedPath>,
    parent: Option<String>,
    start: Instant,
    /// The id of its span and when it began, where spans are sent.
    #[cfg(feature = "otlp")]
    span: Option<(crate::otlp::Around, u64)>,
}

/// Whether it was answered or dropped, nothing is served inside of it any more.
#[cfg(feature = "otlp")]
impl Drop for Measured {
    fn drop(&mut self) {
        if let (Some(spans), Some((around, _))) = (self.telemetry.0.spans.get(), self.span) {
            spans.forget_request(around);
        }
    }
}

impl Measured {
    /// Runs a part of the request inside of its span.
    #[cfg(feature = "otlp")]
    fn within<T>(&self, run: impl FnOnce() -> T) -> T {
        match self.span {
            Some((around, _)) => crate::otlp::within(Some(around), run),
            None => run(),
        }
    }

    #[cfg(not(feature = "otlp"))]
    #[expect(clippy::unused_self, reason = "with spans it is used")]
    fn within<T>(&self, run: impl FnOnce() -> T) -> T {
        run()
    }

    fn ended<B>(self, response: &mut Response<B>) {
        let (status, headers) = (response.status().as_u16(), response.headers());
        let took = self.start.elapsed();
        let mode = match headers.get("aon-mode").map(http::HeaderValue::as_bytes) {
            Some(b"glass-box") => "glass-box",
            Some(b"black-box") => "black-box",
            _ => "plain",
        };
        let route = self.route.as_ref().map_or("unmatched", MatchedPath::as_str);
        let labels = [
            ("method", among(self.method.as_str(), METHODS).into()),
            ("route", word(route)),
            ("status", class(status).into()),
            ("mode", mode.into()),
        ];
        // The trace of a glass box that brought none is in the answer.
        let given = header(headers, "aon-trace-id");
        let own = self.parent.as_deref().and_then(trace_of);
        let trace = own.or(given.as_deref());
        let series = self.telemetry.0.metrics.requests.at(&labels);
        series.observe(took.as_secs_f64(), trace.and_then(exemplar), None);
        #[cfg(feature = "otlp")]
        if let (Some(spans), Some((around, started))) = (self.telemetry.0.spans.get(), self.span) {
            let trace = trace.map(str::to_owned);
            let code = (status >= 400).then(|| crate::otlp::problem_of(response.extensions_mut()));
            spans.request(&crate::otlp::Served {
                method: self.method.as_str(),
                route,
                status,
                trace: trace.as_deref(),
                parent: self.parent.as_deref(),
                started,
                took,
                span: around.span,
                code: code.flatten(),
            });
        }
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

pin_project! {
    /// The answer, later.
    #[derive(Debug)]
    pub struct RequestFuture<F> {
        #[pin]
        inner: F,
        facts: Option<Measured>,
    }
}

impl<F, B, E> Future for RequestFuture<F>
where
    F: Future<Output = Result<Response<B>, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = match this.facts {
            Some(facts) => facts.within(|| this.inner.poll(cx)),
            None => this.inner.poll(cx),
        };
        let mut answer = ready!(answer);
        if let (Some(facts), Ok(response)) = (this.facts.take(), &mut answer) {
            facts.ended(response);
        }
        Poll::Ready(answer)
    }
}
