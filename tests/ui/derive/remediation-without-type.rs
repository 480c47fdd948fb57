#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 503, remediation(message = "do it"))]
    Failed,
    #[error("it failed")]
    #[problem(status = 503, remediation)]
    FailedToo,
}

fn main() {}
