#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500, retry_after = 5)]
    Failed {
        #[problem(public, extension)]
        id: String,
        #[problem(retry_after)]
        wait: std::time::Duration,
    },
}

fn main() {}
