//! The transports around an MCP server, byte by byte: what is not a message gets its problem, and errors leave in order.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails loudly")]

#[path = "support/auth.rs"]
mod auth;

use std::sync::Arc;

use aon::Door;
use aon::rmcp::{HttpProblemLayer, Lines, ProblemServer};
use aon::surface::Surface;
use aon::surface::mcp::{Mcp, Mode};
use http_body_util::{BodyExt, Full};
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines as Read};
use tower::{Layer, ServiceExt as _};

use auth::Auth;

/// A connection by lines, the handshake done.
struct Wire {
    write: tokio::io::WriteHalf<DuplexStream>,
    read: Read<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
}

impl Wire {
    async fn open(server: ProblemServer<Auth>, ours: bool) -> Self {
        let (theirs, here) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move {
            let halves = tokio::io::split(theirs);
            let running = if ours {
                server
                    .serve(Lines::from(halves).with_door(Door::new().with_body_limit(1 << 20)))
                    .await
                    .unwrap()
            } else {
                server.serve(halves).await.unwrap()
            };
            running.waiting().await.unwrap();
        });
        let (read, write) = tokio::io::split(here);
        let read = BufReader::new(read).lines();
        let mut wire = Self { write, read };
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
        wire.send(hello.to_string().as_bytes()).await;
        wire.receive().await;
        wire.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        wire
    }

    async fn send(&mut self, line: &[u8]) {
        self.write.write_all(line).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    async fn receive(&mut self) -> String {
        self.read.next_line().await.unwrap().unwrap()
    }

    async fn call(&mut self, message: &Value) -> String {
        self.send(message.to_string().as_bytes()).await;
        self.receive().await
    }
}

fn bad_call(id: &Value, modern: bool) -> Value {
    let mut params = json!({"name": "update_auth", "arguments": {"auth_ux": "Hosted"}});
    if modern {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// The members of the envelope stand in the order of the contract (P1).
fn assert_in_order(wire: &str) {
    let error = wire.split_once("error\":{").unwrap().1;
    let names = [
        "\"type\":",
        "\"title\":",
        "\"status\":",
        "\"detail\":",
        "\"instance\":",
        "\"code\":",
        "\"request_id\":",
        "\"valid_values\":",
        "\"schema\":",
        "\"surface\":",
        "\"suggested_tools\":",
        "\"corrected_args\":",
        "\"machine_hints\":",
    ];
    let places: Vec<usize> = names
        .iter()
        .map(|name| {
            error
                .find(name)
                .unwrap_or_else(|| panic!("no {name} in {wire}"))
        })
        .collect();
    assert!(places.is_sorted(), "{wire}");
}

/// Without what differs from call to call.
fn settled(wire: &str) -> Value {
    fn settle(value: &mut Value) {
        if let Value::Object(members) = value {
            members.remove("request_id");
            members.remove("instance");
            for member in members.values_mut() {
                settle(member);
            }
        }
    }
    let mut value: Value = serde_json::from_str(wire).unwrap();
    settle(&mut value);
    value
}

#[tokio::test]
async fn lines_send_what_rmcp_sends_but_in_order() {
    for mode in Mode::ALL {
        let server = ProblemServer::new(Auth).with_mode(mode);
        let mut ours = Wire::open(server.clone(), true).await;
        let mut theirs = Wire::open(server, false).await;
        for modern in [false, true] {
            for id in [json!(1), json!("a \"quoted\" id"), json!(-7)] {
                let call = bad_call(&id, modern);
                let (a, b) = (ours.call(&call).await, theirs.call(&call).await);
                if mode == Mode::TextOnly {
                    // The mirror is text, and so differs in the ids.
                    assert_eq!(settled(&a)["id"], settled(&b)["id"]);
                } else {
                    assert_eq!(settled(&a), settled(&b));
                    assert_in_order(&a);
                }
                let told: Value = serde_json::from_str(&a).unwrap();
                assert_eq!(told["result"].get("resultType").is_some(), modern, "{a}");
                let problem = Mcp::default().recover(a.as_bytes()).unwrap();
                assert_eq!(problem.code().unwrap().as_str(), "invalid_value");
            }
        }
    }
}

const HOSTILE: [(&[u8], &str, i64); 11] = [
    (b"not json", "invalid_json", -32700),
    (b"{\"jsonrpc\":\"2.0\",", "invalid_json", -32700),
    (b"\"\xff\xfe\"", "invalid_json", -32700),
    (b"[]", "invalid_request", -32600),
    (b"5", "invalid_request", -32600),
    (
        br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        "batches_not_supported",
        -32600,
    ),
    (br#"{"id":1,"method":"ping"}"#, "invalid_request", -32600),
    (
        br#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
        "invalid_request",
        -32600,
    ),
    (
        br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        "invalid_request",
        -32600,
    ),
    (
        br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        "invalid_request",
        -32600,
    ),
    (
        br#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":7}"#,
        "invalid_params",
        -32602,
    ),
];

fn assert_refused(told: &Value, code: &str, number: i64) {
    assert_eq!(told["error"]["code"], number, "{told}");
    let data = &told["error"]["data"];
    assert_eq!(data["code"], code, "{told}");
    assert_eq!(data["surface"], "mcp", "{told}");
    assert!(data["request_id"].is_string(), "{told}");
    assert!(data["detail"].is_string(), "{told}");
    // What the caller can correct is not beyond remedy.
    assert_ne!(data["remediation"]["type"], "none", "{told}");
}

#[tokio::test]
async fn lines_that_are_no_messages_get_their_problem() {
    let mut wire = Wire::open(ProblemServer::new(Auth), true).await;
    for (line, code, number) in HOSTILE {
        wire.send(line).await;
        assert_refused(
            &serde_json::from_str(&wire.receive().await).unwrap(),
            code,
            number,
        );
    }
    wire.send(&vec![b'x'; (1 << 20) + 5]).await;
    let told = serde_json::from_str(&wire.receive().await).unwrap();
    assert_refused(&told, "too_large", -32600);
    // Empty lines, odd notifications and answers nobody waits for are nobody's business.
    for quiet in ["", "  \r", r#"{"jsonrpc":"2.0","method":"$/odd"}"#] {
        wire.send(quiet.as_bytes()).await;
    }
    let answer = wire.call(&bad_call(&json!(9), false)).await;
    assert!(answer.starts_with(r#"{"jsonrpc":"2.0","id":9,"result":"#));
}

#[tokio::test]
async fn odd_calls_and_unknown_methods_get_their_problem() {
    let mut wire = Wire::open(ProblemServer::new(Auth), true).await;
    for arguments in [json!([]), json!("x"), json!(5), json!(true)] {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "update_auth", "arguments": arguments}});
        let answer = wire.call(&call).await;
        let title = answer.find("\"title\":\"Invalid value\"");
        assert!(title < answer.find("\"code\":"), "{answer}");
        let told: Value = serde_json::from_str(&answer).unwrap();
        let error = &told["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], "invalid_value", "{told}");
        assert_eq!(told["result"]["isError"], true, "{told}");
    }
    let by_position = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [1]});
    let told: Value = serde_json::from_str(&wire.call(&by_position).await).unwrap();
    assert_refused(&told, "invalid_params", -32602);
    let nameless = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}});
    let told: Value = serde_json::from_str(&wire.call(&nameless).await).unwrap();
    assert_refused(&told, "missing_tool_name", -32602);
    assert_eq!(
        told["error"]["data"]["valid_values"]["name"],
        json!(["update_auth"])
    );
    let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call"});
    let told: Value = serde_json::from_str(&wire.call(&bare).await).unwrap();
    assert_refused(&told, "missing_tool_name", -32602);
    for (method, suggestion) in [("tools/cal", json!("tools/call")), ("odd", Value::Null)] {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method});
        let told: Value = serde_json::from_str(&wire.call(&call).await).unwrap();
        assert_refused(&told, "unknown_operation", -32601);
        assert_eq!(told["error"]["data"]["suggestion"], suggestion, "{told}");
    }
}

