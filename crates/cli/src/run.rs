//! From arguments to an exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use aon::surface::human::Text;
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::{Cli, Command};
use crate::commands;
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;

/// Runs the command that `args` name, the program's name first, and returns its exit code (see [`exit`]).
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    run_with(
        args,
        |args| {
            let mut cli = Cli::try_parse_from(args)?;
            match &mut cli.command {
                Command::Tail(tail) => tail.json = cli.json,
                Command::Heal(heal) => heal.json = cli.json,
                _ => {}
            }
            Ok((cli.json, cli.command))
        },
        dispatch,
    )
}

/// Runs a program: reads its arguments, does what they say, and shows what went wrong.
pub(crate) fn run_with<C>(
    args: impl IntoIterator<Item = OsString>,
    parse: impl FnOnce(&[OsString]) -> Result<(bool, C), clap::Error>,
    command: impl FnOnce(C, &mut Output) -> Result<u8, Fault>,
) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let mut output = Output::new();
    let result = match parse(&args) {
        Ok((json, parsed)) => {
            let json = json || wants_json(&args);
            command(parsed, &mut output)
                .and_then(|code| output.flush().map(|()| code))
                .map_err(|fault| (fault, json))
        }
        Err(error) => refuse(&error, &mut output).map_err(|fault| (fault, wants_json(&args))),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err((Fault::StreamFailed { closed: true, .. }, _)) => ExitCode::from(exit::OK),
        Err((fault, json)) => {
            // What was written before the fault belongs to the reader; a second failure adds nothing.
            let _: Result<(), Fault> = output.flush();
            let code = fault.exit_code();
            if json {
                output.note(&fault.problem().to_string());
            } else {
                let problem = fault.told_once().problem();
                let text = Text::new()
                    .with_width(100)
                    .with_color(output.notes_are_coloured());
                output.note(text.render(&problem).trim_end());
            }
            ExitCode::from(code)
        }
    }
}

fn dispatch(command: Command, output: &mut Output) -> Result<u8, Fault> {
    match command {
        Command::Project(args) => commands::project::run(&args, output),
        Command::Recover(args) => commands::recover::run(&args, output),
        Command::Explain(args) => commands::explain::run(&args, output),
        Command::Catalog(args) => commands::catalog::run(&args, output),
        Command::Check(args) => commands::check::run(&args, output),
        Command::Demo(args) => commands::demo::run(&args, output),
        Command::Agent(args) => commands::agent::run(&args.command, output),
        Command::Proxy(args) => crate::proxy::run(&args, output),
        Command::Docs(args) => commands::docs::run(&args, output),
        Command::Tail(args) => commands::tail::run(&args, output),
        Command::Heal(args) => commands::heal::run(&args, output),
        Command::Init(args) => commands::init::run(&args, output),
        Command::Gen(args) => crate::generate::run(&args, output),
        Command::Lint(args) => crate::lint::run(&args, output),
        Command::Score(args) => commands::score::run(&args, output),
        Command::Lsp(args) => commands::lsp::run(&args),
        Command::Completions(args) => commands::completions::run(&args, output),
        Command::Man(args) => commands::man::run(&args, output),
    }
}

/// Help and version are answers; everything else clap says is a fault of ours.
fn refuse(error: &clap::Error, output: &mut Output) -> Result<u8, Fault> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output.write(error.render().to_string().as_bytes())?;
            output.flush()?;
            Ok(exit::OK)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            output.note(error.render().to_string().trim_end());
            Ok(exit::USAGE)
        }
        _ => Err(usage(error)),
    }
}

fn usage(error: &clap::Error) -> Fault {
    let rendered = error.render().to_string();
    let message = rendered
        .split("\n\n")
        .next()
        .unwrap_or_default()
        .trim_start_matches("error: ")
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("[possible values"))
        .collect::<Vec<_>>()
        .join(" ");
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => texts.first().cloned(),
        _ => None,
    };
    let meant = text(ContextKind::SuggestedSubcommand)
        .or_else(|| text(ContextKind::SuggestedArg))
        .or_else(|| text(ContextKind::SuggestedValue));
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    let usage = usage.trim().trim_start_matches("Usage:").trim().to_owned();
    let values = match error
        .get(ContextKind::ValidValue)
        .or_else(|| error.get(ContextKind::ValidSubcommand))
    {
        Some(ContextValue::Strings(values)) if !values.is_empty() => Some(values.clone()),
        _ => None,
    };
    let hint = match meant {
        Some(meant) => format!("Did you mean {meant}?"),
        None if values.is_some() => "Choose one of the valid values.".to_owned(),
        None if error.kind() == ErrorKind::InvalidSubcommand => {
            "`aon --help` lists the commands.".to_owned()
        }
        None if usage.is_empty() => "Run the command with --help to see what it takes.".to_owned(),
        None => format!("Use it like this: {usage}"),
    };
    let name = text(ContextKind::InvalidArg).map_or_else(
        || "command".to_owned(),
        |arg| {
            let name = arg.split_whitespace().next().unwrap_or_default();
            name.trim_start_matches('-').replace('-', "_")
        },
    );
    Fault::InvalidUsage {
        message,
        hint,
        valid: values.map(|values| (name, values)),
    }
}

/// Whether the arguments ask for JSON, also when the rest of them cannot be read.
fn wants_json(args: &[OsString]) -> bool {
    let words: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
    words
        .iter()
        .any(|word| word == "--json" || word == "--format=json")
        || words
            .windows(2)
            .any(|pair| matches!(pair, [flag, value] if flag == "--format" && value == "json"))
}
