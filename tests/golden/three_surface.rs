//! The story closes: clients that `aon gen` wrote read what `aon demo` really sends, on REST, MCP and A2A, with real node and python.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use aon_tests::place;

use crate::build::{node, project, run, rust, write};
use crate::cases;

/// A running demo, stopped at the end of the test.
struct Demo {
    child: Child,
    base: String,
}

impl Demo {
    fn start() -> Demo {
        let mut child = Command::new(program())
            .args(["demo", "--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut ready)
            .unwrap();
        let base = ready
            .split_whitespace()
            .nth(1)
            .unwrap_or_else(|| panic!("no address in {ready:?}"))
            .to_owned();
        Demo { child, base }
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_aon-under-test"))
}

/// Runs `aon gen` on the canonical example.
fn generate(target: &str, out: &Path) {
    let manifest = place::root().join("manifests/examples/auth-ux.aon.yaml");
    let mut command = Command::new(program());
    command
        .args(["gen", "--target", target, "--out"])
        .arg(out)
        .arg(manifest);
    run(&mut command, "aon gen");
}

/// The last word of what a client said is the number of failures it compared.
fn compared(out: &str) {
    println!("golden: three surfaces: {}", out.trim());
    let count: usize = out.trim().rsplit(' ').next().unwrap().parse().unwrap();
    assert!(count >= 40, "only {count} answers were compared");
}

#[test]
fn three_surface_answers_of_the_demo_are_read_by_generated_typescript() {
    let Some(tools) = place::tools("three_surface typescript", "node/node_modules/typescript")
    else {
        return;
    };
    let folder = project("three-surface-typescript");
    generate("typescript", &folder);
    let script = fs::read_to_string(cases::golden().join("three_surface/client.ts")).unwrap();
    write(&folder.join("client.ts"), &script);
    node::settle(&folder, &tools);
    let config = fs::read_to_string(folder.join("tsconfig.json")).unwrap();
    write(
        &folder.join("tsconfig.json"),
        &config.replace("\"types\": []", "\"types\": [\"node\"]"),
    );
    run(&mut node::tsc(&tools, &folder, false), "tsc");
    let demo = Demo::start();
    let out = run(
        Command::new("node")
            .arg(folder.join("out/client.js"))
            .arg(&demo.base),
        "the TypeScript client",
    );
    compared(&out);
}

#[test]
fn three_surface_answers_of_the_demo_are_read_by_generated_python() {
    let Some(tools) = place::tools("three_surface python", "venv/bin/python") else {
        return;
    };
    let folder = project("three-surface-python");
    generate("python", &folder);
    let demo = Demo::start();
    let mut command = Command::new(tools.join("venv/bin/python"));
    command
        .arg("-B")
        .arg(cases::golden().join("three_surface/client.py"))
        .arg(&demo.base)
        .arg(&folder);
    compared(&run(&mut command, "the Python client"));
}

/// The last word of what a client said is the number of calls it made.
fn called(out: &str) {
    println!("golden: calls: {}", out.trim());
    let count: usize = out.trim().rsplit(' ').next().unwrap().parse().unwrap();
    assert!(count >= 13, "only {count} calls were made");
}

#[test]
fn the_demo_is_called_by_the_generated_typescript_client() {
    let Some(tools) = place::tools("calls typescript", "node/node_modules/typescript") else {
        return;
    };
    let folder = project("calls-typescript");
    generate("typescript", &folder);
    let script = fs::read_to_string(cases::golden().join("three_surface/calls.ts")).unwrap();
    write(&folder.join("calls.ts"), &script);
    node::settle(&folder, &tools);
    let config = fs::read_to_string(folder.join("tsconfig.json")).unwrap();
    write(
        &folder.join("tsconfig.json"),
        &config.replace("\"types\": []", "\"types\": [\"node\"]"),
    );
    run(&mut node::tsc(&tools, &folder, false), "tsc");
    let demo = Demo::start();
    let mut command = Command::new("node");
    command.arg(folder.join("out/calls.js")).arg(&demo.base);
    called(&run(&mut command, "the TypeScript client"));
}

#[test]
fn the_demo_is_called_by_the_generated_python_clients() {
    let Some(tools) = place::tools("calls python", "venv/bin/python") else {
        return;
    };
    let folder = project("calls-python");
    generate("python", &folder);
    let demo = Demo::start();
    let mut command = Command::new(tools.join("venv/bin/python"));
    command
        .args(["-B", "-W", "error"])
        .arg(cases::golden().join("three_surface/calls.py"))
        .arg(&demo.base)
        .arg(&folder);
    called(&run(&mut command, "the Python clients"));
}

#[test]
fn the_demo_is_called_by_the_generated_rust_client() {
    let folder = project("calls-rust");
    generate("rust-client", &folder);
    fs::rename(folder.join("rust-client"), folder.join("src")).unwrap();
    let script = fs::read_to_string(cases::golden().join("three_surface/calls.rs")).unwrap();
    write(&folder.join("src/main.rs"), &script);
    let more = format!(
        "{}tokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}\n",
        rust::REQWEST
    );
    write(&folder.join("Cargo.toml"), &rust::manifest(&more));
    fs::copy(place::root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let demo = Demo::start();
    let mut command = rust::cargo(&folder, "run");
    command.arg("--").arg(&demo.base);
    called(&run(&mut command, "the Rust client"));
}
