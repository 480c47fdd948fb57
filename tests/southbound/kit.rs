//! `aon check --southbound`: our own side passes, and one that lets everybody in does not.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use aon_tests::place::say;
use serde_json::Value;

use crate::certificates::with_certificates;
use crate::support::{Folder, aon, rotate};

fn rows(report: &[u8], outcome: &str) -> Vec<String> {
    let report: Value = serde_json::from_slice(report).expect("a report");
    let rows = report["checks"].as_array().expect("rows");
    let wanted = rows.iter().filter(|row| row["outcome"] == outcome);
    wanted
        .map(|row| format!("{} {}: {}", row["source"], row["what"], row["came"]))
        .collect()
}

#[test]
fn our_own_side_passes_on_both_wires() {
    let setup = with_certificates("");
    let (http, websocket) = (&setup.server.http, &setup.server.websocket);
    let path = |name: &str| setup.folder.text(name);
    let mut passed = 0;
    for (url, shown) in [
        (http, vec!["--keys".to_owned(), path("keys.toml")]),
        (
            websocket,
            ["cert", "key", "ca"]
                .iter()
                .zip(["ops-1.pem", "ops-1.key", "ca.pem"])
                .flat_map(|(name, file)| [format!("--{name}"), path(file)])
                .collect(),
        ),
    ] {
        let output = aon()
            .args([
                "check",
                "--southbound",
                url,
                "--agent",
                "ops-1",
                "--format",
                "json",
            ])
            .args(shown)
            .output()
            .expect("it runs");
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(rows(&output.stdout, "fail"), [""; 0], "{url} {words}");
        assert!(output.status.success(), "{words}");
        passed += rows(&output.stdout, "pass").len();
    }
    assert!(passed >= 25, "{passed}");
    say(&format!(
        "count: {passed} rows of the kit pass on both wires"
    ));
}

#[test]
fn a_side_that_lets_everybody_in_is_caught() {
    let setup = with_certificates("");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut head = [0; 65536];
            let _ = stream.read(&mut head);
            let body = r#"{"ok":true,"policy":{"timeouts":{"exec":1},"max_payload":1000}}"#;
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    let output = aon()
        .args([
            "check",
            "--southbound",
            &url,
            "--agent",
            "ops-1",
            "--format",
            "json",
            "--keys",
        ])
        .arg(setup.folder.path("keys.toml"))
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let failed = rows(&output.stdout, "fail");
    for defect in [
        "not signed",
        "changed body",
        "old timestamp",
        "nonce",
        "another request",
        "another agent",
        "not on the list",
    ] {
        assert!(
            failed.iter().any(|row| row.contains(defect)),
            "{defect}: {failed:#?}"
        );
    }
    say(&format!(
        "count: {} defects of a side that lets everybody in",
        failed.len()
    ));
}

/// Each defect, and words of the row that catches it.
const DEFECTS: [(&str, &str); 21] = [
    ("unsigned", "not signed whole"),
    ("parses_first", "not parsed"),
    ("tells_who_exists", "answered alike"),
    ("query_as_it_is", "order of a query"),
    ("no_query", "changed query"),
    ("no_body", "`hello`"),
    ("half_a_signature", "half a signature"),
    ("any_time", "old timestamp"),
    ("future", "of the future"),
    ("nonce_again", "nonce"),
    ("any_size", "over the limit"),
    ("any_hello", "another agent"),
    ("any_version", "major version"),
    ("no_id", "without an id"),
    ("forgets", "same answer"),
    ("same_id", "another request"),
    ("silent_replay", "`replayed`"),
    ("any_program", "not on the list"),
    ("any_program", "without an absolute path"),
    ("any_path", "`..`"),
    ("any_path", "relative path"),
];

#[test]
fn a_side_that_we_did_not_write_is_accused_of_its_defects_and_of_nothing_else() {
    let Some(tools) = aon_tests::place::tools("a foreign side in Python", "venv/bin/python") else {
        return;
    };
    let folder = Folder::new();
    rotate(&folder, "ops-1");
    let failed = |defects: &str| {
        let mut side = Command::new(tools.join("venv/bin/python"))
            .arg(aon_tests::place::root().join("tests/southbound/foreign.py"))
            .args([&folder.text("keys.toml"), defects])
            .stdout(Stdio::piped())
            .spawn()
            .expect("python");
        let mut port = String::new();
        let mut out = BufReader::new(side.stdout.take().expect("piped"));
        out.read_line(&mut port).expect("a port");
        let output = aon()
            .args([
                "check",
                "--format",
                "json",
                "--agent",
                "ops-1",
                "--southbound",
            ])
            .arg(format!("http://127.0.0.1:{}", port.trim()))
            .args(["--keys", &folder.text("keys.toml")])
            .output()
            .expect("it runs");
        let _ = side.kill();
        let _ = side.wait();
        rows(&output.stdout, "fail")
    };
    assert_eq!(failed("none"), [""; 0]);
    for (defect, words) in DEFECTS {
        let failed = failed(defect);
        assert!(
            failed.iter().any(|row| row.contains(words)),
            "{defect}: {failed:#?}"
        );
    }
    say(&format!(
        "count: {} defects of a foreign side",
        DEFECTS.len()
    ));
}
