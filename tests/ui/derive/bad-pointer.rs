#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 422, pointer = "name", pointer = "/a~2b")]
    Failed,
}

fn main() {}
