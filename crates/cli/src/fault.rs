//! What can go wrong with a command. Each fault is a problem, shown as What / Why / Try this.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use aon::{Choice, Entry, ExtensionName, NoneReason, Origin, Problem, ProblemDetails, Remediation};

use crate::exit;

/// Why a command could not do what it was asked.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The arguments make no sense.
    Usage {
        /// What is wrong with them.
        message: String,
        /// What would be right.
        hint: String,
        /// The argument and the values it may take, where they are known.
        valid: Option<(String, Vec<String>)>,
    },
    /// The input is no problem, or no envelope of that surface.
    UnreadableProblem {
        /// Where it came from.
        place: String,
        /// Why not, with its causes.
        reason: String,
    },
    /// The value of an option is no JSON.
    UnreadableArguments {
        /// The option.
        option: &'static str,
        /// Why not.
        reason: String,
    },
    /// A file cannot be read.
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file is no catalog.
    NotACatalog {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// No catalog at hand has the code.
    UnknownCode {
        /// The code that was asked for.
        code: String,
        /// The one that was probably meant.
        nearest: Option<String>,
        /// Where it was looked for.
        places: Vec<String>,
    },
    /// The server that was to be checked does not answer.
    Unreachable {
        /// Its address.
        url: String,
        /// Why not.
        reason: String,
    },
    /// The system refused what the program needs to run.
    SystemRefused {
        /// What it was.
        what: String,
        /// Why not.
        source: io::Error,
    },
    /// A file cannot be written.
    UnwritableFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A standard stream failed.
    StreamFailed {
        /// Why.
        source: io::Error,
    },
}

impl Fault {
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage {
            message: message.into(),
            hint: hint.into(),
            valid: None,
        }
    }

    pub(crate) fn unreadable(path: &Path, source: io::Error) -> Self {
        Self::UnreadableFile {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) const fn output(source: io::Error) -> Self {
        Self::StreamFailed { source }
    }

    /// Whether the reader of standard output went away, which is nobody's fault.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::StreamFailed { source } if source.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The exit code it ends the program with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage { .. }
            | Self::UnreadableProblem { .. }
            | Self::UnreadableArguments { .. }
            | Self::UnreadableFile { .. }
            | Self::NotACatalog { .. }
            | Self::UnknownCode { .. }
            | Self::Unreachable { .. } => exit::USAGE,
            Self::UnwritableFile { .. }
            | Self::StreamFailed { .. }
            | Self::SystemRefused { .. } => exit::FAILED,
        }
    }

    fn hint(&self) -> String {
        match self {
            Self::Usage { hint, .. } => hint.clone(),
            Self::UnreadableProblem { .. } => {
                "Give one JSON object on standard input, or one per line with --lines.".to_owned()
            }
            Self::UnreadableArguments { .. } => {
                "Quote the JSON for the shell: --args '{\"auth_ux\":\"Hosted\"}'.".to_owned()
            }
            Self::UnreadableFile { .. } => "Check the path and its permissions.".to_owned(),
            Self::NotACatalog { .. } => {
                "Write the catalog with `aon catalog --lock aon.catalog.json`.".to_owned()
            }
            Self::UnknownCode {
                nearest: Some(meant),
                ..
            } => format!("Did you mean {meant}? Run `aon explain {meant}`."),
            Self::UnknownCode { nearest: None, .. } => {
                "List the known codes with `aon catalog`, or name the program's catalog with --catalog FILE.".to_owned()
            }
            Self::Unreachable { .. } => {
                "Start the server first (`aon demo` is one), and check host and port.".to_owned()
            }
            Self::SystemRefused { .. } => {
                "Choose another port, or --port 0 to have one picked.".to_owned()
            }
            Self::UnwritableFile { .. } => {
                "Check that the folder exists and may be written.".to_owned()
            }
            Self::StreamFailed { .. } => {
                "Check where the output goes: a full disk and a closed terminal do this.".to_owned()
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { message, .. } => f.write_str(message),
            Self::UnreadableProblem { place, reason } => write!(f, "{place}: {reason}"),
            Self::UnreadableArguments { option, reason } => {
                write!(f, "{option} is no JSON: {reason}")
            }
            Self::UnreadableFile { path, source } => {
                write!(f, "{} cannot be read: {source}", path.display())
            }
            Self::NotACatalog { path, reason } => {
                write!(f, "{} is no catalog: {reason}", path.display())
            }
            Self::UnknownCode { code, places, .. } => {
                write!(f, "{code} stands in none of: {}", places.join(", "))
            }
            Self::Unreachable { url, reason } => write!(f, "{url} does not answer: {reason}"),
            Self::SystemRefused { what, source } => write!(f, "{what} failed: {source}"),
            Self::UnwritableFile { path, source } => {
                write!(f, "{} cannot be written: {source}", path.display())
            }
            Self::StreamFailed { source } => write!(f, "a standard stream failed: {source}"),
        }
    }
}

