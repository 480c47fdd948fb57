//! HEAD: the headers of a GET, and 405 where there is none; never the handler.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse as _;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, Uri};
use tower_layer::Layer;
use tower_service::Service;

use super::GlassBox;
use crate::accept::Mode;
use crate::fault::Fault;
use crate::sync::{Mutex, locked};

impl GlassBox {
    /// Puts the layer around all routes of a router, and lets it know them: `HEAD` to a route without `GET` is then answered
    /// with 405. A layer by itself cannot tell such a route from one that has a `GET`. The router must have its state.
    ///
    /// ```
    /// use aon_live::{GlassBox, Hub};
    /// use axum::{Router, routing::post};
    ///
    /// let hub = Hub::new();
    /// let routes = Router::new().route("/users", post(async || "{}"));
    /// let app: Router = GlassBox::new(&hub).wrap(routes).merge(hub.routes());
    /// # let _ = app;
    /// ```
    pub fn wrap(mut self, router: Router) -> Router {
        self.map = Some(Arc::new(Map::of(&router)));
        router.layer(self)
    }
}

/// The routes of a router without what they do: asking it runs nothing.
pub(super) struct Map(Mutex<Router>);

impl Map {
    fn of(router: &Router) -> Self {
        Self(Mutex::new(router.clone().layer(Nothing)))
    }

    /// The methods of the route that serves an address, as far as the router says them.
    pub(super) async fn methods(&self, uri: &Uri) -> Option<HeaderValue> {
        // A method nobody has leads to where the router refuses methods, and there it says which ones there are.
        let method = Method::from_bytes(b"AON-METHODS").ok()?;
        let mut request = Request::new(Body::empty());
        *request.method_mut() = method;
        *request.uri_mut() = uri.clone();
        let asked = locked(&self.0).call(request);
        let Ok(answer) = asked.await;
        answer.headers().get(ALLOW).cloned()
    }
}

impl std::fmt::Debug for Map {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Map")
    }
}

/// Makes every handler do nothing.
#[derive(Clone, Copy, Debug)]
struct Nothing;

impl<S> Layer<S> for Nothing {
    type Service = Self;

    fn layer(&self, _: S) -> Self {
        Self
    }
}

impl Service<Request<Body>> for Nothing {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Body>) -> Self::Future {
        ready(Ok(Response::default()))
    }
}

/// The headers and nothing else, or the refusal of a route that has no GET.
pub(super) fn answer(mode: Mode, methods: Option<HeaderValue>) -> Response<Body> {
    let refused = methods.filter(|methods| !has_get(methods));
    if let Some(allowed) = refused {
        let methods = words(&allowed).map(str::to_owned).collect();
        let mut response = Fault::MethodNotAllowed { methods }.into_response();
        response.headers_mut().insert(ALLOW, allowed);
        return response;
    }
    let mut response = Response::new(Body::empty());
    let kind = if mode == Mode::GlassBox {
        crate::accept::NDJSON
    } else {
        "application/json"
    };
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn words(methods: &HeaderValue) -> impl Iterator<Item = &str> {
    let words = methods.to_str().unwrap_or_default().split(',');
    words.map(str::trim)
}

fn has_get(methods: &HeaderValue) -> bool {
    words(methods).any(|word| word == "GET" || word == "HEAD")
}
