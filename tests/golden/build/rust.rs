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
    let (folder, built) = crate_of_all("rust");
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
    all_built("rust", &built);
}

/// A crate with a module for each case.
pub fn crate_of_all(name: &str) -> (PathBuf, BTreeSet<(String, String)>) {
    let folder = project(name);
    let root = place::root();
    let mut built = BTreeSet::new();
    let mut lib = String::from(
        // rustdoc asks each of the fifty types in a circle whether it can be sent.
        "#![deny(warnings)]\n#![recursion_limit = \"1024\"]\n",
    );
    for output in outputs("rust") {
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
    let manifest = format!(
        "[package]\nname = \"golden\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[workspace]\n\n[dependencies]\naon = {{ path = {:?}, features = [\"derive\"] }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n",
        root.join("crates/aon")
    );
    write(&folder.join("Cargo.toml"), &manifest);
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    (folder, built)
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
