//! A running demo, and how each surface is spoken to.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::http::{Answer, send};
use crate::run::program;

/// A running demo, stopped at the end of the test.
pub struct Demo {
    pub child: Child,
    pub port: u16,
    pub ready: String,
}

impl Demo {
    pub fn start() -> Self {
        let mut child = Command::new(program())
            .args(["demo", "--port", "0"])
            .env("RUST_BACKTRACE", "0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the demo starts");
        let mut ready = String::new();
        BufReader::new(child.stdout.as_mut().expect("standard output is piped"))
            .read_line(&mut ready)
            .expect("a line");
        let port = ready
            .split_whitespace()
            .nth(1)
            .and_then(|url| url.rsplit(':').next()?.parse().ok())
            .unwrap_or_else(|| panic!("no address in {ready:?}"));
        Self { child, port, ready }
    }

    pub fn rest(&self, method: &str, path: &str, body: &Value) -> Answer {
        let headers = [("content-type", "application/json")];
        send(
            self.port,
            method,
            path,
            &headers,
            body.to_string().as_bytes(),
        )
    }

    /// A tool call in the newer era, and its result or error.
    pub fn tool(&self, name: &str, arguments: &Value) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments, "_meta": meta}});
        let headers = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", name),
        ];
        send(
            self.port,
            "POST",
            "/mcp",
            &headers,
            body.to_string().as_bytes(),
        )
        .json()
    }

    pub fn legacy_tool(&self, name: &str, arguments: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": name, "arguments": arguments}});
        let headers = [
            ("content-type", "application/json"),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        send(
            self.port,
            "POST",
            "/mcp",
            &headers,
            body.to_string().as_bytes(),
        )
        .json()
    }

    pub fn a2a(&self, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut all = vec![("content-type", "application/json")];
        all.extend_from_slice(headers);
        send(self.port, "POST", "/a2a", &all, body.as_bytes())
    }

    /// A skill call, in the words of the version.
    pub fn skill(&self, version: Option<&str>, skill: &str, arguments: &Value) -> Answer {
        let mut data = json!({"skill": skill});
        for (name, value) in arguments.as_object().expect("an object") {
            data[name] = value.clone();
        }
        let (method, message) = if version == Some("1.0") {
            (
                "SendMessage",
                json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"data": data}]}),
            )
        } else {
            (
                "message/send",
                json!({"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "data", "data": data}]}),
            )
        };
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}});
        match version {
            Some(version) => self.a2a(&[("a2a-version", version)], &body.to_string()),
            // Without a version, our own extension.
            None => {
                let extension = aon::surface::a2a::EXTENSION_URI;
                self.a2a(&[("a2a-extensions", extension)], &body.to_string())
            }
        }
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
