//! `aon project`: a problem as a surface writes it.

use aon::surface::{Call, Surface, rest};
use aon::{Json, ProblemDetails, Reading};

use crate::args::{Project, SurfaceName};
use crate::exit;
use crate::fault::Fault;
use crate::input;
use crate::output::{Output, indented};

/// Reads one problem, or one per line, and writes envelopes.
pub(crate) fn run(args: &Project, output: &mut Output) -> Result<u8, Fault> {
    let arguments = arguments(args.args.as_deref())?;
    let call = Call {
        arguments: arguments.as_ref(),
        ..Call::default()
    };
    if args.lines {
        return lines(args, &call, output);
    }
    let bytes = input::document()?;
    let Reading {
        problem, ignored, ..
    } = read(&bytes, "standard input")?;
    for note in ignored {
        output.note(&format!("note: {note}"));
    }
    if args.head {
        head(&problem, output)?;
    }
    let envelope = envelope(args.surface, &problem, &call);
    if args.pretty {
        output.line(indented(&envelope))?;
    } else {
        output.line(envelope)?;
    }
    Ok(exit::OK)
}

fn lines(args: &Project, call: &Call<'_>, output: &mut Output) -> Result<u8, Fault> {
    let mut code = exit::OK;
    input::lines(|number, line| {
        let place = format!("line {number}");
        match line.and_then(|line| read(line, &place)) {
            Ok(Reading {
                problem, ignored, ..
            }) => {
                for note in ignored {
                    output.note(&format!("note: {place}: {note}"));
                }
                output.line(envelope(args.surface, &problem, call))
            }
            Err(fault) => {
                output.note(&format!("error: {fault}"));
                code = exit::USAGE;
                Ok(())
            }
        }
    })?;
    Ok(code)
}

fn arguments(text: Option<&str>) -> Result<Option<Json>, Fault> {
    text.map(|text| {
        Json::parse(text).map_err(|error| Fault::UnreadableArguments {
            reason: input::chain(&error),
        })
    })
    .transpose()
}

fn read(bytes: &[u8], place: &str) -> Result<Reading, Fault> {
    ProblemDetails::read(bytes).map_err(|error| Fault::UnreadableProblem {
        place: place.to_owned(),
        reason: input::chain(&error),
    })
}

fn envelope(surface: SurfaceName, problem: &ProblemDetails, call: &Call<'_>) -> String {
    let mut out = Vec::new();
    match surface {
        SurfaceName::Rest => rest::Rest::default().project(problem, call, &mut out),
    }
    String::from_utf8(out).unwrap_or_default()
}

/// The status line and the headers, as HTTP writes them.
fn head(problem: &ProblemDetails, output: &mut Output) -> Result<(), Fault> {
    let status = rest::status(problem);
    let phrase = aon::Status::new(status).map_or("", aon::Status::phrase);
    output.line(format!("HTTP/1.1 {status} {phrase}"))?;
    output.line(format!("content-type: {}", rest::MEDIA_TYPE))?;
    for (name, value) in rest::headers(problem) {
        output.line(format!("{name}: {value}"))?;
    }
    output.line("")
}
