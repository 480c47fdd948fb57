//! One connection: served by hyper, and ended when its caller does not finish what it began.

use std::time::Duration;

use aon_live::PatientIo;
use axum::Router;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, StatusCode, header};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower_http::timeout::RequestBodyTimeoutLayer;

/// How long a caller may take for the head of a request, and again for its body.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a caller may take nothing of what is sent to it.
const STALLED: Duration = Duration::from_secs(30);

/// Serves a connection until it ends, or the program is asked to stop. hyper closes one whose head is not finished in time
/// without a word; an upgrade to a web socket takes it over.
pub(super) async fn serve(stream: TcpStream, app: Router, mut stop: watch::Receiver<()>) {
    let service = TowerToHyperService::new(app);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(PatientIo::new(stream, STALLED)), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    // How a connection ended is its caller's business.
    tokio::select! {
        _ended = connection.as_mut() => {}
        _ = stop.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ended = connection.await;
        }
    }
}

/// The routes of streams: they may last, but what is sent to them must keep coming.
pub(super) fn patient(routes: Router) -> Router {
    routes.layer(RequestBodyTimeoutLayer::new(PATIENCE))
}

/// Ends a request that takes too long: no operation here does, so its body was not finished. Where what is left of a body is
/// not read, the connection cannot go on, and says so.
pub(super) async fn in_time(request: Request, next: Next) -> Response {
    let mut response = match tokio::time::timeout(PATIENCE, next.run(request)).await {
        Ok(response) => response,
        Err(_elapsed) => StatusCode::REQUEST_TIMEOUT.into_response(),
    };
    if matches!(response.status().as_u16(), 408 | 413) {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response
}
