//! The layer: every 4xx and 5xx that leaves the program is a problem (S3).

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::task::{Context, Poll};

use aon_core::{InvalidNamespace, Namespace};
use axum_core::BoxError;
use axum_core::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use tower_layer::Layer;
use tower_service::Service;

use super::facts::Kept;
use super::future::ResponseFuture;
use super::routes;
use super::settings::{Config, Defaults, Hook, Settings, Shared};

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
#[derive(Clone, Copy, Debug, Default)]
pub struct ProblemLayer<C = Defaults> {
    settings: C,
}

impl ProblemLayer {
    /// The layer with its defaults: namespace `pspace`, no route table, nothing foreign shown.
    pub const fn new() -> Self {
        Self { settings: Defaults }
    }
}

impl<C: Settings> ProblemLayer<C> {
    /// Mints the types of the framework's problems in a namespace of yours: a short name, or a URI prefix (P3).
    ///
    /// # Errors
    ///
    /// When the text is no namespace.
    pub fn namespace(self, namespace: &str) -> Result<ProblemLayer<Shared>, InvalidNamespace> {
        let namespace = Namespace::parse(namespace)?;
        Ok(self.change(|config| config.namespace = namespace))
    }

    /// Names the routes, as templates, so that a 404 can tell the nearest one.
    #[must_use]
    pub fn routes<T: Into<String>>(
        self,
        templates: impl IntoIterator<Item = T>,
    ) -> ProblemLayer<Shared> {
        self.change(|config| {
            for template in templates {
                config.routes.add(template.into().into());
            }
        })
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
    pub fn routes_of<S>(self, router: &::axum::Router<S>) -> ProblemLayer<Shared> {
        self.change(|config| {
            for route in routes::of_router(router) {
                config.routes.add(route);
            }
        })
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
    pub fn legacy(self, prefix: impl Into<String>, since: u64) -> ProblemLayer<Shared> {
        self.change(|config| config.legacy.push((prefix.into(), since)))
    }

    /// Shows short plain text of a foreign 4xx as the detail, redacted. Off unless set: whoever wrote that text did
    /// not know that it would be shown. A 5xx never shows any.
    #[must_use]
    pub fn foreign_detail(self, show: bool) -> ProblemLayer<Shared> {
        self.change(|config| config.foreign_detail = show)
    }

    /// Gives problems of the framework a `docs_url`: `base` followed by the code.
    #[must_use]
    pub fn docs(self, base: impl Into<String>) -> ProblemLayer<Shared> {
        self.change(|config| config.docs = Some(base.into()))
    }

    /// Calls `hook` for every problem that leaves, for metrics.
    #[must_use]
    pub fn on_problem(
        self,
        hook: impl Fn(&Emitted<'_>) + Send + Sync + 'static,
    ) -> ProblemLayer<Shared> {
        self.change(|config| config.hook = Some(Hook::new(Arc::new(hook))))
    }

    fn change(self, change: impl FnOnce(&mut Config)) -> ProblemLayer<Shared> {
        let mut config = self.settings.config().clone();
        change(&mut config);
        ProblemLayer {
            settings: Shared::new(config),
        }
    }
}

impl<S, C: Settings> Layer<S> for ProblemLayer<C> {
    type Service = ProblemService<S, C>;

    fn layer(&self, inner: S) -> ProblemService<S, C> {
        ProblemService {
            inner,
            settings: self.settings.clone(),
        }
    }
}

/// What [`ProblemLayer`] makes of a service.
#[derive(Clone, Debug)]
pub struct ProblemService<S, C = Defaults> {
    inner: S,
    settings: C,
}

impl<S, C, Q, B> Service<Request<Q>> for ProblemService<S, C>
where
    C: Settings,
    S: Service<Request<Q>, Response = Response<B>>,
    S::Error: 'static,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, C>;

    #[inline]
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    // A function of its own with nothing to drop if the inner service panics: then the inner future is made where it stays, and
    // its several hundred bytes are not moved. What is kept of the request is leaked in that case.
    #[inline(never)]
    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let uri = self.settings.needs_uri().then(|| request.uri());
        let kept = Kept::of(request.method(), request.headers(), uri);
        let kept = ManuallyDrop::new(kept);
        ResponseFuture {
            inner: self.inner.call(request),
            kept: ManuallyDrop::into_inner(kept),
            settings: self.settings.clone(),
        }
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
