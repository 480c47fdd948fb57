//! One door for MCP and A2A: each failure is told to the log and the hook once, redacted, bounded, in one namespace.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails loudly")]

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use aon::Door;
use aon::jsonrpc::{self, Endpoint};
use aon::jsonrpsee::{HttpProblemLayer as RpcHttp, ProblemLayer};
use aon::rmcp::{HttpProblemLayer, Lines, Parameters, ProblemServer};
use aon::surface::a2a::EXTENSION_URI;
use http_body_util::{BodyExt, Full};
use jsonrpsee::core::middleware::RpcServiceBuilder;
use jsonrpsee::server::{HttpBody, RpcModule, ServerBuilder, stop_channel};
use jsonrpsee::types::ErrorObjectOwned;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServiceExt as _, schemars, tool, tool_router};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tower::{Layer as _, ServiceExt as _};

#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "parcel")]
enum ParcelError {
    #[error("the depot refused token {token}")]
    #[problem(status = 502, mcp_tool = "list_parcels", a2a_skill = "listing")]
    Depot {
        #[problem(public)]
        token: String,
        source: std::io::Error,
    },
}

fn failure() -> ParcelError {
    ParcelError::Depot {
        token: "ghp_abcdefghijklmnopqrstuvwxyz0123456789".to_owned(),
        source: std::io::Error::other("password=hunter2"),
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sending {
    weight: u32,
}

#[derive(Clone)]
struct Parcels;

#[tool_router(server_handler)]
impl Parcels {
    #[tool(description = "Sends a parcel")]
    async fn send_parcel(&self, Parameters(_): Parameters<Sending>) -> Result<String, ParcelError> {
        Err(failure())
    }

    #[tool(description = "Panics")]
    async fn drop_parcel(&self) -> String {
        panic!("password=hunter2")
    }
}

type Seen = Arc<Mutex<Vec<String>>>;

/// A door that writes down what passes.
fn door() -> (Door, Seen) {
    let seen = Seen::default();
    let kept = Arc::clone(&seen);
    let door = Door::new().with_namespace("parcel").unwrap();
    let door = door.on_problem(move |emitted| {
        let mut line = String::new();
        let _ = write!(
            line,
            "{} {} {}",
            emitted.surface, emitted.status, emitted.code
        );
        kept.lock().unwrap().push(line);
    });
    (door, seen)
}

fn take(seen: &Seen) -> Vec<String> {
    std::mem::take(&mut seen.lock().unwrap())
}

fn call(name: &str, arguments: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        .to_string()
}

/// The problem in an MCP answer, and the answer.
fn of_mcp(wire: &str) -> Value {
    let wire: Value = serde_json::from_str(wire).unwrap();
    let result = &wire["result"]["structuredContent"]["error"];
    let refused = &wire["error"]["data"];
    if result.is_object() { result } else { refused }.clone()
}

async fn over_http(door: &Door, json_only: bool, body: &str) -> String {
    let server = ProblemServer::new(Parcels).with_door(door.clone());
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(json_only);
    let manager = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), manager, config);
    let layer = HttpProblemLayer::new()
        .with_door(door.clone())
        .with_json_only(json_only);
    let request = http::Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Full::new(bytes::Bytes::copy_from_slice(body.as_bytes())))
        .unwrap();
    let response = layer.layer(service).oneshot(request).await.unwrap();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let data = text.lines().find_map(|line| line.strip_prefix("data: {"));
    data.map_or(text.clone(), |data| format!("{{{data}"))
}

async fn over_lines(door: &Door, body: &str) -> String {
    let (theirs, here) = tokio::io::duplex(1 << 22);
    let server = ProblemServer::new(Parcels).with_door(door.clone());
    let lines = Lines::from(tokio::io::split(theirs)).with_door(door.clone());
    tokio::spawn(async move { server.serve(lines).await.unwrap().waiting().await });
    let (read, mut write) = tokio::io::split(here);
    let mut read = BufReader::new(read).lines();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    write
        .write_all(format!("{hello}\n").as_bytes())
        .await
        .unwrap();
    read.next_line().await.unwrap().unwrap();
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    write
        .write_all(format!("{ready}\n{body}\n").as_bytes())
        .await
        .unwrap();
    read.next_line().await.unwrap().unwrap()
}

