//! The rmcp adapter, seen by a client over the wire, in both protocol eras.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails loudly, and one tool panics on purpose"
)]

use std::sync::Arc;
use std::time::Duration;

use aon::Failure;
use aon::rmcp::{Lines, Parameters, ProblemServer};
use aon::surface::Surface;
use aon::surface::mcp::{META_KEY, Mcp, Mode};
use aon::{Code, ProblemDetails, Status};
use http_body_util::BodyExt;
use rmcp::handler::server::wrapper::{Json, Parameters as Bare};
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService, ServiceError};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{
    ClientHandler, ErrorData, RoleClient, ServerHandler, ServiceExt, schemars, tool, tool_router,
};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AuthUx {
    /// We show the pages.
    Hosted,
    Custom,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Update {
    id: String,
    auth_ux: AuthUx,
    #[serde(default)]
    limits: Option<Limits>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Limits {
    seats: u8,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Updated {
    id: String,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum AuthError {
    #[error("auth_ux must be one of \"hosted\" or \"custom\".")]
    #[problem(
        status = 422,
        title = "Invalid auth_ux",
        mcp_tool = "update_possibility_auth"
    )]
    InvalidAuthUx {
        #[problem(valid_values)]
        auth_ux: Vec<String>,
    },
    #[error("storage failed")]
    #[problem(status = 503, remediation(none, reason = not_yet_implemented))]
    Storage(#[from] std::io::Error),
}

#[derive(Clone)]
struct Auth;

#[tool_router(server_handler)]
impl Auth {
    #[tool(description = "Sets how people log in")]
    async fn update_possibility_auth(
        &self,
        Parameters(update): Parameters<Update>,
    ) -> Result<Json<Updated>, AuthError> {
        let _ = (update.auth_ux, update.limits.map(|limits| limits.seats));
        Ok(Json(Updated { id: update.id }))
    }

    #[tool(description = "The same through the extractor of rmcp")]
    async fn bare(&self, Bare(update): Bare<Update>) -> String {
        format!("{:?}", update.auth_ux)
    }

    #[tool(description = "The same, and its schema is known")]
    async fn declared(&self, given: rmcp::handler::server::wrapper::Parameters<Update>) -> String {
        format!("{:?}", given.0.auth_ux)
    }

    #[tool(description = "Checks by itself")]
    async fn by_hand(
        &self,
        Bare(given): Bare<std::collections::BTreeMap<String, Value>>,
    ) -> Result<String, AuthError> {
        match given.get("auth_ux").and_then(Value::as_str) {
            Some("hosted") => Ok("hosted".to_owned()),
            _ => Err(AuthError::InvalidAuthUx {
                auth_ux: vec!["hosted".to_owned(), "custom".to_owned()],
            }),
        }
    }

    #[tool(description = "Fails inside")]
    async fn storage(&self) -> Result<String, AuthError> {
        let failed: Result<String, std::io::Error> = Err(std::io::Error::other("password=hunter2"));
        Ok(failed?)
    }

    #[tool(description = "Passes a problem on")]
    async fn relay(&self) -> Result<String, Failure> {
        let problem = ProblemDetails::new(Status::from_static(409), Code::from_static("relayed"));
        let failed: Result<String, ProblemDetails> = Err(problem);
        Ok(failed?)
    }

    #[tool(description = "Panics")]
    async fn panics(&self) -> String {
        panic!("secret words")
    }

    #[tool(description = "Takes too long")]
    async fn sleeps(&self) -> String {
        tokio::time::sleep(Duration::from_secs(600)).await;
        String::new()
    }

    #[tool(description = "Fails in words of its own")]
    async fn plain(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text("the disk is full")])
    }

    #[tool(description = "Fails with a protocol error")]
    async fn protocol(&self) -> Result<String, ErrorData> {
        Err(ErrorData::internal_error("stack trace of sorts", None))
    }
}

type Client<C> = RunningService<RoleClient, C>;

#[derive(Clone, Copy, Debug)]
enum Era {
    Initialize,
    Discover,
}

const ERAS: [Era; 2] = [Era::Initialize, Era::Discover];

async fn connect<C: ClientHandler>(server: ProblemServer<Auth>, client: C, era: Era) -> Client<C> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let lines = Lines::from(tokio::io::split(ours));
        let running = server.serve(lines).await.unwrap();
        running.waiting().await.unwrap();
    });
    let lifecycle = match era {
        Era::Initialize => ClientLifecycleMode::Initialize,
        Era::Discover => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
    };
    client
        .serve_with_lifecycle(theirs, lifecycle)
        .await
        .unwrap()
}

async fn call<C: ClientHandler>(
    client: &Client<C>,
    tool: &str,
    arguments: Value,
) -> Result<CallToolResult, ServiceError> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    client.call_tool(request).await
}

