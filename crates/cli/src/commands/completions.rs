//! `aon completions`: a script that lets a shell complete the arguments.

use clap_complete::generate;

use crate::args::{Completions, ProgramName};
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;

/// Writes the script.
pub(crate) fn run(args: &Completions, output: &mut Output) -> Result<u8, Fault> {
    let (mut command, name) = match args.program {
        ProgramName::Aon => (crate::args::command(), "aon"),
        ProgramName::AonLint => (crate::lint::command(), "aon-lint"),
    };
    let mut script = Vec::new();
    generate(args.shell, &mut command, name, &mut script);
    output.write(&script)?;
    Ok(exit::OK)
}
