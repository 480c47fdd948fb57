//! What healing says by itself when something fails.

use std::time::Duration;

use aon::Problem;

/// The problems of healing.
#[derive(Debug, thiserror::Error, Problem)]
#[non_exhaustive]
pub enum HealFault {
    /// There is no such question for this caller.
    #[error(
        "There is no such request for a patch. The interactive_healing_request event names the address to answer at."
    )]
    #[problem(
        status = 404,
        code = "healing_request_not_found",
        title = "No such healing request"
    )]
    NotFound,
    /// More than one question is open, and none was named.
    #[error(
        "More than one step waits for an answer. Answer at the patch_url of its interactive_healing_request."
    )]
    #[problem(
        status = 409,
        code = "healing_request_ambiguous",
        title = "Which healing request?"
    )]
    Ambiguous,
    /// The caller may read, and not heal.
    #[error("Reading a session does not give the right to heal it.")]
    #[problem(
        status = 403,
        code = "healing_not_allowed",
        title = "Healing not allowed",
        remediation(
            request_scope_elevation,
            message = "Ask for the scope heal.",
            next_action(required_scope = "heal")
        )
    )]
    NotAllowed,
    /// The answer is not of a type that is taken.
    #[error(
        "An answer is a JSON Patch (application/json-patch+json), or {{\"deny\": true}} or {{\"retry\": true}} as application/json."
    )]
    #[problem(
        status = 415,
        code = "healing_media_type",
        title = "Unsupported media type",
        valid_values(content_type = ["application/json-patch+json", "application/json"])
    )]
    MediaType,
    /// The answer has too many bytes.
    #[error("The answer is larger than the limit.")]
    #[problem(status = 413, code = "patch_too_large", title = "Patch too large")]
    TooLarge {
        /// The most bytes it may have.
        #[problem(extension)]
        max_bytes: usize,
    },
    /// The answer is not one.
    #[error(
        "The answer is not one of {{\"deny\": true}}, {{\"retry\": true}} and {{\"patch\": [...]}}."
    )]
    #[problem(
        status = 422,
        code = "healing_answer_invalid",
        title = "Invalid answer"
    )]
    Invalid,
    /// The patch is not JSON.
    #[error("{refused}")]
    #[problem(status = 400, code = "patch_malformed", title = "Malformed patch")]
    Malformed {
        /// Why.
        #[problem(public)]
        refused: String,
    },
    /// The patch is refused.
    #[error("{refused}")]
    #[problem(status = 422, code = "patch_rejected", title = "Patch rejected")]
    Rejected {
        /// The operation and why.
        #[problem(public)]
        refused: String,
        /// Which operation, from 0.
        #[problem(extension)]
        op_index: Option<usize>,
        /// Why, in one word.
        #[problem(extension)]
        reason: &'static str,
    },
    /// Somebody else answered first.
    #[error("Somebody has answered already.")]
    #[problem(status = 409, code = "healing_answered", title = "Already answered")]
    Answered {
        /// When, in unix seconds.
        #[problem(extension)]
        answered_at: Option<u64>,
    },
    /// The time is over.
    #[error("The request is closed: its deadline has passed, or its step has ended.")]
    #[problem(status = 410, code = "healing_expired", title = "Too late")]
    Expired,
    /// The payload is not the one the answer is based on.
    #[error("The payload has changed since this answer was made.")]
    #[problem(status = 412, code = "healing_base_changed", title = "Payload changed")]
    OtherBase {
        /// What an answer is based on now.
        #[problem(extension)]
        base_hash: String,
    },
    /// The circuit breaker is open.
    #[error("The service failed several times in a row, so it is not called for a moment.")]
    #[problem(status = 503, code = "circuit_open", title = "Circuit open")]
    CircuitOpen {
        /// When it is tried again.
        #[problem(retry_after)]
        retry_after: Duration,
    },
    /// One attempt took too long.
    #[error("The step did not end in time.")]
    #[problem(
        status = 504,
        code = "step_timed_out",
        title = "Step timed out",
        remediation(
            wait_for_provisioning,
            message = "It may be tried again with the same idempotency key."
        )
    )]
    StepTimedOut,
    /// The payload has no JSON form.
    #[error("The payload of the step has no JSON form.")]
    #[problem(
        status = 500,
        code = "payload_not_json",
        title = "Internal error",
        remediation(none, reason = no_public_equivalent_exists, message = "Report the request id to the people who run this service.")
    )]
    PayloadNotJson,
}
