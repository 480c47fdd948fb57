//! `aon recover`: the canonical problem out of what a surface wrote.

use aon::surface::Surface;

use crate::args::Recover;
use crate::exit;
use crate::fault::Fault;
use crate::input;
use crate::output::{Output, indented};
use crate::surfaces::Settings;

/// Reads one envelope, or one per line, and writes problems.
pub(crate) fn run(args: &Recover, output: &mut Output) -> Result<u8, Fault> {
    let Some(surface) = Settings::default().surface(args.surface) else {
        return Err(Fault::usage(
            "one envelope comes from one surface, not from all",
            "Name the surface it came from: --surface mcp",
        ));
    };
    if args.lines {
        return lines(&*surface, output);
    }
    let bytes = input::document()?;
    let problem = surface
        .recover(&bytes)
        .map_err(|error| Fault::UnreadableProblem {
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

fn lines(surface: &dyn Surface, output: &mut Output) -> Result<u8, Fault> {
    let mut code = exit::OK;
    input::lines(|number, line| {
        let recovered = line.and_then(|line| {
            surface
                .recover(line)
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
