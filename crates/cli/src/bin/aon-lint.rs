//! The program `aon-lint`: `aon lint` under the name that pre-commit knows.

use std::process::ExitCode;

fn main() -> ExitCode {
    aon_cli::run_lint(std::env::args_os())
}
