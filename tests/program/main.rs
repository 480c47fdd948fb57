//! The program `aon` as the suites start it: the same library, built with them.

use std::process::ExitCode;

fn main() -> ExitCode {
    aon_cli::run(std::env::args_os())
}
