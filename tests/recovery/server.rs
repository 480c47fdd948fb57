//! The world served on REST, MCP and A2A by the adapters people embed, or by the bare frameworks.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use aon::axum::ProblemLayer;
use aon::jsonrpc::Endpoint;
use aon::rmcp::{HttpProblemLayer, ProblemServer};
use aon_live::{GlassBox, Hub};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, get, on, post};
use axum::{Json, Router};
use bytes::Bytes;
use http_body::Frame;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tower::Layer;

use super::world::World;

pub use rest::read_problem as problem;

mod a2a;
mod mcp;
mod plain;
mod rest;

/// What the server says when a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arm {
    /// What the frameworks send by themselves.
    Plain,
    /// RFC 9457 and no more.
    Rfc9457,
    /// Our envelope.
    Envelope,
    /// Our envelope, and a session that outlives the connection.
    GlassBox,
}

impl Arm {
    pub const ALL: [Self; 4] = [Self::Plain, Self::Rfc9457, Self::Envelope, Self::GlassBox];

    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Rfc9457 => "rfc9457",
            Self::Envelope => "envelope",
            Self::GlassBox => "glass box",
        }
    }

    pub fn ours(self) -> bool {
        matches!(self, Self::Envelope | Self::GlassBox)
    }
}

#[derive(Clone)]
pub struct Shared {
    pub world: Arc<World>,
    pub arm: Arm,
}

/// Everything at one address.
pub fn app(world: &Arc<World>, arm: Arm) -> Router {
    let shared = Shared {
        world: Arc::clone(world),
        arm,
    };
    let mut rest = Router::new();
    for operation in &world.scenario.operations {
        let name = operation.name.clone();
        let filter =
            MethodFilter::try_from(operation.method().parse::<http::Method>().unwrap()).unwrap();
        let handler = async move |State(shared): State<Shared>, request: Request| {
            rest::call(shared, &name, request).await
        };
        rest = rest.route(&operation.route(), on(filter, handler));
    }
    let document = rest::document(&world.scenario);
    let card = a2a::card(&world.scenario, arm);
    rest = rest.route("/openapi.json", get(async move || Json(document.clone())));
    rest = rest.route(
        "/.well-known/agent-card.json",
        get(async move || Json(card.clone())),
    );
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let tools = mcp::Tools {
        shared: shared.clone(),
    };
    let sessions = Arc::new(NeverSessionManager::default());
    let mcp: Router<Shared> = if arm.ours() {
        let server = ProblemServer::new(tools);
        let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
        Router::new().route_service("/mcp", HttpProblemLayer::new().layer(service))
    } else {
        let service = StreamableHttpService::new(move || Ok(tools.clone()), sessions, config);
        Router::new().route_service("/mcp", service)
    };
    let a2a = if arm.ours() {
        let names = world
            .scenario
            .operations
            .iter()
            .map(|operation| operation.name.clone());
        let endpoint = Endpoint::new().with_skills(names);
        post(
            async move |State(shared): State<Shared>, request: Request| {
                a2a::ours(endpoint, shared, request).await
            },
        )
    } else {
        post(async move |State(shared): State<Shared>, body: Bytes| a2a::plain(&shared, &body))
    };
    let cutter = Arc::clone(world);
    let app = rest.route("/a2a", a2a).merge(mcp).with_state(shared);
    let app = match arm {
        Arm::Plain => app.layer(tower_http::catch_panic::CatchPanicLayer::new()),
        Arm::Rfc9457 => app.layer(tower_http::catch_panic::CatchPanicLayer::custom(
            |_: Box<dyn std::any::Any + Send>| {
                plain::problem_response(500, "The service panicked", &Default::default())
            },
        )),
        Arm::Envelope => ProblemLayer::new().wrap(app),
        Arm::GlassBox => {
            let hub = Hub::new();
            let app = app.layer(GlassBox::new(&hub)).merge(hub.routes());
            ProblemLayer::new().wrap(app)
        }
    };
    app.layer(axum::middleware::from_fn(
        move |request: Request, next: Next| {
            let world = Arc::clone(&cutter);
            async move {
                if let Some(caller) = request.headers().get("x-caller") {
                    world.identify(caller.to_str().unwrap_or_default());
                }
                let response = next.run(request).await;
                response.map(|inner| Body::new(Cut { inner, world }))
            }
        },
    ))
}

/// A body whose connection breaks where the world says so; what a stream sent at once has gone through by then.
struct Cut {
    inner: Body,
    world: Arc<World>,
}

impl http_body::Body for Cut {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(context);
        if polled.is_ready() && self.world.cut.swap(false, Ordering::SeqCst) {
            return Poll::Ready(Some(Err(axum::Error::new("the connection broke"))));
        }
        polled
    }
}

/// A value as a response.
fn success(value: &serde_json::Value) -> Response {
    Json(json!(value)).into_response()
}