#[tokio::test]
async fn what_rmcp_refuses_by_itself_gets_its_problem() {
    for (line, code, number) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"update_auth"}}"#,
            "invalid_params",
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
            "invalid_params",
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            "unsupported_protocol_version",
            -32022,
        ),
    ] {
        let (theirs, here) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move {
            let halves = tokio::io::split(theirs);
            if let Ok(running) = ProblemServer::new(Auth).serve(Lines::from(halves)).await {
                let _ = running.waiting().await;
            }
        });
        let (read, mut write) = tokio::io::split(here);
        // The last line of an input may lack its end.
        write.write_all(line.as_bytes()).await.unwrap();
        write.shutdown().await.unwrap();
        let told = BufReader::new(read).lines().next_line().await.unwrap();
        let told: Value = serde_json::from_str(&told.unwrap()).unwrap();
        assert_refused(&told, code, number);
        assert_eq!(told["id"], 1);
    }
}

struct Http {
    json: bool,
    sessions: bool,
    layer: HttpProblemLayer,
}

impl Http {
    async fn send(&self, request: http::Request<Full<bytes::Bytes>>) -> (u16, String) {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(self.sessions)
            .with_json_response(self.json);
        let service = StreamableHttpService::new(
            || Ok(ProblemServer::new(Auth)),
            Arc::new(LocalSessionManager::default()),
            config,
        );
        let response = self.layer.layer(service).oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let last = text.lines().rev().find_map(|line| {
            let line = line.strip_prefix("data: ").unwrap_or(line);
            line.starts_with('{').then(|| line.to_owned())
        });
        (status, last.unwrap_or(text))
    }
}

fn plain() -> Http {
    Http {
        json: true,
        sessions: false,
        layer: HttpProblemLayer::new(),
    }
}

