//! What holds for every file.

use std::fs;
use std::path::{Path, PathBuf};

use aon_tests::place;

/// The ceiling, tests included.
const LONGEST: usize = 600;

#[test]
fn no_source_file_is_longer_than_the_ceiling() {
    let files = with_ending(&["rs"]);
    assert!(
        files.len() > 300,
        "only {} source files were found",
        files.len()
    );
    assert!(
        files
            .iter()
            .any(|(path, _)| path.ends_with("codegen/src/target/openapi.rs")),
        "a folder of sources that is called target was passed over"
    );
    let long: Vec<String> = files
        .iter()
        .filter(|(path, _)| !generated(path))
        .filter_map(|(path, text)| {
            let lines = text.lines().count();
            (lines > LONGEST).then(|| format!("{}: {lines} lines", path.display()))
        })
        .collect();
    assert!(
        long.is_empty(),
        "over {LONGEST} lines; find the second subject:\n{}",
        long.join("\n")
    );
}

#[test]
fn every_example_in_the_documentation_is_run() {
    let mut fences = 0;
    let mut ignored = Vec::new();
    for (path, text) in with_ending(&["rs", "md"]) {
        for (at, line) in text.lines().enumerate() {
            let line = line
                .trim_start()
                .trim_start_matches("//!")
                .trim_start_matches("///")
                .trim_start();
            if let Some(info) = line.strip_prefix("```") {
                fences += 1;
                if info
                    .split([',', ' '])
                    .any(|word| word == concat!("ign", "ore"))
                {
                    ignored.push(format!("{}:{}", path.display(), at + 1));
                }
            }
        }
    }
    assert!(fences > 20, "only {fences} fences were found");
    assert!(
        ignored.is_empty(),
        "these examples are never compiled:\n{}",
        ignored.join("\n")
    );
}

#[test]
fn modules_are_named_like_their_file() {
    let offenders: Vec<PathBuf> = with_ending(&["rs"])
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| path.ends_with("mod.rs"))
        .collect();
    assert!(offenders.is_empty(), "use x.rs and x/: {offenders:?}");
}

#[test]
fn lib_files_hold_no_logic() {
    let mut seen = 0;
    for (path, text) in with_ending(&["rs"]) {
        if !path.ends_with("src/lib.rs") {
            continue;
        }
        seen += 1;
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//") && !line.trim().is_empty())
            .count();
        assert!(
            code <= 150,
            "{}: {code} lines of code in a lib.rs",
            path.display()
        );
    }
    assert!(seen >= 2, "only {seen} lib.rs were found");
}

/// What decides in the live half takes time and randomness as values, and waits for nothing.
#[test]
fn the_machines_of_the_live_half_touch_no_world() {
    let refused = [
        "tokio::",
        "axum::",
        "rand::",
        "getrandom",
        "std::time",
        "async ",
        ".await",
        "thread::",
    ];
    let mut seen = 0;
    let mut offenders = Vec::new();
    for (path, text) in with_ending(&["rs"]) {
        let place = path.to_string_lossy().replace('\\', "/");
        if !place.contains("/live/src/machine") {
            continue;
        }
        seen += 1;
        for (at, line) in text.lines().enumerate() {
            if let Some(word) = refused.iter().find(|word| line.contains(*word)) {
                offenders.push(format!("{place}:{}: {word}", at + 1));
            }
        }
    }
    assert!(seen >= 4, "only {seen} machines were found");
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

/// Generated code is as long as its input makes it.
fn generated(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "golden")
}

/// Where cargo puts what it builds. It marks a folder it made itself; one that was there before has only its name and its
/// place. `codegen/src/target` is source like any other.
fn built(path: &Path) -> bool {
    path == place::root().join("target") || path.join("CACHEDIR.TAG").exists()
}

fn with_ending(endings: &[&str]) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    collect(&place::root(), endings, &mut files);
    files.sort();
    files
}

fn collect(folder: &Path, endings: &[&str], files: &mut Vec<(PathBuf, String)>) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if built(&path) || name == "node_modules" || (name.starts_with('.') && name != ".ci") {
            continue;
        }
        if path.is_dir() {
            collect(&path, endings, files);
        } else if endings
            .iter()
            .any(|ending| name.ends_with(&format!(".{ending}")))
        {
            let text = fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            files.push((path, text));
        }
    }
}
