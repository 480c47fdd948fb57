//! HEAD: the headers of a GET, and 405 where there is none; never the handler. OPTIONS: what there is.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse as _;
use http::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, VARY};
use http::{Method, Request, Response, StatusCode, Uri};
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

/// OPTIONS of a route that has no answer of its own: the router says which methods there are, which is an answer here.
pub(super) async fn options<F>(
    inner: Pin<Box<F>>,
    map: Option<Arc<Map>>,
    uri: Uri,
) -> Response<Body>
where
    F: Future<Output = Result<Response<Body>, Infallible>>,
{
    let Ok(answer) = inner.await;
    if answer.status() != StatusCode::METHOD_NOT_ALLOWED {
        return answer;
    }
    // The router adds `Allow` to what comes back from here.
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept"));
    if let Some(map) = map
        && let Some(methods) = map.methods(&uri).await
    {
        if words(&methods).any(|word| word == "POST") {
            let json = HeaderValue::from_static("application/json");
            headers.insert(HeaderName::from_static("accept-post"), json);
        }
        headers.insert(ALLOW, methods);
    }
    response
}

/// The headers and nothing else, or the refusal of a route that has no GET; and which mode that is.
pub(super) fn answer(mode: Mode, methods: Option<HeaderValue>) -> (Response<Body>, Mode) {
    let refused = methods.filter(|methods| !has_get(methods));
    if let Some(allowed) = refused {
        let methods = words(&allowed).map(str::to_owned).collect();
        let mut response = Fault::MethodNotAllowed { methods }.into_response();
        response.headers_mut().insert(ALLOW, allowed);
        return (response, Mode::BlackBox);
    }
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    if mode == Mode::GlassBox {
        super::stream_headers(headers, crate::accept::NDJSON);
    } else {
        let json = HeaderValue::from_static("application/json");
        headers.insert(CONTENT_TYPE, json);
    }
    (response, mode)
}

fn words(methods: &HeaderValue) -> impl Iterator<Item = &str> {
    let words = methods.to_str().unwrap_or_default().split(',');
    words.map(str::trim)
}

fn has_get(methods: &HeaderValue) -> bool {
    words(methods).any(|word| word == "GET" || word == "HEAD")
}
