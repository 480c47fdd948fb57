//! What an agent says by itself when a request cannot be answered.

use aon::{Failure, Problem};

use crate::fault::TaskNotFound;

/// The problems of an A2A agent.
#[derive(Debug, thiserror::Error, Problem)]
#[non_exhaustive]
pub enum AgentFault {
    /// There is no such task for this caller.
    #[error(transparent)]
    #[problem(transparent)]
    TaskNotFound(#[from] TaskNotFound),
    /// The task has ended, so it cannot be cancelled.
    #[error("The task has ended, so it cannot be cancelled. GetTask says how it ended.")]
    #[problem(status = 409, title = "Task not cancelable")]
    TaskNotCancelable,
    /// The task has ended, so nothing can be said to it and nothing follows.
    #[error(
        "The task has ended. It accepts no messages and sends no updates. Read how it ended with GetTask, or send a message without taskId to start a new task."
    )]
    #[problem(status = 409, title = "Task ended")]
    TaskEnded,
    /// The task has no open question.
    #[error(
        "The task waits for no answer now: it is at work, or its question was answered or taken back."
    )]
    #[problem(
        status = 409,
        title = "Task not waiting",
        remediation(
            wait_for_provisioning,
            message = "Follow the task, and answer when its state is input-required or auth-required."
        )
    )]
    TaskNotWaiting,
    /// The agent will not do it.
    #[error("{why}")]
    #[problem(status = 422, title = "Task rejected")]
    TaskRejected {
        /// Why, for the caller.
        #[problem(public)]
        why: String,
    },
    /// Push notifications are not offered.
    #[error(
        "Push notifications are not supported by this agent. Follow the task with SubscribeToTask."
    )]
    #[problem(status = 400, title = "Push notifications not supported")]
    PushNotificationNotSupported,
    /// A task has as many as it may have.
    #[error("A task sends its updates to at most {most} addresses. Delete a configuration first.")]
    #[problem(status = 409, title = "Too many push notification configurations")]
    TooManyPushConfigs {
        /// How many it may have.
        #[problem(public)]
        most: usize,
    },
    /// There is no extended card, and the public one says so.
    #[error("This agent has one card, and it is public. Read /.well-known/agent-card.json.")]
    #[problem(
        status = 501,
        code = "unsupported_operation",
        title = "No extended agent card"
    )]
    NoExtendedCard,
    /// The same in the words of 0.3.
    #[error("This agent has one card, and it is public. Read /.well-known/agent-card.json.")]
    #[problem(status = 400, title = "No extended agent card")]
    ExtendedAgentCardNotConfigured,
    /// The extended card is for callers that the agent knows.
    #[error(
        "The extended card is for callers that this agent knows. Send the credentials that the securitySchemes of its public card describe."
    )]
    #[problem(
        status = 401,
        code = "authentication_required",
        title = "Authentication required",
        challenge = "Bearer"
    )]
    CallerUnknown,
    /// A stream was asked for in a batch.
    #[error("A stream cannot be part of a batch.")]
    #[problem(
        status = 400,
        code = "invalid_request",
        title = "Not a request of a batch"
    )]
    StreamInBatch,
    /// A part of the message is of another media type.
    #[error("This agent does not accept parts of the media type {media}.")]
    #[problem(status = 415, title = "Content type not supported")]
    ContentTypeNotSupported {
        /// The media type.
        #[problem(public)]
        media: String,
        /// What is accepted.
        #[problem(valid_values = "mediaType")]
        accepted: Vec<String>,
    },
}

impl AgentFault {
    /// The agent will not do the task; its state is `rejected` then.
    pub fn rejected(why: impl Into<String>) -> Self {
        Self::TaskRejected { why: why.into() }
    }

    /// It as a failure of the namespace it leaves through.
    pub(super) fn failure(&self) -> Failure {
        Failure::built_in(self.to_problem())
    }
}

/// Something is wrong with a parameter.
pub(super) fn invalid(pointer: &str, reason: &str) -> Failure {
    Failure::built_in(aon::jsonrpc::invalid_params(reason).with_pointer(pointer, Some(reason)))
}
