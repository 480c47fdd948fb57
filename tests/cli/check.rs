//! `aon check`: a good server passes, a bad one is told why, an absent one is a problem.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::Value;

use crate::demo::Demo;
use crate::run::aon;

#[test]
fn the_demo_passes_every_check() {
    let demo = Demo::start();
    let url = format!("http://127.0.0.1:{}", demo.port);
    let run = aon(&["check", &url, "--format", "json"], "");
    let report: Value = serde_json::from_str(&run.out).expect("a report");
    let not_passed: Vec<&Value> = report["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .filter(|check| check["outcome"] != "pass")
        .collect();
    // Without a secret the demo has no callers to know; with one, the suite of healing sees this row pass.
    assert!(
        not_passed.iter().all(|check| check["outcome"] == "untested"
            && check["what"] == "a token that is not valid is refused"),
        "{not_passed:#?}"
    );
    assert_eq!(run.code, 0);
    assert!(
        report["passed"].as_u64().is_some_and(|count| count > 50),
        "{}",
        report["passed"]
    );
    for surface in ["rest", "mcp", "a2a", "all"] {
        assert!(
            report["checks"]
                .as_array()
                .expect("checks")
                .iter()
                .any(|check| check["surface"] == surface),
            "{surface}"
        );
    }
    println!("checks passed by the demo: {}", report["passed"]);
    let table = aon(&["check", &url, "--surface", "rest"], "");
    assert_eq!(table.code, 0);
    assert!(
        table.out.contains("S3") && !table.out.contains(" mcp "),
        "{}",
        table.out
    );
    for (only, surface, duty) in [
        ("rfc", Some("rest"), "protocol"),
        ("mcp", Some("mcp"), "protocol"),
        ("a2a", Some("a2a"), "protocol"),
        ("contract", None, "contract"),
    ] {
        let run = aon(&["check", &url, "--format", "json", "--only", only], "");
        let report: Value = serde_json::from_str(&run.out).expect("a report");
        let rows = report["checks"].as_array().expect("checks");
        assert!(rows.len() > 4, "{only}: {} rows", rows.len());
        for row in rows {
            assert_eq!(row["duty"], duty, "{row}");
            assert!(
                surface.is_none_or(|surface| row["surface"] == surface),
                "{row}"
            );
            assert!(
                row["source"].as_str().is_some_and(|text| !text.is_empty()),
                "{row}"
            );
        }
    }
}

#[test]
fn a_server_that_answers_with_text_fails_and_is_told_why() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer);
            let body = "thread 'main' panicked at src/main.rs:3:5";
            let _ = write!(
                stream,
                "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    let url = format!("http://127.0.0.1:{port}");
    let run = aon(&["check", &url], "");
    // It never promised the contract, so that is untested; what it does to its callers is told.
    assert!(
        !run.out.contains("FAIL      rest                    S3"),
        "{}",
        run.out
    );
    for part in [
        "advice    rest",
        "came      content-type is \"text/plain\"",
        "came      \"panicked at\"",
        "expected  application/problem+json",
        "fix       ",
        "untested  mcp",
        "untested  a2a",
        "--only contract",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    // Whoever asks for the contract gets a verdict.
    let asked = aon(&["check", &url, "--only", "contract"], "");
    assert_eq!(asked.code, 1, "{}", asked.out);
    assert!(asked.out.contains("FAIL      rest"), "{}", asked.out);
}

#[test]
fn what_cannot_be_reached_is_exit_code_three_and_wrong_usage_two() {
    let free = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address")
        .port();
    for url in [
        format!("http://127.0.0.1:{free}"),
        "https://127.0.0.1".to_owned(),
        "http://".to_owned(),
        "::".to_owned(),
    ] {
        let run = aon(&["check", &url], "");
        let wanted = if url.contains("127.0.0.1") { 3 } else { 2 };
        assert_eq!((run.code, run.out.as_str()), (wanted, ""), "{url}");
        assert!(run.err.contains("Try this"), "{url}: {}", run.err);
    }
    assert_eq!(
        aon(&["check", "http://127.0.0.1:1", "--route", "nonsense"], "").code,
        2
    );
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let run = aon(&["check", &url, "--timeout", "1"], "");
    assert_eq!(run.code, 3);
    assert!(run.err.contains("within 1 s"), "{}", run.err);
}
