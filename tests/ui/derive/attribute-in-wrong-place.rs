#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(status = 500)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500, namespace = "acme")]
    Failed,
}

fn main() {}
