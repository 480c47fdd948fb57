//! What comes in on a transport: a message of MCP, or the problem to answer with.

use ::rmcp::model::ErrorCode;
use aon_core::json::ObjectWriter;
use aon_core::{Code, Json, ProblemDetails, Status};
use serde_json::Value;

use crate::door::{Occurrence, Scope};
use crate::jsonrpc::{self, Incoming, Limits, Rejected};
use crate::surface::{mcp, raw};

/// Why the bytes are not a message of MCP; `Ok` for requests, notifications and answers.
pub(super) fn check(bytes: &[u8], limits: Limits) -> Result<(), Rejected> {
    match jsonrpc::parse_within(bytes, limits) {
        Ok(Incoming::Single(request)) => match request.id().map(Json::as_str) {
            Some("null") => Err(bad_id()),
            Some(id) if !id.starts_with('"') && id.parse::<i64>().is_err() => Err(bad_id()),
            id => match request.params().map(Json::as_str) {
                Some(params) if params.starts_with('[') && id.is_some() => {
                    Err(bad_params(request.id().cloned()))
                }
                Some(_) | None => Ok(()),
            },
        },
        Ok(Incoming::Batch(_)) => Err(Rejected::new(None, jsonrpc::batches_not_supported())),
        Err(rejected) if has_other_params(bytes, &rejected) => {
            Err(bad_params(rejected.id().cloned()))
        }
        Err(rejected) if is_answer(bytes) => match rejected.problem().field_paths().as_slice() {
            [pointer] if pointer == "/method" => Ok(()),
            _ => Err(rejected),
        },
        Err(rejected) => Err(rejected),
    }
}

/// The method under which a subscription to tasks reaches a server.
///
/// rmcp's own type of subscriptions does not have tasks, so the transports of this crate give a `subscriptions/listen` that names
/// tasks, and nothing else, this name. A server around a [`ProblemServer`](super::ProblemServer) serves it as a custom request.
pub const TASK_SUBSCRIPTION: &str = "aon/tasks/listen";
/// What the client calls it.
pub(super) const LISTEN: &str = "subscriptions/listen";

/// A subscription to tasks, under the name it has inside; `None` for any other message.
pub(super) fn task_subscription(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    // Few messages are, so few are taken apart.
    if !text.contains(LISTEN) || !text.contains("taskIds") {
        return None;
    }
    let mut message: Value = serde_json::from_str(text).ok()?;
    let wanted = message.pointer("/params/notifications")?.as_object()?;
    let others = wanted.iter().any(|(name, value)| {
        let nothing = matches!(value, Value::Null | Value::Bool(false));
        name != "taskIds" && !nothing && value.as_array().is_none_or(|list| !list.is_empty())
    });
    if message.get("method")? != LISTEN || others || !wanted.contains_key("taskIds") {
        return None;
    }
    message["method"] = Value::from(TASK_SUBSCRIPTION);
    serde_json::to_vec(&message).ok()
}

/// Whether it is the answer to a request of ours, and so needs no method.
fn is_answer(bytes: &[u8]) -> bool {
    let members = std::str::from_utf8(bytes).ok().and_then(raw::members);
    members.is_some_and(|members| {
        raw::find(&members, "result").is_some() || raw::find(&members, "error").is_some()
    })
}

/// Whether a request was refused because its parameters are neither an object nor an array.
fn has_other_params(bytes: &[u8], rejected: &Rejected) -> bool {
    let text = std::str::from_utf8(bytes).ok();
    let params = text.and_then(|text| raw::member(text, "params"));
    rejected.problem().field_paths() == ["/params"]
        && params.is_some_and(|params| !params.starts_with(['{', '[']))
}

fn bad_id() -> Rejected {
    let why = "The id must be a string, or a whole number of 64 bits.";
    let problem = jsonrpc::invalid_request(why).with_pointer("/id", Some(why));
    Rejected::new(None, problem)
}

/// MCP has no parameters by position.
fn bad_params(id: Option<Json>) -> Rejected {
    let why = "The parameters must be an object.";
    let problem = jsonrpc::invalid_params(why).with_pointer("/params", Some(why));
    Rejected::new(id, problem)
}

/// What to do about a message of the right form that rmcp cannot read: an odd notification is nobody's business.
pub(super) fn unread<T>(line: &[u8]) -> Result<Option<T>, Rejected> {
    match jsonrpc::parse(line) {
        Ok(Incoming::Single(request)) => match request.id() {
            None => Ok(None),
            Some(id) => {
                let why = "The message does not follow the protocol.";
                Err(Rejected::new(
                    Some(id.clone()),
                    jsonrpc::invalid_request(why),
                ))
            }
        },
        Ok(Incoming::Batch(_)) => Err(Rejected::new(None, jsonrpc::batches_not_supported())),
        // An answer nobody waits for.
        Err(_) => Ok(None),
    }
}

