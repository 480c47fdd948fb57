//! An MCP server on standard input and output: `cargo run -p aon-examples --bin rmcp-stdio`.
//!
//! ```toml
//! [dependencies]
//! aon = { package = "aon-rs", git = "https://github.com/aon-rs/aon", features = ["rmcp"] }
//! rmcp = { version = "3.8", features = ["macros", "server", "transport-io"] }
//! serde = { version = "1", features = ["derive"] }
//! thiserror = "2"
//! tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
//! tracing-subscriber = "0.3"
//! ```

use aon::rmcp::{Lines, Parameters, ProblemServer};
use rmcp::{ServiceExt, schemars, tool, tool_router};
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
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Standard output belongs to the protocol; the log has the other one.
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::INFO)
        .with_writer(std::io::stderr)
        .init();

    // `ProblemServer` turns what a tool fails with into a problem, `Lines` does so for input that is not a message.
    let lines = Lines::from(rmcp::transport::stdio());
    ProblemServer::new(Shop)
        .serve(lines)
        .await?
        .waiting()
        .await?;
    Ok(())
}
