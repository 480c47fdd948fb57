//! The program under test, also under the name `aon-lint`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use aon_tests::place;

/// The program `aon`.
pub fn aon() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_aon-under-test"))
}

/// Runs `aon` and gives what it wrote; it has to succeed.
pub fn written_by(args: &[&str]) -> String {
    let output = Command::new(aon()).args(args).output().unwrap();
    assert!(
        output.status.success(),
        "aon {}: {}",
        args.join(" "),
        said(&output)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Everything a program said.
pub fn said(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// A clean folder below the build directory.
pub fn folder(name: &str) -> PathBuf {
    let folder = place::target().join("editors").join(name);
    if folder.is_dir() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    fs::canonicalize(folder).unwrap()
}

/// A folder with a program `aon-lint`, and the search path with it in front.
#[cfg(unix)]
pub fn path_with_aon_lint(folder: &Path) -> std::ffi::OsString {
    use std::os::unix::fs::PermissionsExt as _;
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let script = bin.join("aon-lint");
    let text = format!("#!/bin/sh\nexec '{}' lint \"$@\"\n", aon().display());
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![bin];
    folders.extend(std::env::split_paths(&rest));
    std::env::join_paths(folders).unwrap()
}
