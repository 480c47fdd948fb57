//! What can be wrong with an MCP request before a tool sees it.

/// A request that reaches no tool.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "pspace")]
pub(crate) enum ToolError {
    /// There is no such tool.
    #[error("there is no such tool here")]
    #[problem(
        status = 404,
        title = "Unknown tool",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Use one of the tools in valid_values; tools/list describes them."
        )
    )]
    UnknownTool {
        #[problem(extension)]
        suggestion: Option<&'static str>,
    },

    /// The call does not say which tool.
    #[error("the name of the tool is required")]
    #[problem(
        status = 422,
        title = "Missing tool name",
        pointer = "/name",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Name one of the tools in valid_values."
        )
    )]
    MissingToolName,
}
