//! Help, version, and arguments that make no sense.

use crate::run::{aon, snapshot};

#[test]
fn help_is_an_answer_and_is_kept() {
    let mut seen = 0;
    for (name, args) in [
        ("help", &["--help"][..]),
        ("help-project", &["project", "--help"]),
        ("help-recover", &["recover", "--help"]),
        ("help-explain", &["explain", "--help"]),
        ("help-catalog", &["catalog", "--help"]),
        ("help-catalog-diff", &["catalog", "diff", "--help"]),
        ("help-check", &["check", "--help"]),
        ("help-demo", &["demo", "--help"]),
        ("help-docs", &["docs", "--help"]),
        ("help-tail", &["tail", "--help"]),
    ] {
        let run = snapshot(name, args, "");
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}");
        seen += 1;
    }
    assert_eq!(seen, 10);
}

#[test]
fn wrong_usage_is_a_problem_with_the_nearest_word() {
    for (name, args) in [
        ("usage-command", &["explian", "x"][..]),
        ("usage-value", &["project", "--surface", "rset"]),
        (
            "usage-value-json",
            &["project", "--surface", "rset", "--json"],
        ),
        ("usage-option", &["project", "--surfac", "rest"]),
        ("usage-missing", &["explain"]),
        ("usage-head", &["project", "--surface", "mcp", "--head"]),
        ("usage-recover-all", &["recover", "--surface", "all"]),
    ] {
        let run = snapshot(name, args, "");
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{name}");
    }
}

#[test]
fn errors_are_problems_as_json_too() {
    for args in [
        &["--json", "explain", "no_such_code"][..],
        &["explain", "no_such_code", "--format", "json"],
    ] {
        let run = aon(args, "");
        assert_eq!(run.code, 2);
        let problem: serde_json::Value = serde_json::from_str(&run.err).expect("problem JSON");
        assert_eq!(problem["code"], "unknown_code");
        assert_eq!(problem["status"], 404);
        assert!(problem["remediation"]["message"].is_string());
    }
}

#[test]
fn without_arguments_the_help_is_shown() {
    let run = aon(&[], "");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("Usage: aon"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(crate::run::program())
        .arg("catalog")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
