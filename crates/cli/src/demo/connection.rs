//! How long a caller may take.

use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, StatusCode, header};
use tower_http::timeout::RequestBodyTimeoutLayer;

/// How long a caller may take for the head of a request, and again for its body.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a connection may be idle: a little longer, so that a request that stops coming is answered first.
pub(super) const IDLE: Duration = Duration::from_secs(14);

/// How long a caller may take nothing of what is sent to it.
pub(super) const STALLED: Duration = Duration::from_secs(30);

/// The routes of streams: they may last, but what is sent to them must keep coming.
pub(super) fn patient(routes: Router) -> Router {
    routes.layer(RequestBodyTimeoutLayer::new(PATIENCE))
}

/// Ends a request that takes too long: no operation here does, so its body was not finished. Where what is left of a body is
/// not read, the connection cannot go on, and says so.
pub(super) async fn in_time(request: Request, next: Next) -> Response {
    closing(
        match tokio::time::timeout(PATIENCE, next.run(request)).await {
            Ok(response) => response,
            Err(_elapsed) => StatusCode::REQUEST_TIMEOUT.into_response(),
        },
    )
}

fn closing(mut response: Response) -> Response {
    if matches!(response.status().as_u16(), 408 | 413) {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response
}
