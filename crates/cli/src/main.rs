//! The program `aon`. Everything is in the library, which `aon-lint` shares.

use std::process::ExitCode;

fn main() -> ExitCode {
    aon_cli::run(std::env::args_os())
}
