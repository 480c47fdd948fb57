//! What a client is told about tasks and questions that are not there.

use aon::Problem;

use crate::fault::TaskNotFound;

/// Why a task or an answer is refused.
#[derive(Debug, thiserror::Error, Problem)]
#[non_exhaustive]
pub enum TaskFault {
    /// There is no such task for this caller.
    #[error(transparent)]
    #[problem(transparent)]
    TaskNotFound(#[from] TaskNotFound),
    /// The call a question belongs to is not there, or it is another call.
    #[error(
        "The call this answer belongs to is not waiting. Call the tool again, without requestState."
    )]
    #[problem(status = 410, title = "The question is gone")]
    QuestionGone,
}
