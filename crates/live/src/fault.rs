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
        valid_values(accept = ["application/json", "application/x-ndjson"]),
        remediation(none, reason = no_public_equivalent_exists, message = "Send an Accept header that names one of these, or none.")
    )]
    NotAcceptable,
    /// Nothing the reader accepts can be made.
    #[error("A session is read as text/event-stream or application/x-ndjson.")]
    #[problem(
        status = 406,
        code = "stream_not_acceptable",
        title = "Not acceptable",
        valid_values(accept = ["text/event-stream", "application/x-ndjson"]),
        remediation(none, reason = no_public_equivalent_exists, message = "Send an Accept header that names one of these, or none.")
    )]
    StreamNotAcceptable,
    /// There is no such session for this caller.
    #[error("There is no such session, or it is over and forgotten.")]
    #[problem(
        status = 404,
        title = "No such session",
        remediation(none, reason = no_public_equivalent_exists, message = "Start the operation again; its first event names the new session.")
    )]
    SessionNotFound,
    /// The hub is full.
    #[error("Too many sessions are open.")]
    #[problem(
        status = 503,
        title = "Too many sessions",
        retry_after = 1,
        remediation(wait_for_provisioning)
    )]
    TooManySessions,
    /// The session or the hub has all the readers it can have.
    #[error("Too many readers follow this session.")]
    #[problem(
        status = 503,
        title = "Too many readers",
        retry_after = 5,
        remediation(wait_for_provisioning)
    )]
    TooManyReaders,
    /// Too many tickets are out.
    #[error("Too many tickets of this session are unused.")]
    #[problem(
        status = 429,
        title = "Too many tickets",
        retry_after = 30,
        remediation(wait_for_provisioning)
    )]
    TooManyTickets,
    /// A page of another origin tried to follow a session that belongs to somebody.
    #[error("Pages of this origin may not follow this session.")]
    #[problem(
        status = 403,
        title = "Origin not allowed",
        remediation(none, reason = auth_required_for_safety, message = "Use a ticket of the session, or a page of an allowed origin.")
    )]
    OriginNotAllowed,
    /// The request is not a WebSocket handshake.
    #[error("This address speaks WebSocket, version 13.")]
    #[problem(
        status = 426,
        title = "WebSocket expected",
        remediation(none, reason = no_public_equivalent_exists, message = "Open the address with a WebSocket client, or read the session as server-sent events.")
    )]
    UpgradeRequired,
    /// The handler panicked.
    #[error("Something failed inside. The request id leads to it in the log.")]
    #[problem(
        status = 500,
        title = "Internal error",
        remediation(none, reason = no_public_equivalent_exists, message = "Report the request id to whoever runs this service.")
    )]
    InternalPanic,
    /// The handler went away without an answer.
    #[error("The operation was given up before it had an outcome.")]
    #[problem(
        status = 500,
        title = "Abandoned",
        remediation(none, reason = no_public_equivalent_exists, message = "Find out whether it took effect before you start it again.")
    )]
    Abandoned,
    /// The handler took too long.
    #[error("The operation did not end in time.")]
    #[problem(
        status = 504,
        title = "Timed out",
        remediation(
            wait_for_provisioning,
            message = "Where session_id is given, the operation goes on: read its outcome at state_url."
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
    #[error("The operation was cancelled.")]
    #[problem(
        status = 499,
        title = "Cancelled",
        remediation(none, reason = no_public_equivalent_exists, message = "Find out whether it took effect before you start it again.")
    )]
    Cancelled,
    /// The server is going down.
    #[error("The server is shutting down.")]
    #[problem(
        status = 503,
        title = "Shutting down",
        retry_after = 1,
        remediation(wait_for_provisioning)
    )]
    ShuttingDown,
    /// The session reached the longest time a session may take.
    #[error("The session was open for longer than sessions may be.")]
    #[problem(
        status = 504,
        title = "Session expired",
        remediation(none, reason = no_public_equivalent_exists, message = "Find out whether it took effect before you start it again.")
    )]
    SessionExpired,
    /// The answer is larger than an event may be.
    #[error("The answer is larger than an event may be.")]
    #[problem(
        status = 500,
        title = "Result too large",
        remediation(none, reason = no_public_equivalent_exists, message = "Send the request with Accept: application/json; the answer then comes without events.")
    )]
    ResultTooLarge,
    /// The answer broke off.
    #[error("The answer could not be read to its end.")]
    #[problem(
        status = 500,
        title = "Result unreadable",
        remediation(none, reason = no_public_equivalent_exists, message = "Report the request id to whoever runs this service.")
    )]
    ResultUnreadable,
}
