//! Standard input, changed files, watching, statistics.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::program::{BAD, Folder, PLACE, program};

#[test]
fn standard_input_is_checked_and_repaired() {
    let folder = Folder::new("stdin", &[]);
    let run = folder.lint_with(&["--format", "json", "-"], BAD);
    assert_eq!((run.code, run.found()), (1, vec![PLACE.to_owned()]));
    assert!(run.out.contains("\"file\": \"<stdin>\""), "{}", run.out);
    let run = folder.lint_with(
        &[
            "-",
            "--stdin-filename",
            "api/a.aon.yaml",
            "--output",
            "concise",
        ],
        BAD,
    );
    assert!(run.out.contains("api/a.aon.yaml:6:15"), "{}", run.out);
    let run = folder.lint_with(&["--fix", "-"], BAD);
    let repaired = BAD.replace(
        "type: string
",
        "type: string
        enum: [narrow, wide]
",
    );
    assert_eq!(run.out, repaired, "{}", run.err);
    let run = folder.lint_with(&["-"], "");
    assert_eq!(
        run.code, 2,
        "an empty file is not a manifest: {}{}",
        run.out, run.err
    );
}

fn git(folder: &Folder, args: &[&str]) {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(args)
        .current_dir(&folder.0)
        .output()
        .expect("git runs");
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn only_what_git_says_has_changed_is_checked() {
    if Command::new("git").arg("--version").output().is_err() {
        aon_tests::place::say("skipped: changed files, git is not there");
        return;
    }
    let folder = Folder::new("changed", &[("a.aon.yaml", BAD), ("sub/b.aon.yaml", BAD)]);
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "first"]);
    assert!(folder.found(&["--changed"]).is_empty());
    folder.write("sub/b.aon.yaml", &format!("# changed\n{BAD}"));
    assert_eq!(folder.found(&["--changed"]), [PLACE]);
    assert!(folder.found(&["--changed", "a.aon.yaml"]).is_empty());
    folder.write("sub/new.aon.yaml", BAD);
    assert_eq!(
        folder.found(&["--changed"]).len(),
        2,
        "files git does not know yet count"
    );
    let inner = Folder(folder.0.join("sub"));
    assert_eq!(inner.found(&["--changed"]).len(), 2, "also from below");
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "second"]);
    assert!(folder.found(&["--changed"]).is_empty());
    assert_eq!(folder.found(&["--changed=HEAD~1"]).len(), 2);
    for wrong in ["--changed=no-such-commit", "--changed=--output=x"] {
        let run = folder.lint(&[wrong]);
        assert_eq!(run.code, 2, "{wrong}: {}", run.out);
    }
}

#[test]
fn a_change_is_seen_while_watching() {
    let folder = Folder::new("watch", &[("a.aon.yaml", BAD)]);
    let mut child = program()
        .args(["--watch", "--format", "github", "a.aon.yaml"])
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The summary and the remark that it watches go to standard error, a line each.
    let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let (send, said) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let wait = |wanted: &str| {
        let mut all = Vec::new();
        loop {
            match said.recv_timeout(Duration::from_secs(120)) {
                Ok(line) if line.contains(wanted) => return,
                Ok(line) => all.push(line),
                Err(error) => panic!("{error}: no {wanted:?} in {all:?}"),
            }
        }
    };
    wait("1 error");
    wait("watching");
    folder.write(
        "a.aon.yaml",
        &format!("{BAD}        enum: [narrow, wide]\n"),
    );
    wait("no findings");
    wait("watching");
    // Editors write a new file and move it over the old one.
    folder.write("a.tmp", BAD);
    std::fs::rename(folder.0.join("a.tmp"), folder.0.join("a.aon.yaml")).expect("it moves");
    wait("1 error");
    child.kill().expect("it can be stopped");
    child.wait().expect("it ends");
    drop(said);
    reader.join().expect("the reader ends");
}

#[test]
fn statistics_count_by_rule() {
    let folder = Folder::new("statistics", &[("a.aon.yaml", BAD), ("b.aon.yaml", BAD)]);
    let run = folder.lint(&["--statistics"]);
    assert_eq!(run.code, 1);
    let line = run.out.lines().next().unwrap_or("");
    assert!(
        line.contains('2') && line.contains("undeclared-choice"),
        "{}",
        run.out
    );
}

#[test]
fn both_names_are_the_same_code() {
    let folder = Folder::new("names", &[("a.aon.yaml", BAD)]);
    let run = folder.lint(&["--explain", "undeclared-choice"]);
    assert!(
        run.out.starts_with("# undeclared-choice (AON101)"),
        "{}",
        run.out
    );
    let run = folder.lint(&["--explain", "undeclared-choise"]);
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("Did you mean undeclared-choice?"),
        "{}",
        run.err
    );
    let rules = folder.lint(&["--rules"]).out.lines().count();
    assert_eq!(rules, aon_lint::rules::ALL.len());
}
