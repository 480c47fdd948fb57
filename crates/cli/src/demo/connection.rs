//! One connection: served by hyper, and ended when its caller does not finish what it began.

use std::time::Duration;

use aon::Door;
use aon::door::{Facts, Occurrence, Scope};
use aon::surface::rest::Rest;
use axum::Router;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, StatusCode, header};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::watch;

/// How long a caller may take for the head of a request, and again for its body.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves a connection until it ends, or the program is asked to stop.
pub(super) async fn serve(
    stream: TcpStream,
    app: Router,
    door: Door,
    mut stop: watch::Receiver<()>,
) {
    let service = TowerToHyperService::new(app);
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), service);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        _ = stop.changed() => {
            Pin::new(&mut connection).graceful_shutdown();
            (&mut connection).await
        }
    };
    let late = ended.is_err_and(|error| error.is_timeout());
    let parts = connection.into_parts();
    // Nothing was begun where nothing was read: then an idle connection just ends.
    if late && !parts.read_buf.is_empty() {
        let mut stream = parts.io.into_inner();
        let _sent = stream.write_all(&too_late(&door)).await;
        let _closed = stream.shutdown().await;
    }
}

/// The answer to a head that was not finished in time. hyper has none, and closes without a word.
fn too_late(door: &Door) -> Vec<u8> {
    let entry = aon::axum::entries().find(|entry| entry.status == 408);
    let Some(entry) = entry else {
        return Vec::new();
    };
    let failure = Occurrence::built_in(entry.to_problem().with_detail(entry.detail));
    let body = Scope::open(door, Facts::new("rest")).answer(&failure, &Rest::default(), None);
    let head = format!(
        "HTTP/1.1 408 Request Timeout\r\ncontent-type: application/problem+json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.into_bytes(), body].concat()
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