/// The envelope of a failed call, and the problem in it.
async fn failure<C: ClientHandler>(
    client: &Client<C>,
    tool: &str,
    arguments: Value,
) -> (Value, ProblemDetails) {
    let result = call(client, tool, arguments).await.unwrap();
    assert_eq!(result.is_error, Some(true), "{tool}");
    let text = result.content[0].as_text().unwrap().text.clone();
    assert!(!text.is_empty());
    let problem = Mcp::default()
        .recover(&serde_json::to_vec(&result).unwrap())
        .unwrap();
    let mut content = result.structured_content.unwrap();
    (content["error"].take(), problem)
}

#[tokio::test]
async fn bad_arguments_become_a_problem_with_the_correction() {
    for era in ERAS {
        let client = connect(ProblemServer::new(Auth), (), era).await;
        for tool in ["update_possibility_auth", "bare", "declared"] {
            let (error, problem) =
                failure(&client, tool, json!({"id": "p1", "auth_ux": "Hosted"})).await;
            assert_eq!(problem.code().unwrap().as_str(), "invalid_value", "{era:?}");
            let values = error["valid_values"]["auth_ux"].to_string();
            assert!(
                values.contains("\"hosted\"") && values.contains("\"custom\""),
                "{tool} {error}"
            );
            assert_eq!(error["machine_hints"]["field_paths"], json!(["/auth_ux"]));
            assert_eq!(
                error["corrected_args"],
                json!({"id": "p1", "auth_ux": "hosted"})
            );
            assert_eq!(error["schema"], "pspace.mcp.error.v1");
            assert!(problem.request_id().is_some());
        }
        let good = call(
            &client,
            "update_possibility_auth",
            json!({"id": "p1", "auth_ux": "hosted"}),
        )
        .await
        .unwrap();
        assert_eq!(good.is_error, Some(false));
        assert_eq!(good.structured_content, Some(json!({"id": "p1"})));
    }
}

#[tokio::test]
async fn every_way_to_be_wrong_is_told_with_its_place() {
    let client = connect(ProblemServer::new(Auth), (), Era::Initialize).await;
    let cases = [
        (json!({}), vec!["/auth_ux", "/id"]),
        (json!({"id": 5, "auth_ux": "hosted"}), vec!["/id"]),
        (
            json!({"id": "p", "auth_ux": "hosted", "limits": {"seats": "x"}}),
            vec!["/limits/seats"],
        ),
        (
            json!({"id": "p", "auth_ux": "hosted", "limits": {"seats": 999}}),
            vec!["/limits/seats"],
        ),
        (
            json!({"id": "p", "auth_ux": "hosted", "limits": {"seats": 1, "more": 1}}),
            vec!["/limits/more"],
        ),
        (
            json!({"id": "x".repeat(1 << 20), "auth_ux": "custm"}),
            vec!["/auth_ux"],
        ),
    ];
    for (arguments, expected) in cases {
        let (_, problem) = failure(&client, "update_possibility_auth", arguments).await;
        let mut paths = problem.field_paths();
        paths.sort();
        assert_eq!(paths, expected);
        assert_eq!(problem.status().unwrap().as_u16(), 422);
    }
    let unknown = call(
        &client,
        "update_possibility_auth",
        json!({"id": "p", "auth_ux": "hosted", "unknown": 1}),
    )
    .await;
    assert_eq!(unknown.unwrap().is_error, Some(false));
}

#[tokio::test]
async fn a_derived_error_reaches_the_client_whole() {
    let client = connect(ProblemServer::new(Auth), (), Era::Discover).await;
    let (error, problem) = failure(&client, "by_hand", json!({"auth_ux": "HOSTED "})).await;
    assert_eq!(problem.code().unwrap().as_str(), "invalid_auth_ux");
    assert_eq!(error["corrected_args"]["auth_ux"], "hosted");
    assert_eq!(error["suggested_tools"], json!(["update_possibility_auth"]));
    let (error, _) = failure(&client, "storage", json!({})).await;
    assert_eq!(error["status"], 503);
    assert!(!error.to_string().contains("hunter2"));
    let (error, _) = failure(&client, "relay", json!({})).await;
    assert_eq!(error["code"], "relayed");
}

#[tokio::test]
async fn an_unknown_tool_gets_the_nearest_name() {
    let client = connect(ProblemServer::new(Auth), (), Era::Initialize).await;
    let (error, problem) = failure(&client, "update_posibility_auth", json!({"tool": "bar"})).await;
    assert_eq!(problem.code().unwrap().as_str(), "unknown_operation");
    assert_eq!(error["suggested_tools"], json!(["update_possibility_auth"]));
    assert!(error.get("corrected_args").is_none());
    let (error, _) = failure(&client, "zzz", json!({})).await;
    assert_eq!(error["suggested_tools"], json!([]));
}

