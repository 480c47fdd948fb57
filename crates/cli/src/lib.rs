//! The command line of AON.
//!
//! The only package that touches files, standard streams and exit codes. Each command is one file in `commands`;
//! what goes wrong is a [`fault`], which is a problem like any other and is shown as What / Why / Try this.

#![expect(
    clippy::disallowed_methods,
    reason = "this package is the one that touches the world"
)]

pub mod book;
pub mod contract;
pub mod exit;
pub mod fault;

mod args;
mod check;
mod commands;
mod config;
mod demo;
mod generate;
mod http;
mod input;
mod lint;
mod output;
mod page;
mod program;
mod proxy;
mod run;
mod server;
mod surfaces;

pub use generate::SETTINGS as GENERATE_SETTINGS;
pub use lint::run_lint;
pub use run::run;
