//! What can go wrong with a command. Each fault is a problem, shown as What / Why / Try this.

use std::io;
use std::path::Path;

use aon::{Choice, NoneReason, Problem, ProblemDetails, Remediation};

use crate::exit;

/// Why a command could not do what it was asked.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "aon")]
#[non_exhaustive]
pub enum Fault {
    /// The arguments of a command make no sense.
    #[error("{message}")]
    #[problem(
        status = 400,
        title = "Wrong usage",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "`aon --help` lists the commands."
        )
    )]
    InvalidUsage {
        /// What is wrong with them.
        #[problem(public)]
        message: String,
        /// What would be right.
        hint: String,
        /// The argument and the values it may take, where they are known.
        valid: Option<(String, Vec<String>)>,
    },

    /// The input is not a JSON object, or not an envelope of the surface that was named.
    #[error("{place}: {reason}")]
    #[problem(
        status = 422,
        title = "Could not read a problem",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Give one JSON object on standard input, or one per line with --lines."
        )
    )]
    UnreadableProblem {
        /// Where it came from.
        #[problem(public)]
        place: String,
        /// Why not, with its causes.
        #[problem(public)]
        reason: String,
    },

    /// What was given for `--args` or `--id` is not JSON.
    #[error("{option} is not valid JSON: {reason}")]
    #[problem(
        status = 422,
        title = "An option is not valid JSON",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Quote the JSON for the shell: --args '{\"auth_ux\":\"Hosted\"}'."
        )
    )]
    UnreadableArguments {
        /// The option.
        #[problem(public)]
        option: &'static str,
        /// Why not.
        #[problem(public)]
        reason: String,
    },

    /// A file that was named does not exist, or may not be read.
    #[error("{path} cannot be read: {reason}")]
    #[problem(
        status = 422,
        title = "A file cannot be read",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Check the path and its permissions."
        )
    )]
    UnreadableFile {
        /// The file.
        #[problem(public)]
        path: String,
        /// Why not.
        #[problem(public)]
        reason: String,
    },

    /// A file that was named holds no catalog.
    #[error("{path} has no catalog: {reason}")]
    #[problem(
        status = 422,
        title = "No catalog",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Name a catalog document, or a program whose errors derive Problem."
        )
    )]
    NotACatalog {
        /// The file.
        #[problem(public)]
        path: String,
        /// Why not.
        #[problem(public)]
        reason: String,
    },

    /// No catalog at hand has the code.
    #[error("{code} is not in any of: {places}")]
    #[problem(
        status = 404,
        title = "Unknown code",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "List the known codes with `aon catalog`, or name the program's catalog with --catalog FILE."
        )
    )]
    UnknownCode {
        /// The code that was asked for.
        #[problem(public)]
        code: String,
        /// The one that was probably meant.
        #[problem(extension)]
        suggestion: Option<String>,
        /// Where it was looked for.
        #[problem(public)]
        places: String,
    },

    /// What the manifests or the catalog say cannot be turned into code.
    #[error("{reason}")]
    #[problem(
        status = 422,
        title = "No code can be generated from this",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Correct the places that are named, then run aon gen again."
        )
    )]
    CannotGenerate {
        /// What is wrong, with the places, one mistake after the other.
        #[problem(public)]
        reason: String,
        /// The mistakes, each with its places and what to do.
        #[problem(extension = "issues")]
        issues: Option<Vec<serde_json::Value>>,
    },

    /// A file that would be overwritten was edited by a person, or was never generated.
    #[error("{reason}")]
    #[problem(
        status = 409,
        title = "A file would lose what a person wrote",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Move the changes elsewhere, or overwrite them with --force; --diff shows what would be lost."
        )
    )]
    EditedFile {
        /// Which files, and why they are left alone.
        #[problem(public)]
        reason: String,
    },

    /// A stream ended and nobody knows how the work did.
    #[error("{reason}")]
    #[problem(
        status = 504,
        title = "The stream was cut",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Look at what the call was meant to do before you repeat it: it may be done."
        )
    )]
    StreamCut {
        /// Why.
        #[problem(public)]
        reason: String,
        /// The command that goes on, where there is one.
        hint: Option<String>,
    },

    /// No connection to the server that was named.
    #[error("{url} does not answer: {reason}")]
    #[problem(
        status = 502,
        title = "The server does not answer",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Start the server first (`aon demo` is one), and check host and port."
        )
    )]
    Unreachable {
        /// Its address.
        #[problem(public)]
        url: String,
        /// Why not.
        #[problem(public)]
        reason: String,
    },

    /// The system refused a port, a signal or a thread.
    #[error("{what} failed: {reason}")]
    #[problem(
        status = 500,
        title = "The system refused",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Choose another port, or --port 0 to have one picked."
        )
    )]
    SystemRefused {
        /// What it was.
        #[problem(public)]
        what: String,
        /// Why not.
        #[problem(public)]
        reason: String,
    },

    /// A file that was named cannot be created or written.
    #[error("{path} cannot be written: {reason}")]
    #[problem(
        status = 500,
        title = "A file cannot be written",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Check that the folder exists and may be written."
        )
    )]
    UnwritableFile {
        /// The file.
        #[problem(public)]
        path: String,
        /// Why not.
        #[problem(public)]
        reason: String,
    },

    /// What an agent says of itself.
    #[error(transparent)]
    #[problem(transparent)]
    Agent(aon_agent::Fault),

    /// What southbound says of itself.
    #[cfg(unix)]
    #[error(transparent)]
    #[problem(transparent)]
    South(aon_agent::south::SouthFault),

    /// Standard input or output failed.
    #[error("a standard stream failed: {reason}")]
    #[problem(
        status = 500,
        title = "A standard stream failed",
        remediation(
            none,
            reason = no_public_equivalent_exists,
            message = "Check where the output goes: a full disk and a closed terminal do this."
        )
    )]
    StreamFailed {
        /// Why.
        #[problem(public)]
        reason: String,
        /// Whether the reader of standard output went away, which is nobody's fault.
        closed: bool,
    },
}

