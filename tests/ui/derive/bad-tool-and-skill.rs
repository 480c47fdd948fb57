#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500, mcp_tool = "fix it!", a2a_skill = "two words")]
    Failed,
}

fn main() {}
