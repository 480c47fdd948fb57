#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem]
    #[problem = "x"]
    #[problem(status = 500, "code", title, transparent = true, detail =, docs_url "x", methods)]
    Failed,
}

fn main() {}
