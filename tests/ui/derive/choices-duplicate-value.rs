#[derive(aon::Choices)]
enum Bad {
    Same,
    #[choice(rename = "same")]
    Twin,
}

fn main() {}
