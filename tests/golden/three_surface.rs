//! The story closes: clients that `aon gen` wrote read what `aon demo` really sends, on REST, MCP and A2A, with real node and python.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use aon_tests::place;

use crate::build::{node, project, run, write};
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
