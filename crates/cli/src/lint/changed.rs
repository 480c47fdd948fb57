//! Which files git says have changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::files::Files;
use crate::fault::Fault;

/// Keeps only files that differ from `base`, or that git does not know yet.
pub(super) fn keep(files: &mut Files, base: &str) -> Result<(), Fault> {
    if base.starts_with('-') {
        return Err(Fault::usage(
            format!("{base} is not a commit"),
            "Name a branch, a tag or a commit.",
        ));
    }
    let top = git(&["rev-parse", "--show-toplevel"])?;
    let top = PathBuf::from(top.trim_end_matches(['\n', '\r']));
    let mut changed: BTreeSet<PathBuf> = BTreeSet::new();
    let tracked = git(&["diff", "--name-only", "-z", "--diff-filter=d", base, "--"])?;
    let new = git(&[
        "ls-files",
        "--others",
        "--exclude-standard",
        "-z",
        "--full-name",
        ":/",
    ])?;
    for name in tracked
        .split('\0')
        .chain(new.split('\0'))
        .filter(|name| !name.is_empty())
    {
        changed.insert(real(&top.join(name)));
    }
    files.inputs.retain(|input| {
        input
            .path
            .as_deref()
            .is_none_or(|path| changed.contains(&real(path)))
    });
    Ok(())
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn git(args: &[&str]) -> Result<String, Fault> {
    let hint = "Run it inside a git repository, with git installed, and name a commit that exists.";
    let output = Command::new("git")
        .args(args)
        .output()
        .map_err(|error| Fault::usage(format!("git cannot be run: {error}"), hint))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Fault::usage(
            format!(
                "git {} failed: {}",
                args.first().unwrap_or(&""),
                said.trim()
            ),
            hint,
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
