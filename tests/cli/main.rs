//! The command line as a person or a script meets it: standard output, standard error, exit code.

mod catalog;
mod check;
mod demo;
mod explain;
mod http;
mod project;
mod run;
mod usage;
