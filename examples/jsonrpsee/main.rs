//! A JSON-RPC server with jsonrpsee: `cargo run -p aon-examples --bin jsonrpsee`.
//!
//! ```toml
//! [dependencies]
//! aon = { package = "aon-rs", git = "https://github.com/aon-rs/aon", features = ["jsonrpsee"] }
//! jsonrpsee = { version = "0.26", features = ["server"] }
//! serde = { version = "1", features = ["derive"] }
//! thiserror = "2"
//! tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
//! tower = "0.5"
//! tower-http = { version = "0.7", features = ["timeout"] }
//! tracing-subscriber = "0.3"
//! ```

use std::time::Duration;

use aon::jsonrpsee::{HttpProblemLayer, ProblemLayer};
use aon::surface::a2a::{Profile, Profiles};
use jsonrpsee::core::middleware::RpcServiceBuilder;
use jsonrpsee::server::{RpcModule, ServerBuilder};
use jsonrpsee::types::ErrorObjectOwned;
use tower_http::timeout::RequestBodyTimeoutLayer;
use tracing_subscriber::filter::LevelFilter;

#[derive(serde::Deserialize)]
struct Order {
    item: String,
    quantity: u8,
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

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::DEBUG)
        .with_writer(std::io::stderr)
        .init();

    let mut methods = RpcModule::new(());
    methods.register_method("create_order", |params, (), _| {
        let order: Order = params.parse()?;
        if order.item == "lamp" {
            return Err(OrderError::OutOfStock { item: order.item }.into());
        }
        Ok::<_, ErrorObjectOwned>(format!("{} × {}", order.quantity, order.item))
    })?;

    // A body that stops coming is given up. jsonrpsee waits for the head of a request as long as it takes: put a proxy in front.
    let http = tower::ServiceBuilder::new()
        .layer(RequestBodyTimeoutLayer::new(Duration::from_secs(30)))
        // Not an A2A agent, so the problem is the whole `data` of an error.
        .layer(HttpProblemLayer::new().with_profiles(Profiles::only(Profile::PSPACE)));
    let rpc = ProblemLayer::new().with_methods(methods.method_names());
    let address = std::env::var("ADDRESS").unwrap_or("127.0.0.1:3000".to_owned());
    let server = ServerBuilder::new()
        .set_http_middleware(http)
        .set_rpc_middleware(RpcServiceBuilder::new().layer(rpc))
        .build(address)
        .await?;
    println!("ready http://{}", server.local_addr()?);
    server.start(methods).stopped().await;
    Ok(())
}
