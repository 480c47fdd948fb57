//! MCP: each operation is a tool. The adapter does the rest, as it does for any program.

use std::sync::Arc;

use aon::Door;
use aon::rmcp::ProblemServer;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::domain::Store;
use super::operation::{OPERATIONS, Operation};

/// The demo as an MCP server.
pub(crate) fn server(store: Arc<Store>, door: Door) -> ProblemServer<Tools> {
    ProblemServer::new(Tools { store }).with_door(door)
}

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
            OPERATIONS.iter().map(tool).collect(),
        ))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        find(name).map(tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
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

/// The tool of an operation.
fn tool(operation: &'static Operation) -> Tool {
    let object = |schema: Value| match schema {
        Value::Object(members) => Arc::new(members),
        _ => Arc::new(JsonObject::new()),
    };
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
