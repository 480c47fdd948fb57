//! How a caller recovers (V): from a failure on any surface to the next step, without a model and without a transport.
//!
//! [`Recovery`] is the whole of it: it is told what came back ([`Seen`]) and answers with a [`Decision`], by one table
//! ([`TABLE`]) that the generated clients share. [`recover`] carries decisions out over a [`Transport`] of yours.
//!
//! What a server says is input from outside. It is followed only within what the caller [`Allowed`] and inside a
//! [`Budget`]; a call that is neither safe nor idempotent is repeated only where the envelope says that it may be ([V2]).
//!
//! # Examples
//!
//! ```
//! use aon::recovery::{Allowed, Budget, Call, Effect, Operation, Recovery, Seen, Step};
//! use serde_json::json;
//!
//! let known = [Operation::new("order", Effect::Unsafe)];
//! let call = Call::new("order", json!({"size": "Large"}));
//! let mut recovery = Recovery::new(call, &known, Allowed::default(), Budget::default());
//! let body = br#"{"status":422,"code":"invalid_size","valid_values":{"size":["small","large"]}}"#;
//! let decision = recovery.failed(Seen::rest(422, [("content-type", "application/problem+json")], body), 12);
//! assert_eq!(decision.step, Step::Send(Call::new("order", json!({"size": "large"}))));
//! assert_eq!(decision.because, "send order with /size = \"large\": the call that was meant is clear");
//! ```
//!
//! [V2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#v2

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use aon_core::recovery::{Action, Line, Rule, TABLE, table_markdown};

mod allowed;
mod driver;
mod learn;
mod machine;
mod mend;
mod names;
mod read;
mod rules;
mod seen;

pub use allowed::{Allowed, Budget};
pub use driver::{Caller, Ended, Transport, recover};
pub use machine::Recovery;
pub use seen::{Lost, Seen};

/// What a call does to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::exhaustive_enums,
    reason = "RFC 9110 section 9.2 knows these three"
)]
pub enum Effect {
    /// Nothing: it reads.
    Safe,
    /// The same as often as it is sent.
    Idempotent,
    /// Something each time. What is not known to be otherwise is this.
    #[default]
    Unsafe,
}

impl Effect {
    /// The effect of an HTTP method (RFC 9110 section 9.2).
    pub fn of_method(method: &str) -> Self {
        match method {
            "GET" | "HEAD" | "OPTIONS" | "TRACE" => Self::Safe,
            "PUT" | "DELETE" => Self::Idempotent,
            _ => Self::Unsafe,
        }
    }

    /// The effect that the annotations of an MCP tool claim.
    pub fn of_annotations(annotations: &Value) -> Self {
        let says = |name: &str| annotations.get(name) == Some(&Value::Bool(true));
        if says("readOnlyHint") {
            Self::Safe
        } else if says("idempotentHint") {
            Self::Idempotent
        } else {
            Self::Unsafe
        }
    }
}

/// An operation the caller knows, from a list of tools, an OpenAPI document or an agent card.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Operation {
    /// Its name: tool, skill or `operationId`.
    pub name: String,
    /// What it does to the world.
    #[serde(default)]
    pub effect: Effect,
    /// JSON Schema of its arguments; `null` where that is not known.
    #[serde(default)]
    pub schema: Value,
    /// Its path on REST, such as `/orders/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Operation {
    /// One of that name and effect, of which nothing else is known.
    pub fn new(name: impl Into<String>, effect: Effect) -> Self {
        Self {
            name: name.into(),
            effect,
            ..Self::default()
        }
    }

    /// With the JSON Schema of its arguments.
    #[must_use]
    pub fn with_schema(mut self, schema: Value) -> Self {
        self.schema = schema;
        self
    }

    /// With its path on REST.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }
}

/// The names of the members that a schema requires.
fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

/// A call: an operation and its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "a call is these two")]
pub struct Call {
    /// The operation, by its name.
    pub operation: String,
    /// The arguments, an object.
    pub arguments: Value,
}

impl Call {
    /// That operation with these arguments.
    pub fn new(operation: impl Into<String>, arguments: Value) -> Self {
        Self {
            operation: operation.into(),
            arguments,
        }
    }

    /// What tells it from another call.
    fn key(&self) -> String {
        format!("{} {}", self.operation, self.arguments)
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a caller carries out each of them")]
pub enum Step {
    /// Send this call; its answer goes to [`Recovery::failed`], or it is the end.
    Send(Call),
    /// Choose one of the values for a field; the answer goes to [`Recovery::chosen`].
    Choose {
        /// JSON Pointer of the field.
        field: String,
        /// The values, as they stand in `valid_values`. There are none where the server told none: then any value that the owner
        /// knows and the schema takes will do.
        values: Vec<Value>,
    },
    /// Wait, then call [`Recovery::waited`].
    Wait {
        /// As long as this.
        millis: u64,
    },
    /// Ask for a scope; whether it was granted goes to [`Recovery::granted`].
    Elevate {
        /// The scope.
        scope: String,
    },
    /// Act as another user; whether that was possible goes to [`Recovery::granted`].
    SwitchUser,
    /// Send this call first; its result, if there is one, goes to [`Recovery::helped`].
    Call(Call),
    /// Read this; what is there, if anything, goes to [`Recovery::helped`].
    Fetch {
        /// Relative to where the call went, or absolute.
        url: String,
    },
    /// Stop.
    GiveUp {
        /// Whether the call is known to have had no effect.
        refused: bool,
    },
}

/// A step, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "a decision is these three")]
pub struct Decision {
    /// The line of the table that decided.
    pub rule: Rule,
    /// What to do.
    pub step: Step,
    /// What and why, in one line without secrets.
    pub because: String,
}

#[cfg(test)]
mod tests;
