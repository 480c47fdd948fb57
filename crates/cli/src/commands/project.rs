//! `aon project`: a problem as a surface writes it.

use aon::surface::{Call, rest};
use aon::{Json, ProblemDetails, Reading};

use crate::args::{Project, SurfaceName};
use crate::exit;
use crate::fault::Fault;
use crate::input;
use crate::output::{Output, indented};
use crate::surfaces::Settings;

/// Reads one problem, or one per line, and writes envelopes.
pub(crate) fn run(args: &Project, output: &mut Output) -> Result<u8, Fault> {
    if args.head && args.surface != SurfaceName::Rest {
        return Err(Fault::usage(
            "--head is for the surface rest: no other has a status line",
            "Leave --head out, or use --surface rest.",
        ));
    }
    let arguments = json("--args", args.args.as_deref())?;
    let id = json("--id", args.id.as_deref())?;
    let call = Call {
        arguments: arguments.as_ref(),
        id: id.as_ref(),
    };
    let settings = Settings {
        profile: args.profile,
        mode: args.mode,
        form: args.form,
    };
    if args.lines {
        return lines(args, settings, &call, output);
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
    if args.surface == SurfaceName::Human {
        output.write(settings.human(&problem).as_bytes())?;
        return Ok(exit::OK);
    }
    let envelope = settings.envelope(args.surface, &problem, &call);
    if args.pretty {
        output.line(indented(&envelope))?;
    } else {
        output.line(envelope)?;
    }
    Ok(exit::OK)
}

fn lines(
    args: &Project,
    settings: Settings,
    call: &Call<'_>,
    output: &mut Output,
) -> Result<u8, Fault> {
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
                output.line(settings.envelope(args.surface, &problem, call))
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

fn json(option: &'static str, text: Option<&str>) -> Result<Option<Json>, Fault> {
    text.map(|text| {
        Json::parse(text).map_err(|error| Fault::UnreadableArguments {
            option,
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
