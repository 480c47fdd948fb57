//! The linter against documents it was not written for, and the program around it.

mod adversarial;
mod cases;
mod deferral;
mod fixes;
mod formats;
mod hidden;
mod labels;
mod modes;
mod program;
