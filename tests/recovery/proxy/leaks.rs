//! Secrets in the words of servers we did not write: none of them passes the proxy, on whatever path and in whatever member (L9).

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use aon_tests::place;
use axum::response::Response;
use serde_json::{Value, json};

use super::{Proxy, Upstream, answer, send};

/// What must not be seen, each in words as servers have them.
const SECRETS: [(&str, &str); 6] = [
    (
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "bad credentials ghp_0123456789abcdefghijABCDEFGHIJ012345 for GET /user",
    ),
    (
        "hunter2secret",
        "could not connect to postgres://app:hunter2secret@10.0.0.1/main",
    ),
    (
        "AKIAIOSFODNN7EXAMPLF",
        "AKIAIOSFODNN7EXAMPLF may not do s3:GetObject",
    ),
    (
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U has expired",
    ),
    (
        "p4ssw0rd-of-ann",
        "login failed: user=ann password=p4ssw0rd-of-ann",
    ),
    (
        "4111111111111111",
        "card 4111 1111 1111 1111 and 4111111111111111 were declined",
    ),
];

/// Every secret once, in a member of its own, at several depths, and as a document inside a text.
fn told() -> Value {
    let all = |at: usize| SECRETS[at].1;
    json!({
        "reason": all(0), "nested": {"deep": [{"cause": all(1)}, all(2)]}, "password": "p4ssw0rd-of-ann",
        "headers": {"Authorization": format!("Bearer {}", SECRETS[3].0)}, "stack": format!("Error: {}\n  at x.js:1", all(4)),
        "inner": json!({"text": all(5), "api_key": SECRETS[0].0}).to_string(), "list": [["cookie", all(1)]],
    })
}

fn words() -> String {
    SECRETS.map(|(_, words)| words).join("; ")
}

/// Errors of JSON-RPC as servers write them: every form of data, and members nobody asked for.
fn errors() -> Vec<Value> {
    let with = |data: Value| json!({"code": -32603, "message": words(), "data": data, "details": told(), "stack": words()});
    let ours = |schema: &str| json!({"schema": schema, "code": "broken", "status": 500, "title": words(), "detail": words(), "more": told()});
    vec![
        json!({"code": -32602, "message": words()}),
        json!({"code": -32601, "message": words(), "data": ""}),
        with(json!(words())),
        with(told()),
        with(json!([told(), words(), [words()]])),
        with(json!(7)),
        with(ours("pspace.mcp.error.v1")),
        with(json!([ours("pspace.a2a.error.v1")])),
        with(ours("pspace.a2a.error.v1")),
    ]
}

/// Results of tools that failed, in every member.
fn failures() -> Vec<Value> {
    let content = json!([{"type": "text", "text": words(), "annotations": {"why": words()}}, {"type": "resource", "resource": {"uri": "file:///x", "text": words()}}, {"type": "resource_link", "uri": "file:///y", "name": "y", "description": words()}]);
    vec![
        json!({"isError": true, "content": content}),
        json!({"isError": true, "content": content, "structuredContent": told(), "_meta": told(), "note": words()}),
        json!({"isError": true, "content": content, "structuredContent": {"error": {"code": "broken", "detail": words(), "more": told()}}}),
        json!({"content": [], "structuredContent": {"error": words()}, "isError": true}),
        json!({"isError": true}),
    ]
}

/// What was looked at, and what it was.
#[derive(Default)]
struct Looks(usize);

impl Looks {
    fn at(&mut self, what: &str, shown: &[u8]) {
        let text = String::from_utf8_lossy(shown);
        // As text, and as what a reader gets when the texts of JSON are read.
        let decoded = text.replace("\\\"", "\"").replace("\\n", "\n");
        for (secret, _) in SECRETS {
            assert!(
                !text.contains(secret) && !decoded.contains(secret),
                "{what} leaks {secret}: {text}"
            );
        }
        assert!(!text.trim().is_empty(), "{what}: nothing came");
        self.0 += 1;
    }
}

fn plain(line: &str, body: &[u8]) -> Option<Response> {
    let (_, kind) = line.rsplit_once('/')?;
    let (status, kind) = kind.split_once('-')?;
    let status = status.parse().ok()?;
    let _ = body;
    let text = words();
    Some(match kind {
        "text" => answer(status, "text/plain", text),
        "html" => answer(status, "text/html", format!("<html><body><p>{text}</p></body></html>")),
        "json" => answer(status, "application/json", told().to_string()),
        "problem" => answer(
            status,
            "application/problem+json",
            json!({"status": status, "code": "own_code", "title": text, "detail": text, "more": told()}).to_string(),
        ),
        "rfc" => answer(
            status,
            "application/problem+json",
            json!({"status": status, "title": text, "detail": text, "more": told()}).to_string(),
        ),
        "xml" => answer(status, "application/problem+xml", format!("<problem><detail>{text}</detail></problem>")),
        "lines" => answer(status, "application/x-ndjson", format!("{}\n{}\n", told(), told())),
        "events" => answer(status, "text/event-stream", format!("data: {}\n\n", told())),
        "bytes" => answer(status, "application/octet-stream", text),
        "long" => answer(status, "text/plain", format!("{text}{}", " and so on".repeat(20_000))),
        "gzip" => {
            let mut response = answer(status, "application/json", told().to_string());
            response.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
            response
        }
        _ => return None,
    })
}