impl Error for Fault {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::UnreadableFile { source, .. }
            | Self::UnwritableFile { source, .. }
            | Self::SystemRefused { source, .. }
            | Self::StreamFailed { source } => Some(source),
            Self::Usage { .. }
            | Self::UnreadableProblem { .. }
            | Self::UnreadableArguments { .. }
            | Self::NotACatalog { .. }
            | Self::Unreachable { .. }
            | Self::UnknownCode { .. } => None,
        }
    }
}

impl Problem for Fault {
    fn entry(&self) -> Option<&'static Entry> {
        Some(match self {
            Self::Usage { .. } => &ENTRIES[0],
            Self::UnreadableProblem { .. } => &ENTRIES[1],
            Self::UnreadableArguments { .. } => &ENTRIES[2],
            Self::UnreadableFile { .. } => &ENTRIES[3],
            Self::NotACatalog { .. } => &ENTRIES[4],
            Self::UnknownCode { .. } => &ENTRIES[5],
            Self::UnwritableFile { .. } => &ENTRIES[6],
            Self::StreamFailed { .. } => &ENTRIES[7],
            Self::Unreachable { .. } => &ENTRIES[8],
            Self::SystemRefused { .. } => &ENTRIES[9],
        })
    }

    fn to_problem(&self) -> ProblemDetails {
        let mut problem = self
            .entry()
            .map_or_else(|| ENTRIES[0].to_problem(), Entry::to_problem)
            .with_detail(self.to_string())
            .with_remediation(
                Remediation::none(NoneReason::NoPublicEquivalentExists).with_message(self.hint()),
            );
        if let Self::UnknownCode {
            nearest: Some(meant),
            ..
        } = self
        {
            let name = ExtensionName::from_static("suggestion");
            problem = problem
                .clone()
                .with_extension(name, meant)
                .unwrap_or(problem);
        }
        if let Self::Usage {
            valid: Some((name, values)),
            ..
        } = self
        {
            problem = problem.with_valid_values(name.clone(), values.iter().map(Choice::from));
        }
        problem
    }

    fn entries(visit: &mut dyn FnMut(&'static Entry)) {
        ENTRIES.iter().for_each(visit);
    }
}

static ENTRIES: [Entry; 10] = [
    entry(
        "invalid_usage",
        400,
        "aon://problem/invalid_usage",
        "Wrong usage",
        "The arguments of a command make no sense.",
        "Usage",
    ),
    entry(
        "unreadable_problem",
        422,
        "aon://problem/unreadable_problem",
        "No problem could be read",
        "The input is no JSON object, or no envelope of the surface that was named.",
        "UnreadableProblem",
    ),
    entry(
        "unreadable_arguments",
        422,
        "aon://problem/unreadable_arguments",
        "The arguments are no JSON",
        "What was given as the arguments of the failed call is no JSON.",
        "UnreadableArguments",
    ),
    entry(
        "unreadable_file",
        422,
        "aon://problem/unreadable_file",
        "A file cannot be read",
        "A file that was named does not exist, or may not be read.",
        "UnreadableFile",
    ),
    entry(
        "not_a_catalog",
        422,
        "aon://problem/not_a_catalog",
        "No catalog",
        "A file that was named holds no catalog.",
        "NotACatalog",
    ),
    entry(
        "unknown_code",
        404,
        "aon://problem/unknown_code",
        "Unknown code",
        "No catalog at hand has the code.",
        "UnknownCode",
    ),
    entry(
        "unwritable_file",
        500,
        "aon://problem/unwritable_file",
        "A file cannot be written",
        "A file that was named cannot be created or written.",
        "UnwritableFile",
    ),
    entry(
        "stream_failed",
        500,
        "aon://problem/stream_failed",
        "A standard stream failed",
        "Standard input or output failed.",
        "StreamFailed",
    ),
    entry(
        "unreachable",
        502,
        "aon://problem/unreachable",
        "The server does not answer",
        "No connection to the server that was named.",
        "Unreachable",
    ),
    entry(
        "system_refused",
        500,
        "aon://problem/system_refused",
        "The system refused",
        "The system refused a port, a signal or a thread.",
        "SystemRefused",
    ),
];

const fn entry(
    code: &'static str,
    status: u16,
    type_uri: &'static str,
    title: &'static str,
    summary: &'static str,
    variant: &'static str,
) -> Entry {
    Entry {
        summary,
        urn: "aon",
        origin: Origin {
            package: env!("CARGO_PKG_NAME"),
            type_name: "Fault",
            variant,
        },
        ..Entry::new(code, status, type_uri, title)
    }
}
