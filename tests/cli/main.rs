//! The command line as a person or a script meets it: standard output, standard error, exit code.

mod browser;
mod catalog;
mod check;
mod demo;
mod explain;
mod generate;
mod hostile;
mod http;
mod life;
mod malformed;
mod patience;
mod project;
mod run;
mod surfaces;
mod usage;
