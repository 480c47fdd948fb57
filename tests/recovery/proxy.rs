//! `aon proxy` before servers on HTTP: what succeeds is the same as without it, and what fails says more.

mod a2a;
mod cost;
mod leaks;
mod mcp;
mod rest;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use serde_json::Value;

/// A server of the test, on a port of its own. What it got is kept.
pub struct Upstream {
    pub port: u16,
    pub got: Arc<Mutex<Vec<String>>>,
    _runtime: tokio::runtime::Runtime,
}

/// What an upstream answers.
pub type Answers = fn(&str, &http::request::Parts, &[u8]) -> Response;

impl Upstream {
    /// One that reads each body whole and then answers.
    pub fn start(answers: Answers) -> Self {
        let got: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&got);
        let app = Router::new().fallback(move |request: Request| {
            let seen = Arc::clone(&seen);
            async move {
                let (parts, body) = request.into_parts();
                let body = axum::body::to_bytes(body, 64 << 20).await.expect("a body");
                let line = format!("{} {}", parts.method, parts.uri);
                seen.lock().unwrap().push(line.clone());
                answers(&line, &parts, &body)
            }
        });
        Self::serve(app, got)
    }

    pub fn serve(app: Router, got: Arc<Mutex<Vec<String>>>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .unwrap();
        let port = listener.local_addr().unwrap().port();
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self {
            port,
            got,
            _runtime: runtime,
        }
    }

    /// How many requests arrived.
    pub fn calls(&self) -> usize {
        self.got.lock().unwrap().len()
    }
}

/// The proxy, until it is dropped.
pub struct Proxy {
    pub child: Child,
    pub port: u16,
}

impl Proxy {
    pub fn start(options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
            .args(["proxy", "--port", "0"])
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the proxy starts");
        let mut ready = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("standard output"));
        output.read_line(&mut ready).expect("a line");
        let address = ready.split_whitespace().nth(1).unwrap_or_default();
        let port = address
            .split("://")
            .nth(1)
            .and_then(|rest| rest.split(['/', ' ']).next()?.rsplit(':').next())
            .and_then(|port| port.parse().ok());
        Self {
            child,
            port: port.unwrap_or_else(|| panic!("no port in {ready:?}")),
        }
    }

    /// Ends it as a supervisor does, and waits.
    pub fn stop(mut self) {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").args(["-TERM", &id]).status();
        assert!(killed.expect("kill").success());
        assert!(self.child.wait().expect("an end").success());
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// What came back, as bytes.
#[derive(Debug)]
pub struct Answer {
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn status(&self) -> u16 {
        let word = self.head.split_whitespace().nth(1);
        word.and_then(|word| word.parse().ok()).expect("a status")
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (own, value) = line.split_once(": ")?;
            own.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {:?}", String::from_utf8_lossy(&self.body)))
    }

    /// The message of the last event, of a stream.
    pub fn event(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        let mut last = text.lines().filter_map(|line| line.strip_prefix("data: "));
        serde_json::from_str(last.next_back().expect("an event")).expect("JSON")
    }
}

/// Sends bytes and reads until the other side closes.
pub fn raw(port: u16, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream.write_all(bytes).expect("written");
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("read");
    let at = all
        .windows(4)
        .position(|part| part == b"\r\n\r\n")
        .unwrap_or_else(|| panic!("no head in {:?}", String::from_utf8_lossy(&all)));
    let head = String::from_utf8_lossy(&all[..at]).into_owned();
    let body = all[at + 4..].to_vec();
    let chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    Answer {
        body: if chunked { joined(&body) } else { body },
        head,
    }
}

/// Sends a request that closes its connection.
pub fn send(port: u16, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut head = format!("{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    raw(port, &[head.as_bytes(), body].concat())
}

/// A chunked body put together; trailers are left out.
fn joined(mut body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(at) = body.windows(2).position(|part| part == b"\r\n") {
        let size = std::str::from_utf8(&body[..at]).unwrap_or_default();
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        out.extend_from_slice(&body[at + 2..at + 2 + size]);
        body = &body[at + 4 + size..];
    }
    out
}

/// An answer of the upstream.
pub fn answer(status: u16, media: &str, body: impl Into<Body>) -> Response {
    Response::builder()
        .status(status)
        .header("content-type", media)
        .body(body.into())
        .unwrap()
}
