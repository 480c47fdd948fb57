//! `aon demo`: one failing program, three surfaces.

use crate::args::Demo;
use crate::demo;
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;

/// Serves until it is asked to stop.
pub(crate) fn run(args: &Demo, output: &mut Output) -> Result<u8, Fault> {
    if args.stdio {
        demo::serve_stdio(args.quiet)?;
    } else {
        demo::serve(args, output)?;
    }
    Ok(exit::OK)
}
