#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("fine")]
    #[problem(status = 200)]
    Fine,
    #[error("beyond")]
    #[problem(status = 600)]
    Beyond,
    #[error("huge")]
    #[problem(status = 99999999)]
    Huge,
    #[error("text")]
    #[problem(status = "404")]
    Text,
}

fn main() {}
