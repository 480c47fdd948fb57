//! One service on three surfaces, REST, MCP and A2A: `cargo run -p aon-examples --bin service`.
//!
//! `orders` is the program; everything here only carries its values and errors.
//!
//! ```toml
//! [dependencies]
//! aon = { package = "aon-rs", git = "https://github.com/aon-rs/aon", features = ["axum", "rmcp", "serve"] }
//! axum = "0.8"
//! rmcp = { version = "3.8", features = ["macros", "server", "transport-streamable-http-server"] }
//! serde = { version = "1", features = ["derive"] }
//! serde_json = "1"
//! thiserror = "2"
//! tokio = { version = "1", features = ["macros", "net", "rt-multi-thread", "signal"] }
//! tower = "0.5"
//! tracing-subscriber = "0.3"
//! ```

mod orders;

use std::sync::Arc;

use aon::axum::{Json, ProblemLayer};
use aon::jsonrpc::{self, Endpoint};
use aon::rmcp::{HttpProblemLayer, Parameters, ProblemServer};
use aon::surface::a2a;
use aon::{Door, Failure};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use orders::{Order, OrderError};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{tool, tool_router};
use serde_json::{Value, json};
use tower::Layer as _;
use tracing_subscriber::filter::LevelFilter;

/// REST: `POST /orders`.
async fn create(Json(order): Json<Order>) -> Result<Json<Order>, OrderError> {
    orders::create(order).map(Json)
}

/// MCP: the tool `create_order` at `/mcp`.
#[derive(Clone)]
struct Tools;

#[tool_router(server_handler)]
impl Tools {
    #[tool(description = "Orders an item")]
    async fn create_order(
        &self,
        Parameters(order): Parameters<Order>,
    ) -> Result<rmcp::Json<Order>, OrderError> {
        orders::create(order).map(rmcp::Json)
    }
}

/// A2A: the skill `create_order` at `/a2a`.
fn skill(request: &jsonrpc::Request) -> Result<aon::Json, Failure> {
    if request.method() != "SendMessage" {
        let problem = jsonrpc::method_not_found(request.method(), ["SendMessage"]);
        return Err(Failure::built_in(problem));
    }
    let params = request
        .params()
        .map(aon::Json::to_value)
        .unwrap_or_default();
    let data = &params["message"]["parts"][0]["data"];
    let order = orders::create(aon::arguments::read(data)?)?;
    let message = json!({"messageId": "1", "role": "ROLE_AGENT", "parts": [{"data": order}]});
    Ok(aon::Json::from(&json!({"message": message})))
}

async fn agent(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let exchange = endpoint.open(&head);
    let response = match to_bytes(body, endpoint.limits().bytes).await {
        Ok(body) => exchange.answer(&body, skill),
        Err(error) => exchange.unread(&error),
    };
    response.map(Body::from)
}

fn card(base: &str) -> Value {
    json!({
        "name": "Shop",
        "description": "Takes orders.",
        "version": "1.0.0",
        "supportedInterfaces": [{"url": format!("{base}/a2a"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {"extensions": [a2a::extension_declaration().to_value()]},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{"id": "create_order", "name": "Order", "description": "Orders an item.", "tags": ["orders"]}],
    })
}

fn app(base: &str, door: &Door) -> Router {
    let server = ProblemServer::new(Tools).with_door(door.clone());
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let sessions = Arc::new(NeverSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let messages = HttpProblemLayer::new()
        .with_door(door.clone())
        .with_json_only(true);
    let endpoint = Endpoint::new()
        .with_door(door.clone())
        .with_skills(["create_order"]);
    let card = card(base);
    let app = Router::new()
        .route("/orders", post(create))
        .route(
            "/.well-known/agent-card.json",
            get(async || axum::Json(card)),
        )
        .route("/a2a", post(agent))
        .with_state(endpoint)
        .route_service("/mcp", messages.layer(mcp));
    ProblemLayer::new().with_door(door.clone()).wrap(app)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::DEBUG)
        .with_writer(std::io::stderr)
        .init();

    // What is said once for all surfaces: the namespace of problems, and how much of a request is read.
    let door = Door::new()
        .with_namespace("shop")?
        .with_body_limit(64 << 10);
    let address = std::env::var("ADDRESS").unwrap_or("127.0.0.1:3000".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    let base = format!("http://{}", listener.local_addr()?);
    let app = app(&base, &door);
    println!("ready {base} rest={base}/orders mcp={base}/mcp a2a={base}/a2a");
    aon::axum::serve(listener, app)
        .with_graceful_shutdown(async {
            // Without a way to listen for Ctrl-C it runs until it is ended from outside.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
        .await?;
    Ok(())
}
