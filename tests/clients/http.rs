//! HTTP/1.1 by hand, so that requests can be as wrong as a test wants.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {:?}", self.status, self.text()))
    }
}

/// Sends a request with the headers that every request needs.
pub fn send(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
    raw(port, &[head.as_bytes(), body].concat())
}

/// Sends bytes as they are, and reads until the other side closes.
pub fn raw(port: u16, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    let limit = Some(Duration::from_secs(60));
    stream.set_read_timeout(limit).expect("a time limit");
    stream.set_write_timeout(limit).expect("a time limit");
    // A server that refuses a large body may close before all of it was read; its answer still counts.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let mut chunk = [0; 16 * 1024];
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => answer.extend_from_slice(&chunk[..count]),
            Err(_) if !answer.is_empty() => break,
            Err(error) => panic!("no answer: {error}"),
        }
    }
    parse(&answer)
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1)?.parse().ok())
        .expect("a status line");
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut answer = Answer {
        status,
        headers,
        body: bytes[end + 4..].to_vec(),
    };
    if answer.header("transfer-encoding") == Some("chunked") {
        answer.body = unchunk(&answer.body);
    }
    answer
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(at) = bytes.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(&String::from_utf8_lossy(&bytes[..at]), 16).unwrap_or(0);
        let (from, to) = (at + 2, at + 2 + size);
        if size == 0 || bytes.len() < to {
            break;
        }
        body.extend_from_slice(&bytes[from..to]);
        bytes = bytes.get(to + 2..).unwrap_or_default();
    }
    body
}
