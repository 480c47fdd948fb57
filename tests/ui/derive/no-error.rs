#[derive(Debug, aon::Problem)]
#[problem(status = 500)]
struct Bad;

fn main() {}
