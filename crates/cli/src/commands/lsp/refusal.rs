//! Requests that cannot be answered. Each is a problem, and travels whole in `data` of the JSON-RPC error.

use aon::{NoneReason, Problem, ProblemDetails, Remediation};
use serde_json::{Value, json};

/// Why a request is refused.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "aon")]
pub(super) enum Refusal {
    /// The message is not JSON.
    #[error("the message cannot be read: {reason}")]
    #[problem(
        status = 400,
        title = "Unreadable message",
        remediation(none, reason = no_public_equivalent_exists, message = "Send a Content-Length header, an empty line, and JSON of that many bytes.")
    )]
    UnreadableMessage {
        /// Why not.
        #[problem(public)]
        reason: String,
    },

    /// The message is JSON but no request.
    #[error("the message is not a request: {reason}")]
    #[problem(
        status = 400,
        title = "Malformed message",
        remediation(none, reason = no_public_equivalent_exists, message = "Send one JSON-RPC 2.0 object with `method`; batches are not part of the protocol.")
    )]
    MalformedMessage {
        /// What is missing.
        #[problem(public)]
        reason: String,
    },

    /// A request before `initialize`.
    #[error("{method} came before initialize")]
    #[problem(
        status = 409,
        title = "Not initialized yet",
        remediation(none, reason = no_public_equivalent_exists, message = "Send initialize first and wait for its answer.")
    )]
    EarlyRequest {
        /// The method.
        #[problem(public)]
        method: String,
    },

    /// A request after `shutdown`, or a second `initialize`.
    #[error("{method} came too late")]
    #[problem(
        status = 409,
        title = "Too late",
        remediation(none, reason = no_public_equivalent_exists, message = "Initialize once; after shutdown only exit may follow.")
    )]
    LateRequest {
        /// The method.
        #[problem(public)]
        method: String,
    },

    /// A method the server does not have.
    #[error("there is no method {method}")]
    #[problem(
        status = 404,
        title = "Unknown method",
        remediation(none, reason = no_public_equivalent_exists, message = "Ask only for what the capabilities of the server name.")
    )]
    UnknownMethod {
        /// The method.
        #[problem(public)]
        method: String,
        /// The one that was probably meant.
        #[problem(extension)]
        suggestion: Option<&'static str>,
    },

    /// Parameters that do not fit the method.
    #[error("the parameters of {method} do not fit: {reason}")]
    #[problem(
        status = 422,
        title = "Parameters do not fit",
        remediation(none, reason = no_public_equivalent_exists, message = "Compare them with the language server protocol, version 3.17.")
    )]
    UnfitParameters {
        /// The method.
        #[problem(public)]
        method: String,
        /// What does not fit.
        #[problem(public)]
        reason: String,
    },
}

impl Refusal {
    /// The number the protocol has for it.
    const fn number(&self) -> i32 {
        match self {
            Self::UnreadableMessage { .. } => -32700,
            Self::MalformedMessage { .. } | Self::LateRequest { .. } => -32600,
            Self::EarlyRequest { .. } => -32002,
            Self::UnknownMethod { .. } => -32601,
            Self::UnfitParameters { .. } => -32602,
        }
    }

    fn problem(&self) -> ProblemDetails {
        let problem = self.to_problem();
        match self {
            Self::UnknownMethod {
                suggestion: Some(meant),
                ..
            } => problem.with_remediation(
                Remediation::none(NoneReason::NoPublicEquivalentExists)
                    .with_message(format!("Did you mean {meant}?")),
            ),
            _ => problem,
        }
    }

    /// The answer to the request.
    pub(super) fn response(&self, id: &Value) -> Value {
        let data = serde_json::to_value(self.problem()).unwrap_or(Value::Null);
        let error = json!({ "code": self.number(), "message": self.to_string(), "data": data });
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}