fn post() -> http::request::Builder {
    http::Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
}

fn request(builder: http::request::Builder, body: &[u8]) -> http::Request<Full<bytes::Bytes>> {
    builder
        .body(Full::new(bytes::Bytes::copy_from_slice(body)))
        .unwrap()
}

#[tokio::test]
async fn http_sends_errors_in_order_as_json_and_whole_as_events() {
    for json in [true, false] {
        for modern in [true, false] {
            let call = bad_call(&json!("x"), modern).to_string();
            let mut builder = post().header("x-request-id", "brought");
            if modern {
                builder = builder
                    .header("mcp-protocol-version", "2026-07-28")
                    .header("mcp-method", "tools/call")
                    .header("mcp-name", "update_auth");
            }
            let layer = HttpProblemLayer::new().with_json_only(json);
            let http = Http {
                json,
                layer,
                ..plain()
            };
            let (status, told) = http.send(request(builder, call.as_bytes())).await;
            assert_eq!(status, 200, "{told}");
            if json {
                assert_in_order(&told);
            }
            let value: Value = serde_json::from_str(&told).unwrap();
            assert_eq!(value["id"], "x");
            assert_eq!(
                value["result"].get("resultType").is_some(),
                modern,
                "{told}"
            );
            let error = &value["result"]["structuredContent"]["error"];
            assert_eq!(error["request_id"], "brought");
            assert_eq!(error["corrected_args"], json!({"auth_ux": "hosted"}));
        }
    }
}

#[tokio::test]
async fn http_bodies_and_headers_that_will_not_do_get_their_problem() {
    for (body, code, number) in HOSTILE {
        let (status, told) = plain().send(request(post(), body)).await;
        assert_eq!(status, 400, "{told}");
        assert_refused(&serde_json::from_str(&told).unwrap(), code, number);
    }
    let small = Http {
        layer: HttpProblemLayer::new().with_door(Door::new().with_body_limit(100)),
        ..plain()
    };
    let (status, told) = small.send(request(post(), &[b' '; 101])).await;
    assert_eq!(status, 413);
    assert_refused(&serde_json::from_str(&told).unwrap(), "too_large", -32600);

    let call = bad_call(&json!(3), false).to_string();
    let call = call.as_bytes();
    let bare = || http::Request::post("/mcp").header("host", "localhost");
    let json = || bare().header("content-type", "application/json");
    for (builder, status, code, number) in [
        (json(), 406, "not_acceptable", -32600),
        (
            bare().header("accept", "application/json, text/event-stream"),
            415,
            "unsupported_media_type",
            -32600,
        ),
        (
            post().header("mcp-protocol-version", "1999-01-01"),
            400,
            "unsupported_protocol_version",
            -32600,
        ),
        (
            post().header("mcp-protocol-version", "2026-07-28"),
            400,
            "header_mismatch",
            -32020,
        ),
        (
            http::Request::post("/mcp")
                .header("host", "evil.example")
                .header("content-type", "application/json")
                .header("accept", "application/json, text/event-stream"),
            403,
            "forbidden",
            -32600,
        ),
    ] {
        let (given, told) = plain().send(request(builder, call)).await;
        assert_eq!(given, status, "{told}");
        assert_refused(&serde_json::from_str(&told).unwrap(), code, number);
    }
    let get = http::Request::get("/mcp").header("host", "localhost");
    let (status, told) = plain().send(request(get, b"")).await;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((status, &told["status"]), (405, &json!(405)), "{told}");
    assert_eq!(told["code"], "method_not_allowed");
    assert_eq!(told["detail"], "This route supports POST.");
    assert_eq!(told["valid_values"]["method"], json!(["POST"]));
    let lenient = Http {
        layer: HttpProblemLayer::new().with_json_only(true),
        ..plain()
    };
    let (status, _) = lenient.send(request(json(), call)).await;
    assert_eq!(status, 200);
    let sessions = Http {
        sessions: true,
        ..plain()
    };
    let lost = post().header("mcp-session-id", "gone");
    let (status, told) = sessions.send(request(lost, call)).await;
    assert_eq!(status, 404);
    assert_refused(
        &serde_json::from_str(&told).unwrap(),
        "session_not_found",
        -32600,
    );
}

/// A client that does not wait for one answer before it asks again gets every failure whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_that_overtake_each_other_are_answered_in_full() {
    let mut wire = Wire::open(ProblemServer::new(Auth), true).await;
    let calls = 200;
    for id in 1..=calls {
        wire.send(bad_call(&json!(id), false).to_string().as_bytes())
            .await;
    }
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..calls {
        let line = wire.receive().await;
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert!(
            answer["result"]["structuredContent"]["error"]["code"].is_string(),
            "{line}"
        );
        seen.insert(answer["id"].as_u64().unwrap());
    }
    assert_eq!(seen.len(), calls);
}
