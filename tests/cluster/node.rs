//! A node: `aon demo --redis URL` in a process of its own.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use aon_tests::engine::{free_port, signal};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

pub struct Node {
    child: Child,
    name: String,
    url: String,
    pub port: u16,
}

impl Node {
    /// Starts a node on a port of its own, and waits until it is ready.
    pub fn start(name: &str, url: &str) -> Self {
        let port = free_port();
        Self {
            child: run(name, url, port),
            name: name.to_owned(),
            url: url.to_owned(),
            port,
        }
    }

    /// A new process in the place of one that was killed.
    pub fn start_again(&mut self) {
        self.child = run(&self.name, &self.url, self.port);
    }

    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    pub fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    /// Waits until its health is this; what it says then.
    pub async fn health(&self, wanted: u16) -> Value {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(25) {
            if let Some(mut reply) = send(self.port, "GET", "/aon/health", &[], "").await
                && reply.status == wanted
            {
                return match reply.whole(Duration::from_secs(3)).await {
                    Some(value) => value,
                    None => Value::Null,
                };
            }
            sleep(Duration::from_millis(40)).await;
        }
        panic!("health is not {wanted} in time");
    }
}

fn run(name: &str, url: &str, port: u16) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aon-under-test"));
    command
        .args(["demo", "--quiet", "--port", &port.to_string()])
        .args(["--redis", url, "--node", name])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("the node starts");
    let mut line = String::new();
    let output = child.stdout.take().expect("its output");
    BufReader::new(output).read_line(&mut line).expect("a line");
    assert!(line.starts_with("ready "), "{line}");
    child
}

impl Drop for Node {
    fn drop(&mut self) {
        // It may have been killed already.
        let _: std::io::Result<()> = self.child.kill();
        let _: std::io::Result<_> = self.child.wait();
    }
}

/// What came back, as far as it did.
pub struct Reply {
    pub status: u16,
    body: hyper::body::Incoming,
    rest: Vec<u8>,
}

/// Sends a request over a connection of its own; nothing when nobody answers.
pub async fn send(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Option<Reply> {
    let attempt = async {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .ok()?;
        tokio::spawn(connection);
        let mut request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("host", format!("127.0.0.1:{port}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).ok()?;
        sender.send_request(request).await.ok()
    };
    let response = tokio::time::timeout(Duration::from_secs(12), attempt)
        .await
        .ok()??;
    Some(Reply {
        status: response.status().as_u16(),
        body: response.into_body(),
        rest: Vec::new(),
    })
}

/// What a stream gives next.
pub enum Next {
    Event(Value),
    /// It ended, or broke off, or nothing came for too long.
    Over,
}

impl Reply {
    /// The first event, which names the session. While it is not stored, there are signs of life.
    pub async fn opened(&mut self) -> Option<Value> {
        loop {
            match self.next(Duration::from_secs(10)).await {
                Next::Event(beat) if beat["seq"].is_null() => {}
                Next::Event(opened) => return Some(opened),
                Next::Over => return None,
            }
        }
    }

    /// Everything that is left, as JSON.
    pub async fn whole(&mut self, patience: Duration) -> Option<Value> {
        while let Ok(Some(Ok(frame))) = tokio::time::timeout(patience, self.body.frame()).await {
            self.rest.extend_from_slice(&frame.into_data().ok()?);
        }
        serde_json::from_slice(&self.rest).ok()
    }

    /// The next line as an event. Silence for `patience` counts as broken.
    pub async fn next(&mut self, patience: Duration) -> Next {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                match serde_json::from_slice(&line) {
                    Ok(event) => return Next::Event(event),
                    Err(_blank) => continue,
                }
            }
            match tokio::time::timeout(patience, self.body.frame()).await {
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        self.rest.extend_from_slice(&data);
                    }
                }
                Ok(Some(Err(_)) | None) | Err(_) => return Next::Over,
            }
        }
    }
}
