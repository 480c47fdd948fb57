#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500)]
    Failed,
    #[error("it failed")]
    #[problem(status = 503, code = "failed")]
    FailedToo,
}

fn main() {}
