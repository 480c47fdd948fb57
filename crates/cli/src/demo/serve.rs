//! One port for everything, and standard input for MCP alone.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use aon::axum::ProblemLayer;
use axum::Router;
use axum::response::Html;
use axum::routing::{get, post};
use http::{HeaderName, HeaderValue, header};
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use super::domain::Store;
use super::mcp::{Tools, gate};
use super::{a2a, card, page, rest};
use crate::fault::Fault;
use crate::output::Output;

/// How long open connections may take to end once the program was asked to stop.
const GRACE: Duration = Duration::from_secs(2);

/// Serves until the program is asked to stop.
pub(crate) fn serve(host: IpAddr, port: u16, output: &mut Output) -> Result<(), Fault> {
    runtime()?.block_on(async {
        let listener = TcpListener::bind((host, port))
            .await
            .map_err(|source| Fault::refused(format!("listening on {host}:{port}"), &source))?;
        let address = listener
            .local_addr()
            .map_err(|source| Fault::refused("listening", &source))?;
        let base = base(address);
        output.line(format!(
            "ready {base} rest={base} mcp={base}/mcp a2a={base}/a2a card={base}{CARD}"
        ))?;
        output.flush()?;
        let stop = Arc::new(tokio::sync::Notify::new());
        let stopped = Arc::clone(&stop);
        let server = axum::serve(listener, app(&base, host)).with_graceful_shutdown(async move {
            stopped.notified().await;
        });
        let server = tokio::spawn(async move { server.await });
        asked_to_stop().await?;
        stop.notify_one();
        // Who still talks after the grace is cut off; the program was asked to end.
        let _ended = tokio::time::timeout(GRACE, server).await;
        Ok(())
    })
}

/// Serves MCP on standard input and output until the input ends.
pub(crate) fn serve_stdio() -> Result<(), Fault> {
    runtime()?.block_on(async {
        let tools = Tools::new(Arc::new(Store::default()));
        let service = match tools.serve(rmcp::transport::stdio()).await {
            Ok(service) => service,
            // The input ended before the handshake: there was nobody to serve.
            Err(_closed) => return Ok(()),
        };
        tokio::select! {
            _ = service.waiting() => Ok(()),
            asked = asked_to_stop() => asked,
        }
    })
}

const CARD: &str = "/.well-known/agent-card.json";

fn app(base: &str, host: IpAddr) -> Router {
    let store = Arc::new(Store::default());
    let card = card::card(base).to_string();
    let page = page::page();
    let tools = Tools::new(Arc::clone(&store));
    let mut config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    config = if host.is_unspecified() {
        config.disable_allowed_hosts()
    } else {
        let loopback = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
        let origins =
            ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"].map(str::to_owned);
        config
            .with_allowed_hosts(loopback.into_iter().chain([host.to_string()]))
            .with_allowed_origins(origins.into_iter().chain([base.to_owned()]))
    };
    let mcp = StreamableHttpService::new(
        move || Ok(tools.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let mcp = Router::new()
        .route_service("/mcp", mcp)
        .layer(axum::middleware::from_fn(gate::gate));
    let app = Router::new()
        .route("/", get(async move || Html(page.clone())))
        .route(CARD, get(async move || json_document(card.clone())))
        .route("/a2a", post(a2a::handle))
        .merge(rest::routes())
        .with_state(store)
        .merge(mcp);
    ProblemLayer::new().wrap(app)
}

fn json_document(text: String) -> ([(HeaderName, HeaderValue); 2], String) {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("max-age=60"),
        ),
    ];
    (headers, text)
}

/// The address others use: one that was bound to every interface is reached on this machine.
fn base(address: SocketAddr) -> String {
    let port = address.port();
    match address.ip() {
        ip if ip.is_unspecified() => format!("http://127.0.0.1:{port}"),
        IpAddr::V4(ip) => format!("http://{ip}:{port}"),
        IpAddr::V6(ip) => format!("http://[{ip}]:{port}"),
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Fault> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|source| Fault::refused("starting the server", &source))
}

/// Ctrl-C, or the signal a supervisor sends.
async fn asked_to_stop() -> Result<(), Fault> {
    let refused = |source| Fault::refused("listening for signals", &source);
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate()).map_err(refused)?;
        tokio::select! {
            outcome = tokio::signal::ctrl_c() => outcome.map_err(refused),
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    {
        tokio::signal::ctrl_c().await.map_err(refused)
    }
}
