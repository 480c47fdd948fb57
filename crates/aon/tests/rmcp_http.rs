//! Every way to set up rmcp's streamable HTTP service: the client gets the whole problem, and so does one that comes back.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails loudly")]

#[path = "support/auth.rs"]
mod auth;

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use aon::rmcp::{HttpProblemLayer, HttpProblemService, ProblemServer};
use aon::surface::Surface;
use aon::surface::mcp::Mcp;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use rmcp::transport::common::server_side_http::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{
    EventId, EventStore, EventStoreError, EventStream,
};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tower::{Layer, ServiceExt as _};

use auth::Auth;

type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T, EventStoreError>> + Send + 'a>>;

/// Keeps what a client could ask for again.
#[derive(Default)]
struct Store(Mutex<Vec<String>>);

impl EventStore for Store {
    fn store_event<'s, 'i, 'e, 'a>(
        &'s self,
        _stream_id: &'i str,
        event: &'e ServerSseMessage,
    ) -> Later<'a, EventId>
    where
        's: 'a,
        'i: 'a,
        'e: 'a,
        Self: 'a,
    {
        let mut kept = self.0.lock().unwrap();
        kept.push(serde_json::to_string(&event.message).unwrap());
        let id = kept.len().to_string();
        Box::pin(async move { Ok(id) })
    }

    fn replay_events_after<'s, 'i, 'a>(&'s self, _id: &'i str) -> Later<'a, EventStream>
    where
        's: 'a,
        'i: 'a,
        Self: 'a,
    {
        Box::pin(async { Err("no such event".into()) })
    }
}

type Service = HttpProblemService<StreamableHttpService<ProblemServer<Auth>, LocalSessionManager>>;

fn service(
    layer: &HttpProblemLayer,
    json: bool,
    sessions: bool,
    store: Option<&Arc<Store>>,
) -> Service {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(sessions)
        .with_json_response(json);
    let mut manager = LocalSessionManager::default();
    if let Some(store) = store {
        manager = manager.with_event_store(Arc::clone(store) as Arc<dyn EventStore>);
    }
    let service =
        StreamableHttpService::new(|| Ok(ProblemServer::new(Auth)), Arc::new(manager), config);
    layer.layer(service)
}

/// The session a response opened, and the last message in it.
async fn send(
    service: &Service,
    headers: &[(&str, &str)],
    body: &Value,
) -> (Option<String>, String) {
    let mut request = http::Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = Full::new(Bytes::from(body.to_string()));
    let response = service
        .clone()
        .oneshot(request.body(body).unwrap())
        .await
        .unwrap();
    let session = response.headers().get("mcp-session-id");
    let session = session.map(|id| id.to_str().unwrap().to_owned());
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let last = text.lines().rev().find_map(|line| {
        let line = line.strip_prefix("data: ").unwrap_or(line);
        line.starts_with('{').then(|| line.to_owned())
    });
    (session, last.unwrap_or(text))
}

fn call(modern: bool) -> Value {
    let mut params = json!({"name": "update_auth", "arguments": {"auth_ux": "Hosted"}});
    if modern {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        });
    }
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
}

const MODERN: [(&str, &str); 3] = [
    ("mcp-protocol-version", "2026-07-28"),
    ("mcp-method", "tools/call"),
    ("mcp-name", "update_auth"),
];

/// One bad call, twice over, in a session where there are sessions.
async fn answers(service: &Service, sessions: bool, modern: bool) -> [String; 2] {
    let mut headers: Vec<(&str, &str)> = Vec::new();
    let mut session = None;
    if modern {
        headers.extend(MODERN);
    } else if sessions {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
        }});
        session = send(service, &[], &hello).await.0;
        let id = session.as_deref().unwrap();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        send(service, &[("mcp-session-id", id)], &ready).await;
    }
    if let Some(id) = &session {
        headers.push(("mcp-session-id", id));
        headers.push(("mcp-protocol-version", "2025-11-25"));
    }
    let (_, first) = send(service, &headers, &call(modern)).await;
    let (_, second) = send(service, &headers, &call(modern)).await;
    [first, second]
}

fn assert_whole(wire: &str, case: &str) {
    let value: Value = serde_json::from_str(wire).unwrap_or_else(|_| panic!("{case}: {wire}"));
    let error = &value["result"]["structuredContent"]["error"];
    assert_eq!(
        error["corrected_args"],
        json!({"auth_ux": "hosted"}),
        "{case}: {wire}"
    );
    let problem = Mcp::default().recover(wire.as_bytes()).unwrap();
    assert_eq!(problem.code().unwrap().as_str(), "invalid_value", "{case}");
}

#[tokio::test]
async fn the_problem_is_whole_however_the_service_is_set_up() {
    let mut seen = 0;
    for case in 0..32_u8 {
        let [json, sessions, stored, modern, only] = [1, 2, 4, 8, 16].map(|bit| case & bit != 0);
        let store = stored.then(Arc::<Store>::default);
        // A program says so of a service that answers with JSON.
        let only = only && json;
        let layer = HttpProblemLayer::new().with_json_only(only);
        let service = service(&layer, json, sessions, store.as_ref());
        let case = format!(
            "json {json}, sessions {sessions}, stored {stored}, modern {modern}, only {only}"
        );
        for wire in answers(&service, sessions, modern).await {
            assert_whole(&wire, &case);
            // Where the transport writes the answer, the members have the order of the contract.
            let in_order = only && (modern || !sessions);
            let ordered = wire.find("\"type\":\"pspace:") < wire.find("\"code\":");
            assert!(!in_order || ordered, "{case}: {wire}");
            seen += 1;
        }
        if let Some(store) = store {
            let kept = store.0.lock().unwrap();
            for event in kept
                .iter()
                .filter(|event| event.contains("\"result\":{\"content"))
            {
                assert_whole(event, &case);
            }
            let streams = !json || (sessions && !modern);
            assert!(
                !streams || kept.iter().any(|event| event.contains("isError")),
                "{case}"
            );
        }
    }
    assert_eq!(seen, 64);
}
