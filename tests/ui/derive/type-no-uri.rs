#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500, type = "not a uri")]
    Failed,
}

fn main() {}
