//! The same MCP server over HTTP: `cargo run -p aon-examples --bin rmcp-http`.
//!
//! ```toml
//! [dependencies]
//! aon = { package = "aon-rs", git = "https://github.com/aon-rs/aon", features = ["axum", "rmcp", "serve"] }
//! axum = "0.8"
//! rmcp = { version = "3.8", features = ["macros", "server", "transport-streamable-http-server"] }
//! serde = { version = "1", features = ["derive"] }
//! thiserror = "2"
//! tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
//! tower = "0.5"
//! tracing-subscriber = "0.3"
//! ```

use std::sync::Arc;

use aon::axum::ProblemLayer;
use aon::rmcp::{HttpProblemLayer, Parameters, ProblemServer};
use axum::Router;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{schemars, tool, tool_router};
use tower::Layer as _;
use tracing_subscriber::filter::LevelFilter;

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Shipping {
    Standard,
    Express,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Order {
    item: String,
    quantity: u8,
    shipping: Shipping,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum OrderError {
    #[error("{item} is not in stock")]
    #[problem(status = 409, title = "Out of stock")]
    OutOfStock {
        #[problem(extension)]
        item: String,
    },
}

#[derive(Clone)]
struct Shop;

#[tool_router(server_handler)]
impl Shop {
    #[tool(description = "Orders an item")]
    async fn create_order(
        &self,
        Parameters(order): Parameters<Order>,
    ) -> Result<String, OrderError> {
        if order.item == "lamp" {
            return Err(OrderError::OutOfStock { item: order.item });
        }
        Ok(format!(
            "{} × {}, {:?}",
            order.quantity, order.item, order.shipping
        ))
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::DEBUG)
        .with_writer(std::io::stderr)
        .init();

    let server = ProblemServer::new(Shop);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    // What never reaches a tool: bodies that are not messages, and those over the limit.
    let service = HttpProblemLayer::new().with_json_only(true).layer(service);
    let app = ProblemLayer::new().wrap(Router::new().route_service("/mcp", service));

    let address = std::env::var("ADDRESS").unwrap_or("127.0.0.1:3000".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("ready http://{}", listener.local_addr()?);
    aon::axum::serve(listener, app).await
}
