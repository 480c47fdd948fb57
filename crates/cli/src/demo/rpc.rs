//! What an agent says about itself: skills and tasks it does not have, and what it does not offer.

/// A request that cannot be answered as it is.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "pspace")]
pub(crate) enum RpcError {
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

    /// A part of the message is of another media type.
    #[error("this agent does not accept parts of the media type {media}")]
    #[problem(status = 415, title = "Content type not supported")]
    ContentTypeNotSupported {
        #[problem(public)]
        media: String,
    },
}
