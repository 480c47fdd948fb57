//! What the suites share: sample problems, strategies, the golden helper, and where things are.

pub mod generated;
pub mod golden;
pub mod place;
pub mod samples;
pub mod strategy;
