#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 503, retry_after = 0)]
    Failed,
    #[error("it failed")]
    #[problem(status = 503, retry_after = 86401)]
    FailedToo,
}

fn main() {}
