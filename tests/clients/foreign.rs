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

/// Nobody is accused of what they do right: these servers keep their protocols, and never promised the contract.
fn assert_fair(report: &Value, present: &str) {
    for row in report["checks"].as_array().expect("checks") {
        let told = |member: &str| row[member].as_str().is_some_and(|text| !text.is_empty());
        assert!(told("source") && told("what") && told("duty"), "{row}");
        match row["outcome"].as_str() {
            Some("pass") => {}
            Some("untested") => assert!(told("why"), "{row}"),
            Some("advice") => {
                for member in ["sent", "came", "expected", "fix"] {
                    assert!(told(member), "{member}: {row}");
                }
            }
            _ => panic!("{row}"),
        }
    }
    assert!(count(report, present, "pass") > 0, "{report:#}");
    for absent in ["mcp", "a2a"] {
        if absent != present {
            assert_eq!(count(report, absent, "pass"), 0, "{report:#}");
            assert!(count(report, absent, "untested") > 0, "{report:#}");
        }
    }
}

#[test]
fn servers_of_other_people_are_judged_fairly() {
    let mut servers = 0;
    let kinds = [
        ("mcp", "mcp", "mcp"),
        ("fastmcp", "fastmcp", "mcp"),
        ("a2a", "a2a", "a2a"),
        ("rest", "json", "rest"),
        ("fastapi", "fastapi", "rest"),
    ];
    for (kind, package, surface) in kinds {
        let suite = format!("a foreign {kind} server");
        let Some(mut command) = tools::python_command(&suite, package, "foreign_servers.py") else {
            continue;
        };
        command.push(kind.to_owned());
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let server = Server::start(&command);
        let (code, report) = check(&server.base, None);
        assert_eq!(code, 0, "{kind}: {report:#}");
        assert_fair(&report, surface);
        servers += 1;
    }
    if servers > 0 {
        place::say(&format!("count: servers that are not ours, {servers}"));
    }
}

#[test]
fn the_official_everything_server_is_judged_fairly() {
    let suite = "the everything server of MCP";
    let main = "node/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    let Some(tools) = place::tools(suite, main) else {
        return;
    };
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
        .port();
    let mut child = Command::new("node")
        .arg(tools.join(main))
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("node runs");
    let url = format!("http://127.0.0.1:{port}");
    let mut answered = None;
    for _ in 0..100 {
        let (code, report) = check(&url, None);
        if code != 3 {
            answered = Some((code, report));
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    child.kill().expect("it runs until it is ended");
    child.wait().expect("it ends");
    let (code, report) = answered.expect("the server listens");
    assert_eq!(code, 0, "{report:#}");
    assert_fair(&report, "mcp");
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
    assert_eq!(code, 0, "{report:#}");
    for outcome in ["passed", "failed", "untested"] {
        assert_eq!(report[outcome], same[outcome], "{report:#}");
    }
    let (code, refused) = check(&server.base, None);
    assert_eq!(code, 3, "{refused}");
    assert!(refused.to_string().contains("certificate"), "{refused}");
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    place::say("count: servers behind TLS, 1");
}
