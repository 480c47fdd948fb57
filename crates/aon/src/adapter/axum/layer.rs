//! The layer: every 4xx and 5xx that leaves the program is a problem (S3).

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};

use aon_core::{InvalidNamespace, Namespace};
use axum_core::BoxError;
use axum_core::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use tower_layer::Layer;
use tower_service::Service;

use super::facts::Facts;
use super::future::ResponseFuture;
use super::routes::{self, Routes};

/// Makes every error response a problem, whoever made it: handlers, extractors, unknown routes, wrong methods, body
/// limits, time-outs, panics, and services that answer with plain text.
///
/// Put it outermost. See the [module](super) for what becomes of which response.
///
/// # Examples
///
/// ```
/// use axum::{Router, routing::get};
/// use aon::axum::ProblemLayer;
///
/// let app: Router = Router::new()
///     .route("/clusters/{id}", get(async || "a cluster"))
///     .layer(ProblemLayer::new().routes(["/clusters/{id}"]));
/// # let _ = app;
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProblemLayer {
    config: Arc<Config>,
}

impl ProblemLayer {
    /// The layer with its defaults: namespace `pspace`, no route table, nothing foreign shown.
    pub fn new() -> Self {
        Self::default()
    }

    /// Mints the types of the framework's problems in a namespace of yours: a short name, or a URI prefix (P3).
    ///
    /// # Errors
    ///
    /// When the text is no namespace.
    pub fn namespace(mut self, namespace: &str) -> Result<Self, InvalidNamespace> {
        self.change().namespace = Namespace::parse(namespace)?;
        Ok(self)
    }

    /// Names the routes, as templates, so that a 404 can tell the nearest one.
    #[must_use]
    pub fn routes<T: Into<String>>(mut self, templates: impl IntoIterator<Item = T>) -> Self {
        let config = self.change();
        for template in templates {
            config.routes.add(template.into().into());
        }
        self
    }

    /// Names the routes of an axum router, with their methods, so that a 405 can list them. Routes of a nested router that was given as a service are not seen.
    ///
    /// # Examples
    ///
    /// ```
    /// use axum::{Router, routing::get};
    /// use aon::axum::ProblemLayer;
    ///
    /// let app: Router = Router::new().route("/clusters", get(async || "clusters"));
    /// let layer = ProblemLayer::new().routes_of(&app);
    /// let app = app.layer(layer);
    /// # let _ = app;
    /// ```
    #[must_use]
    pub fn routes_of<S>(mut self, router: &::axum::Router<S>) -> Self {
        let config = self.change();
        for route in routes::of_router(router) {
            config.routes.add(route);
        }
        self
    }

    /// Puts the layer around a whole router and learns its routes: what [`ProblemLayer::routes_of`] and a layer around
    /// everything do together. The router must have its state.
    ///
    /// # Examples
    ///
    /// ```
    /// use axum::{Router, routing::get};
    /// use aon::axum::ProblemLayer;
    ///
    /// let app: Router = Router::new().route("/clusters", get(async || "clusters"));
    /// let app: Router = ProblemLayer::new().wrap(app);
    /// # let _ = app;
    /// ```
    pub fn wrap(self, router: ::axum::Router) -> ::axum::Router {
        let layer = self.routes_of(&router);
        ::axum::Router::new().fallback_service(layer.layer(router))
    }

    /// Emits, for the 5xx of the routes under `prefix`, the transitional `{"error": {code, message, request_id}}`
    /// beside the canonical members, with a `Deprecation` header (S4). `since` is when the shape became deprecated,
    /// in Unix seconds (RFC 9745).
    #[must_use]
    pub fn legacy(mut self, prefix: impl Into<String>, since: u64) -> Self {
        self.change().legacy.push((prefix.into(), since));
        self
    }

    /// Shows short plain text of a foreign 4xx as the detail, redacted. Off unless set: whoever wrote that text did
    /// not know that it would be shown. A 5xx never shows any.
    #[must_use]
    pub fn foreign_detail(mut self, show: bool) -> Self {
        self.change().foreign_detail = show;
        self
    }

    /// Gives problems of the framework a `docs_url`: `base` followed by the code.
    #[must_use]
    pub fn docs(mut self, base: impl Into<String>) -> Self {
        self.change().docs = Some(base.into());
        self
    }

    /// Calls `hook` for every problem that leaves, for metrics.
    #[must_use]
    pub fn on_problem(mut self, hook: impl Fn(&Emitted<'_>) + Send + Sync + 'static) -> Self {
        self.change().hook = Some(Hook(Arc::new(hook)));
        self
    }

    fn change(&mut self) -> &mut Config {
        Arc::make_mut(&mut self.config)
    }
}

impl<S> Layer<S> for ProblemLayer {
    type Service = ProblemService<S>;

    fn layer(&self, inner: S) -> ProblemService<S> {
        ProblemService {
            inner,
            config: Arc::clone(&self.config),
        }
    }
}

/// What [`ProblemLayer`] makes of a service.
#[derive(Clone, Debug)]
pub struct ProblemService<S> {
    inner: S,
    config: Arc<Config>,
}

impl<S, Q, B> Service<Request<Q>> for ProblemService<S>
where
    S: Service<Request<Q>, Response = Response<B>>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    #[inline]
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    #[inline]
    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let uri = self.config.needs_uri().then(|| request.uri());
        let facts = Facts::of(request.method(), request.headers(), uri);
        let inner = &mut self.inner;
        let called = catch_unwind(AssertUnwindSafe(|| inner.call(request)));
        ResponseFuture::new(called, facts, Arc::clone(&self.config))
    }
}

/// A problem that leaves, for [`ProblemLayer::on_problem`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Emitted<'a> {
    /// Its code; empty when a foreign problem has none.
    pub code: &'a str,
    /// The status line.
    pub status: u16,
    /// The surface: `rest`, or `human` for a page or markdown.
    pub surface: &'static str,
    /// The request id.
    pub request_id: &'a str,
}

/// Marks a response that must leave as it is, such as one a proxy relays: put it in the response's extensions.
///
/// # Examples
///
/// ```
/// use axum::Extension;
/// use axum::response::IntoResponse;
/// use aon::axum::Passthrough;
///
/// async fn relay() -> impl IntoResponse {
///     (http::StatusCode::BAD_GATEWAY, Extension(Passthrough), "as the upstream said it")
/// }
/// # let _ = relay;
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a marker has no fields")]
pub struct Passthrough;

#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    pub(super) namespace: Namespace,
    pub(super) routes: Routes,
    pub(super) legacy: Vec<(String, u64)>,
    pub(super) foreign_detail: bool,
    pub(super) docs: Option<String>,
    pub(super) hook: Option<Hook>,
}

impl Config {
    fn needs_uri(&self) -> bool {
        !self.routes.is_empty() || !self.legacy.is_empty()
    }

    /// Since when the shape is deprecated, for a path of a legacy group.
    pub(super) fn legacy_since(&self, path: &str) -> Option<u64> {
        self.legacy.iter().find_map(|(prefix, since)| {
            let rest = path.strip_prefix(prefix.trim_end_matches('/'))?;
            (rest.is_empty() || rest.starts_with('/')).then_some(*since)
        })
    }
}

#[derive(Clone)]
pub(super) struct Hook(Arc<dyn Fn(&Emitted<'_>) + Send + Sync>);

impl Hook {
    pub(super) fn call(&self, emitted: &Emitted<'_>) {
        // A hook that panics must not turn the answer into a dropped connection.
        let _: Result<(), _> = catch_unwind(AssertUnwindSafe(|| (self.0)(emitted)));
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}
