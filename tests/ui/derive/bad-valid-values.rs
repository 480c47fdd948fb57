#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 422, valid_values())]
    Failed,
    #[error("it failed")]
    #[problem(status = 422, valid_values(size = [], size = ["a", "a"], odd = ['c']))]
    FailedToo,
    #[error("it failed")]
    #[problem(status = 422, valid_values = "size")]
    FailedAgain,
}

fn main() {}
