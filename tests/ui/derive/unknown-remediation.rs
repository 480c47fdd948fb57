#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 503, remediation(wait_for_provisoning))]
    Failed,
    #[error("it failed")]
    #[problem(status = 503, remediation(pray))]
    FailedToo,
}

fn main() {}
