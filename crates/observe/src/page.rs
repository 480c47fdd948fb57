//! `/aon/live`: what happens now, as plots that move. No build step, nothing from elsewhere.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::request::Parts;

use crate::telemetry::Telemetry;
use crate::text;

const PAGE: &str = include_str!("page.html");
/// The page runs its own script and asks its own server, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Why the page was not shown.
#[derive(Debug, thiserror::Error, aon::Problem)]
enum PageError {
    /// It is for administrators.
    #[error("This page shows what happens in the whole program, and is for administrators.")]
    #[problem(
        status = 403,
        code = "admin_scope_required",
        title = "Administrators only",
        remediation(request_scope_elevation, next_action(required_scope = "admin"))
    )]
    NotAdmitted,
}

impl Telemetry {
    /// `GET /aon/live`, for those whom `admits` lets in: ask for an administrator's scope there.
    ///
    /// ```
    /// use aon_observe::Telemetry;
    ///
    /// let telemetry = Telemetry::new();
    /// let app: axum::Router = telemetry.live_page(|parts| parts.extensions.get::<Admin>().is_some());
    ///
    /// /// What the layer that checks credentials puts beside a request.
    /// #[derive(Clone)]
    /// struct Admin;
    /// # let _ = app;
    /// ```
    pub fn live_page<S: Clone + Send + Sync + 'static>(
        &self,
        admits: impl Fn(&Parts) -> bool + Send + Sync + 'static,
    ) -> Router<S> {
        let admits: Arc<dyn Fn(&Parts) -> bool + Send + Sync> = Arc::new(admits);
        let (telemetry, may_read) = (self.clone(), Arc::clone(&admits));
        let page =
            async move |request: Request| guarded(&*admits, request, || Html(PAGE).into_response());
        let data = async move |request: Request| {
            guarded(&*may_read, request, || {
                ([(CONTENT_TYPE, text::PROMETHEUS)], telemetry.prometheus()).into_response()
            })
        };
        Router::new()
            .route("/aon/live", get(page))
            .route("/aon/live/data", get(data))
    }
}

fn guarded(
    admits: &dyn Fn(&Parts) -> bool,
    request: Request,
    show: impl FnOnce() -> Response,
) -> Response {
    let (parts, _) = request.into_parts();
    if !admits(&parts) {
        return PageError::NotAdmitted.into_response();
    }
    let mut response = show();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}
