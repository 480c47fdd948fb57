//! Callers that do not finish what they began, and what the demo writes to its log.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::demo::Demo;
use crate::http::send;

/// Everything the server says until it closes the connection, and how long that took.
fn until_closed(port: u16, begun: &str) -> (String, Duration) {
    let start = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.write_all(begun.as_bytes()).expect("it is sent");
    stream
        .set_read_timeout(Some(Duration::from_secs(40)))
        .expect("a limit");
    let mut told = Vec::new();
    stream.read_to_end(&mut told).expect("the server closes");
    (String::from_utf8_lossy(&told).into_owned(), start.elapsed())
}

#[test]
fn an_unfinished_request_has_timed_out_everywhere_and_the_connection_is_closed() {
    let demo = Demo::start();
    // On JSON-RPC the answer is an error of that protocol; over A2A without a version HTTP succeeded in carrying it.
    let (problem, json) = ("application/problem+json", "application/json");
    let begun = [
        (
            "408",
            problem,
            "PATCH /possibilities/acme/auth HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{\"auth",
        ),
        (
            "408",
            json,
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{\"json",
        ),
        (
            "200",
            json,
            "POST /a2a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{\"json",
        ),
    ];
    let port = demo.port;
    let waiting: Vec<_> = begun
        .into_iter()
        .map(|of @ (.., begun)| std::thread::spawn(move || (of, until_closed(port, begun))))
        .collect();
    let mut covered = 0;
    for waited in waiting {
        let ((status, media, begun), (told, took)) = waited.join().expect("no panic");
        assert!(
            told.starts_with(&format!("HTTP/1.1 {status}")),
            "{begun}: {told}"
        );
        let told = told.to_ascii_lowercase();
        assert!(told.contains(media), "{begun}: {told}");
        assert!(told.contains("\"status\":408"), "{begun}: {told}");
        assert!(told.contains("connection: close"), "{begun}: {told}");
        assert!(
            told.contains("\"code\":\"request_timeout\""),
            "{begun}: {told}"
        );
        assert!(took < Duration::from_secs(20), "{begun}: {took:?}");
        covered += 1;
    }
    assert_eq!(covered, 3);
    // A head that is not finished has no answer yet: the connection just ends, like one on which nothing was begun.
    for head in [
        "",
        "GET /possibilities HTTP/1.1\r\nHost: localhost\r\nX-Begun: ",
    ] {
        let (told, took) = until_closed(port, head);
        assert_eq!(told, "");
        assert!(took < Duration::from_secs(20), "{head}: {took:?}");
    }
}

#[test]
fn too_much_is_refused_with_the_limit_and_the_connection_closed() {
    let demo = Demo::start();
    let long = format!("{{\"auth_ux\":\"{}\"}}", "x".repeat(2 << 20));
    let json = [("content-type", "application/json")];
    let mut covered = 0;
    for (method, path) in [
        ("PATCH", "/possibilities/acme/auth"),
        ("POST", "/mcp"),
        ("POST", "/a2a"),
    ] {
        let answer = send(demo.port, method, path, &json, long.as_bytes());
        let text = answer.text();
        assert!(text.contains("\"too_large\""), "{path}: {text}");
        assert!(text.contains("2097152"), "{path}: {text}");
        assert_eq!(answer.header("connection"), Some("close"), "{path}");
        covered += 1;
    }
    assert_eq!(covered, 3);
}

#[test]
fn the_request_id_of_an_answer_leads_to_its_line_in_the_log() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
        .args(["demo", "--port", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the demo starts");
    let mut ready = [0; 200];
    let count = child
        .stdout
        .as_mut()
        .expect("a pipe")
        .read(&mut ready)
        .expect("a line");
    let ready = String::from_utf8_lossy(&ready[..count]).into_owned();
    let base = ready.split_whitespace().nth(1).expect("an address");
    let port: u16 = base
        .rsplit(':')
        .next()
        .expect("a port")
        .parse()
        .expect("a number");
    let skill = r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"skill":"possibility_auth_lookup","id":"broken"}}]}}}"#;
    let tool = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_possibility_auth","arguments":{"id":"crash"}}}"#;
    for (id, method, path, body) in [
        ("log-rest", "GET", "/possibilities/broken/auth", ""),
        ("log-miss", "GET", "/possibilities/missing/auth", ""),
        ("log-mcp", "POST", "/mcp", tool),
        ("log-a2a", "POST", "/a2a", skill),
    ] {
        let headers = [
            ("content-type", "application/json"),
            ("mcp-protocol-version", "2025-11-25"),
            ("x-request-id", id),
        ];
        let answer = send(port, method, path, &headers, body.as_bytes());
        assert!(answer.text().contains(id), "{}", answer.text());
    }
    // One that is not finished is logged once, too, though a layer waits for it and a transport reads it.
    let begun = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: log-slow\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{";
    let (told, _) = until_closed(port, begun);
    assert!(told.contains("log-slow"), "{told}");
    child.kill().expect("it ends");
    let mut log = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut log)
        .expect("text");
    let _ = child.wait();
    for id in ["log-rest", "log-miss", "log-mcp", "log-a2a", "log-slow"] {
        let lines = log.lines().filter(|line| line.contains(id)).count();
        assert_eq!(lines, 1, "{id}: {log}");
    }
    assert!(!log.contains("hunter2"), "{log}");
}
