//! A derived problem on MCP and A2A: our writer against a hand-written struct and rmcp's own constructor.

use std::hint::black_box;

use aon::surface::a2a::A2a;
use aon::surface::mcp::{Mcp, Mode};
use aon::surface::{Call, Surface};
use aon::{Namespace, Problem, ProblemDetails};
use aon_benches::by_hand::{envelope, hand_written_a2a, hand_written_mcp, rmcp_result};
use aon_benches::example::AuthError;
use aon_benches::{Case, Counting, compare, print, promise};
use aon::rmcp::{Lines, ProblemServer};
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn problem(error: &AuthError, request_id: &str) -> ProblemDetails {
    error.to_problem().with_request_id(&Namespace::DEFAULT, request_id.to_owned())
}

fn projected(surface: &dyn Surface, error: &AuthError, request_id: &str, call: &Call<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    surface.project(&problem(error, request_id), call, &mut out);
    out
}

fn main() {
    let request_id = black_box("0198c0de-0000-7000-8000-000000000001").to_owned();
    let error = AuthError::InvalidAuthUx { id: black_box("01KS13QXWZF99YFC5VR2ZX3M6P").to_owned() };
    let id = aon::Json::parse("7").unwrap();
    let call = Call { id: Some(&id), ..Call::default() };
    let (mcp, a2a) = (Mcp::default(), A2a::default());

    let tree = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
    assert_eq!(tree(&projected(&mcp, &error, &request_id, &call)), tree(&hand_written_mcp(&error, &request_id)));
    assert_eq!(tree(&projected(&a2a, &error, &request_id, &call)), tree(&hand_written_a2a(&error, &request_id)));

    let lines = compare(
        &[
            Case::new("hand-written struct", || hand_written_mcp(&error, &request_id).len()),
            Case::new("derived problem → MCP bytes", || projected(&mcp, &error, &request_id, &call).len()),
            Case::new("derived problem → rmcp's types → bytes", || {
                let result = aon::rmcp::to_result(&problem(&error, &request_id), &call, Mode::Structured);
                serde_json::to_vec(&result).unwrap().len()
            }),
            Case::new("rmcp `structured_error(Value)` → bytes", || {
                serde_json::to_vec(&rmcp_result(&error, &request_id)).unwrap().len()
            }),
        ],
        401,
        100,
    );
    print("### Problem → MCP bytes", &lines);
    promise(&lines, "derived problem → MCP bytes", 1.3);
    let times = lines[3].ratio / lines[1].ratio;
    let verdict = if times >= 3.0 { "held" } else { "BROKEN" };
    println!("promise: at least 3 times as fast as rmcp's default on our transports: {times:.2}, {verdict}");
    println!("through rmcp's types, on other transports: {:.2} times as fast", lines[3].ratio / lines[2].ratio);
    whole_calls(&error);

    let lines = compare(
        &[
            Case::new("hand-written struct", || hand_written_a2a(&error, &request_id).len()),
            Case::new("derived problem → A2A bytes (pspace)", || projected(&a2a, &error, &request_id, &call).len()),
            Case::new("`json!` and `to_vec`", || {
                let detail = error.to_string();
                let data = serde_json::to_value(envelope(&detail, &request_id, "a2a")).unwrap();
                let response = json!({"jsonrpc": "2.0", "id": 7, "error": {"code": -32602, "message": detail, "data": data}});
                serde_json::to_vec(&response).unwrap().len()
            }),
        ],
        401,
        100,
    );
    print("### Problem → A2A response", &lines);
    promise(&lines, "derived problem → A2A bytes (pspace)", 1.3);

    sizes(&error, &request_id, &call);
}

/// A failing tool behind rmcp, as a person writes it by hand.
#[derive(Clone)]
struct ByHand(String);

impl ServerHandler for ByHand {
    async fn call_tool(&self, _: CallToolRequestParams, _: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let error = AuthError::InvalidAuthUx { id: self.0.clone() };
        Ok(rmcp_result(&error, &uuid::Uuid::now_v7().to_string()).into())
    }
}

/// The same with the derive.
#[derive(Clone)]
struct Derived(String);

impl ServerHandler for Derived {
    async fn call_tool(&self, _: CallToolRequestParams, _: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        aon::rmcp::call_tool_result(&AuthError::InvalidAuthUx { id: self.0.clone() })
    }
}

/// Calls over a connection in memory: reading the call, rmcp's loop, the tool, and writing the answer.
fn whole_calls(error: &AuthError) {
    let AuthError::InvalidAuthUx { id } = error;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let connect = |ours: bool, lines: bool| {
        let id = id.clone();
        runtime.block_on(async move {
            let (theirs, here) = tokio::io::duplex(1 << 16);
            let halves = tokio::io::split(theirs);
            tokio::spawn(async move {
                match (ours, lines) {
                    (false, _) => drop(ByHand(id).serve(halves).await.unwrap().waiting().await),
                    (true, false) => drop(ProblemServer::new(Derived(id)).serve(halves).await.unwrap().waiting().await),
                    (true, true) => drop(ProblemServer::new(Derived(id)).serve(Lines::from(halves)).await.unwrap().waiting().await),
                }
            });
            let mut wire = tokio::io::BufReader::new(here);
            let hello = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
            exchange(&mut wire, hello).await;
            wire.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await.unwrap();
            std::cell::RefCell::new(wire)
        })
    };
    const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"update","arguments":{"auth_ux":"Hosted"}}}"#;
    let (by_hand, tree, bytes) = (connect(false, false), connect(true, false), connect(true, true));
    let call = |wire: &std::cell::RefCell<_>| runtime.block_on(exchange(&mut wire.borrow_mut(), CALL));
    let lines = compare(
        &[
            Case::new("rmcp, `structured_error(Value)` by hand", || call(&by_hand)),
            Case::new("`ProblemServer` on rmcp's transport", || call(&tree)),
            Case::new("`ProblemServer` on `Lines`", || call(&bytes)),
        ],
        101,
        50,
    );
    print("### A whole call over MCP", &lines);
}

async fn exchange(wire: &mut tokio::io::BufReader<tokio::io::DuplexStream>, line: &[u8]) -> usize {
    wire.write_all(line).await.unwrap();
    wire.write_all(b"\n").await.unwrap();
    let mut answer = Vec::new();
    wire.read_until(b'\n', &mut answer).await.unwrap()
}

/// How much a model reads: bytes and tokens.
fn sizes(error: &AuthError, request_id: &str, call: &Call<'_>) {
    let counter = tiktoken_rs::cl100k_base().unwrap();
    let tokens = |text: &str| counter.encode_ordinary(text).len();
    let result: Value = serde_json::from_slice(&projected(&Mcp::default(), error, request_id, call)).unwrap();
    let text = result["content"][0]["text"].as_str().unwrap();
    let json = result["structuredContent"]["error"].to_string();
    let rest = String::from_utf8(problem(error, request_id).to_vec()).unwrap();
    println!("\n### Size of the canonical example\n");
    println!("| rendering | bytes | cl100k tokens |\n| --- | --- | --- |");
    for (name, rendering) in [("REST body", rest.as_str()), ("MCP structured content", &json), ("MCP text for the model", text)] {
        println!("| {name} | {} | {} |", rendering.len(), tokens(rendering));
    }
    println!("\npromise: text at most 60 % of the JSON: {:.0} %", 100.0 * text.len() as f64 / json.len() as f64);
}
