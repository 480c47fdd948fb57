//! One failure, three envelopes, no framework: `cargo run -p aon-examples --bin plain`.
//!
//! ```toml
//! [dependencies]
//! aon = { package = "aon-rs", git = "https://github.com/aon-rs/aon" }
//! thiserror = "2"
//! ```

use aon::door::{Door, Facts, Scope};
use aon::surface::{Surface, a2a::A2a, mcp::Mcp, rest::Rest};
use aon::{Failure, Json};

/// The values there are. A wrong one is refused with this list.
#[derive(Clone, Copy, Debug, aon::Choices)]
enum Shipping {
    Standard,
    Express,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum OrderError {
    #[error("shipping must be one of \"standard\" or \"express\".")]
    #[problem(status = 422, title = "Invalid shipping", valid_values(shipping = Shipping))]
    InvalidShipping { given: String },
}

fn ship(given: &str) -> Result<Shipping, OrderError> {
    given.parse().map_err(|_| OrderError::InvalidShipping {
        given: given.to_owned(),
    })
}

fn main() {
    // What came in, as far as a correction may use it.
    let arguments = Json::parse(r#"{"item":"lamp","shipping":"expres"}"#).ok();
    let Err(error) = ship("expres") else { return };
    let failure = Failure::from(error).with_arguments(arguments);

    // One scope for each request: it gives the id, redacts, and logs once.
    let scope = Scope::open(&Door::new(), Facts::new("rest").with_request_id("req-1"));
    for surface in [
        &Rest::default() as &dyn Surface,
        &Mcp::default(),
        &A2a::default(),
    ] {
        let wire = scope.answer(failure.clone(), surface, None);
        println!("{}: {}\n", surface.name(), String::from_utf8_lossy(&wire));
    }
}
