//! `aon check` against servers that are not ours: it finds what is there, says what is wrong, and what it could not test.

use std::process::Command;

use aon_tests::place;
use serde_json::Value;

use crate::demo::{PROGRAM, Server};
use crate::tools;

/// The report of a run, and its exit code.
fn check(url: &str, certificate: Option<&str>) -> (i32, Value) {
    let mut command = Command::new(PROGRAM);
    command.args(["check", url, "--format", "json"]);
    if let Some(certificate) = certificate {
        command.env("SSL_CERT_FILE", certificate);
    }
    let output = command.output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_str(&text).unwrap_or(Value::String(text + &errors));
    (output.status.code().expect("it ends by itself"), report)
}

fn rows<'a>(report: &'a Value, surface: &str) -> Vec<&'a Value> {
    let checks = report["checks"].as_array();
    let checks = checks.unwrap_or_else(|| panic!("no checks in {report}"));
    checks
        .iter()
        .filter(|row| row["surface"] == surface)
        .collect()
}

fn count(report: &Value, surface: &str, outcome: &str) -> usize {
    let rows = rows(report, surface);
    rows.iter().filter(|row| row["outcome"] == outcome).count()
}

/// Failures and what could not be tested give their reason; what is absent is never called wrong.
fn assert_sensible(report: &Value, present: &str) {
    for row in report["checks"].as_array().expect("checks") {
        if row["outcome"] != "pass" {
            let why = row["why"].as_str().unwrap_or_default();
            assert!(!why.is_empty(), "{row}");
        }
    }
    assert!(count(report, present, "pass") > 0, "{report:#}");
    assert!(count(report, present, "fail") > 0, "{report:#}");
    for absent in ["mcp", "a2a"] {
        if absent != present {
            assert_eq!(count(report, absent, "fail"), 0, "{report:#}");
            assert!(count(report, absent, "untested") > 0, "{report:#}");
        }
    }
}

#[test]
fn servers_of_other_people_get_a_verdict() {
    let mut servers = 0;
    for (kind, package) in [("mcp", "mcp"), ("a2a", "a2a"), ("rest", "json")] {
        let suite = format!("a foreign {kind} server");
        let Some(mut command) = tools::python_command(&suite, package, "foreign_servers.py") else {
            continue;
        };
        command.push(kind.to_owned());
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let server = Server::start(&command);
        let (code, report) = check(&server.base, None);
        assert_eq!(code, 1, "{report:#}");
        assert_sensible(&report, kind);
        servers += 1;
    }
    if servers > 0 {
        place::say(&format!("count: servers that are not ours, {servers}"));
    }
}

#[test]
fn a_server_with_a_certificate_is_checked_like_any_other() {
    let suite = "a server behind TLS";
    let Some(mut command) = tools::python_command(suite, "ssl", "foreign_servers.py") else {
        return;
    };
    let folder = place::target().join(format!("aon-tls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ])
        .args(["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .args(["-keyout", &key, "-out", &certificate])
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        place::say(&format!("skipped: {suite}, openssl is not there"));
        return;
    }
    let plain: Vec<String> = command.iter().cloned().chain(["rest".to_owned()]).collect();
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    let plain = Server::start(&plain);
    command.extend(["rest".to_owned(), certificate.clone(), key]);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let server = Server::start(&command);
    assert!(server.base.starts_with("https://"), "{}", server.base);

    let (code, report) = check(&server.base, Some(&certificate));
    let (_, same) = check(&plain.base, None);
    assert_eq!(code, 1, "{report:#}");
    for outcome in ["passed", "failed", "untested"] {
        assert_eq!(report[outcome], same[outcome], "{report:#}");
    }
    let (code, refused) = check(&server.base, None);
    assert_eq!(code, 2, "{refused}");
    assert!(refused.to_string().contains("certificate"), "{refused}");
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    place::say("count: servers behind TLS, 1");
}
