//! `aon proxy` around servers of others: what succeeds is the same as without it, and what fails says more.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::PROGRAM;

/// A server on standard input and output, behind the proxy or not.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Value>,
    next: u64,
}

impl Server {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let output = BufReader::new(child.stdout.take().expect("standard output"));
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let value = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        let mut server = Self {
            child,
            input,
            answers,
            next: 0,
        };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "suite", "version": "1"}});
        server.ask("initialize", &hello);
        server.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn write(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("an open input");
        writeln!(input, "{message}").expect("written");
        input.flush().expect("written");
    }

    /// Sends a request and waits for its answer; requests of the server, such as pings, are passed over.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let answer = self
                .answers
                .recv_timeout(Duration::from_secs(60))
                .expect("an answer");
            if answer["id"] == id && answer.get("method").is_none() {
                return answer;
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    fn end(mut self) {
        drop(self.input.take());
        self.child.wait().expect("it ends with its client");
    }
}

fn proxied(server: &Command, options: &[&str]) -> Command {
    let mut proxy = Command::new(PROGRAM);
    proxy
        .arg("proxy")
        .args(options)
        .arg("--")
        .arg(server.get_program())
        .args(server.get_args());
    proxy
}

fn envelope(answer: &Value) -> &Value {
    let result = &answer["result"];
    let found = &result["structuredContent"]["error"];
    if found.is_object() {
        found
    } else {
        &result["_meta"]["space.possibility/error"]
    }
}

#[test]
fn the_everything_server_is_the_same_behind_the_proxy_and_says_more_when_it_fails() {
    let Some(tools) = place::tools(
        "proxy",
        "node/node_modules/@modelcontextprotocol/server-everything",
    ) else {
        return;
    };
    let mut bare = Command::new("node");
    let main =
        tools.join("node/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    bare.arg(fs::canonicalize(main).expect("the server"))
        .arg("stdio");
    let observed = place::target().join(format!("proxy-observed-{}", std::process::id()));
    let mut behind = Server::start(&mut proxied(
        &bare,
        &["--observe", observed.to_str().expect("a path")],
    ));
    let mut plain = Server::start(&mut bare);
    let list = plain.ask("tools/list", &json!({}))["result"].clone();
    assert_eq!(behind.ask("tools/list", &json!({}))["result"], list);
    let names = list["tools"].as_array().expect("tools");
    let echo = json!({"message": "hello"});
    assert_eq!(
        behind.call("echo", &echo)["result"],
        plain.call("echo", &echo)["result"]
    );
    for method in ["prompts/list", "resources/list", "resources/templates/list"] {
        assert_eq!(
            behind.ask(method, &json!({}))["result"],
            plain.ask(method, &json!({}))["result"],
            "{method}"
        );
    }
    let (mut refused, mut actionable) = (0, 0);
    for tool in names {
        let name = tool["name"].as_str().expect("a name");
        // One mistake for each argument that has a type.
        for (field, schema) in tool["inputSchema"]["properties"]
            .as_object()
            .into_iter()
            .flatten()
        {
            let wrong = match schema["type"].as_str() {
                Some("string") => json!({"not": "a text"}),
                Some("number" | "integer" | "boolean") => json!("seven"),
                _ => continue,
            };
            let answer = behind.call(name, &json!({field: wrong}));
            assert_eq!(
                answer["result"]["isError"], true,
                "{name} {field}: {answer}"
            );
            refused += 1;
            let places = envelope(&answer)["machine_hints"]["field_paths"].as_array();
            actionable += usize::from(
                places.is_some_and(|places| places.contains(&json!(format!("/{field}")))),
            );
        }
    }
    place::say(&format!(
        "count: {refused} wrong arguments to the everything server, {actionable} with their place"
    ));
    assert!(refused > 5 && actionable == refused);
    let unknown = behind.call("ehco", &echo);
    let told = if unknown["error"].is_object() {
        &unknown["error"]["data"]
    } else {
        envelope(&unknown)
    };
    assert_eq!(told["suggestion"], "echo", "{unknown}");
    behind.end();
    plain.end();
    let lint = Command::new(PROGRAM)
        .arg("lint")
        .arg(observed.join("tools.json"))
        .output()
        .expect("the linter");
    assert!(
        matches!(lint.status.code(), Some(0 | 1)),
        "{}",
        String::from_utf8_lossy(&lint.stderr)
    );
    let catalog = fs::read_to_string(observed.join("catalog.json")).expect("a draft");
    assert!(
        aon::catalog::Catalog::parse(&catalog)
            .expect("a catalog")
            .problems
            .len()
            > 1
    );
    fs::remove_dir_all(&observed).expect("removed");
}

const PYTHON: &str = r#"
import os
from typing import Annotated, Literal
from pydantic import Field
try:
    from mcp.server.mcpserver import MCPServer as Server
except ImportError:
    from mcp.server.fastmcp import FastMCP as Server

server = Server("orders")

@server.tool()
def order(size: Literal["small", "large"], count: int = 1) -> str:
    return f"{count} x {size}"

@server.tool()
def ship(carrier: Annotated[str, Field(description="Who carries it. One of 'post', 'courier' or 'pickup'.")]) -> str:
    if carrier not in ("post", "courier", "pickup"):
        raise ValueError(f"carrier {carrier} is not supported")
    return carrier

@server.tool()
def crash() -> str:
    os._exit(3)

server.run()
"#;

#[test]
fn a_python_server_gets_its_envelope() {
    let Some(tools) = place::tools("proxy", "venv/bin/python") else {
        return;
    };
    let script = place::target().join(format!("proxy-server-{}.py", std::process::id()));
    fs::write(&script, PYTHON).expect("written");
    let mut bare = Command::new(absolute(&tools.join("venv/bin/python")));
    bare.arg(&script);
    let mut behind = Server::start(&mut proxied(&bare, &[]));
    let good = behind.call("order", &json!({"size": "large"}));
    assert_eq!(good["result"]["content"][0]["text"], "1 x large", "{good}");
    let bad = behind.call("order", &json!({"size": "Large"}));
    assert_eq!(
        envelope(&bad)["corrected_args"],
        json!({"size": "large"}),
        "{bad}"
    );
    let described = behind.call("ship", &json!({"carrier": "Courier"}));
    assert_eq!(
        envelope(&described)["corrected_args"],
        json!({"carrier": "courier"}),
        "{described}"
    );
    let words = described["result"]["content"][0]["text"].as_str();
    assert!(
        words.is_some_and(|words| words.starts_with("Error executing tool ship")),
        "the server's own words stay: {described}"
    );
    let gone = behind.call("crash", &json!({}));
    assert_eq!(envelope(&gone)["code"], "server_gone", "{gone}");
    behind.end();
    fs::remove_file(&script).expect("removed");
}

/// A link stays a link: the interpreter of a virtual environment is found by its own place.
fn absolute(path: &Path) -> std::path::PathBuf {
    std::path::absolute(path).expect("a path")
}
