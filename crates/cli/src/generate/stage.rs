//! The folder beside the output in which new files are made ready, and what is left of it when a run was killed.

use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::{fs, io};

/// Where this process makes its files ready.
pub(super) fn path(out: &Path) -> PathBuf {
    out.join(format!("{PREFIX}{}", process::id()))
}

/// Keeps what a file holds under a second name, without taking the first one away.
pub(super) fn keep(path: &Path, kept: &Path) -> io::Result<()> {
    fs::hard_link(path, kept).or_else(|_| fs::copy(path, kept).map(|_| ()))
}

/// Removes the folders of runs that were killed. Those of runs that may still be at work stay, and so does everything that we would
/// not have written. Nothing depends on success: what cannot be removed lies there as before.
pub(super) fn clear_abandoned(out: &Path) {
    let entries = fs::read_dir(out).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let pid = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX))
            .and_then(|digits| digits.parse::<u32>().ok());
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder
            && pid.is_some_and(|pid| pid != process::id() && is_gone(pid))
            && is_ours(&entry.path())
        {
            let _: io::Result<()> = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether there is nothing in it but what a run puts there: numbered files in `new` and `old`.
fn is_ours(stage: &Path) -> bool {
    let each = |folder: &Path, fits: &dyn Fn(&fs::DirEntry) -> bool| {
        fs::read_dir(folder)
            .is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(|entry| fits(&entry))))
    };
    let is_numbered = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        name.to_str()
            .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
    };
    each(stage, &|entry| {
        ["new", "old"].iter().any(|name| entry.file_name() == *name)
            && each(&entry.path(), &is_numbered)
    })
}

/// Whether no process has this number any more. Where that cannot be found out, it counts as running.
fn is_gone(pid: u32) -> bool {
    if Path::new("/proc/self").exists() {
        return !Path::new("/proc").join(pid.to_string()).exists();
    }
    if !cfg!(unix) {
        return false;
    }
    let asked = Command::new("ps")
        .args(["-p", &pid.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    asked.is_ok_and(|status| status.code() == Some(1))
}

const PREFIX: &str = ".aon-gen-";
