//! What may be asked of the list of tasks, which is empty here.

use aon::{Failure, arguments};
use serde_json::{Value, json};

/// The states of a task in A2A 1.0.
const STATES: [&str; 9] = [
    "TASK_STATE_UNSPECIFIED",
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_AUTH_REQUIRED",
];

/// Refuses a filter that cannot be meant.
pub(super) fn check(params: &Value) -> Result<(), Failure> {
    let schema = json!({
        "type": ["object", "null"],
        "properties": {
            "tenant": {"type": "string"},
            "contextId": {"type": "string"},
            "status": {"type": "string", "enum": STATES},
            "pageSize": {"type": "integer", "minimum": 1, "maximum": 100},
            "pageToken": {"type": "string"},
            "historyLength": {"type": "integer", "minimum": 0},
            "statusTimestampAfter": {"type": "string"},
            "includeArtifacts": {"type": "boolean"},
        },
    });
    match arguments::problem(&arguments::check(params, &schema)) {
        Some(problem) => Err(Failure::built_in(problem)),
        None => Ok(()),
    }
}
