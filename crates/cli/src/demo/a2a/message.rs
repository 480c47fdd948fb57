//! Messages: which skill a data part calls, and how an answer is said in each version.

use aon::{Problem, ProblemDetails, jsonrpc, suggest};
use serde_json::{Value, json};

use crate::demo::input::kind;
use crate::demo::operation::{OPERATIONS, Operation};
use crate::demo::rpc::RpcError;

/// How a version writes messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `message/send`, up to 0.3.
    V03,
    /// `SendMessage`, from 1.0.
    V10,
}

impl Dialect {
    /// The dialect of a method that sends a message.
    pub(crate) fn of(method: &str) -> Option<Self> {
        match method {
            "SendMessage" => Some(Self::V10),
            "message/send" => Some(Self::V03),
            _ => None,
        }
    }

    /// The result that carries the answer.
    pub(crate) fn reply(self, request_id: &str, answer: &Value) -> Value {
        match self {
            Self::V10 => json!({"message": {
                "messageId": request_id,
                "role": "ROLE_AGENT",
                "parts": [{"data": answer, "mediaType": "application/json"}],
            }}),
            Self::V03 => json!({
                "kind": "message",
                "messageId": request_id,
                "role": "agent",
                "parts": [{"kind": "data", "data": answer}],
            }),
        }
    }
}

/// The skill a message calls, and the data it calls it with.
#[derive(Debug)]
pub(crate) struct Skill<'a> {
    pub(crate) operation: &'static Operation,
    pub(crate) data: &'a Value,
}

/// Finds the one data part and the skill it names.
pub(crate) fn skill(params: &Value) -> Result<Skill<'_>, ProblemDetails> {
    if !params.is_object() {
        let reason = format!("params must be an object, not {}", kind(params));
        return Err(invalid("", &reason));
    }
    let message = params
        .get("message")
        .ok_or_else(|| missing("/message", "message is required"))?;
    if !message.is_object() {
        let reason = format!("message must be an object, not {}", kind(message));
        return Err(invalid("/message", &reason));
    }
    let parts = message
        .get("parts")
        .ok_or_else(|| missing("/message/parts", "parts is required"))?
        .as_array()
        .ok_or_else(|| invalid("/message/parts", "parts must be an array"))?;
    let mut found = parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| Some((at, part.get("data")?)));
    let (at, data) = found
        .next()
        .ok_or_else(|| missing("/message/parts", "one data part is required"))?;
    if found.next().is_some() {
        return Err(invalid(
            "/message/parts",
            "there is more than one data part",
        ));
    }
    let place = format!("/message/parts/{at}/data");
    if !data.is_object() {
        let reason = format!("the data part must be an object, not {}", kind(data));
        return Err(invalid(&place, &reason));
    }
    let place = format!("{place}/skill");
    let skills = || OPERATIONS.iter().map(|operation| operation.skill);
    let name = match data.get("skill") {
        Some(Value::String(name)) => name,
        Some(other) => {
            let reason = format!("skill must be a string, not {}", kind(other));
            return Err(invalid(&place, &reason).with_valid_values("skill", skills()));
        }
        None => {
            return Err(missing(&place, "skill is required").with_valid_values("skill", skills()));
        }
    };
    if let Some(operation) = OPERATIONS.iter().find(|operation| operation.skill == name) {
        return Ok(Skill { operation, data });
    }
    let error = RpcError::UnknownSkill {
        suggestion: suggest::nearest(name, skills()),
    };
    let problem = error
        .to_problem()
        .with_pointer(&place, Some(&error.to_string()));
    Err(problem.with_valid_values("skill", skills()))
}

/// The first data part, if there is one.
pub(crate) fn data(params: &Value) -> Option<&Value> {
    let parts = params.pointer("/message/parts")?.as_array()?;
    parts.iter().find_map(|part| part.get("data"))
}

/// Something is missing at that place.
pub(crate) fn missing(pointer: &str, reason: &str) -> ProblemDetails {
    invalid(pointer, reason)
}

fn invalid(pointer: &str, reason: &str) -> ProblemDetails {
    jsonrpc::invalid_params(reason).with_pointer(pointer, Some(reason))
}
