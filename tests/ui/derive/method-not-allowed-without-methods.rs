#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 405)]
    Failed,
    #[error("it failed")]
    #[problem(status = 405, methods("get"))]
    FailedToo,
}

fn main() {}
