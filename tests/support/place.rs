//! Where the project's files are, and the corpus when there is one.

use std::env;
use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ has a parent")
        .to_path_buf()
}

/// The folder with real documents, if this machine has it: `AON_CORPUS`, or `shared/corpus` beside the project.
///
/// Says so when it is not there: a suite that was skipped must not look like one that passed.
pub fn corpus(suite: &str) -> Option<PathBuf> {
    let place =
        env::var_os("AON_CORPUS").map_or_else(|| root().join("../shared/corpus"), PathBuf::from);
    if place.is_dir() {
        return Some(place);
    }
    say(&format!(
        "skipped: {suite}, no corpus at {}",
        place.display()
    ));
    None
}

/// Says a line past the test harness, which keeps the output of tests that pass to itself.
///
/// Counts start with `count: `, what could not run with `skipped: `.
pub fn say(line: &str) {
    use std::io::Write as _;
    // A closed standard error is no reason to fail a test.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The folder with outside tools, if this machine has the part that is wanted: `AON_TOOLS`, or `target/tools`.
///
/// Says so when it is not there: a suite that was skipped must not look like one that passed.
pub fn tools(suite: &str, part: &str) -> Option<PathBuf> {
    let place = env::var_os("AON_TOOLS").map_or_else(|| target().join("tools"), PathBuf::from);
    if place.join(part).exists() {
        return Some(place);
    }
    say(&format!(
        "skipped: {suite}, {} is not there; .ci/tools installs it",
        place.join(part).display()
    ));
    None
}
