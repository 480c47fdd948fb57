//! A REST service with axum: `cargo run -p aon-examples --bin axum`.
//!
//! ```toml
//! [dependencies]
//! aon = { package = "aon-rs", git = "https://github.com/aon-rs/aon", features = ["axum", "serve"] }
//! axum = "0.8"
//! serde = { version = "1", features = ["derive"] }
//! thiserror = "2"
//! tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
//! tracing-subscriber = "0.3"
//! ```

use aon::axum::{Json, Path, ProblemLayer, Query};
use axum::{Router, routing::get};
use serde::{Deserialize, Serialize};
use tracing_subscriber::filter::LevelFilter;

#[derive(Clone, Copy, Deserialize, Serialize, aon::Choices)]
#[serde(rename_all = "snake_case")]
enum Shipping {
    Standard,
    Express,
}

#[derive(Deserialize, Serialize)]
struct Order {
    item: String,
    quantity: u8,
    shipping: Shipping,
}

#[derive(Deserialize)]
struct Page {
    limit: Option<u8>,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum OrderError {
    #[error("{item} is not in stock")]
    #[problem(status = 409, title = "Out of stock")]
    OutOfStock {
        #[problem(extension)]
        item: String,
    },

    #[error("there is no order {id}")]
    #[problem(status = 404, title = "No such order")]
    NoSuchOrder {
        #[problem(extension)]
        id: u32,
    },

    // The cause goes to the log, and to nobody else.
    #[error("the orders cannot be read now")]
    #[problem(status = 503, retry_after = 5)]
    Storage(#[from] std::io::Error),
}

async fn create(Json(order): Json<Order>) -> Result<Json<Order>, OrderError> {
    if order.item == "lamp" {
        return Err(OrderError::OutOfStock { item: order.item });
    }
    Ok(Json(order))
}

async fn find(Path(id): Path<u32>) -> Result<String, OrderError> {
    match id {
        7 => Ok("a chair".to_owned()),
        8 => Err(std::io::Error::other("disk 3 of node db-1 failed").into()),
        _ => Err(OrderError::NoSuchOrder { id }),
    }
}

async fn list(Query(page): Query<Page>) -> String {
    format!("at most {} orders", page.limit.unwrap_or(20))
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    // One line for each problem, with its request id and what the caller must not see.
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::DEBUG)
        .with_writer(std::io::stderr)
        .init();

    let app = Router::new()
        .route("/orders", get(list).post(create))
        .route("/orders/{id}", get(find));
    // From here on every 4xx and 5xx is a problem, and an unknown route names the nearest one.
    let app = ProblemLayer::new().wrap(app);

    let address = std::env::var("ADDRESS").unwrap_or("127.0.0.1:3000".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("ready http://{}", listener.local_addr()?);
    // `axum::serve` with time-outs: a caller that never finishes its request cannot hold a connection open.
    aon::axum::serve(listener, app).await
}
