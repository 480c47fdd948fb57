#[derive(aon::Choices)]
struct Bad;

fn main() {}
