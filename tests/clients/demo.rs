//! One running demo for the whole suite.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use crate::http::{self, Answer};

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_aon-under-test");

/// Our extension, as its declaration names it.
pub const EXTENSION: &str = aon::surface::a2a::EXTENSION_URI;

/// A server that runs as long as this process does.
pub struct Server {
    pub base: String,
    pub port: u16,
    /// Held open: the shell around the server ends it when this end is closed, also when the suite is killed.
    _stdin: ChildStdin,
    _child: Child,
}

/// The demo, started by the first test that asks.
pub fn demo() -> &'static Server {
    static DEMO: OnceLock<Server> = OnceLock::new();
    DEMO.get_or_init(|| Server::start(&[PROGRAM, "demo", "--port", "0"]))
}

impl Server {
    /// Starts a program whose first line of output holds its address.
    pub fn start(command: &[&str]) -> Self {
        let mut child = Command::new("sh")
            .args([
                "-c",
                r#""$@" </dev/null & server=$!; cat >/dev/null; kill "$server""#,
                "sh",
            ])
            .args(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut ready = String::new();
        let output = child.stdout.take().expect("standard output is piped");
        let mut output = BufReader::new(output);
        output
            .read_line(&mut ready)
            .expect("a line that says where it listens");
        // A server that writes more must not stop at a full or a closed pipe.
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        let base = ready
            .split_whitespace()
            .nth(1)
            .unwrap_or_else(|| panic!("no address in {ready:?}"));
        let port = base
            .rsplit(':')
            .next()
            .and_then(|port| port.split('/').next()?.parse().ok())
            .expect("a port");
        Self {
            base: base.to_owned(),
            port,
            _stdin: child.stdin.take().expect("standard input is piped"),
            _child: child,
        }
    }

    /// Sends one request.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        http::send(self.port, method, path, headers, body)
    }

    /// The same call on REST: the id is in the path, the rest in the body.
    pub fn rest(&self, arguments: &Value, request_id: &str) -> Answer {
        let mut body = arguments.clone();
        let id = body
            .as_object_mut()
            .and_then(|members| members.remove("id"));
        let id = id
            .as_ref()
            .and_then(Value::as_str)
            .expect("an id for the path")
            .to_owned();
        let path = format!("/possibilities/{id}/auth");
        let headers = [
            ("content-type", "application/json"),
            ("x-request-id", request_id),
        ];
        self.send("PATCH", &path, &headers, body.to_string().as_bytes())
    }

    /// Whether it still does its work.
    pub fn assert_alive(&self, after: &str) {
        let answer = self.rest(
            &serde_json::json!({"id": "alive", "auth_ux": "hosted"}),
            "alive",
        );
        assert_eq!(answer.status, 200, "after {after}: {}", answer.text());
    }
}
