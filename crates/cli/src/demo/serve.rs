//! One port for everything, and standard input for MCP alone.

use std::sync::Arc;
use std::time::Duration;

use aon::Door;
use aon::axum::ProblemLayer;
use aon::rmcp::{HttpProblemLayer, Lines};
use aon_live::a2a::WELL_KNOWN as CARD;
use aon_live::{Hub, Patient};
use aon_observe::Telemetry;
use axum::Router;
use axum::response::Html;
use axum::routing::get;
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use tokio::net::TcpListener;
use tower_layer::Layer;

use super::domain::Store;
use super::{a2a, cluster, connection, live, log, mcp, page, recover, rest};
use crate::args::Demo;
use crate::fault::Fault;
use crate::output::Output;
use crate::server::{Stop, base, runtime};

/// How long open connections may take to end once the program was asked to stop.
const GRACE: Duration = Duration::from_secs(2);

/// Serves until the program is asked to stop.
pub(crate) fn serve(args: &Demo, output: &mut Output) -> Result<(), Fault> {
    if !args.quiet {
        log::start();
    }
    let (host, port) = (args.host, args.port);
    runtime()?.block_on(async {
        let listener = TcpListener::bind((host, port))
            .await
            .map_err(|source| Fault::refused(format!("listening on {host}:{port}"), &source))?;
        let address = listener
            .local_addr()
            .map_err(|source| Fault::refused("listening", &source))?;
        let asked = Stop::listen()?;
        let base = base(address);
        let telemetry = args.metrics.then(Telemetry::new);
        let hub = live::hub(args, telemetry.as_ref())?;
        let measured = if args.metrics {
            format!(" metrics={base}/metrics plots={base}/aon/live")
        } else {
            String::new()
        };
        output.line(format!(
            "ready {base} rest={base} mcp={base}/mcp a2a={base}/a2a card={base}{CARD} live={base}/live{measured}"
        ))?;
        output.flush()?;
        let door = telemetry.as_ref().map_or_else(Door::new, Telemetry::door);
        let mut app = app(&base, args, &door, &hub, telemetry.as_ref());
        if args.redis.is_some() {
            let peers = args.peer.iter().map(|peer| peer.trim_end_matches('/'));
            let nodes: Vec<String> = [&*base].into_iter().chain(peers).map(str::to_owned).collect();
            app = app.merge(cluster::routes(&hub, &nodes));
        }
        let stopped = async move {
            asked.asked().await;
            // Streams would never end by themselves: the hub ends them, and then the connections can.
            hub.shutdown(GRACE / 2).await;
        };
        aon::axum::serve(Patient::new(listener, connection::STALLED), app)
            .with_patience(connection::IDLE)
            .with_grace(GRACE)
            .with_graceful_shutdown(stopped)
            .await
            .map_err(|source| Fault::refused("serving", &source))
    })
}

/// Serves MCP on standard input and output until the input ends.
pub(crate) fn serve_stdio(quiet: bool) -> Result<(), Fault> {
    if !quiet {
        log::start();
    }
    runtime()?.block_on(async {
        let asked = Stop::listen()?;
        let door = Door::new();
        let hub = Hub::new();
        let server = mcp::server(Arc::new(Store::default()), door.clone(), &hub);
        let lines = Lines::from(rmcp::transport::stdio()).with_door(door);
        let service = match server.serve(lines).await {
            Ok(service) => service,
            // The input ended before the handshake: there was nobody to serve.
            Err(_closed) => return Ok(()),
        };
        tokio::select! {
            _ = service.waiting() => {}
            () = asked.asked() => {}
        }
        Ok(())
    })
}

fn app(base: &str, args: &Demo, door: &Door, hub: &Hub, telemetry: Option<&Telemetry>) -> Router {
    let store = Arc::new(Store::default());
    let page = page::page();
    let server = mcp::server(Arc::clone(&store), door.clone(), hub);
    let mut config = StreamableHttpServerConfig::default();
    let host = args.host;
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
    let mcp = mcp::Transport::new(server, config);
    let problems = HttpProblemLayer::new()
        .with_door(door.clone())
        .with_json_only(true);
    let mcp = Router::new().route_service("/mcp", problems.layer(mcp));
    let agent = a2a::agent(hub, base, args, &store, door.clone());
    let live = live::routes(hub, args.ring).merge(agent.routes());
    let mut app = Router::new()
        .route("/", get(async move || Html(page.clone())))
        .merge(rest::routes())
        .merge(recover::routes())
        .with_state(store)
        .layer(axum::middleware::from_fn(connection::in_time))
        .merge(connection::patient(mcp))
        .merge(connection::patient(live));
    if let Some(telemetry) = telemetry {
        // Whoever reaches the demo may see everything in it.
        let page = telemetry.live_page(|_| true);
        app = app
            .merge(telemetry.routes())
            .merge(page)
            .layer(telemetry.layer());
    }
    ProblemLayer::new().with_door(door.clone()).wrap(app)
}
