#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500)]
    Failed(
        #[from]
        #[problem(public)]
        std::io::Error,
    ),
    #[error("it failed")]
    #[problem(status = 500)]
    FailedToo {
        #[problem(extension)]
        source: std::fmt::Error,
    },
}

fn main() {}
