#[derive(aon::Choices)]
enum Bad<T> {
    One,
    #[choice(skip)]
    Two(T),
}

fn main() {}
