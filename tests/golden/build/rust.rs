//! rustc, through cargo, with warnings denied.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use aon_tests::place;

use super::{all_built, outputs, project, run, write};

#[test]
fn rust_compiles_without_a_warning() {
    compiles("rust");
}

#[test]
fn rust_clients_compile_without_a_warning() {
    compiles("rust-client");
}

fn compiles(target: &str) {
    let (folder, built) = crate_of(target, target);
    run(
        &mut cargo(&folder, "clippy"),
        "clippy on the generated Rust",
    );
    run(
        cargo(&folder, "doc")
            .args(["--no-deps", "--lib"])
            .env("RUSTDOCFLAGS", "-D warnings"),
        "rustdoc on the generated Rust",
    );
    // Each by itself: in `api.rs` the others are told to be left alone, for programs with settings of their own.
    let files = built
        .iter()
        .map(|(case, file)| folder.join("src").join(case).join(file));
    run(
        Command::new("rustfmt")
            .args(["--check", "--edition", "2024"])
            .args(files)
            .current_dir(&folder),
        "rustfmt on the generated Rust",
    );
    all_built(target, &built);
}

/// A crate with a module for each case.
pub fn crate_of_all(name: &str) -> (PathBuf, BTreeSet<(String, String)>) {
    crate_of("rust", name)
}

fn crate_of(target: &str, name: &str) -> (PathBuf, BTreeSet<(String, String)>) {
    let folder = project(name);
    let root = place::root();
    let mut built = BTreeSet::new();
    let mut lib = String::from(
        // rustdoc asks each of the fifty types in a circle whether it can be sent.
        "#![deny(warnings)]\n#![recursion_limit = \"1024\"]\n",
    );
    for output in outputs(target) {
        let _ = writeln!(lib, "pub mod {};", output.case);
        write(
            &folder.join(format!("src/{}.rs", output.case)),
            "pub mod api;\n",
        );
        for (file, text) in &output.files {
            write(&folder.join("src").join(&output.case).join(file), text);
            built.insert((output.case.clone(), file.clone()));
        }
    }
    write(&folder.join("src/lib.rs"), &lib);
    let more = if target == "rust-client" { REQWEST } else { "" };
    write(&folder.join("Cargo.toml"), &manifest(more));
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    (folder, built)
}

/// What a crate with a generated client needs beside the others.
pub const REQWEST: &str = "reqwest = { version = \"0.13\", default-features = false }\n";

/// The manifest of a crate of generated code.
pub fn manifest(more: &str) -> String {
    let aon = place::root().join("crates/aon");
    format!(
        "[package]\nname = \"golden\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[workspace]\n\n[dependencies]\naon = {{ package = \"aon-rs\", path = {aon:?}, features = [\"derive\"] }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n{more}"
    )
}

pub fn cargo(folder: &PathBuf, command: &str) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args([command, "--quiet", "--offline", "--manifest-path"])
        .arg(folder.join("Cargo.toml"));
    cargo
        .env("CARGO_TARGET_DIR", place::target().join("golden/target"))
        .current_dir(folder);
    cargo.env_remove("RUSTFLAGS");
    cargo
}
