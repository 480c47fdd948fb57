//! Programs that the command line names: they have to be there when an agent starts, and not only when somebody needs them.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::fault::Fault;

/// Refuses a program that cannot be run.
pub(super) fn program(option: &str, name: &OsStr) -> Result<(), Fault> {
    let named = Path::new(name);
    let found = if name.as_encoded_bytes().contains(&b'/') {
        is_program(named)
    } else {
        let folders = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&folders).any(|folder| is_program(&folder.join(named)))
    };
    if found {
        return Ok(());
    }
    Err(Fault::usage(
        format!(
            "{option}: {} is not a program that can be run",
            named.display()
        ),
        "Name a file that can be executed, or a program in one of the folders of PATH.",
    ))
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