impl Fault {
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::InvalidUsage {
            message: message.into(),
            hint: hint.into(),
            valid: None,
        }
    }

    pub(crate) fn unreadable(path: &Path, source: &io::Error) -> Self {
        Self::UnreadableFile {
            path: path.display().to_string(),
            reason: source.to_string(),
        }
    }

    /// Why a file cannot be read, without its name; for reports that show the name anyway.
    pub(crate) fn reason(&self) -> String {
        match self {
            Fault::UnreadableFile { reason, .. } => reason.clone(),
            other => other.to_string(),
        }
    }

    pub(crate) fn unwritable(path: &Path, source: &io::Error) -> Self {
        Self::UnwritableFile {
            path: path.display().to_string(),
            reason: source.to_string(),
        }
    }

    pub(crate) fn not_a_catalog(path: &Path, reason: impl Into<String>) -> Self {
        Self::NotACatalog {
            path: path.display().to_string(),
            reason: reason.into(),
        }
    }

    pub(crate) fn refused(what: impl Into<String>, source: &io::Error) -> Self {
        Self::SystemRefused {
            what: what.into(),
            reason: source.to_string(),
        }
    }

    pub(crate) fn stream(source: &io::Error) -> Self {
        Self::StreamFailed {
            reason: source.to_string(),
            closed: source.kind() == io::ErrorKind::BrokenPipe,
        }
    }

    /// The exit code it ends the program with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::InvalidUsage { .. }
            | Self::UnreadableProblem { .. }
            | Self::UnreadableArguments { .. }
            | Self::UnreadableFile { .. }
            | Self::NotACatalog { .. }
            | Self::UnknownCode { .. }
            | Self::CannotGenerate { .. } => exit::USAGE,
            Self::EditedFile { .. } => exit::FOUND,
            Self::StreamCut { .. } => exit::CUT,
            Self::StreamFailed { closed: true, .. } => exit::OK,
            Self::UnwritableFile { .. }
            | Self::StreamFailed { .. }
            | Self::Unreachable { .. }
            | Self::Agent(_)
            | Self::SystemRefused { .. } => exit::FAILED,
            #[cfg(unix)]
            Self::South(_) => exit::FAILED,
        }
    }

    /// The same for a person: what the sentence tells is not told a second time as data.
    pub(crate) fn told_once(self) -> Self {
        match self {
            Self::CannotGenerate { reason, issues: _ } => Self::CannotGenerate {
                reason,
                issues: None,
            },
            other => other,
        }
    }

    /// The problem it is, with advice for this very occurrence.
    pub fn problem(&self) -> ProblemDetails {
        let problem = self.to_problem();
        let advise = |problem: ProblemDetails, message: String| {
            let none = Remediation::none(NoneReason::NoPublicEquivalentExists);
            problem.with_remediation(none.with_message(message))
        };
        match self {
            Self::InvalidUsage { hint, valid, .. } => {
                let problem = advise(problem, hint.clone());
                match valid {
                    Some((name, values)) => {
                        problem.with_valid_values(name.clone(), values.iter().map(Choice::from))
                    }
                    None => problem,
                }
            }
            Self::StreamCut {
                hint: Some(hint), ..
            } => advise(problem, hint.clone()),
            Self::UnknownCode {
                suggestion: Some(meant),
                ..
            } => advise(
                problem,
                format!("Did you mean {meant}? Run `aon explain {meant}`."),
            ),
            _ => problem,
        }
    }
}
