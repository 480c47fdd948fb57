//! A2A over JSON-RPC: each request picks its profile, each skill is an operation.

use std::sync::Arc;

use aon::door::{Occurrence, Scope};
use aon::jsonrpc::{self, Endpoint, Request};
use aon::{Failure, Json};
use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde_json::{Value, json};

use self::message::{Dialect, Skill};
use super::domain::Store;
use super::rpc::RpcError;

mod message;
mod tasks;

/// The methods that are answered, in both spellings.
const METHODS: [&str; 7] = [
    "SendMessage",
    "GetTask",
    "CancelTask",
    "ListTasks",
    "message/send",
    "tasks/get",
    "tasks/cancel",
];

/// Answers `POST /a2a`.
pub(crate) async fn handle(
    endpoint: Endpoint,
    store: Arc<Store>,
    request: http::Request<Body>,
) -> Response {
    let (parts, body) = request.into_parts();
    let exchange = endpoint.open(&parts);
    let limit = endpoint.limits().bytes;
    let mut response = match Limited::new(body, limit).collect().await {
        Ok(body) => exchange.answer(&body.to_bytes(), |request| {
            answer(&store, exchange.scope(), request).map(|result| Json::from(&result))
        }),
        Err(error) => {
            let mut response = exchange.unread(error.is::<LengthLimitError>());
            // What is left of the body is not read, so nothing can follow on this connection.
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
            response
        }
    };
    response.extensions_mut().insert(aon::axum::Passthrough);
    response.map(Body::from)
}

fn answer(store: &Store, scope: &Scope, request: &Request) -> Result<Value, Failure> {
    let params = request.params().map_or(Value::Null, Json::to_value);
    // Version 1.0 has names of its own; who says nothing may use either.
    let official = scope
        .profile()
        .is_some_and(|profile| profile.name() == "a2a-1.0");
    let method = request.method();
    if official && method.contains('/') {
        let known = METHODS.into_iter().filter(|known| !known.contains('/'));
        return Err(Occurrence::built_in(jsonrpc::method_not_found(
            method, known,
        )));
    }
    let Some(dialect) = Dialect::of(method) else {
        return other_method(method, &params);
    };
    let Skill {
        operation,
        data,
        context,
    } = message::skill(&params).map_err(|failure| {
        // A name of a skill that is nearly right is corrected in the part that holds it.
        failure.with_arguments(message::data(&params).map(Json::from))
    })?;
    let mut arguments = data.clone();
    if let Value::Object(members) = &mut arguments {
        members.remove("skill");
    }
    let result = operation
        .call(store, &arguments)
        .map_err(|failure| failure.with_arguments(Some(Json::from(data))))?;
    Ok(dialect.reply(scope.request_id(), context, &result))
}

/// Methods besides sending a message: there are no tasks here, and what is optional is not offered.
fn other_method(method: &str, params: &Value) -> Result<Value, Failure> {
    Err(match method {
        "GetTask" | "tasks/get" | "CancelTask" | "tasks/cancel" | "SubscribeToTask"
        | "tasks/resubscribe" => match params.get("id").and_then(Value::as_str) {
            Some(_) => RpcError::TaskNotFound.into(),
            None => message::invalid("/id", "the id of the task is required"),
        },
        "ListTasks" => {
            tasks::check(params)?;
            return Ok(json!({"tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0}));
        }
        "SendStreamingMessage" | "message/stream" => RpcError::UnsupportedOperation.into(),
        "GetExtendedAgentCard" | "agent/getAuthenticatedExtendedCard" => {
            RpcError::ExtendedAgentCardNotConfigured.into()
        }
        _ if method.contains("ushNotification") => RpcError::PushNotificationNotSupported.into(),
        _ => Occurrence::built_in(jsonrpc::method_not_found(method, METHODS)),
    })
}
