//! A shop with one operation and three ways to fail.

use aon::axum::{Json, ProblemLayer};
use axum::Router;
use axum::routing::post;
use serde::{Deserialize, Serialize};

// The first part of every problem type: shop://problem/sold_out.
aon::namespace!("shop");

/// A size that can be ordered.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Size {
    Small,
    Medium,
    Large,
}

#[derive(Deserialize)]
struct Order {
    item: String,
    size: Size,
}

#[derive(Serialize)]
struct Receipt {
    item: String,
    size: Size,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum OrderError {
    /// Every piece of this item in this size is sold.
    #[error("{item} is sold out in this size")]
    #[problem(status = 409, valid_values(size = ["small", "medium"]))]
    SoldOut {
        #[problem(extension)]
        item: String,
    },

    /// The warehouse could not be reached; nothing was ordered.
    #[error("the warehouse does not answer")]
    #[problem(status = 503, retry_after = 5)]
    Warehouse(#[from] std::io::Error),
}

async fn order(Json(order): Json<Order>) -> Result<Json<Receipt>, OrderError> {
    if order.item == "anvil" {
        // The address and the reason go to your log, and never to the caller.
        return Err(std::io::Error::other("10.0.0.7 refused the connection").into());
    }
    if order.size == Size::Large {
        return Err(OrderError::SoldOut { item: order.item });
    }
    let Order { item, size } = order;
    Ok(Json(Receipt { item, size }))
}

fn app() -> Router {
    ProblemLayer::new().wrap(Router::new().route("/orders", post(order)))
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:3000");
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("ready http://{}", listener.local_addr()?);
    axum::serve(listener, app()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sold_out_says_what_is_left() {
        let error = OrderError::SoldOut {
            item: "rope".to_owned(),
        };
        aon::assert_problem!(
            error,
            status = 409,
            code = "sold_out",
            valid_values("size") = ["small", "medium"],
        );
    }

    #[test]
    fn nothing_private_leaves_the_program() {
        aon::testing::assert_no_leaks::<OrderError>();
    }
}
