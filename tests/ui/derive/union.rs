#[derive(aon::Problem)]
union Bad {
    number: u32,
    letter: char,
}

fn main() {}
