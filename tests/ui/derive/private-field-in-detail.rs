#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500, detail = "no {secret} and no {di}, but {id}")]
    Failed {
        secret: String,
        #[problem(public)]
        id: String,
    },
    #[error("it failed")]
    #[problem(status = 500, detail = "{} {")]
    Open,
}

fn main() {}
