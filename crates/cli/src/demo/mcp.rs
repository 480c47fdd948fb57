//! MCP: each operation is a tool. The adapter does the rest, as it does for any program.

use std::sync::Arc;

use aon::Door;
use aon::rmcp::ProblemServer;
use aon_live::Hub;
use aon_live::rmcp::{SessionServer, TaskSupport};
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use super::domain::Store;
use super::live;
use super::operation::{OPERATIONS, Operation};

mod transport;

pub(crate) use transport::Transport;

/// The demo as an MCP server: each call is a session of the hub.
pub(crate) fn server(store: Arc<Store>, door: Door, hub: &Hub) -> SessionServer<Tools> {
    let server = ProblemServer::new(Tools { store }).with_door(door);
    SessionServer::new(server, hub)
        .with_logs()
        .with_tasks(PLAY, TaskSupport::Optional)
}

/// The tool that does what a script says: progress, questions, failures, and time.
const PLAY: &str = "play";

/// The operations as tools.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    store: Arc<Store>,
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
            OPERATIONS.iter().map(tool).chain([play()]).collect(),
        ))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        match name {
            PLAY => Some(play()),
            _ => find(name).map(tool),
        }
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == PLAY {
            let session = aon_live::rmcp::session(&context);
            let script = Value::Object(request.arguments.unwrap_or_default());
            return match live::play(&session, &script.to_string()).await {
                Ok(data) => Ok(CallToolResult::structured(json!({"data": data.to_value()})).into()),
                Err(failure) => failure.into_call_tool_result(),
            };
        }
        let Some(operation) = find(&request.name) else {
            return Err(ErrorData::invalid_params("there is no such tool", None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        match operation.call(&self.store, &arguments) {
            Ok(value) => Ok(CallToolResult::structured(value).into()),
            Err(failure) => failure.into_call_tool_result(),
        }
    }
}

fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.tool == name)
}

/// The tool that plays a script.
fn play() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "payload": {"description": "What the steps work on, and the answer of a script without a result."},
            "steps": {
                "type": "array",
                "description": "What happens, one after the other: {\"do\": \"status\", \"message\": …}, sleep, healing, step (which may ask a person), problem, result.",
                "items": {"type": "object", "properties": {"do": {"type": "string"}}, "required": ["do"]},
            },
        },
        "required": ["steps"],
    });
    let output = json!({"type": "object", "properties": {"data": {}}, "required": ["data"]});
    let annotations = ToolAnnotations::with_title("Play a script")
        .read_only(true)
        .open_world(false);
    let summary =
        "Does what a script says, to watch it: reports progress, takes time, asks a person, fails.";
    Tool::new(PLAY, summary, object(input))
        .with_title("Play a script")
        .with_raw_output_schema(object(output))
        .with_annotations(annotations)
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(members) => Arc::new(members),
        _ => Arc::new(JsonObject::new()),
    }
}

/// The tool of an operation.
fn tool(operation: &'static Operation) -> Tool {
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
    .with_raw_output_schema(object(operation.output_schema()))
    .with_annotations(annotations)
}
