#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("inner")]
#[problem(status = 500)]
struct Inner;

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error(transparent)]
    #[problem(transparent, status = 500)]
    WithMore(Inner),
    #[error("two")]
    #[problem(transparent)]
    Two(Inner, u8),
    #[error("none")]
    #[problem(transparent)]
    Unit,
}

fn main() {}
