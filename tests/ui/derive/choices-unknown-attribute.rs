#[derive(aon::Choices)]
#[choice(shema)]
enum Bad {
    #[choice(lable = "One")]
    One,
    #[choice(rename = "a", rename = "b")]
    Two,
}

fn used() -> Result<Bad, aon::InvalidChoice> {
    let all = Bad::ALL;
    let _ = all.iter().map(Bad::as_str);
    "one".parse()
}

fn main() {}
