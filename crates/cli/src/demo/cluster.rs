//! The page of several nodes: what each of them shows of one session, and a button that kills it.
//!
//! Every node is a frame of its own origin, so nothing of one node is open to the pages of another.

use aon_live::Hub;
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, Json};
use axum::routing::{get, post};
use serde_json::{Value, json};

/// The routes of a node; `nodes` are the addresses of all of them, this one first.
pub(super) fn routes(hub: &Hub, nodes: &[String]) -> Router {
    let nodes = json!(nodes).to_string().replace('<', "\\u003c");
    let page = include_str!("cluster/page.html").replace("__NODES__", &nodes);
    let hub = hub.clone();
    Router::new()
        .route("/cluster", get(async move || Html(page.clone())))
        .route(
            "/cluster/node",
            get(async || Html(include_str!("cluster/node.html"))),
        )
        .route("/cluster/state", get(async move || Json(state(&hub))))
        .route("/cluster/kill", post(kill))
}

fn state(hub: &Hub) -> Value {
    let stats = hub.stats();
    json!({"node": hub.node(), "trouble": hub.trouble(), "open": stats.open, "readers": stats.readers})
}

/// Ends this process at once, as `kill -9` does: nothing is said and nothing is written any more.
async fn kill(headers: HeaderMap) -> StatusCode {
    // A page of another origin cannot send this header without asking first, and nobody answers that question.
    if headers.get("x-aon-kill").is_none() {
        return StatusCode::FORBIDDEN;
    }
    std::process::abort()
}
