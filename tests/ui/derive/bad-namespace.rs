#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "Not A Name")]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500)]
    Failed,
}

fn main() {}
