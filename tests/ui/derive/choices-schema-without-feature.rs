#[derive(aon::Choices)]
#[choice(schema)]
enum Bad {
    One,
}

fn main() {}
