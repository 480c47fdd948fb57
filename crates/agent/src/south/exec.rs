//! `command.exec`: what may be run, without a shell (the decision is pure), and how it is run ([`run`]).

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use regex_lite::Regex;
use serde::Deserialize;

use super::fault::SouthFault;
use super::wire::Exec;

pub mod launch;
pub mod run;

pub use run::{Launcher, Ran};

/// The longest list of arguments.
const MOST_ARGS: usize = 256;

/// What an argument has to look like, all of it.
#[derive(Clone)]
pub struct Pattern {
    text: String,
    regex: Regex,
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.text)
    }
}

/// Why a command cannot be allowed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidCommand {
    /// A pattern is not one.
    #[error("the pattern {0:?} is not a regular expression: {1}")]
    Pattern(String, regex_lite::Error),
    /// The path is not absolute and plain.
    #[error("{0:?} is not an absolute path without `.` and `..`")]
    Path(String),
}

impl Pattern {
    /// A regular expression that the whole argument has to match.
    ///
    /// # Errors
    ///
    /// When it is not one.
    pub fn new(text: &str) -> Result<Self, InvalidCommand> {
        let compile = |pattern: &str| {
            Regex::new(pattern).map_err(|error| InvalidCommand::Pattern(text.to_owned(), error))
        };
        // By itself first: `a)|(?:b` would be whole only together with what stands around it, and match more than all of the argument.
        compile(text)?;
        let regex = compile(&format!(r"\A(?:{text})\z"))?;
        Ok(Self {
            text: text.to_owned(),
            regex,
        })
    }

    fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// What a command may use up.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::exhaustive_structs, reason = "limits are set by name")]
pub struct ResourceLimits {
    /// Seconds of processor time.
    pub cpu_seconds: u64,
    /// Bytes of address space.
    pub memory: u64,
    /// Processes of its user, all of them. The system does not hold root to this.
    pub processes: u64,
    /// Open files.
    pub files: u64,
    /// Bytes of a file it writes.
    pub file_size: u64,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        Self {
            cpu_seconds: 300,
            memory: 4 << 30,
            processes: 256,
            files: 256,
            file_size: 1 << 30,
        }
    }
}

/// A program that may be run, and how.
#[derive(Clone, Debug)]
pub struct Command {
    program: String,
    args: Vec<Pattern>,
    rest: Option<Pattern>,
    cwd: Vec<String>,
    env: BTreeMap<String, String>,
    user: Option<String>,
    limits: ResourceLimits,
}

/// What will be run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    pub(crate) cwd: String,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) user: Option<String>,
    pub(crate) limits: ResourceLimits,
    /// Milliseconds.
    pub(crate) timeout: u64,
}

impl Command {
    /// A program that may be run.
    ///
    /// # Errors
    ///
    /// When its path or a folder is not absolute and plain.
    pub fn new(
        program: String,
        args: Vec<Pattern>,
        rest: Option<Pattern>,
        cwd: Vec<String>,
        env: BTreeMap<String, String>,
        user: Option<String>,
        limits: ResourceLimits,
    ) -> Result<Self, InvalidCommand> {
        match std::iter::once(&program)
            .chain(&cwd)
            .find(|path| !is_plain(path))
        {
            Some(path) => Err(InvalidCommand::Path(path.clone())),
            None => Ok(Self {
                program,
                args,
                rest,
                cwd,
                env,
                user,
                limits,
            }),
        }
    }

    /// The first argument that does not fit.
    fn misfit(&self, args: &[String]) -> Option<usize> {
        let fits = |(index, arg): (usize, &String)| {
            let pattern = self.args.get(index).or(self.rest.as_ref());
            let printable = !arg.chars().any(char::is_control);
            (!printable || pattern.is_none_or(|pattern| !pattern.matches(arg))).then_some(index)
        };
        let missing = (args.len() < self.args.len()).then_some(args.len());
        args.iter().enumerate().find_map(fits).or(missing)
    }
}

/// Whether a path is absolute and says itself in the shortest way.
fn is_plain(path: &str) -> bool {
    let plain = Path::new(path);
    plain.is_absolute()
        && !path.contains('\0')
        && plain
            .components()
            .skip(1)
            .all(|part| matches!(part, std::path::Component::Normal(_)))
        && plain
            .components()
            .collect::<std::path::PathBuf>()
            .as_os_str()
            == path
}

