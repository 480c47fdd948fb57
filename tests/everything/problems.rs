//! The failures of this server, each a problem. The adapter makes results of them.

use rmcp::model::CallToolResponse;

/// What can go wrong.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "everything")]
pub(crate) enum Failure {
    #[error("This tool intentionally returns an error for testing")]
    #[problem(
        status = 422,
        title = "Intentional failure",
        remediation(none, reason = no_public_equivalent_exists, message = "Nothing: it always fails."),
    )]
    Intentional,

    #[error("{argument} is required and must be a string")]
    #[problem(
        status = 422,
        title = "Missing argument",
        remediation(none, reason = no_public_equivalent_exists, message = "Send the argument as a string."),
    )]
    MissingArgument {
        #[problem(public)]
        argument: &'static str,
    },

    #[error("the client did not answer the question")]
    #[problem(
        status = 502,
        title = "No answer from the client",
        remediation(none, reason = no_public_equivalent_exists, message = "Declare the capability and answer."),
    )]
    NoAnswer,
}

/// The failure as the result of a tool.
pub(crate) fn fail(failure: &Failure) -> CallToolResponse {
    match aon::rmcp::call_tool_result(failure) {
        Ok(response) => response,
        Err(error) => unreachable!("a problem is always a result: {error:?}"),
    }
}
