//! What stands before the MCP service over HTTP: a body that is no request is answered with a problem, not with text.

use aon::Problem;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, Method, StatusCode, header};
use rmcp::model::ErrorCode;
use serde_json::{Value, json};

use super::protocol_error;
use crate::demo::ids;
use crate::demo::rpc::RpcError;

/// The most bytes of a request.
const LIMIT: usize = 1 << 20;

/// Lets a request through that the service can read, and answers the others.
pub(crate) async fn gate(mut request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return relay(next.run(request).await);
    }
    // Answers are plain JSON here, so a client that does not ask for event streams is served too.
    let both = HeaderValue::from_static("application/json, text/event-stream");
    request.headers_mut().insert(header::ACCEPT, both);
    let (parts, body) = request.into_parts();
    let request_id = ids::request_id(Some(&parts.headers));
    let Ok(bytes) = axum::body::to_bytes(body, LIMIT).await else {
        let error = RpcError::RequestTooLarge { limit: LIMIT };
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        return refuse(status, ErrorCode::INVALID_REQUEST, &error, request_id);
    };
    let message = match serde_json::from_slice::<Value>(&bytes) {
        Ok(message) => message,
        Err(error) => {
            let reason = error.to_string();
            let error = RpcError::ParseError { reason };
            let status = StatusCode::BAD_REQUEST;
            return refuse(status, ErrorCode::PARSE_ERROR, &error, request_id);
        }
    };
    if let Some(reason) = not_a_message(&message) {
        let error = RpcError::InvalidRequest { reason };
        let status = StatusCode::BAD_REQUEST;
        return refuse(status, ErrorCode::INVALID_REQUEST, &error, request_id);
    }
    relay(
        next.run(Request::from_parts(parts, Body::from(bytes)))
            .await,
    )
}

/// Why it is no JSON-RPC message of MCP.
fn not_a_message(message: &Value) -> Option<&'static str> {
    let Value::Object(members) = message else {
        return Some(if message.is_array() {
            "batches are not part of this protocol any more"
        } else {
            "it is no object"
        });
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Some("jsonrpc is not \"2.0\"");
    }
    let answer = members.contains_key("result") || members.contains_key("error");
    if !answer && !members.get("method").is_some_and(Value::is_string) {
        return Some("there is no method");
    }
    match members.get("id") {
        None | Some(Value::String(_)) => None,
        Some(Value::Number(number)) if number.is_i64() || number.is_u64() => None,
        Some(_) => Some("the id is neither a string nor a whole number"),
    }
}

fn refuse(status: StatusCode, code: ErrorCode, error: &RpcError, request_id: String) -> Response {
    let error = protocol_error(code, &error.to_problem(), request_id);
    let body = json!({"jsonrpc": "2.0", "id": null, "error": error});
    let mut response = (status, axum::Json(body)).into_response();
    response.extensions_mut().insert(aon::axum::Passthrough);
    response
}

/// JSON-RPC answers leave as they are, whatever their status; plain text becomes a problem further out.
fn relay(mut response: Response) -> Response {
    let json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.starts_with("application/json"));
    if json {
        response.extensions_mut().insert(aon::axum::Passthrough);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_from_other_json() {
        for fine in [
            json!({"jsonrpc": "2.0", "id": 1, "method": "x"}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": "a", "result": {}}),
        ] {
            assert_eq!(not_a_message(&fine), None, "{fine}");
        }
        for bad in [
            json!([]),
            json!(5),
            json!({"id": 1, "method": "x"}),
            json!({"jsonrpc": "2.0", "id": 1}),
            json!({"jsonrpc": "2.0", "id": {}, "method": "x"}),
            json!({"jsonrpc": "2.0", "id": 1.5, "method": "x"}),
        ] {
            assert!(not_a_message(&bad).is_some(), "{bad}");
        }
    }
}
