//! Rules over API manifests.

pub mod baseline;
mod choice;
mod date;
mod deferral;
pub mod docs;
mod engine;
mod finding;
mod fix;
pub mod report;
mod rule;
pub mod rules;
mod settings;
mod targets;

pub use choice::{Candidate, Classifier, Evidence, Neighbours, Verdict};
pub use date::{Date, InvalidDate};
pub use engine::{Outcome, lint, sort};
pub use finding::{Confidence, Excerpt, Finding, Severity};
pub use fix::{Edit, Fix, Safety, apply};
pub use report::{Report, ReportFormat, Style, Summary};
pub use rule::{Category, Example, Rule, Stage};
pub use rules::undeclared_choice::classify_input;
pub use settings::{Level, Settings};
