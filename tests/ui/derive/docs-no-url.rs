#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500, docs_url = "/docs/failed")]
    Failed,
    #[error("it failed")]
    #[problem(status = 500, docs_url = "https://example.com/a b")]
    FailedToo,
}

fn main() {}
