//! `--watch`: check again whenever something changes.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use notify::{RecursiveMode, Watcher as _};

use super::args::LintArgs;
use super::files::is_manifest_name;
use crate::fault::Fault;
use crate::output::Output;

/// Runs once, and again after each change, until the program is stopped.
pub(super) fn run(args: &LintArgs, output: &mut Output) -> Result<u8, Fault> {
    let failed = |error: notify::Error| {
        Fault::usage(
            format!("files cannot be watched: {error}"),
            "Run without --watch.",
        )
    };
    let (send, changes) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(send).map_err(failed)?;
    let here = [PathBuf::from(".")];
    let paths: &[PathBuf] = if args.paths.is_empty() {
        &here
    } else {
        &args.paths
    };
    for path in paths.iter().filter(|path| path.as_os_str() != "-") {
        // Editors replace files, so the folder is watched and not the file.
        let (folder, mode) = if path.is_dir() {
            (path.as_path(), RecursiveMode::Recursive)
        } else {
            (
                path.parent()
                    .filter(|parent| !parent.as_os_str().is_empty())
                    .unwrap_or(Path::new(".")),
                RecursiveMode::NonRecursive,
            )
        };
        watcher.watch(folder, mode).map_err(failed)?;
    }
    loop {
        let code = super::once(args, output);
        match code {
            Ok(_) => {}
            Err(fault) => output.note(&fault.problem().to_string()),
        }
        output.flush()?;
        output.note("watching for changes; stop with Ctrl-C");
        loop {
            let Ok(change) = changes.recv() else {
                return Ok(crate::exit::OK);
            };
            let relevant = change.is_ok_and(|event| {
                !event.kind.is_access()
                    && event.paths.iter().any(|path| {
                        path.file_name().is_some_and(|name| {
                            is_manifest_name(&name.to_string_lossy()) || name == "aon.toml"
                        })
                    })
            });
            if relevant {
                break;
            }
        }
        // One save is several events.
        while changes.recv_timeout(Duration::from_millis(100)).is_ok() {}
    }
}
