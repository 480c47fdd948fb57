//! `aon check --southbound`: our own side passes, and one that lets everybody in does not.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use aon_tests::place::say;
use serde_json::Value;

use crate::certificates::with_certificates;
use crate::support::aon;

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
