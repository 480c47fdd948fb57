enum Size {
    Small,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("it failed")]
#[problem(status = 422, valid_values(size = Size))]
struct Bad;

fn main() {}
