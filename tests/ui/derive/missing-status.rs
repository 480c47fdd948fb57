#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    Failed,
    #[error("it failed")]
    #[problem(code = "too")]
    FailedToo,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("it failed")]
struct Alone;

fn main() {}
