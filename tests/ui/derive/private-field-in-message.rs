#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("card {card} of {owner} was refused")]
    #[problem(status = 402)]
    Refused {
        card: String,
        #[problem(extension)]
        owner: String,
    },
    #[error("storage failed: {0}")]
    #[problem(status = 503)]
    Storage(#[from] std::io::Error),
    #[error("{}", self.secret())]
    #[problem(status = 500)]
    Unclear(String),
    #[error("card {card} was refused")]
    #[problem(status = 402, code = "fine", detail = "the card was refused")]
    Fine { card: String },
}

impl Bad {
    fn secret(&self) -> &'static str {
        "secret"
    }
}

fn main() {}
