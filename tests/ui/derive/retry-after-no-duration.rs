#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("it failed")]
#[problem(status = 503)]
struct Bad {
    #[problem(retry_after)]
    wait: u64,
}

fn main() {}
