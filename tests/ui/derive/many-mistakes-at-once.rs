#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "No")]
enum Bad {
    #[error("it failed")]
    #[problem(status = 200, code = "Bad", docs_url = "nowhere", mcp_tool = "no tool", pointer = "x")]
    Failed,
    #[error("it failed")]
    #[problem(stauts = 500, remediation(none))]
    FailedToo,
}

fn used(error: Bad) -> aon::ProblemDetails {
    aon::Problem::to_problem(&error)
}

fn main() {}
