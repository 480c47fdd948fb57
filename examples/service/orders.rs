//! The program: what it does, and how it can fail. No surface is named here.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

/// How an order is sent.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema, aon::Choices)]
#[serde(rename_all = "snake_case")]
pub enum Shipping {
    /// Within a week.
    Standard,
    /// Tomorrow.
    Express,
}

/// What somebody wants.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct Order {
    /// What to send.
    pub item: String,
    /// How many.
    pub quantity: u8,
    /// How to send it.
    pub shipping: Shipping,
}

/// Why there is no order.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "shop")]
pub enum OrderError {
    /// The item is sold out.
    #[error("{item} is not in stock")]
    #[problem(
        status = 409,
        title = "Out of stock",
        remediation(none, reason = no_public_equivalent_exists, message = "Order something else; chairs are in stock."),
        docs_url = "https://shop.example/problems#out_of_stock",
        mcp_tool = "create_order",
        a2a_skill = "create_order"
    )]
    OutOfStock {
        /// The item.
        #[problem(extension)]
        item: String,
    },
}

/// Takes an order.
pub fn create(order: Order) -> Result<Order, OrderError> {
    if order.item == "lamp" {
        return Err(OrderError::OutOfStock { item: order.item });
    }
    Ok(order)
}
