#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 503, remediation(none, reason = not_yet_implementd))]
    Failed,
    #[error("it failed")]
    #[problem(status = 503, remediation(none, reason = laziness))]
    FailedToo,
}

fn main() {}