async fn over_jsonrpsee(door: &Door, body: &str) -> String {
    let mut module = RpcModule::new(());
    module
        .register_method("send", |_, (), _| Err::<(), _>(failure()))
        .unwrap();
    module
        .register_method("take", |params, (), _| {
            let given: Sending = params.parse()?;
            Ok::<_, ErrorObjectOwned>(given.weight)
        })
        .unwrap();
    let (stop, _handle) = stop_channel();
    let rpc = ProblemLayer::new().with_methods(module.method_names());
    let service = ServerBuilder::new()
        .set_http_middleware(
            tower::ServiceBuilder::new().layer(RpcHttp::new().with_door(door.clone())),
        )
        .set_rpc_middleware(RpcServiceBuilder::new().layer(rpc))
        .to_service_builder()
        .build(module, stop);
    let request = http::Request::post("/")
        .header("content-type", "application/json")
        .header("a2a-extensions", EXTENSION_URI)
        .body(HttpBody::from(body.to_owned()))
        .unwrap();
    let response = service.oneshot(request).await.unwrap();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn over_endpoint(door: &Door, body: &str) -> String {
    let (parts, ()) = http::Request::post("/a2a")
        .header("content-type", "application/json")
        .header("a2a-extensions", EXTENSION_URI)
        .body(())
        .unwrap()
        .into_parts();
    let endpoint = Endpoint::new()
        .with_door(door.clone())
        .with_skills(["sending"]);
    let answer = |request: &jsonrpc::Request| match request.method() {
        "send" => Err(aon::Failure::from(failure())),
        "panic" => panic!("password=hunter2"),
        other => Err(aon::Failure::built_in(jsonrpc::method_not_found(
            other,
            ["send"],
        ))),
    };
    let response = endpoint.open(&parts).answer(body.as_bytes(), answer);
    String::from_utf8(response.into_body()).unwrap()
}

fn rpc(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn assert_parcel(problem: &Value, place: &str) {
    let id = problem["request_id"].as_str().unwrap();
    assert_eq!(
        problem["instance"],
        format!("urn:parcel:request:{id}"),
        "{place}: {problem}"
    );
    let uri = problem["type"].as_str().unwrap();
    assert!(uri.starts_with("parcel://problem/"), "{place}: {uri}");
    let text = problem.to_string();
    assert!(
        !text.contains("hunter2") && !text.contains("ghp_"),
        "{place}: {text}"
    );
}

#[tokio::test]
async fn every_failure_passes_the_door_once_on_every_wire() {
    let (door, seen) = door();
    let good = json!({"weight": 1});
    let mut cases = 0;
    for (tool, arguments, status, code) in [
        ("send_parcel", &good, 502, "depot"),
        ("send_parcel", &json!({"weight": "x"}), 422, "invalid_value"),
        ("drop_parcel", &json!({}), 500, "internal"),
        ("send_parcl", &good, 404, "unknown_operation"),
    ] {
        let body = call(tool, arguments);
        for place in ["json", "events", "lines"] {
            let wire = match place {
                "json" => over_http(&door, true, &body).await,
                "events" => over_http(&door, false, &body).await,
                _ => over_lines(&door, &body).await,
            };
            let problem = of_mcp(&wire);
            assert_eq!(problem["code"], code, "{place} {tool}: {wire}");
            assert_parcel(&problem, place);
            assert_eq!(
                take(&seen),
                [format!("mcp {status} {code}")],
                "{place} {tool}"
            );
            cases += 1;
        }
    }
    for (method, status, code) in [("send", 502, "depot"), ("sned", 404, "unknown_operation")] {
        let body = rpc(method, &json!({}));
        for place in ["jsonrpsee", "endpoint"] {
            let wire = match place {
                "jsonrpsee" => over_jsonrpsee(&door, &body).await,
                _ => over_endpoint(&door, &body),
            };
            let wire: Value = serde_json::from_str(&wire).unwrap();
            assert_eq!(wire["error"]["data"]["code"], code, "{place}: {wire}");
            assert_parcel(&wire["error"]["data"], place);
            assert_eq!(
                take(&seen),
                [format!("a2a {status} {code}")],
                "{place} {method}"
            );
            cases += 1;
        }
    }
    let panicked = over_endpoint(&door, &rpc("panic", &json!({})));
    assert!(
        panicked.contains("\"internal\"") && !panicked.contains("hunter2"),
        "{panicked}"
    );
    assert_eq!(take(&seen), ["a2a 500 internal"]);
    assert_eq!(cases, 16);
}

#[tokio::test]
async fn a_tool_that_does_not_exist_is_not_recommended() {
    let (door, _) = door();
    for json in [true, false] {
        let wire = over_http(&door, json, &call("send_parcel", &json!({"weight": 1}))).await;
        let problem = of_mcp(&wire);
        assert_eq!(problem["suggested_tools"], json!([]), "{wire}");
        assert!(problem.get("mcp_tool").is_none(), "{wire}");
        assert!(!wire.contains("list_parcels"), "{wire}");
        // What is not a tool of this server may still be a skill of another surface.
        assert_eq!(problem["a2a_skill"], "listing");
        let near = of_mcp(&over_http(&door, json, &call("send_parcl", &json!({}))).await);
        assert_eq!(near["mcp_tool"], "send_parcel", "{near}");
    }
    let wire = over_endpoint(&door, &rpc("send", &json!({})));
    assert!(!wire.contains("listing"), "{wire}");
    assert!(wire.contains("\"suggested_skills\":[]"), "{wire}");
}

#[tokio::test]
async fn an_answer_to_one_bad_call_is_short() {
    const MOST: usize = 16 << 10;
    let (door, _) = door();
    let long = "k".repeat(500_000);
    let wide = "🎉".repeat(1000);
    let mut many = serde_json::Map::new();
    for at in 0..2000 {
        many.insert(format!("{at}-{wide}"), json!(1));
    }
    let bodies = [
        json!({ long.clone(): 1 }),
        json!({ "weight": long.clone() }),
        json!({ wide.clone(): { wide.clone(): 1 } }),
        Value::Object(many),
    ];
    let mut cases = 0;
    for arguments in &bodies {
        for wire in [
            over_http(&door, true, &call("send_parcel", arguments)).await,
            over_http(&door, false, &call("send_parcel", arguments)).await,
            over_lines(&door, &call("send_parcel", arguments)).await,
            over_jsonrpsee(&door, &rpc("take", arguments)).await,
        ] {
            assert!(wire.len() <= MOST, "{} bytes: {}", wire.len(), &wire[..400]);
            assert!(wire.contains("error"), "{wire}");
            cases += 1;
        }
    }
    for body in [
        call(&long, &json!({})),
        rpc(&long, &json!({})),
        rpc("take", &json!([long])),
    ] {
        for wire in [
            over_http(&door, true, &body).await,
            over_lines(&door, &body).await,
            over_jsonrpsee(&door, &body).await,
            over_endpoint(&door, &body),
        ] {
            assert!(wire.len() <= MOST, "{} bytes: {}", wire.len(), &wire[..400]);
            cases += 1;
        }
    }
    let id = json!({"jsonrpc": "2.0", "id": long, "method": "x"}).to_string();
    for wire in [
        over_http(&door, true, &id).await,
        over_lines(&door, &id).await,
        over_jsonrpsee(&door, &id).await,
        over_endpoint(&door, &id),
    ] {
        assert!(wire.len() <= MOST, "{} bytes", wire.len());
        cases += 1;
    }
    assert_eq!(cases, 32);
}

#[tokio::test]
async fn a_secret_in_a_name_is_not_sent_back() {
    let (door, _) = door();
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    for wire in [
        over_http(&door, true, &call(token, &json!({}))).await,
        over_http(&door, true, &call("send_parcel", &json!({ token: 1 }))).await,
        over_lines(&door, &rpc(token, &json!({}))).await,
        over_jsonrpsee(&door, &rpc(token, &json!({}))).await,
        over_jsonrpsee(&door, &rpc("take", &json!({ token: 1 }))).await,
        over_endpoint(&door, &rpc(token, &json!({}))),
    ] {
        assert!(!wire.contains("ghp_"), "{wire}");
        assert!(wire.contains("redacted"), "{wire}");
    }
}
