//! `aon recover`: the canonical problem out of what a surface wrote.

use aon::ProblemDetails;
use aon::surface::{RecoverError, Surface, rest};

use crate::args::{Recover, SurfaceName};
use crate::exit;
use crate::fault::Fault;
use crate::input;
use crate::output::{Output, indented};

/// Reads one envelope, or one per line, and writes problems.
pub(crate) fn run(args: &Recover, output: &mut Output) -> Result<u8, Fault> {
    if args.lines {
        return lines(args.surface, output);
    }
    let bytes = input::document()?;
    let problem = recover(args.surface, &bytes).map_err(|error| Fault::UnreadableProblem {
        place: "standard input".to_owned(),
        reason: input::chain(&error),
    })?;
    if args.pretty {
        output.line(indented(&problem.to_string()))?;
    } else {
        output.line(problem.to_string())?;
    }
    Ok(exit::OK)
}

fn lines(surface: SurfaceName, output: &mut Output) -> Result<u8, Fault> {
    let mut code = exit::OK;
    input::lines(|number, line| {
        let recovered = line.and_then(|line| {
            recover(surface, line)
                .map_err(|error| input::unreadable_line(number, input::chain(&error)))
        });
        match recovered {
            Ok(problem) => output.line(problem.to_string()),
            Err(fault) => {
                output.note(&format!("error: {fault}"));
                code = exit::USAGE;
                Ok(())
            }
        }
    })?;
    Ok(code)
}

fn recover(surface: SurfaceName, wire: &[u8]) -> Result<ProblemDetails, RecoverError> {
    match surface {
        SurfaceName::Rest => rest::Rest::default().recover(wire),
    }
}
