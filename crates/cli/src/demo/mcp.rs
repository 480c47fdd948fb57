//! MCP: each operation is a tool. Failures are results with the envelope, also those of the arguments.

use std::sync::Arc;

use aon::surface::mcp::{self, Mcp};
use aon::surface::{Call, Surface};
use aon::{Namespace, Problem, ProblemDetails, suggest};
use http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult,
    ErrorCode, Implementation, JsonObject, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ResultType, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use self::fault::ToolError;
use super::domain::Store;
use super::ids;
use super::operation::{OPERATIONS, Operation};
use super::rpc::RpcError;

pub(crate) mod gate;

mod fault;

/// The methods that are answered.
const METHODS: [&str; 5] = [
    "initialize",
    "server/discover",
    "tools/list",
    "tools/call",
    "ping",
];

/// The demo as an MCP server.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    store: Arc<Store>,
}

impl Tools {
    pub(crate) const fn new(store: Arc<Store>) -> Self {
        Self { store }
    }

    fn call(&self, name: &str, arguments: &Value, request_id: String) -> Value {
        let outcome = match OPERATIONS.iter().find(|operation| operation.tool == name) {
            Some(operation) => operation.call(&self.store, arguments),
            None => Err(unknown_tool(name)),
        };
        match outcome {
            Ok(value) => {
                let text = value.to_string();
                json!({"content": [{"type": "text", "text": text}], "structuredContent": value, "isError": false})
            }
            Err(problem) => failure(&problem, arguments, request_id),
        }
    }
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("aon-demo", env!("CARGO_PKG_VERSION"));
        info.with_instructions(
            "Sets how people sign in to possibilities. Errors carry structuredContent.error: what happened, \
             the valid values, and the corrected arguments where they are clear.",
        )
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            OPERATIONS.iter().map(tool).collect(),
        ))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        OPERATIONS
            .iter()
            .find(|operation| operation.tool == name)
            .map(tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = self.call(&request.name, &arguments, request_id(&context));
        let mut result: CallToolResult = serde_json::from_value(result)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        // Peers of an older protocol get it without: the service takes it out for them.
        result.result_type = Some(ResultType::COMPLETE);
        Ok(CallToolResponse::Complete(result))
    }

    /// What is no request of the protocol ends up here: a tool call with odd arguments, or an unknown method.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let request_id = request_id(&context);
        let params = request.params.unwrap_or(Value::Null);
        if request.method == "tools/call"
            && let Some(Value::String(name)) = params.get("name")
        {
            let arguments = params
                .get("arguments")
                .cloned()
                .unwrap_or_else(|| json!({}));
            let mut result = self.call(name, &arguments, request_id);
            if is_stateless(&context) {
                result["resultType"] = json!("complete");
            }
            return Ok(CustomResult::new(result));
        }
        let (code, problem) = if request.method == "tools/call" {
            let names = OPERATIONS.iter().map(|operation| operation.tool);
            let problem = ToolError::MissingToolName.to_problem();
            (
                ErrorCode::INVALID_PARAMS,
                problem.with_valid_values("name", names),
            )
        } else {
            let error = RpcError::MethodNotFound {
                suggestion: suggest::nearest(&request.method, METHODS),
            };
            let problem = error.to_problem().with_valid_values("method", METHODS);
            (ErrorCode::METHOD_NOT_FOUND, problem)
        };
        Err(protocol_error(code, &problem, request_id))
    }
}

/// The tool of an operation. Its output schema also allows the error, so that strict clients let it pass.
fn tool(operation: &'static Operation) -> Tool {
    let object = |schema: Value| match schema {
        Value::Object(members) => Arc::new(members),
        _ => Arc::new(JsonObject::new()),
    };
    let output = json!({
        "type": "object",
        "anyOf": [operation.output_schema(), {"properties": {"error": {"type": "object"}}, "required": ["error"]}],
    });
    let annotations = ToolAnnotations::with_title(operation.title)
        .read_only(operation.read_only)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Tool::new(
        operation.tool,
        operation.summary,
        object(operation.input_schema()),
    )
    .with_title(operation.title)
    .with_raw_output_schema(object(output))
    .with_annotations(annotations)
}

fn unknown_tool(name: &str) -> ProblemDetails {
    let tools = || OPERATIONS.iter().map(|operation| operation.tool);
    let error = ToolError::UnknownTool {
        suggestion: suggest::nearest(name, tools()),
    };
    error.to_problem().with_valid_values("name", tools())
}

/// Whether the request is of the era in which each result names its type.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// The id of the HTTP request, or a new one on standard input.
fn request_id(context: &RequestContext<RoleServer>) -> String {
    ids::request_id(
        context
            .extensions
            .get::<Parts>()
            .map(|parts| &parts.headers),
    )
}

/// The tool result of a problem.
fn failure(problem: &ProblemDetails, arguments: &Value, request_id: String) -> Value {
    let problem = problem
        .clone()
        .with_request_id(&Namespace::DEFAULT, request_id);
    let arguments = aon::Json::from(arguments);
    let call = Call {
        arguments: Some(&arguments),
        ..Call::default()
    };
    let mut out = Vec::new();
    Mcp::default().project(&problem, &call, &mut out);
    serde_json::from_slice(&out).unwrap_or_default()
}

/// A JSON-RPC error with the envelope as its data, for requests that reach no tool.
pub(crate) fn protocol_error(
    code: ErrorCode,
    problem: &ProblemDetails,
    request_id: String,
) -> ErrorData {
    let problem = problem
        .clone()
        .with_request_id(&Namespace::DEFAULT, request_id);
    let mut out = Vec::new();
    mcp::write_envelope(&problem, &Call::default(), &mut out);
    let message = problem.detail().unwrap_or_default().to_owned();
    ErrorData::new(code, message, serde_json::from_slice(&out).ok())
}
