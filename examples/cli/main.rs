//! A command line whose errors say what, why and what to try: `cargo run -p aon-examples --bin cli -- expres`.
//!
//! ```toml
//! [dependencies]
//! aon = { package = "aon-rs", git = "https://github.com/aon-rs/aon" }
//! thiserror = "2"
//! ```

use std::process::ExitCode;

use aon::Problem as _;
use aon::surface::human::Text;

#[derive(Clone, Copy, Debug, aon::Choices)]
enum Shipping {
    Standard,
    Express,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum ShipError {
    /// `InvalidChoice` brings the values, and the one that was probably meant.
    #[error(transparent)]
    #[problem(transparent)]
    Shipping(#[from] aon::InvalidChoice),

    #[error("say how to ship it")]
    #[problem(status = 400, title = "No shipping given", valid_values(shipping = Shipping))]
    NoShipping,
}

fn ship(words: &[String]) -> Result<Shipping, ShipError> {
    let word = words.first().ok_or(ShipError::NoShipping)?;
    Ok(word.parse::<Shipping>()?)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match ship(&words) {
        Ok(shipping) => {
            println!("It leaves by {} mail.", shipping.as_str());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprint!("{}", Text::new().render(&error.to_problem()));
            ExitCode::from(2)
        }
    }
}
