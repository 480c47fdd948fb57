//! An MCP server over streamable HTTP that was written without us.

use axum::response::Response;
use serde_json::{Value, json};

use super::{Proxy, Upstream, answer, send};

fn before(upstream: &Upstream, options: &[&str]) -> Proxy {
    let url = format!("http://127.0.0.1:{}/mcp", upstream.port);
    let mut all = vec!["--mcp", &url];
    all.extend(options);
    Proxy::start(&all)
}

const JSON: (&str, &str) = ("Content-Type", "application/json");
const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");

fn call(proxy: &Proxy, tool: &str, arguments: &Value) -> super::Answer {
    let params = json!({"name": tool, "arguments": arguments});
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    let headers = [JSON, ACCEPT, ("Mcp-Session-Id", "s1")];
    send(
        proxy.port,
        "POST /mcp",
        &headers,
        body.to_string().as_bytes(),
    )
}

fn tools() -> Value {
    json!({"tools": [
        {"name": "order", "inputSchema": {"type": "object", "properties": {
            "size": {"enum": ["small", "large"]},
            "carrier": {"type": "string", "description": "Who ships it. One of 'post', 'courier' or 'pickup'."},
        }, "required": ["size"]}},
    ]})
}

fn orders(_line: &str, parts: &http::request::Parts, body: &[u8]) -> Response {
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    let id = message["id"].clone();
    let result = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    let text =
        |text: &str| result(json!({"content": [{"type": "text", "text": text}], "isError": true}));
    if parts.method == "GET" {
        return answer(405, "text/plain", "no stream here");
    }
    match message["method"].as_str() {
        Some("tools/list") => {
            // As many servers do: everything comes in a stream.
            let list = result(tools());
            answer(200, "text/event-stream", format!(": hello\n\nevent: message\ndata: {list}\n\n"))
        }
        Some("tools/call") => match message["params"]["arguments"]["carrier"].as_str() {
            Some("Courier") => answer(200, "application/json", text("carrier Courier is not supported")),
            Some("stream") => {
                let failed = text("EACCES: permission denied");
                let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#;
                answer(200, "text/event-stream", format!("data: {progress}\n\ndata: {failed}\n\n"))
            }
            Some("cut") => answer(200, "text/event-stream", ": nothing more\n\n"),
            Some("busy") => {
                let mut busy = answer(503, "text/html", "<h1>busy</h1>");
                busy.headers_mut().insert("retry-after", "3".parse().unwrap());
                busy
            }
            Some("signed out") => {
                let mut refused = answer(401, "text/plain", "sign in");
                refused.headers_mut().insert("www-authenticate", "Bearer".parse().unwrap());
                refused
            }
            Some("unknown") => answer(200, "application/json", json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "carrier unknown is not valid"}}).to_string()),
            _ => answer(200, "application/json", result(json!({ "content": [], "note": "as it was" }))),
        },
        _ => answer(200, "application/json", body.to_vec()),
    }
}

fn envelope(answer: &Value) -> Value {
    answer["result"]["structuredContent"]["error"].clone()
}

#[test]
fn calls_are_checked_and_failures_say_more() {
    let upstream = Upstream::start(orders);
    let proxy = before(&upstream, &[]);
    let refused = call(&proxy, "order", &json!({"size": "Large"})).json();
    assert_eq!(
        envelope(&refused)["corrected_args"],
        json!({"size": "large"}),
        "{refused}"
    );
    assert_eq!(
        upstream.calls(),
        1,
        "the list was asked for, and the call never left"
    );
    let good = call(&proxy, "order", &json!({"size": "large"}));
    let direct = json!({"jsonrpc": "2.0", "id": 7, "result": {"content": [], "note": "as it was"}});
    assert_eq!(good.body, direct.to_string().into_bytes());
    assert_eq!(upstream.calls(), 2, "the list is asked for once");
    let with = |carrier: &str| {
        call(
            &proxy,
            "order",
            &json!({"size": "large", "carrier": carrier}),
        )
    };
    let told = envelope(&with("Courier").json());
    assert_eq!(
        (&told["corrected_args"]["carrier"], &told["status"]),
        (&json!("courier"), &json!(422))
    );
    let stream = with("stream");
    assert!(
        String::from_utf8_lossy(&stream.body)
            .starts_with("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"")
    );
    assert_eq!(envelope(&stream.event())["status"], 403);
    assert_eq!(envelope(&with("cut").event())["code"], "server_gone");
    let busy = with("busy");
    assert_eq!(
        busy.status(),
        200,
        "a client of MCP reads results, not pages"
    );
    assert_eq!(
        (
            &envelope(&busy.json())["status"],
            &envelope(&busy.json())["retry_after"]
        ),
        (&json!(503), &json!(3))
    );
    let out = with("signed out");
    assert_eq!(
        (out.status(), out.header("www-authenticate"), &*out.body),
        (401, Some("Bearer"), &b"sign in"[..]),
        "what the protocol reads stays"
    );
    let error = with("unknown").json();
    assert_eq!(
        (
            &error["error"]["code"],
            &error["error"]["data"]["valid_values"]["carrier"]
        ),
        (&json!(-32602), &json!(["post", "courier", "pickup"])),
        "{error}"
    );
    let other = send(
        proxy.port,
        "POST /mcp",
        &[JSON, ACCEPT],
        b"{ \"method\":\"ping\" , \"id\":1}",
    );
    assert_eq!(other.body, b"{ \"method\":\"ping\" , \"id\":1}");
    assert_eq!(send(proxy.port, "GET /mcp", &[ACCEPT], b"").status(), 405);
}

#[test]
fn a_server_that_is_not_there_is_an_envelope() {
    let proxy = Proxy::start(&["--mcp", "http://127.0.0.1:1/mcp"]);
    let gone = call(&proxy, "order", &json!({})).json();
    assert_eq!(envelope(&gone)["code"], "server_unreachable", "{gone}");
}

/// Clients end the program they started: the server behind it, which may not notice, ends with it.
#[cfg(unix)]
#[test]
fn a_server_ends_with_its_proxy() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    // It says who it is, and hears of nothing.
    let deaf = ["sh", "-c", "echo $$; exec sleep 600"];
    let mut proxy = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
        .args(["proxy", "--"])
        .args(deaf)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a proxy");
    let mut told = String::new();
    let mut output = BufReader::new(proxy.stdout.take().expect("an output"));
    output.read_line(&mut told).expect("a line");
    let is_there = || {
        let asked = Command::new("kill")
            .args(["-0", told.trim()])
            .stderr(Stdio::null())
            .status();
        asked.expect("kill").success()
    };
    assert!(is_there());
    let id = proxy.id().to_string();
    let asked = Command::new("kill").args(["-TERM", &id]).status();
    assert!(asked.expect("kill").success());
    let start = Instant::now();
    while is_there() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!is_there());
    proxy.wait().expect("its end");
}
