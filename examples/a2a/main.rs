//! An A2A agent on axum: `cargo run -p aon-examples --bin a2a`.
//!
//! ```toml
//! [dependencies]
//! aon = { package = "aon-rs", git = "https://github.com/aon-rs/aon", features = ["axum", "serve"] }
//! axum = "0.8"
//! serde = { version = "1", features = ["derive"] }
//! serde_json = "1"
//! thiserror = "2"
//! tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
//! tracing-subscriber = "0.3"
//! ```

use aon::axum::ProblemLayer;
use aon::jsonrpc::{self, Endpoint};
use aon::surface::a2a;
use aon::{Failure, Json};
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Value, json};
use tracing_subscriber::filter::LevelFilter;

#[derive(serde::Deserialize)]
struct Order {
    item: String,
    quantity: u8,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum OrderError {
    #[error("{item} is not in stock")]
    #[problem(status = 409, title = "Out of stock", a2a_skill = "create_order")]
    OutOfStock {
        #[problem(extension)]
        item: String,
    },
}

/// One JSON-RPC request: the data part of the message is an order.
fn answer(request: &jsonrpc::Request) -> Result<Json, Failure> {
    if request.method() != "SendMessage" {
        let problem = jsonrpc::method_not_found(request.method(), ["SendMessage"]);
        return Err(Failure::built_in(problem));
    }
    let params = request.params().map(Json::to_value).unwrap_or_default();
    let data = &params["message"]["parts"][0]["data"];
    // Every wrong field at once, and the corrected data where it is clear.
    let order: Order = aon::arguments::read(data)?;
    if order.item == "lamp" {
        return Err(OrderError::OutOfStock { item: order.item }.into());
    }
    let text = format!("{} × {}", order.quantity, order.item);
    let message = json!({"messageId": "1", "role": "ROLE_AGENT", "parts": [{"text": text}]});
    Ok(Json::from(&json!({"message": message})))
}

async fn agent(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let exchange = endpoint.open(&head);
    let response = match to_bytes(body, endpoint.limits().bytes).await {
        Ok(body) => exchange.answer(&body, answer),
        Err(_) => exchange.unread(true),
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
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "create_order", "name": "Order", "description": "Orders an item.", "tags": ["orders"]}],
    })
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::DEBUG)
        .with_writer(std::io::stderr)
        .init();

    let address = std::env::var("ADDRESS").unwrap_or("127.0.0.1:3000".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    let base = format!("http://{}", listener.local_addr()?);
    let card = card(&base);
    let app = axum::Router::new()
        .route(
            "/.well-known/agent-card.json",
            get(async || axum::Json(card)),
        )
        .route("/a2a", post(agent))
        .with_state(Endpoint::new().with_skills(["create_order"]));
    println!("ready {base}");
    aon::axum::serve(listener, ProblemLayer::new().wrap(app)).await
}
