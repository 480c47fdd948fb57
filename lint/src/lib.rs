//! Rules over API manifests.

pub mod baseline;
mod choice;
mod config;
mod date;
mod deferral;
pub mod deferred;
pub mod docs;
mod engine;
mod failures;
mod finding;
mod fix;
mod glob;
pub mod report;
mod rule;
pub mod rules;
pub mod score;
mod settings;
mod targets;

pub use baseline::{Baseline, InvalidBaseline};
pub use choice::{Candidate, Classifier, Count, Evidence, Location, Neighbours, Verdict, training};
pub use config::{Config, InvalidConfig, SETTINGS, Setting};
pub use date::{Date, InvalidDate};
pub use engine::{Outcome, lint, sort};
pub use finding::{Confidence, Excerpt, Finding, Severity};
pub use fix::{Edit, Fix, Safety, apply};
pub use report::{Layout, Report, ReportFormat, Style, Summary};
pub use rule::{Category, Example, Rule, Stage};
pub use rules::undeclared_choice::classify_input;
pub use settings::{Level, Settings};
