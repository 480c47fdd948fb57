#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500, code = "Not-A-Code")]
    Failed,
    #[error("it failed")]
    #[problem(status = 500)]
    Größe,
}

fn main() {}