const KINDS: [&str; 11] = [
    "text", "html", "json", "problem", "rfc", "xml", "lines", "events", "bytes", "long", "gzip",
];

/// Answers a call by the number its arguments carry, whole or as a stream, alone or in a batch.
fn rpc(line: &str, _parts: &http::request::Parts, body: &[u8]) -> Response {
    if let Some(response) = plain(line, body) {
        return response;
    }
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    if message["method"] == "tools/list" {
        let result = json!({"tools": [{"name": "order", "inputSchema": {"type": "object"}}, {"name": "typed", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}]});
        return answer(
            200,
            "application/json",
            json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string(),
        );
    }
    let place = message["params"]["arguments"]
        .as_object()
        .or(message["params"].as_object());
    let number = |name: &str| {
        place
            .and_then(|place| place.get(name)?.as_u64())
            .unwrap_or_default() as usize
    };
    let (error, failure, form) = (number("error"), number("failure"), number("form"));
    let mut told = json!({"jsonrpc": "2.0", "id": message["id"]});
    if failure > 0 {
        told["result"] = failures()[failure - 1].clone();
    } else {
        told["error"] = errors()[error].clone();
    }
    let fine = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"kind": "status-update"}});
    let other = json!({"jsonrpc": "2.0", "id": "other", "error": errors()[error]});
    match form {
        1 => answer(200, "text/event-stream", format!("data: {told}\n\n")),
        2 => answer(
            200,
            "text/event-stream",
            format!("id: 1\ndata: {fine}\n\ndata: {told}\n\n"),
        ),
        3 => answer(200, "application/json", json!([told, other]).to_string()),
        4 => answer(200, "application/json", other.to_string()),
        5 => answer(400, "application/json", told.to_string()),
        6 => answer(500, "application/json", told.to_string()),
        7 => answer(401, "text/plain", words()),
        8 => answer(503, "text/html", words()),
        _ => answer(200, "application/json", told.to_string()),
    }
}

fn post(proxy: &Proxy, path: &str, message: &Value) -> Vec<u8> {
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("Accept-Encoding", "gzip"),
    ];
    send(
        proxy.port,
        &format!("POST {path}"),
        &headers,
        message.to_string().as_bytes(),
    )
    .body
}

fn folder(name: &str) -> PathBuf {
    let folder = place::target().join(format!("proxy-leaks-{name}-{}", std::process::id()));
    let _old = fs::remove_dir_all(&folder);
    folder
}

fn look_into(folder: &Path, looks: &mut Looks) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        looks.at(&path.display().to_string(), &fs::read(&path).unwrap());
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Every path that is not the one of calls, with every kind of body.
fn look_around(proxy: &Proxy, paths: &[&str], looks: &mut Looks) {
    for path in paths {
        for kind in KINDS {
            for status in [401, 404, 422, 500] {
                for accept in ["*/*", "text/html"] {
                    let line = format!("{path}/{status}-{kind}");
                    let shown = send(proxy.port, &line, &[("Accept", accept)], b"");
                    assert_eq!(shown.status(), status, "{line}");
                    looks.at(&line, &shown.body);
                }
            }
        }
    }
}

#[test]
fn nothing_leaks_from_an_mcp_server_on_http() {
    let upstream = Upstream::start(rpc);
    let folder = folder("mcp");
    let proxy = Proxy::start(&[
        "--mcp",
        &format!("http://127.0.0.1:{}/mcp", upstream.port),
        "--observe",
        folder.to_str().unwrap(),
    ]);
    let mut looks = Looks::default();
    for form in 0..9 {
        for tool in ["order", "typed"] {
            let calls = (0..errors().len()).map(|error| json!({"error": error, "form": form}));
            let results =
                (1..=failures().len()).map(|failure| json!({"failure": failure, "form": form}));
            for arguments in calls.chain(results) {
                let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
                looks.at(&call.to_string(), &post(&proxy, "/mcp", &call));
                let batch = json!([call]);
                looks.at(&batch.to_string(), &post(&proxy, "/mcp", &batch));
            }
        }
        for error in 0..errors().len() {
            for method in ["initialize", "resources/read", "prompts/get"] {
                let call = json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": {"error": error, "form": form}});
                looks.at(&call.to_string(), &post(&proxy, "/mcp", &call));
            }
        }
    }
    look_around(&proxy, &["GET /other", "DELETE /other"], &mut looks);
    proxy.stop();
    look_into(&folder, &mut looks);
    place::say(&format!(
        "count: {} looks at what passed from an MCP server on HTTP",
        looks.0
    ));
}

