//! The layer: every 4xx and 5xx that leaves the program is a problem ([S3]).
//!
//! [S3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s3

use std::sync::Arc;
use std::task::{Context, Poll};

use aon_core::ProblemDetails;
use axum_core::BoxError;
use axum_core::body::Body;
use bytes::Bytes;
use http::response::Parts;
use http::{Request, Response};
use tower_layer::Layer;
use tower_service::Service;

use super::adopt::{Foreign, adopt};
use super::foreign;
use super::future::ResponseFuture;
use super::media::Media;
use super::routes::{self, Routes};
use crate::door::current::Around;
use crate::door::{Door, Kept};
use crate::surface::human::Brand;

/// Makes every error response a problem, no matter where it comes from: handlers, extractors, unknown routes, wrong methods, body
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
///     .layer(ProblemLayer::new().with_routes(["/clusters/{id}"]));
/// # let _ = app;
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProblemLayer {
    config: Arc<Config>,
}

/// What can be set.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    pub(super) door: Door,
    pub(super) routes: Routes,
    pub(super) legacy: Vec<(String, u64)>,
    pub(super) foreign_detail: bool,
    pub(super) foreign: Foreign,
    pub(super) brand: Option<Brand>,
    /// The limit of bodies, where the layer set it.
    pub(super) limit: Option<usize>,
}

impl ProblemLayer {
    /// The layer with its defaults: the default door, no route table, nothing foreign shown.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the door: namespace, hook and what else is said once for all surfaces.
    ///
    /// # Examples
    ///
    /// ```
    /// use aon::Door;
    /// use aon::axum::ProblemLayer;
    ///
    /// let layer = ProblemLayer::new().with_door(Door::new().with_namespace("acme")?);
    /// # let _ = layer;
    /// # Ok::<(), aon::InvalidNamespace>(())
    /// ```
    #[must_use]
    pub fn with_door(self, door: Door) -> Self {
        self.with(|config| config.door = door)
    }

    /// Names the routes, as templates, so that a 404 can tell the nearest one.
    #[must_use]
    pub fn with_routes<T: Into<String>>(self, templates: impl IntoIterator<Item = T>) -> Self {
        self.with(|config| {
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
    /// let layer = ProblemLayer::new().with_routes_of(&app);
    /// let app = app.layer(layer);
    /// # let _ = app;
    /// ```
    #[must_use]
    pub fn with_routes_of<S>(self, router: &::axum::Router<S>) -> Self {
        self.with(|config| {
            for route in routes::of_router(router) {
                config.routes.add(route);
            }
        })
    }

    /// Emits, for the 5xx of the routes under `prefix`, the transitional `{"error": {code, message, request_id}}`
    /// beside the canonical members, with a `Deprecation` header ([S4]). `since` is when the shape became deprecated,
    /// in Unix seconds (RFC 9745).
    ///
    /// [S4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s4
    #[must_use]
    pub fn with_legacy(self, prefix: impl Into<String>, since: u64) -> Self {
        self.with(|config| config.legacy.push((prefix.into(), since)))
    }

    /// Shows short plain text of a foreign 4xx as the detail, redacted. Off unless set: the author of that text did
    /// not know that it would be shown. A 5xx never shows any.
    #[must_use]
    pub fn with_foreign_detail(self, show: bool) -> Self {
        self.with(|config| config.foreign_detail = show)
    }

    /// Says what becomes of JSON errors that were written by hand: [replaced](Foreign::Replace) unless set, or
    /// [kept](Foreign::Keep) and completed, or [adopted](Foreign::Adopt).
    #[must_use]
    pub fn with_foreign(self, foreign: Foreign) -> Self {
        self.with(|config| config.foreign = foreign)
    }

    /// The problem that an error response of somebody else stands for: by its own words where they are understood, as with
    /// [`Foreign::Adopt`], else by its status, its headers and the route table. For programs that stand between, such as a proxy.
    ///
    /// # Examples
    ///
    /// ```
    /// use aon::axum::ProblemLayer;
    ///
    /// let (parts, ()) = http::Response::builder()
    ///     .status(409)
    ///     .header("content-type", "application/json")
    ///     .body(())?
    ///     .into_parts();
    /// let body = br#"{"error": {"code": "SOLD_OUT", "message": "The show is sold out."}}"#;
    /// let problem = ProblemLayer::new().read(&parts, "/tickets", body);
    /// assert_eq!(problem.code().map(aon::Code::as_str), Some("sold_out"));
    /// # Ok::<(), http::Error>(())
    /// ```
    pub fn read(&self, parts: &Parts, path: &str, body: &[u8]) -> ProblemDetails {
        let mut config = Config::clone(&self.config);
        config.foreign_detail = true;
        let text = std::str::from_utf8(body).ok();
        match Media::of(&parts.headers) {
            Media::Json | Media::Problem => {
                let bare = foreign::problem(parts, None, path, &config);
                adopt(&bare, body).unwrap_or(bare)
            }
            Media::Text => foreign::problem(parts, text, path, &config),
            Media::Protocol | Media::Other => foreign::problem(parts, None, path, &config),
        }
    }

    /// Gives the pages that browsers get your colours and your logo.
    #[must_use]
    pub fn with_brand(self, brand: Brand) -> Self {
        self.with(|config| config.brand = Some(brand))
    }

    /// Puts the layer around a whole router and learns its routes: what [`ProblemLayer::with_routes_of`] and a layer around
    /// everything do together. The body limit of the door is set too; a route with a limit of its own takes the extractors of this
    /// module, because axum's do not tell which limit they held to. The router must have its state.
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
        let bytes = self.config.door.body_limit();
        let layer = self
            .with_routes_of(&router)
            .with(|config| config.limit = Some(bytes));
        let limit = ::axum::extract::DefaultBodyLimit::max(bytes);
        ::axum::Router::new().fallback_service(layer.layer(router.layer(limit)))
    }

    fn with(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(Arc::make_mut(&mut self.config));
        self
    }
}

impl Config {
    /// Since when the legacy shape is deprecated, for a path of a legacy group.
    pub(super) fn legacy_since(&self, path: &str) -> Option<u64> {
        self.legacy.iter().find_map(|(prefix, since)| {
            let rest = path.strip_prefix(prefix.trim_end_matches('/'))?;
            (rest.is_empty() || rest.starts_with('/')).then_some(*since)
        })
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
    S::Error: 'static,
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
        let kept = Kept::of(request.method(), request.uri(), request.headers());
        let around = Around::Unopened(self.config.door.clone(), kept);
        let config = Arc::clone(&self.config);
        ResponseFuture::new(around, config, || self.inner.call(request))
    }
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
