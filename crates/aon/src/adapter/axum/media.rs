//! What a foreign response is, by its type and, where it is small, by its content.

use aon_core::{ProblemDetails, Status};
use http::{HeaderMap, StatusCode};

use crate::adapter::media_type;

/// What a response claims to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Media {
    /// `application/problem+json`.
    Problem,
    /// Other JSON: perhaps a problem under a wrong name, perhaps another protocol's own error.
    Json,
    /// `text/plain`.
    Text,
    /// An error format or stream of another protocol.
    Protocol,
    /// Anything else, or nothing.
    Other,
}

impl Media {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        match media_type(headers).as_deref().unwrap_or_default() {
            "application/problem+json" => Self::Problem,
            "application/json" => Self::Json,
            "text/plain" => Self::Text,
            "application/a2a+json"
            | "application/problem+xml"
            | "text/event-stream"
            | "application/x-ndjson"
            | "application/ndjson"
            | "application/jsonl" => Self::Protocol,
            other if other.starts_with("application/grpc") || other.starts_with("multipart/") => {
                Self::Protocol
            }
            other if other.ends_with("+json") => Self::Json,
            _ => Self::Other,
        }
    }
}

/// Whether a body is a JSON-RPC message, which has its own way to say what is wrong.
pub(super) fn speaks_json_rpc(bytes: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Probe {
        jsonrpc: String,
    }
    let one = |bytes: &[u8]| {
        serde_json::from_slice::<Probe>(bytes).is_ok_and(|probe| probe.jsonrpc == "2.0")
    };
    let many =
        || serde_json::from_slice::<Vec<Probe>>(bytes).is_ok_and(|probes| !probes.is_empty());
    one(bytes) || many()
}

/// A problem that came as `application/json`: it names its title or type, and the status it came with.
pub(super) fn misnamed_problem(bytes: &[u8], status: StatusCode) -> Option<ProblemDetails> {
    let problem = ProblemDetails::from_slice(bytes).ok()?;
    let named = problem.title().is_some() || problem.type_uri().is_some();
    let same = problem.status().map(Status::as_u16) == Some(status.as_u16());
    (named && same).then_some(problem)
}
