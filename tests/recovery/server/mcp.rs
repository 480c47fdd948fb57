//! MCP: tools of rmcp.

use std::sync::Arc;

use aon::Failure;
use aon::recovery::Effect;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};

use super::super::scenario::Operation;
use super::super::world::Outcome;
use super::{Arm, Shared, plain, rest};

#[derive(Clone)]
pub struct Tools {
    pub shared: Shared,
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.shared.world.scenario.operations.iter().map(tool);
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.world.operation(name).map(tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let arm = self.shared.arm;
        match self.shared.world.call(&request.name, &arguments) {
            Outcome::Answer(value) => Ok(CallToolResult::structured(value).into()),
            Outcome::Crash => panic!("the scenario crashes"),
            Outcome::Unknown => Err(ErrorData::invalid_params("tool not found", None)),
            Outcome::Arguments(schema) if arm.ours() => {
                let faults = aon::arguments::check(&arguments, &schema);
                let problem = aon::arguments::problem(&faults).expect("a fault");
                Failure::built_in(problem).into_call_tool_result()
            }
            Outcome::Arguments(schema) => {
                let words = plain::serde_words(&arguments, &schema);
                Err(ErrorData::invalid_params(
                    format!("failed to deserialize parameters: {words}"),
                    None,
                ))
            }
            Outcome::Failed(failing) if arm.ours() => {
                Failure::from(rest::problem(&failing)).into_call_tool_result()
            }
            Outcome::Failed(failing) => {
                let text = match arm {
                    Arm::Plain => failing.message.clone(),
                    _ => plain::problem(failing.status, &failing.message).to_string(),
                };
                Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into())
            }
        }
    }
}

fn tool(operation: &Operation) -> Tool {
    let schema = operation
        .input
        .as_object()
        .cloned()
        .unwrap_or_else(Map::new);
    let annotations = ToolAnnotations::with_title(operation.name.clone())
        .read_only(operation.effect == Effect::Safe)
        .idempotent(operation.effect != Effect::Unsafe);
    Tool::new(
        operation.name.clone(),
        operation.summary.clone(),
        Arc::new(schema),
    )
    .with_annotations(annotations)
}
