#[derive(aon::Choices)]
enum Bad {}

#[derive(aon::Choices)]
enum AllSkipped {
    #[choice(skip)]
    Hidden,
}

fn main() {}