#[test]
fn nothing_leaks_from_an_a2a_agent() {
    let upstream = Upstream::start(rpc);
    let folder = folder("a2a");
    let proxy = Proxy::start(&[
        "--a2a",
        &format!("http://127.0.0.1:{}/a2a", upstream.port),
        "--observe",
        folder.to_str().unwrap(),
    ]);
    let mut looks = Looks::default();
    for form in 0..9 {
        for error in 0..errors().len() {
            for method in ["message/send", "message/stream", "tasks/get", "no/such"] {
                for version in ["0.3", "1.0", "9"] {
                    let call = json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": {"error": error, "form": form}});
                    let headers = [
                        ("Content-Type", "application/json"),
                        ("A2A-Version", version),
                    ];
                    let shown = send(
                        proxy.port,
                        "POST /a2a",
                        &headers,
                        call.to_string().as_bytes(),
                    );
                    looks.at(&call.to_string(), &shown.body);
                }
            }
            let silent = json!({"jsonrpc": "2.0", "method": "message/send", "params": {"error": error, "form": form}});
            looks.at(&silent.to_string(), &post(&proxy, "/a2a", &silent));
        }
    }
    look_around(
        &proxy,
        &["GET /v1/tasks", "DELETE /v1/tasks", "GET /.well-known"],
        &mut looks,
    );
    proxy.stop();
    look_into(&folder, &mut looks);
    place::say(&format!(
        "count: {} looks at what passed from an A2A agent",
        looks.0
    ));
}

#[test]
fn nothing_leaks_from_a_rest_api() {
    let upstream = Upstream::start(rpc);
    let folder = folder("rest");
    let document = place::target().join(format!("proxy-leaks-{}.json", std::process::id()));
    let item = |id: &str| {
        json!({"operationId": id, "parameters": [{"name": "what", "in": "path", "required": true, "schema": {"type": "string"}}],
            "responses": {"200": {"description": "ok"}}})
    };
    let paths = json!({"/known/{what}": {"get": item("getIt"), "delete": item("deleteIt")}});
    let described =
        json!({"openapi": "3.0.3", "info": {"title": "x", "version": "1"}, "paths": paths});
    fs::write(&document, described.to_string()).unwrap();
    let proxy = Proxy::start(&[
        "--rest",
        &format!("http://127.0.0.1:{}/", upstream.port),
        "--manifest",
        document.to_str().unwrap(),
        "--observe",
        folder.to_str().unwrap(),
    ]);
    let mut looks = Looks::default();
    look_around(
        &proxy,
        &["GET /known", "DELETE /known", "GET /unknown"],
        &mut looks,
    );
    proxy.stop();
    look_into(&folder, &mut looks);
    fs::remove_file(&document).unwrap();
    place::say(&format!(
        "count: {} looks at what passed from a REST API",
        looks.0
    ));
}

/// A server that answers each line with the next one of a file.
#[test]
fn nothing_leaks_from_an_mcp_server_on_standard_output() {
    let folder = folder("stdio");
    let script = place::target().join(format!("proxy-leaks-{}.txt", std::process::id()));
    let tools = json!({"tools": [{"name": "order", "inputSchema": {"type": "object"}}]});
    let mut answers =
        vec![json!({"jsonrpc": "2.0", "id": "aon-proxy-1", "result": tools}).to_string()];
    let mut calls = Vec::new();
    let mut ask = |method: &str, told: Value, answers: &mut Vec<String>| {
        let id = calls.len();
        let mut told = told;
        told["jsonrpc"] = json!("2.0");
        told["id"] = json!(id);
        answers.push(told.to_string());
        calls.push(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"name": "order", "arguments": {}}}).to_string());
    };
    // The first call is held until the list is there.
    for error in errors() {
        for method in ["tools/call", "resources/read", "tools/list"] {
            ask(method, json!({"error": error}), &mut answers);
        }
    }
    for failure in failures() {
        for method in ["tools/call", "prompts/get"] {
            ask(method, json!({"result": failure}), &mut answers);
        }
    }
    let wild = [
        json!([{"jsonrpc": "2.0", "id": 1, "error": errors()[3]}]).to_string(),
        json!({"jsonrpc": "2.0", "error": errors()[3]}).to_string(),
        json!({"jsonrpc": "2.0", "id": null, "error": errors()[4]}).to_string(),
        words(),
        format!("{{\"broken\": {}", told()),
    ];
    for line in wild {
        calls.push(json!({"jsonrpc": "2.0", "method": "notifications/x"}).to_string());
        answers.push(line);
    }
    fs::write(&script, answers.join("\n") + "\n").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
        .args(["proxy", "--observe", folder.to_str().unwrap(), "--", "sh", "-c"])
        .arg("exec 3<\"$0\"; while IFS= read -r line; do IFS= read -r answer <&3; printf '%s\\n' \"$answer\"; done")
        .arg(&script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the proxy starts");
    let mut input = child.stdin.take().unwrap();
    let mut output = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let mut looks = Looks::default();
    for call in &calls {
        writeln!(input, "{call}").unwrap();
        let shown = output.next().expect("an answer").unwrap();
        looks.at(call, shown.as_bytes());
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    look_into(&folder, &mut looks);
    fs::remove_file(&script).unwrap();
    assert!(looks.0 >= calls.len());
    place::say(&format!(
        "count: {} looks at what passed from an MCP server on standard output",
        looks.0
    ));
}
