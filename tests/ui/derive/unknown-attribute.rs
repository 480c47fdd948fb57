#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namspace = "acme")]
enum Bad {
    #[error("it failed")]
    #[problem(stauts = 500, status = 500)]
    Failed,
    #[error("it failed")]
    #[problem(status = 500, colour = "red")]
    FailedToo {
        #[problem(extention)]
        id: String,
    },
}

fn main() {}
