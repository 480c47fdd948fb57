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
    /// A method was used that the address does not answer to, HEAD where there is no GET among them.
    #[error("This operation does not support this method. The Allow header lists its methods.")]
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
    #[error(
        "Another node runs this session, and only that one can cancel it. Send the same request to the node that started the session."
    )]
    #[problem(status = 409, title = "Session elsewhere")]
    SessionElsewhere,
    /// Another node runs the session, and does not answer.
    #[error("The node that runs this session does not answer.")]
    #[problem(status = 503, title = "Node silent", retry_after = 2)]
    NodeSilent,
    /// The node that ran the session is gone.
    #[error(
        "The node that ran this operation is gone. Check whether it took effect before you start it again."
    )]
    #[problem(
        status = 503,
        title = "Session orphaned",
        remediation(none, reason = no_public_equivalent_exists)
    )]
    SessionOrphaned,
    /// Where sessions are kept does not answer.
    #[error(
        "Sessions cannot be kept at the moment. A request that accepts application/json is served without events."
    )]
    #[problem(status = 503, title = "Store unavailable", retry_after = 2)]
    StoreUnavailable,
    /// A part of what keeps and follows sessions does not work; for whoever asks for the health of the hub.
    #[error(
        "A part of what keeps and follows sessions does not work. Requests that accept application/json are served."
    )]
    #[problem(status = 503, title = "Unhealthy", retry_after = 2)]
    Unhealthy {
        /// The name of this node.
        #[problem(extension)]
        node: Option<String>,
        /// Which part, and why.
        #[problem(extension)]
        trouble: String,
    },
    /// The hub is full.
    #[error("Too many sessions are open.")]
    #[problem(status = 503, title = "Too many sessions", retry_after = 1)]
    TooManySessions,
    /// The session or the hub has all the readers it can have.
    #[error("Too many readers follow this session.")]
    #[problem(status = 503, title = "Too many readers", retry_after = 5)]
    TooManyReaders,
    /// Too many tickets are out.
    #[error("This session has too many unused tickets.")]
    #[problem(status = 429, title = "Too many tickets", retry_after = 30)]
    TooManyTickets,
    /// The credentials are not good.
    #[error("The token is not valid: it may have expired, or be meant for another service.")]
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
    #[error("This address accepts only WebSocket connections, version 13.")]
    #[problem(status = 426, title = "WebSocket expected")]
    UpgradeRequired,
    /// The handler panicked.
    #[error(
        "Something went wrong inside the service. Its log has the details under the request id."
    )]
    #[problem(status = 500, title = "Internal error")]
    InternalPanic,
    /// The handler went away without an answer.
    #[error(
        "The operation was abandoned before it had an outcome. Check whether it took effect before you start it again."
    )]
    #[problem(status = 500, title = "Abandoned")]
    Abandoned,
    /// The handler took too long.
    #[error("The operation did not finish in time.")]
    #[problem(
        status = 504,
        title = "Timed out",
        remediation(
            wait_for_provisioning,
            message = "If there is a state_url, the operation continues; read its outcome there."
        )
    )]
    TimedOut {
        /// Where the outcome of the session that goes on will be.
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
    #[error(
        "The session was open for longer than the limit. Check whether it took effect before you start it again."
    )]
    #[problem(
        status = 504,
        title = "Session expired",
        remediation(none, reason = no_public_equivalent_exists)
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
    #[problem(status = 500, title = "Result unreadable")]
    ResultUnreadable,
}

/// There is no such task for this caller, or no such thing of it. A task is a session, on MCP and on A2A, so both say the same of it.
#[derive(Debug, thiserror::Error, Problem)]
#[error("{missing}")]
#[problem(status = 404, code = "task_not_found", title = "Task not found")]
#[non_exhaustive]
pub struct TaskNotFound {
    #[problem(public)]
    missing: &'static str,
}

impl TaskNotFound {
    pub(crate) const TASK: Self = Self {
        missing: "There is no such task: it does not exist, it is not yours, or it has ended and is no longer kept. Start a new one.",
    };

    /// The protocol has the same error for both.
    pub(crate) const PUSH_CONFIGURATION: Self = Self {
        missing: "The task does not have this push notification configuration. List its configurations to see which it has.",
    };
}
