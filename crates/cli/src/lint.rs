//! `aon lint` and `aon-lint`: the same code under two names (contract R5).

pub(crate) mod args;
mod changed;
pub(crate) mod files;
mod fixes;
pub(crate) mod pages;
pub(crate) mod setup;
mod watch;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use aon_lint::{Baseline, Finding, Outcome, Report, Safety, Settings, Severity, Style};
use aon_manifest::{Document, Format};
use clap::Parser;
use indicatif::ProgressBar;
use rayon::prelude::*;

use crate::exit;
use crate::fault::Fault;
use crate::output::Output;
use args::{FailOn, FormatName, LintArgs};
use files::{Files, Input, Looked, Texts};
use fixes::Fixes;
use setup::Setup;

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

/// The arguments of `aon-lint`, for what is made from them.
pub(crate) fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// Checks manifests.
pub(crate) fn run(args: &LintArgs, output: &mut Output) -> Result<u8, Fault> {
    if let Some(wanted) = &args.explain {
        return pages::explain(wanted, output);
    }
    if args.rules {
        return pages::list(args.format, output);
    }
    if args.watch {
        return watch::run(args, output);
    }
    once(args, output)
}

fn once(args: &LintArgs, output: &mut Output) -> Result<u8, Fault> {
    let setup = Setup::read(args)?;
    let mut files = Files::find(args);
    setup.narrow(&mut files);
    if let Some(base) = &args.changed {
        changed::keep(&mut files, base)?;
    }
    // Standard input can be read once, so it is kept.
    let mut texts = Texts::new();
    let stdin = files
        .inputs
        .iter()
        .find(|input| input.path.is_none())
        .map(|input| input.name.clone());
    if let Some(input) = files.inputs.iter().find(|input| input.path.is_none()) {
        let bytes = input.read()?;
        if let Ok(text) = String::from_utf8(bytes.clone()) {
            texts.insert(input.name.clone(), text);
        } else {
            texts.insert(
                input.name.clone(),
                String::from_utf8_lossy(&bytes).into_owned(),
            );
        }
    }
    let (mut findings, manifests, mut deferred) = check_all(&files, args, &setup.settings, &texts);
    let looked = Looked::new(&files, args);
    deferred += setup.defer(&mut findings, &looked);
    if let Some(path) = &args.write_baseline {
        return write_baseline(path, &findings, args, output);
    }
    if args.fix || args.unsafe_fixes || args.diff {
        let safety = if args.unsafe_fixes {
            Safety::Unsafe
        } else {
            Safety::Safe
        };
        let mut fixes = Fixes::default();
        for _ in 0..MAX_ROUNDS {
            let given = stdin.as_deref().zip(
                stdin
                    .as_ref()
                    .and_then(|name| texts.get(name))
                    .map(String::as_str),
            );
            if !fixes.round(&findings, safety, given)? {
                break;
            }
            let mut all = texts.clone();
            all.extend(fixes.texts.clone());
            (findings, _, deferred) = check_all(&files, args, &setup.settings, &all);
            deferred += setup.defer(&mut findings, &looked);
        }
        if args.diff {
            output.write(fixes.diff().as_bytes())?;
            output.note(&format!("{} would be repaired", count(fixes.applied)));
            return Ok(if fixes.texts.is_empty() && findings.is_empty() {
                exit::OK
            } else {
                exit::FOUND
            });
        }
        fixes.write(stdin.as_deref())?;
        if let Some(name) = &stdin {
            let text = fixes
                .texts
                .get(name)
                .or_else(|| texts.get(name))
                .map_or("", String::as_str);
            output.write(text.as_bytes())?;
            let report = Report::new(findings, manifests, deferred);
            output.note(&format!(
                "{} repaired; {}",
                count(fixes.applied),
                report.summary.line()
            ));
            return Ok(exit_code(&report, args.fail_on));
        }
        output.note(&format!("{} repaired", count(fixes.applied)));
    }
    let report = Report::new(findings, manifests, deferred);
    let style =
        Style::new(args.colour(std::io::stdout().is_terminal())).with_layout(args.output.into());
    if args.statistics {
        output.write(report.statistics().as_bytes())?;
    } else {
        output.write(report.render(args.format.into(), style).as_bytes())?;
    }
    if args.format == FormatName::Github {
        output.note(&report.summary.line());
    }
    Ok(exit_code(&report, args.fail_on))
}

