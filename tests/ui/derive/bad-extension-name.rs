#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500)]
    Failed {
        #[problem(extension)]
        status: u16,
        #[problem(extension = "with-dash")]
        dashed: String,
        #[problem(extension)]
        retry_after: u64,
        #[problem(extension = "same")]
        one: u8,
        #[problem(extension = "same")]
        two: u8,
    },
    #[error("it failed")]
    #[problem(status = 500)]
    Tuple(#[problem(extension)] String, #[problem(valid_values)] Vec<String>),
}

fn main() {}
