//! `aon lint` and `aon-lint`: the same code under two names (contract R5).

pub(crate) mod args;
mod files;
mod pages;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use aon_lint::{Finding, Outcome, Report, ReportFormat, Settings, Style};
use aon_manifest::Document;
use clap::Parser;
use rayon::prelude::*;

use crate::exit;
use crate::fault::Fault;
use crate::output::Output;
use args::LintArgs;
use files::{Files, Input};

/// The arguments of `aon-lint`, which are those of `aon lint`.
#[derive(Debug, Parser)]
#[command(name = "aon-lint", version, after_help = exit::HELP)]
struct Cli {
    #[command(flatten)]
    lint: LintArgs,

    /// Write errors of the command itself as problem JSON on standard error.
    #[arg(long)]
    json: bool,
}

/// Runs `aon-lint` with these arguments, the program's name first, and returns its exit code (see [`exit`]).
pub fn run_lint(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    crate::run::run_with(
        args,
        |args| {
            let cli = Cli::try_parse_from(args)?;
            Ok((cli.json, cli.lint))
        },
        |args, output| run(&args, output),
    )
}

/// Checks manifests.
pub(crate) fn run(args: &LintArgs, output: &mut Output) -> Result<u8, Fault> {
    if let Some(wanted) = &args.explain {
        return pages::explain(wanted, output);
    }
    if args.rules {
        return pages::list(args.format, output);
    }
    let settings = Settings::default()
        .with_pedantic(args.pedantic)
        .with_preview(args.preview)
        .with_strict(args.strict);
    let files = Files::find(args)?;
    let checked = check_all(&files, args, &settings)?;
    let mut findings: Vec<Finding> = Vec::new();
    let (mut manifests, mut deferred) = (0, 0);
    for outcome in checked {
        manifests += usize::from(outcome.is_manifest);
        deferred += outcome.deferred;
        findings.extend(outcome.findings);
    }
    let report = Report::new(findings, manifests, deferred);
    let style = Style::new(args.colour(std::io::stdout().is_terminal()));
    if args.statistics {
        output.write(report.statistics().as_bytes())?;
    } else {
        output.write(report.render(args.format.into(), style).as_bytes())?;
    }
    if matches!(args.format.into(), ReportFormat::Github) {
        output.note(&report.summary.line());
    }
    Ok(exit_code(&report))
}

/// The exit code a report ends with.
fn exit_code(report: &Report) -> u8 {
    if report.findings.iter().any(|finding| finding.unreadable) {
        exit::USAGE
    } else if report.findings.is_empty() {
        exit::OK
    } else {
        exit::FOUND
    }
}

/// Reads and checks every file, on all cores when there are several.
fn check_all(files: &Files, args: &LintArgs, settings: &Settings) -> Result<Vec<Outcome>, Fault> {
    let check = |input: &Input| -> Result<Outcome, Fault> {
        let document = input.open(args)?;
        Ok(check_one(&document, input, settings))
    };
    if files.inputs.len() > 1 {
        files.inputs.par_iter().map(check).collect()
    } else {
        files.inputs.iter().map(check).collect()
    }
}

fn check_one(document: &Document, input: &Input, settings: &Settings) -> Outcome {
    // A folder holds many files that are no manifests; only a file that was named has to be one.
    if !input.named && document.format().is_none() {
        return Outcome::default();
    }
    aon_lint::lint(document, settings)
}