#[tokio::test]
async fn panics_and_failures_inside_tell_nothing_of_it() {
    for era in ERAS {
        let client = connect(ProblemServer::new(Auth), (), era).await;
        for tool in ["panics", "protocol"] {
            let (error, problem) = failure(&client, tool, json!({})).await;
            assert_eq!(problem.status().unwrap().as_u16(), 500);
            assert!(!error.to_string().contains("secret") && !error.to_string().contains("stack"));
        }
        let (error, _) = failure(&client, "plain", json!({})).await;
        assert_eq!(error["detail"], "the disk is full");
    }
}

#[tokio::test]
async fn a_tool_that_takes_too_long_is_stopped() {
    let server = ProblemServer::new(Auth).with_time_out(Duration::from_millis(50));
    let client = connect(server, (), Era::Initialize).await;
    let (error, problem) = failure(&client, "sleeps", json!({})).await;
    assert_eq!(problem.code().unwrap().as_str(), "tool_timed_out");
    assert_eq!(error["machine_hints"]["retryable"], true);
}

#[tokio::test]
async fn output_schemas_allow_for_errors_where_they_are_structured() {
    let server = ProblemServer::new(Auth).with_tool_mode("bare", Mode::TextOnly);
    let client = connect(server, (), Era::Initialize).await;
    let tools = client.list_all_tools().await.unwrap();
    let composed = tools
        .iter()
        .find(|tool| tool.name == "update_possibility_auth")
        .unwrap();
    let schema = composed.output_schema.as_ref().unwrap();
    assert_eq!(schema["anyOf"][1]["required"], json!(["error"]));
    let input = Value::Object((*composed.input_schema).clone());
    assert!(input.to_string().contains("hosted"), "{input}");
    let text_only = ProblemServer::new(Auth).with_mode(Mode::Meta);
    let tool = text_only.get_tool("update_possibility_auth").unwrap();
    assert!(tool.output_schema.unwrap().get("anyOf").is_none());
}

#[tokio::test]
async fn the_fallbacks_carry_the_envelope_elsewhere() {
    let server = ProblemServer::new(Auth)
        .with_mode(Mode::Meta)
        .with_tool_mode("bare", Mode::TextOnly);
    let client = connect(server, (), Era::Initialize).await;
    let bad = json!({"id": "p1", "auth_ux": "Hosted"});
    let meta = call(&client, "update_possibility_auth", bad.clone())
        .await
        .unwrap();
    assert!(meta.structured_content.is_none());
    assert_eq!(
        meta.meta.unwrap().0[META_KEY]["corrected_args"]["auth_ux"],
        "hosted"
    );
    let text = call(&client, "bare", bad).await.unwrap();
    assert!(text.structured_content.is_none() && text.content.len() == 2);
    let wire = serde_json::to_vec(&text).unwrap();
    assert_eq!(
        Mcp::default()
            .recover(&wire)
            .unwrap()
            .code()
            .unwrap()
            .as_str(),
        "invalid_value"
    );
}

/// One call over streamable HTTP in the era without sessions, as bytes on the wire.
async fn over_http(tool: &str, arguments: Value, request_id: &str) -> Value {
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let service = StreamableHttpService::new(
        || Ok(ProblemServer::new(Auth)),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let body = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": tool,
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {}
            }
        }
    });
    let request = http::Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
        .header("x-request-id", request_id)
        .body(http_body_util::Full::new(bytes::Bytes::from(
            body.to_string(),
        )))
        .unwrap();
    let response = tower::ServiceExt::oneshot(service, request).await.unwrap();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8_lossy(&bytes);
    // A response is plain JSON or the last event of a stream.
    let json = text.lines().rev().find_map(|line| {
        let line = line.strip_prefix("data:").unwrap_or(line).trim();
        serde_json::from_str(line).ok()
    });
    json.unwrap_or_else(|| panic!("no JSON in {text}"))
}

#[tokio::test]
async fn the_same_holds_over_http() {
    let bad = json!({"id": "p1", "auth_ux": "Hosted"});
    let response = over_http("update_possibility_auth", bad, "from-the-client").await;
    let result = &response["result"];
    assert_eq!(result["isError"], true, "{response}");
    assert_eq!(result["resultType"], "complete");
    let error = &result["structuredContent"]["error"];
    assert_eq!(error["corrected_args"]["auth_ux"], "hosted");
    assert_eq!(error["request_id"], "from-the-client");
    let wire = response.to_string();
    let problem = Mcp::default().recover(wire.as_bytes()).unwrap();
    assert_eq!(problem.request_id(), Some("from-the-client"));
}
