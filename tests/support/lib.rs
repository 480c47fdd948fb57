//! What the suites share: sample problems, strategies, the golden helper, and where things are.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests touch the world and fail loudly"
)]

pub mod golden;
pub mod place;
pub mod samples;
pub mod strategy;
