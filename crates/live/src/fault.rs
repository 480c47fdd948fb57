//! What this crate says by itself when something fails, as problems like any other.

use aon::Problem;

/// The problems of the glass box.
#[derive(Debug, thiserror::Error, Problem)]
#[non_exhaustive]
pub enum Fault {
    /// Nothing the request accepts can be made.
    #[error("This operation answers with application/json or application/x-ndjson.")]
    #[problem(
        status = 406,
        title = "Not acceptable",
        valid_values(accept = ["application/json", "application/x-ndjson"])
    )]
    NotAcceptable,
    /// Nothing the reader accepts can be made.
    #[error("A session can be read as text/event-stream or application/x-ndjson.")]
    #[problem(
        status = 406,
        code = "stream_not_acceptable",
        title = "Not acceptable",
        valid_values(accept = ["text/event-stream", "application/x-ndjson"])
    )]
    StreamNotAcceptable,
    /// HEAD was sent to a route that has no GET.
    #[error("This operation does not answer to HEAD. The header Allow says which methods it has.")]
    #[problem(status = 405, title = "Method not allowed")]
    MethodNotAllowed {
        /// What it answers to.
        #[problem(valid_values = "method")]
        methods: Vec<String>,
    },
    /// There is no such session for this caller.
    #[error(
        "This session does not exist, or it has ended and is no longer kept. Start the operation again; its first event names the new session."
    )]
    #[problem(status = 404, title = "No such session")]
    SessionNotFound,
    /// Another node runs the session.
    #[error("Another node runs this session, and only that one can cancel it.")]
    #[problem(
        status = 409,
        title = "Session elsewhere",
        remediation(none, reason = no_public_equivalent_exists, message = "Send the same request to the node that started the session.")
    )]
    SessionElsewhere,
    /// The hub is full.
    #[error("Too many sessions are open.")]
    #[problem(status = 503, title = "Too many sessions", retry_after = 1)]
    TooManySessions,
    /// The session or the hub has all the readers it can have.
    #[error("Too many readers follow this session.")]
    #[problem(status = 503, title = "Too many readers", retry_after = 5)]
    TooManyReaders,
    /// Too many tickets are out.
    #[error("Too many tickets of this session are unused.")]
    #[problem(status = 429, title = "Too many tickets", retry_after = 30)]
    TooManyTickets,
    /// The credentials are not good.
    #[error("The token is not good: it may have expired, or not be for this service.")]
    #[problem(
        status = 401,
        code = "invalid_token",
        title = "Invalid token",
        challenge = "Bearer error=\"invalid_token\""
    )]
    InvalidToken,
    /// A page of another origin tried to follow a session that belongs to somebody.
    #[error("Pages of this origin may not follow this session without a ticket.")]
    #[problem(status = 403, title = "Origin not allowed")]
    OriginNotAllowed,
    /// The request is not a WebSocket handshake.
    #[error("This address speaks WebSocket, version 13.")]
    #[problem(status = 426, title = "WebSocket expected")]
    UpgradeRequired,
    /// The handler panicked.
    #[error(
        "Something went wrong inside the service. Its log has the details under the request id."
    )]
    #[problem(
        status = 500,
        title = "Internal error",
        remediation(none, reason = no_public_equivalent_exists, message = "Report the request id to the operator of this service.")
    )]
    InternalPanic,
    /// The handler went away without an answer.
    #[error("The operation was abandoned before it had an outcome.")]
    #[problem(
        status = 500,
        title = "Abandoned",
        remediation(none, reason = no_public_equivalent_exists, message = "Check whether it took effect before you start it again.")
    )]
    Abandoned,
    /// The handler took too long.
    #[error("The operation did not finish in time.")]
    #[problem(
        status = 504,
        title = "Timed out",
        remediation(
            wait_for_provisioning,
            message = "If there is a session_id, the operation continues; read its outcome at state_url."
        )
    )]
    TimedOut {
        /// The session that goes on.
        #[problem(extension)]
        session_id: Option<String>,
        /// Where its outcome will be.
        #[problem(extension)]
        state_url: Option<String>,
    },
    /// Somebody cancelled it.
    #[error("The operation was cancelled. Check whether it took effect before you start it again.")]
    #[problem(status = 499, title = "Cancelled")]
    Cancelled,
    /// The server is going down.
    #[error("The server is shutting down.")]
    #[problem(status = 503, title = "Shutting down", retry_after = 1)]
    ShuttingDown,
    /// The session reached the longest time a session may take.
    #[error("The session was open for longer than the limit.")]
    #[problem(
        status = 504,
        title = "Session expired",
        remediation(none, reason = no_public_equivalent_exists, message = "Check whether it took effect before you start it again.")
    )]
    SessionExpired,
    /// The answer is larger than an event may be.
    #[error(
        "The answer is too large for an event. A request that accepts application/json gets it without events."
    )]
    #[problem(status = 500, title = "Result too large")]
    ResultTooLarge,
    /// The answer broke off.
    #[error("The answer could not be read completely.")]
    #[problem(
        status = 500,
        title = "Result unreadable",
        remediation(none, reason = no_public_equivalent_exists, message = "Report the request id to the operator of this service.")
    )]
    ResultUnreadable,
}
