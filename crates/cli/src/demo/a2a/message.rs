//! Messages: which skill a data part calls, and how an answer is said in each version.

use aon::{Failure, jsonrpc};
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

    /// The result that carries the answer, in the context of the message.
    pub(crate) fn reply(self, request_id: &str, context: Option<&str>, answer: &Value) -> Value {
        let mut message = match self {
            Self::V10 => json!({
                "messageId": request_id,
                "role": "ROLE_AGENT",
                "parts": [{"data": answer, "mediaType": "application/json"}],
            }),
            Self::V03 => json!({
                "kind": "message",
                "messageId": request_id,
                "role": "agent",
                "parts": [{"kind": "data", "data": answer}],
            }),
        };
        if let Some(context) = context {
            message["contextId"] = Value::from(context);
        }
        match self {
            Self::V10 => json!({"message": message}),
            Self::V03 => message,
        }
    }
}

/// The skill a message calls, and the data it calls it with.
#[derive(Debug)]
pub(crate) struct Skill<'a> {
    pub(crate) operation: &'static Operation,
    pub(crate) data: &'a Value,
    pub(crate) context: Option<&'a str>,
}

/// Who sends a message to an agent, in the words of 1.0 and of 0.3.
const ROLES: [&str; 2] = ["ROLE_USER", "user"];

/// Finds the one data part and the skill it names.
pub(crate) fn skill(params: &Value) -> Result<Skill<'_>, Failure> {
    if !params.is_object() {
        let reason = format!("params must be an object, not {}", kind(params));
        return Err(invalid("", &reason));
    }
    let message = params
        .get("message")
        .ok_or_else(|| invalid("/message", "message is required"))?;
    if !message.is_object() {
        let reason = format!("message must be an object, not {}", kind(message));
        return Err(invalid("/message", &reason));
    }
    let text = |name: &str| message.get(name).and_then(Value::as_str);
    let filled = |name: &str| text(name).filter(|text| !text.is_empty());
    if filled("messageId").is_none() {
        return Err(invalid("/message/messageId", "messageId is required"));
    }
    if !text("role").is_some_and(|role| ROLES.contains(&role)) {
        let reason = "role must be that of a user";
        let problem = jsonrpc::invalid_params(reason)
            .with_pointer("/message/role", Some(reason))
            .with_valid_values("role", ROLES);
        return Err(Failure::built_in(problem));
    }
    if filled("taskId").is_some() {
        // Every call is answered at once, so there is no task to go on with.
        return Err(RpcError::TaskNotFound.into());
    }
    let parts = message
        .get("parts")
        .ok_or_else(|| invalid("/message/parts", "parts is required"))?
        .as_array()
        .ok_or_else(|| invalid("/message/parts", "parts must be an array"))?;
    let foreign = parts.iter().find_map(|part| {
        let media = part.get("mediaType").and_then(Value::as_str)?;
        let json = media.is_empty() || media.ends_with("json");
        (!json || part.get("data").is_none()).then(|| media.to_owned())
    });
    let mut found = parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| Some((at, part.get("data")?)));
    let (at, data) = match (found.next(), foreign) {
        (_, Some(media)) => {
            let media = aon::redact::echo(&media).into_owned();
            return Err(RpcError::ContentTypeNotSupported { media }.into());
        }
        (Some(part), None) => part,
        (None, None) => return Err(invalid("/message/parts", "one data part is required")),
    };
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
    let choose = |place: &str, reason: &str| {
        let problem = jsonrpc::invalid_params(reason).with_pointer(place, Some(reason));
        Failure::built_in(problem.with_valid_values("skill", skills()))
    };
    let name = match data.get("skill") {
        Some(Value::String(name)) => name,
        Some(other) => {
            let reason = format!("skill must be a string, not {}", kind(other));
            return Err(choose(&place, &reason));
        }
        None => {
            return Err(choose(&place, "skill is required"));
        }
    };
    if let Some(operation) = OPERATIONS.iter().find(|operation| operation.skill == name) {
        return Ok(Skill {
            operation,
            data,
            context: filled("contextId"),
        });
    }
    let problem = jsonrpc::unknown_operation("skill", name, skills());
    let reason = problem.detail().unwrap_or_default().to_owned();
    let problem = problem.with_pointer(&place, Some(&reason));
    Err(Failure::built_in(problem))
}

/// The first data part, if there is one.
pub(crate) fn data(params: &Value) -> Option<&Value> {
    let parts = params.pointer("/message/parts")?.as_array()?;
    parts.iter().find_map(|part| part.get("data"))
}

/// Something is wrong at that place.
pub(crate) fn invalid(pointer: &str, reason: &str) -> Failure {
    Failure::built_in(jsonrpc::invalid_params(reason).with_pointer(pointer, Some(reason)))
}
