#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 401)]
    Failed,
    #[error("it failed")]
    #[problem(status = 401, challenge = "né")]
    FailedToo,
}

fn main() {}
