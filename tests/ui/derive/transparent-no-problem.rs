#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error(transparent)]
    #[problem(transparent)]
    Io(std::io::Error),
}

fn main() {}
