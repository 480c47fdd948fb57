//! An A2A agent on axum: `cargo run -p aon-examples --bin a2a`.
//!
//! ```toml
//! [dependencies]
//! aon = { package = "aon-rs", git = "https://github.com/aon-rs/aon", features = ["axum", "serve"] }
//! aon-live = { git = "https://github.com/aon-rs/aon" }
//! axum = "0.8"
//! serde = { version = "1", features = ["derive"] }
//! thiserror = "2"
//! tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
//! tracing-subscriber = "0.3"
//! ```

use aon::axum::ProblemLayer;
use aon_live::a2a::{Agent, Skill};
use aon_live::{Hub, Session};
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

/// A skill: what it reports makes it a task that clients follow, answer and cancel. One that reports nothing answers at once.
async fn create_order(session: Session, order: Order) -> Result<String, OrderError> {
    if order.item == "lamp" {
        return Err(OrderError::OutOfStock { item: order.item });
    }
    if order.quantity > 10 {
        session.status("asking the warehouse").progress(0.5);
    }
    Ok(format!("{} × {}", order.quantity, order.item))
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
    let hub = Hub::new();
    let skill = Skill::new("create_order", "Order", "Orders an item.", create_order);
    let agent = Agent::new(&hub, "Shop", "Takes orders.", format!("{base}/a2a"))
        .skill(skill.tags(["orders"]))
        .build();
    // The card, JSON-RPC and HTTP+JSON; and the sessions behind the tasks, for `aon tail` and browsers.
    let app = axum::Router::new()
        .merge(agent.routes())
        .merge(hub.routes());
    println!("ready {base}");
    aon::axum::serve(listener, ProblemLayer::new().wrap(app)).await
}