/// Decides about a request.
///
/// # Errors
///
/// When no command allows it; the fault says what is in the way.
pub fn plan(allowed: &[Command], longest: u64, exec: &Exec) -> Result<Plan, SouthFault> {
    let timeout = exec.timeout.unwrap_or(longest);
    if timeout > longest {
        return Err(SouthFault::TimeoutTooLong { exec: longest });
    }
    let named: Vec<&Command> = allowed
        .iter()
        .filter(|command| command.program == exec.command)
        .collect();
    if named.is_empty() {
        let mut names: Vec<String> = allowed
            .iter()
            .map(|command| command.program.clone())
            .collect();
        names.dedup();
        return Err(SouthFault::CommandNotAllowed { allowed: names });
    }
    if exec.args.len() > MOST_ARGS {
        return Err(SouthFault::ArgumentNotAllowed {
            index: MOST_ARGS as u64,
            pattern: None,
        });
    }
    let mut worst = (0, None);
    let mut fitting = None;
    for command in named {
        match command.misfit(&exec.args) {
            None => {
                fitting = Some(command);
                break;
            }
            // Of several, the one that fits longest is the one that was meant.
            Some(index) if index >= worst.0 => {
                let pattern = command.args.get(index).or(command.rest.as_ref());
                worst = (index, pattern.map(|pattern| pattern.text.clone()));
            }
            Some(_) => {}
        }
    }
    let Some(command) = fitting else {
        return Err(SouthFault::ArgumentNotAllowed {
            index: worst.0 as u64,
            pattern: worst.1,
        });
    };
    let cwd = match (&exec.cwd, command.cwd.first()) {
        (Some(cwd), _) if command.cwd.contains(cwd) => cwd.clone(),
        (None, Some(first)) => first.clone(),
        _ => {
            return Err(SouthFault::CwdNotAllowed {
                allowed: command.cwd.clone(),
            });
        }
    };
    Ok(Plan {
        program: command.program.clone(),
        args: exec.args.clone(),
        cwd,
        env: command.env.clone(),
        user: command.user.clone(),
        limits: command.limits,
        timeout,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(program: &str, args: &[&str], rest: Option<&str>) -> Vec<Command> {
        let pattern = |text: &&str| Pattern::new(text).ok();
        let command = Command::new(
            program.to_owned(),
            args.iter().filter_map(pattern).collect(),
            rest.as_ref().and_then(pattern),
            vec!["/srv".to_owned()],
            BTreeMap::new(),
            None,
            ResourceLimits::default(),
        );
        command.into_iter().collect()
    }

    fn exec(command: &str, args: &[&str]) -> Exec {
        Exec {
            command: command.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            ..Exec::default()
        }
    }

    #[test]
    fn only_what_is_listed_runs() {
        let list = allowed("/bin/ls", &["-l", "[a-z]+"], None);
        assert!(plan(&list, 10, &exec("/bin/ls", &["-l", "abc"])).is_ok());
        for command in [
            "ls",
            "/bin/../bin/ls",
            "/bin//ls",
            "/bin/ls ",
            "/bin/ls\0",
            "./ls",
            "/bin/sh",
            "",
            "//bin/ls",
        ] {
            let verdict = plan(&list, 10, &exec(command, &["-l", "abc"]));
            assert!(
                matches!(verdict, Err(SouthFault::CommandNotAllowed { .. })),
                "{command:?}"
            );
        }
        for args in [
            &["-l"][..],
            &["-l", "abc", "def"],
            &["-la", "abc"],
            &["-l", "abc\n"],
            &["-l", "abc\nrm"],
            &["-l", "a\0c"],
            &["-l", ""],
            &["-l", "abc; rm"],
            &["-l", "$(id)"],
            &["x\n-l", "abc"],
        ] {
            let verdict = plan(&list, 10, &exec("/bin/ls", args));
            assert!(
                matches!(verdict, Err(SouthFault::ArgumentNotAllowed { .. })),
                "{args:?}"
            );
        }
        // Nothing invisible passes, whatever the pattern says.
        let any = allowed("/bin/echo", &[], Some("(?s).*"));
        assert!(plan(&any, 10, &exec("/bin/echo", &["a b", "ü"])).is_ok());
        assert!(plan(&any, 10, &exec("/bin/echo", &["a\nb"])).is_err());
        assert!(plan(&any, 10, &exec("/bin/echo", &["a\0b"])).is_err());
    }

    #[test]
    fn a_pattern_is_whole_by_itself() {
        // Together with what stands around it, it would match any argument that ends in `b`.
        assert!(Pattern::new("a)|(?:.*b").is_err());
        assert!(Pattern::new("(a|b").is_err());
        let either = Pattern::new("start|stop").ok();
        let matches = |text| either.as_ref().is_some_and(|pattern| pattern.matches(text));
        assert!(matches("start") && matches("stop"));
        assert!(!matches("start now") && !matches("nonstop") && !matches("stop\n"));
    }

    #[test]
    fn the_folder_and_the_time_are_limited() {
        let list = allowed("/bin/ls", &[], None);
        let with = |cwd: Option<&str>, timeout| Exec {
            cwd: cwd.map(str::to_owned),
            timeout,
            ..exec("/bin/ls", &[])
        };
        assert_eq!(
            plan(&list, 10, &with(None, None))
                .map(|plan| plan.cwd)
                .as_deref(),
            Ok("/srv")
        );
        for cwd in ["/", "/srv/", "/srv/..", "/srv/x", "srv"] {
            let verdict = plan(&list, 10, &with(Some(cwd), None));
            assert!(
                matches!(verdict, Err(SouthFault::CwdNotAllowed { .. })),
                "{cwd}"
            );
        }
        assert!(plan(&list, 10, &with(None, Some(10))).is_ok());
        assert_eq!(
            plan(&list, 10, &with(None, Some(11))),
            Err(SouthFault::TimeoutTooLong { exec: 10 })
        );
    }
}
