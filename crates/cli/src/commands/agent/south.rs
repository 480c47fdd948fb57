//! `aon agent serve`, `call` and `keys`: the two sides of southbound.

pub(crate) mod args;
mod call;
mod keys;
mod serve;
mod telemetry;

use std::ffi::OsString;
use std::path::Path;

use crate::exit;
use crate::fault::Fault;
use crate::output::Output;

pub(crate) use call::Wire;
pub(super) use call::run as call;
pub(super) use keys::run as keys;
pub(super) use serve::run as serve;

/// Lowers its own limits and becomes the command; for the acting side's own use.
pub(super) fn launch(arguments: &[OsString], output: &mut Output) -> u8 {
    let error = aon_agent::south::exec::launch::become_command(arguments);
    output.note(&format!("the command could not be started: {error}"));
    exit::FAILED
}

fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    std::fs::read(path).map_err(|source| Fault::unreadable(path, &source))
}

fn read_text(path: &Path) -> Result<String, Fault> {
    std::fs::read_to_string(path).map_err(|source| Fault::unreadable(path, &source))
}

/// What is wrong with a file that could be read.
fn unusable(path: &Path, why: impl std::fmt::Display) -> Fault {
    Fault::usage(
        format!("{} cannot be used: {why}", path.display()),
        "Correct the file; the chapter about southbound agents has an example (`aon docs southbound`).",
    )
}

/// Refuses a file with secrets that others can read.
#[cfg(unix)]
fn private(path: &Path) -> Result<(), Fault> {
    use std::os::unix::fs::PermissionsExt as _;
    let found = std::fs::metadata(path).map_err(|source| Fault::unreadable(path, &source))?;
    let mode = found.permissions().mode() & 0o777;
    if mode.trailing_zeros() >= 6 {
        return Ok(());
    }
    Err(Fault::usage(
        format!("{} can be read by others (mode {mode:04o})", path.display()),
        format!("Close it: chmod 600 {}", path.display()),
    ))
}
