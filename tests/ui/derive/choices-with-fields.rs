#[derive(aon::Choices)]
enum Bad {
    Plain,
    Tuple(u8),
    Named { name: String },
}

fn main() {}
