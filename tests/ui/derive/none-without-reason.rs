#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 503, remediation(none))]
    Failed,
}

fn main() {}