/// The number MCP has for a problem of the protocol.
fn number(problem: &ProblemDetails) -> ErrorCode {
    match problem.code().map(Code::as_str) {
        Some("invalid_json") => ErrorCode::PARSE_ERROR,
        Some("invalid_params") => ErrorCode::INVALID_PARAMS,
        _ if problem.status().is_some_and(Status::is_server_error) => ErrorCode::INTERNAL_ERROR,
        _ => ErrorCode::INVALID_REQUEST,
    }
}

/// A JSON-RPC error with the envelope as its data, and the problem that left. `id` is JSON; `null` where none could be read.
pub(super) fn error(
    scope: &Scope,
    failure: Occurrence,
    id: &str,
    code: Option<ErrorCode>,
) -> (Vec<u8>, ProblemDetails) {
    let passed = scope.pass(failure, "mcp");
    let problem = passed.problem();
    let message = problem.detail().or(problem.title()).unwrap_or_default();
    let mut envelope = Vec::with_capacity(512);
    mcp::write_envelope(problem, &passed.call(None), &mut envelope);
    let mut out = Vec::with_capacity(envelope.len() + message.len() + 96);
    let mut response = ObjectWriter::begin(&mut out);
    response.string("jsonrpc", "2.0");
    response.raw("id", id);
    response.object("error", |error| {
        let code = code.unwrap_or_else(|| number(problem));
        error.raw("code", &code.0.to_string());
        error.string("message", message);
        error.raw("data", &String::from_utf8_lossy(&envelope));
    });
    response.end();
    (out, passed.into_problem())
}

/// What to answer to what is not a message.
pub(super) fn refusal(scope: &Scope, rejected: &Rejected) -> (Vec<u8>, ProblemDetails) {
    error(scope, rejected.failure(), refused_id(rejected), None)
}

/// The id of what was refused, as JSON.
pub(super) fn refused_id(rejected: &Rejected) -> &str {
    let id = rejected.id().map_or("null", Json::as_str);
    // MCP has no other ids, and a client could not match them.
    if id.starts_with('"') || id.parse::<i64>().is_ok() {
        id
    } else {
        "null"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::door::{Door, Facts};

    #[test]
    fn a_subscription_to_tasks_alone_has_a_name_of_its_own() {
        let listen = |notifications: &str| {
            let message = format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{{"notifications":{notifications}}}}}"#
            );
            task_subscription(message.as_bytes())
        };
        for tasks in [
            r#"{"taskIds":["t"]}"#,
            r#"{"taskIds":[],"toolsListChanged":false,"resourceSubscriptions":[]}"#,
            r#"{"taskIds":"not a list"}"#,
        ] {
            let named = listen(tasks).unwrap();
            let named: Value = serde_json::from_slice(&named).unwrap();
            assert_eq!(named["method"], TASK_SUBSCRIPTION, "{named}");
            assert_eq!(named["id"], 7);
            let given: Value = serde_json::from_str(tasks).unwrap();
            assert_eq!(named["params"]["notifications"], given);
        }
        for other in [
            "{}",
            r#"{"toolsListChanged":true}"#,
            r#"{"taskIds":["t"],"toolsListChanged":true}"#,
            r#"{"taskIds":["t"],"resourceSubscriptions":["a://b"]}"#,
            r#"["taskIds"]"#,
        ] {
            assert_eq!(listen(other), None, "{other}");
        }
        let other = br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"notifications":{"taskIds":["subscriptions/listen"]}}}"#;
        assert_eq!(task_subscription(other), None);
    }

    #[test]
    fn messages_are_told_from_other_json() {
        for fine in [
            r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":"a","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":""}}"#,
        ] {
            assert!(check(fine.as_bytes(), Limits::default()).is_ok(), "{fine}");
        }
        for (bad, code) in [
            ("[]", "invalid_request"),
            ("5", "invalid_request"),
            ("{", "invalid_json"),
            ("\u{1}", "invalid_json"),
            (
                r#"[{"jsonrpc":"2.0","id":1,"method":"x"}]"#,
                "batches_not_supported",
            ),
            (r#"{"id":1,"method":"x"}"#, "invalid_request"),
            (r#"{"jsonrpc":"1.0","id":1,"result":1}"#, "invalid_request"),
            (r#"{"jsonrpc":"2.0","id":1}"#, "invalid_request"),
            (
                r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#,
                "invalid_request",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#,
                "invalid_request",
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#,
                "invalid_request",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}"#,
                "invalid_params",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"x","params":null}"#,
                "invalid_params",
            ),
            (
                r#"{"jsonrpc":"2.0","id":{},"method":"x","params":null}"#,
                "invalid_request",
            ),
        ] {
            let rejected = check(bad.as_bytes(), Limits::default()).unwrap_err();
            assert_eq!(rejected.problem().code().unwrap().as_str(), code, "{bad}");
            let facts = Facts::new("mcp").with_request_id("r-1");
            let (body, _) = refusal(&Scope::open(&Door::new(), facts), &rejected);
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body["error"]["data"]["request_id"], "r-1", "{body}");
            assert_eq!(body["error"]["data"]["surface"], "mcp", "{body}");
        }
    }
}
