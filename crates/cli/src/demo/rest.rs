//! REST: the operations as routes, each method and path from the table.

use std::sync::Arc;

use aon::Failure;
use aon::axum::{Json, Path};
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, patch};
use serde_json::{Map, Value, json};

use super::domain::Store;
use super::operation::{OPERATIONS, Operation};

/// The routes of every operation.
pub(crate) fn routes() -> Router<Arc<Store>> {
    let mut router = Router::new();
    for operation in &OPERATIONS {
        router = router.route(operation.path, handler(operation));
    }
    router
}

fn handler(operation: &'static Operation) -> MethodRouter<Arc<Store>> {
    let has_id = operation.path.contains("{id}");
    match (operation.method, has_id) {
        ("PATCH", _) => patch(
            async move |State(store): State<Arc<Store>>,
                        Path(id): Path<String>,
                        Json(body): Json<Value>| {
                answer(operation.call(&store, &with_id(body, &id)))
            },
        ),
        (_, true) => get(
            async move |State(store): State<Arc<Store>>, Path(id): Path<String>| {
                answer(operation.call(&store, &json!({"id": id})))
            },
        ),
        (_, false) => get(async move |State(store): State<Arc<Store>>| {
            answer(operation.call(&store, &json!({})))
        }),
    }
}

/// The arguments: those of the body, and the id of the path. What is not an object stays as it is, to be refused.
fn with_id(body: Value, id: &str) -> Value {
    match body {
        Value::Object(members) => {
            let mut arguments = Map::new();
            for (name, value) in members {
                // The path names the id; a second one in the body is an argument that does not exist.
                let name = if name == "id" {
                    "body.id".to_owned()
                } else {
                    name
                };
                arguments.insert(name, value);
            }
            arguments.insert("id".to_owned(), Value::from(id));
            Value::Object(arguments)
        }
        other => other,
    }
}

fn answer(outcome: Result<Value, Failure>) -> Response {
    match outcome {
        Ok(value) => axum::Json(value).into_response(),
        Err(failure) => failure.into_response(),
    }
}
