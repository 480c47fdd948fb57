//! What can be wrong with a JSON-RPC request before an operation sees it, on MCP and A2A alike.

/// A request that cannot be answered as it is.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "pspace")]
pub(crate) enum RpcError {
    /// The body is no JSON.
    #[error("the body is no JSON: {reason}")]
    #[problem(
        status = 400,
        title = "Body is no JSON",
        remediation(none, reason = no_public_equivalent_exists, message = "Send one JSON-RPC 2.0 request as JSON in UTF-8."),
    )]
    ParseError {
        #[problem(public)]
        reason: String,
    },

    /// The JSON is no JSON-RPC 2.0 request.
    #[error("no JSON-RPC 2.0 request: {reason}")]
    #[problem(
        status = 400,
        title = "No JSON-RPC request",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Send an object with jsonrpc \"2.0\", a method, params, and an id that is a string or a number.",
        ),
    )]
    InvalidRequest {
        #[problem(public)]
        reason: &'static str,
    },

    /// There is no such method.
    #[error("there is no such method here")]
    #[problem(
        status = 404,
        title = "Method not found",
        remediation(none, reason = no_public_equivalent_exists, message = "Use one of the methods in valid_values."),
    )]
    MethodNotFound {
        #[problem(extension)]
        suggestion: Option<&'static str>,
    },

    /// The parameters do not have the shape the method wants.
    #[error("{reason}")]
    #[problem(
        status = 422,
        title = "Invalid parameters",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Send one data part: {\"skill\": …} and the parameters of the skill beside it.",
        ),
    )]
    InvalidParams {
        #[problem(public)]
        reason: String,
    },

    /// The agent has no such skill.
    #[error("there is no such skill here")]
    #[problem(
        status = 422,
        title = "Unknown skill",
        remediation(none, reason = no_public_equivalent_exists, message = "Use one of the skills in valid_values."),
    )]
    UnknownSkill {
        #[problem(extension)]
        suggestion: Option<&'static str>,
    },

    /// There is no such task.
    #[error("there is no such task: every call here is answered at once, so none is kept")]
    #[problem(
        status = 404,
        title = "Task not found",
        remediation(none, reason = no_public_equivalent_exists, message = "Read the answer of SendMessage instead."),
    )]
    TaskNotFound,

    /// Streams are not offered.
    #[error("this agent does not stream")]
    #[problem(
        status = 501,
        title = "Operation not supported",
        remediation(none, reason = not_yet_implemented, message = "Use SendMessage: it answers at once."),
    )]
    UnsupportedOperation,

    /// Push notifications are not offered.
    #[error("this agent sends no push notifications")]
    #[problem(
        status = 400,
        title = "Push notifications not supported",
        remediation(none, reason = not_yet_implemented),
    )]
    PushNotificationNotSupported,

    /// There is no extended card.
    #[error("this agent has one card, and it is public")]
    #[problem(
        status = 400,
        title = "No extended agent card",
        remediation(none, reason = not_yet_implemented, message = "Read /.well-known/agent-card.json."),
    )]
    ExtendedAgentCardNotConfigured,

    /// The body is of another media type.
    #[error("{media} is not understood here")]
    #[problem(
        status = 415,
        title = "Content type not supported",
        remediation(none, reason = no_public_equivalent_exists, message = "Send application/json."),
    )]
    ContentTypeNotSupported {
        #[problem(public)]
        media: String,
    },

    /// The body is too large.
    #[error("the request is over the limit of {limit} bytes")]
    #[problem(
        status = 413,
        title = "Request too large",
        remediation(none, reason = no_public_equivalent_exists, message = "Send less."),
    )]
    RequestTooLarge {
        #[problem(extension)]
        limit: usize,
    },

    /// The batch is too large.
    #[error("the batch is over the limit of {limit} requests")]
    #[problem(
        status = 413,
        title = "Batch too large",
        remediation(none, reason = no_public_equivalent_exists, message = "Send the requests in smaller batches."),
    )]
    BatchTooLarge {
        #[problem(extension)]
        limit: usize,
    },
}
