//! Calls of tools and methods as spans of a duration, at a real collector, and as a histogram.

use std::sync::Arc;
use std::time::Duration;

use aon::axum::ProblemLayer;
use aon::jsonrpc::Endpoint;
use aon::rmcp::{HttpProblemLayer, Parameters, ProblemServer};
use aon_observe::{Telemetry, Transport};
use aon_tests::place;
use axum::routing::post;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{schemars, tool, tool_router};
use serde_json::json;
use tower::Layer as _;

use crate::support::{JSON, TRACE, send, until};
use crate::traces::Collector;

#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("the shelf is empty")]
#[problem(status = 409, code = "empty_shelf")]
struct Empty;

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Shelf {
    empty: bool,
}

#[derive(Clone)]
struct Shop;

#[tool_router(server_handler)]
impl Shop {
    #[tool(description = "Takes something from a shelf")]
    async fn take(&self, Parameters(shelf): Parameters<Shelf>) -> Result<String, Empty> {
        tokio::time::sleep(Duration::from_millis(20)).await;
        if shelf.empty {
            return Err(Empty);
        }
        Ok("a lamp".to_owned())
    }
}

const CALLER: &str = "00f067aa0ba902b7";

/// Calls the tool in the stateless era, with the trace in `_meta` as the protocol says.
fn call(port: u16, headers: &str, trace: Option<&str>, empty: bool) -> String {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    if let Some(trace) = trace {
        meta["traceparent"] = json!(format!("00-{trace}-{CALLER}-01"));
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "take", "arguments": {"empty": empty}, "_meta": meta}});
    let headers = format!(
        "{JSON}accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: take\r\n{headers}"
    );
    send(port, "POST", "/mcp", &headers, &message.to_string()).body
}

#[test]
fn calls_are_spans_of_the_callers_trace() {
    let Some(collector) = Collector::start("calls at a collector", "calls") else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let telemetry = Telemetry::builder().codes(["empty_shelf"]).build();
    let endpoint = format!("http://127.0.0.1:{}/v1/traces", collector.http);
    telemetry
        .trace_to(Transport::Http, &endpoint, "aon-tests")
        .expect("an exporter");
    let door = telemetry.door();
    let server = ProblemServer::new(Shop).with_door(door.clone());
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let sessions = Arc::new(NeverSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let mcp = HttpProblemLayer::new()
        .with_json_only(true)
        .with_door(door.clone())
        .layer(mcp);
    let a2a = Arc::new(Endpoint::new().with_door(door.clone()));
    let a2a = post(move |request: axum::extract::Request| async move {
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
        let response = a2a.open(&parts).answer(&body, |request| {
            if request.method() == "Restock" {
                return Ok(aon::Json::from("done"));
            }
            Err(aon::door::Occurrence::of(&Empty))
        });
        response.map(axum::body::Body::from)
    });
    let app = axum::Router::new()
        .route_service("/mcp", mcp)
        .route("/a2a", a2a)
        .layer(telemetry.layer());
    let app = ProblemLayer::new().with_door(door).wrap(app);
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .unwrap();
    let port = listener.local_addr().unwrap().port();
    runtime.spawn(async move { axum::serve(listener, app).await });

    // The trace of the message, and then that of the request around it.
    let other = "0af7651916cd43dd8448eb211c80319c";
    let fine = call(port, "", Some(TRACE), false);
    assert!(fine.contains("a lamp"), "{fine}");
    let parent = format!("traceparent: 00-{other}-{CALLER}-01\r\n");
    let failed = call(port, &parent, None, true);
    assert!(failed.contains("empty_shelf"), "{failed}");
    let method = |name: &str| json!({"jsonrpc": "2.0", "id": 7, "method": name}).to_string();
    let headers = format!("{JSON}a2a-version: 1.0\r\n{parent}");
    let fine = send(port, "POST", "/a2a", &headers, &method("Restock")).body;
    assert!(fine.contains("done"), "{fine}");
    let failed = send(port, "POST", "/a2a", &headers, &method("Steal")).body;
    assert!(failed.contains("empty_shelf"), "{failed}");

    assert!(telemetry.flush_traces());
    let wanted = ["tools/call take", "Restock", "Steal", "POST /mcp"];
    let spans = until("every span", || {
        let spans = collector.spans();
        let count = |name: &str| spans.iter().filter(|span| span["Name"] == name).count();
        let there = wanted.iter().all(|name| count(name) > 0) && count("tools/call take") == 2;
        there.then_some(spans)
    });
    let find = |name: &str, trace: &str| {
        let mut found = spans
            .iter()
            .filter(|span| span["Name"] == name && span["Trace ID"] == trace);
        let span = found.next().unwrap_or_else(|| panic!("{name} of {trace}"));
        assert!(found.next().is_none(), "{name} of {trace} twice: {spans:?}");
        span
    };
    let fine = find("tools/call take", TRACE);
    assert_eq!(fine["Parent ID"], CALLER, "{fine:?}");
    assert_eq!(
        (
            &*fine["mcp.method.name"],
            &*fine["gen_ai.tool.name"],
            &*fine["gen_ai.operation.name"]
        ),
        ("tools/call", "take", "execute_tool")
    );
    assert!(!fine.contains_key("error.type"), "{fine:?}");
    let failed = find("tools/call take", other);
    assert_eq!(failed["Parent ID"], find("POST /mcp", other)["ID"]);
    assert_eq!(
        (&*failed["error.type"], &*failed["aon.problem.code"]),
        ("tool_error", "empty_shelf")
    );
    assert!(!find("Restock", other).contains_key("error.type"));
    assert_eq!(find("Steal", other)["aon.problem.code"], "empty_shelf");
    assert!(
        !spans
            .iter()
            .any(|span| ["message", "a2a"].contains(&&*span["Name"])),
        "a failed call has one span: {spans:?}"
    );

    let metrics = telemetry.prometheus();
    let count = |labels: &str| {
        let start = format!("aon_call_duration_seconds_count{{{labels}}} ");
        let line = metrics.lines().find_map(|line| line.strip_prefix(&start));
        line.unwrap_or_else(|| panic!("{labels}: {metrics}"))
            .to_owned()
    };
    for labels in [
        r#"surface="mcp",outcome="ok""#,
        r#"surface="mcp",outcome="failed""#,
        r#"surface="a2a",outcome="ok""#,
        r#"surface="a2a",outcome="failed""#,
    ] {
        assert_eq!(count(labels), "1", "{labels}");
    }
    place::say(&format!(
        "count: observe {} spans of calls and requests",
        spans.len()
    ));
}

#[test]
fn an_abandoned_call_is_counted() {
    let telemetry = Telemetry::new();
    let facts = aon::door::Facts::new("mcp");
    let scope = aon::door::Scope::open(&telemetry.door(), facts);
    drop(scope.begin_call("tools/call", "take"));
    let metrics = telemetry.prometheus();
    let line = r#"aon_call_duration_seconds_count{surface="mcp",outcome="abandoned"} 1"#;
    assert!(metrics.contains(line), "{metrics}");
}
