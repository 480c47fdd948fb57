//! Serving a router with the limits that `axum::serve` does not have.

use std::fmt;
use std::future::{Future, IntoFuture, pending};
use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;

use ::axum::Router;
use ::axum::serve::Listener;
use axum_core::response::Response;
use http::{HeaderValue, header};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tower_http::timeout::RequestBodyTimeoutLayer;

use attentive::Attentive;

mod attentive;

/// How long a caller may take, unless it is set.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long open connections may take to end, unless it is set.
const GRACE: Duration = Duration::from_secs(10);

/// Serves a router like `axum::serve`, and ends callers that do not finish what they began.
///
/// A connection whose request head is not there in time is closed. A body that stops coming fails: the extractors of this module
/// answer 408. After a 408 or 413 the connection is closed and the response says so. HTTP/1.1 is spoken, with upgrades to web
/// sockets; HTTP/2 and TLS are for the proxy in front. Any listener of axum will do, such as `aon_live::Patient`, which also ends
/// connections that take nothing of what is sent to them.
///
/// # Examples
///
/// ```no_run
/// use aon::axum::ProblemLayer;
/// use axum::{Router, routing::get};
///
/// # async fn run() -> std::io::Result<()> {
/// let app = ProblemLayer::new().wrap(Router::new().route("/health", get(async || "ok")));
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
/// aon::axum::serve(listener, app).await
/// # }
/// ```
pub fn serve<L: Listener>(listener: L, app: Router) -> Serve<L> {
    Serve {
        listener,
        app,
        patience: PATIENCE,
        grace: GRACE,
        stop: Box::pin(pending()),
    }
}

/// What [`serve`] makes: await it.
#[must_use = "nothing is served until it is awaited"]
pub struct Serve<L> {
    listener: L,
    app: Router,
    patience: Duration,
    grace: Duration,
    stop: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl<L: Listener> Serve<L> {
    /// How long a caller may take for the head of a request, and for each piece of its body. 30 seconds unless set.
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Stops when `stop` is over: nothing new is accepted, and what is open may end within the grace.
    pub fn with_graceful_shutdown(
        mut self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        self.stop = Box::pin(stop);
        self
    }

    /// How long open connections may take to end once it was asked to stop. 10 seconds unless set.
    pub fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    async fn run(self) -> io::Result<()> {
        let Self {
            mut listener,
            app,
            patience,
            grace,
            stop,
        } = self;
        let app = app
            .layer(RequestBodyTimeoutLayer::new(patience))
            .layer(::axum::middleware::map_response(closing))
            // Once, so that connections share its routes.
            .with_state(());
        let (ending, ended) = watch::channel(());
        let accepting = async {
            loop {
                let (stream, _) = listener.accept().await;
                tokio::spawn(connection(stream, app.clone(), patience, ended.clone()));
            }
        };
        tokio::select! {
            () = accepting => {}
            () = stop => {}
        }
        drop((listener, ended));
        ending.send_replace(());
        // Who still talks after the grace is cut off.
        let _ended = tokio::time::timeout(grace, ending.closed()).await;
        Ok(())
    }
}

impl<L: Listener> IntoFuture for Serve<L> {
    type Output = io::Result<()>;
    type IntoFuture = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<L: fmt::Debug> fmt::Debug for Serve<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serve")
            .field("listener", &self.listener)
            .field("patience", &self.patience)
            .field("grace", &self.grace)
            .finish_non_exhaustive()
    }
}

/// Serves one connection until it ends or the program is asked to stop.
async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    app: Router,
    patience: Duration,
    mut stop: watch::Receiver<()>,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .half_close(true)
        .serve_connection(
            TokioIo::new(Attentive::new(stream)),
            TowerToHyperService::new(app),
        )
        .with_upgrades();
    let mut connection = pin!(connection);
    // How a connection ended is its caller's business.
    tokio::select! {
        _ended = connection.as_mut() => {}
        _ = stop.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ended = connection.await;
        }
    }
}

/// What is left of a body is not read after these, so nothing can follow on the connection.
async fn closing(mut response: Response) -> Response {
    if matches!(response.status().as_u16(), 408 | 413) {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response
}