fn count(number: usize) -> String {
    format!("{number} finding{}", if number == 1 { "" } else { "s" })
}

fn write_baseline(
    path: &Path,
    findings: &[Finding],
    args: &LintArgs,
    output: &mut Output,
) -> Result<u8, Fault> {
    let earlier = if path.exists() {
        Some(setup::read_baseline(path)?)
    } else {
        None
    };
    let issue = args.issue.as_deref().unwrap_or("");
    let known: Vec<Finding> = findings
        .iter()
        .filter(|finding| !finding.unreadable)
        .cloned()
        .collect();
    let text = Baseline::write(&known, earlier.as_ref(), issue);
    fixes::replace(path, &text)?;
    output.note(&format!(
        "{} written to {}",
        count(known.len()),
        files::shown(path)
    ));
    Ok(exit::OK)
}

/// The exit code a report ends with.
fn exit_code(report: &Report, fail_on: FailOn) -> u8 {
    let least = match fail_on {
        FailOn::Error => Some(Severity::Error),
        FailOn::Warning => Some(Severity::Warning),
        FailOn::Never => None,
    };
    let fails = |finding: &Finding| least.is_some_and(|least| finding.severity >= least);
    if report.findings.iter().any(|finding| finding.unreadable) {
        exit::USAGE
    } else if report.findings.iter().any(fails) {
        exit::FOUND
    } else {
        exit::OK
    }
}

/// Reads and checks every file, on all cores when there are several: the findings in order, how many manifests there were, and
/// how many findings were set aside in place.
fn check_all(
    files: &Files,
    args: &LintArgs,
    settings: &Settings,
    texts: &Texts,
) -> (Vec<Finding>, usize, usize) {
    let bar = progress(files.inputs.len());
    let check = |input: &Input| -> Outcome {
        let outcome = match input.open(args, texts) {
            Ok(document) if args.strict_native && document.format() == Some(Format::Native) => {
                check_one(&document, input, &settings.clone().with_strict(true))
            }
            Ok(document) => check_one(&document, input, settings),
            Err(fault) => unread(&input.name, fault.reason()),
        };
        bar.inc(1);
        outcome
    };
    let outcomes: Vec<Outcome> = if files.inputs.len() > 1 {
        files.inputs.par_iter().map(check).collect()
    } else {
        files.inputs.iter().map(check).collect()
    };
    bar.finish_and_clear();
    let (mut findings, mut manifests, mut deferred) = (Vec::new(), 0, 0);
    let missed = files.unread.iter();
    let missed = missed.map(|missed| unread(&missed.name, missed.reason.clone()));
    for outcome in outcomes.into_iter().chain(missed) {
        manifests += usize::from(outcome.is_manifest);
        deferred += outcome.deferred;
        findings.extend(outcome.findings);
    }
    aon_lint::sort(&mut findings);
    (findings, manifests, deferred)
}

/// A bar for long runs, on a terminal only.
fn progress(files: usize) -> ProgressBar {
    if files < LONG_RUN || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    ProgressBar::new(u64::try_from(files).unwrap_or(u64::MAX))
}

fn check_one(document: &Document, input: &Input, settings: &Settings) -> Outcome {
    // A folder holds many files that are not manifests; only a file that was named has to be one.
    let broken = || {
        let issues = document.issues();
        let mut kinds = issues.iter().map(|issue| issue.kind());
        kinds.any(|kind| files::was_meant(document, kind))
    };
    if !input.named && document.format().is_none() && !broken() {
        return Outcome::default();
    }
    aon_lint::lint(document, settings)
}

/// What is said about a file or folder that cannot be opened. The rest is checked all the same.
fn unread(name: &str, reason: String) -> Outcome {
    Outcome::of(Finding::unreadable(name, reason))
}

/// A fix may uncover the next one; after this many rounds something goes in circles.
const MAX_ROUNDS: usize = 8;

/// From this many files on a run takes long enough to look at.
const LONG_RUN: usize = 64;
