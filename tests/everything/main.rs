//! An MCP server with everything in it: the fixtures that the protocol's own conformance suite calls by name.
//!
//! It is built on rmcp and `aon::rmcp` as a user of ours would build it: what fails answers with a problem, so the suite also
//! says whether our errors and our adapter are valid in both eras of the protocol.

#![expect(
    deprecated,
    reason = "sampling, roots and logging belong to the older era, which the suite also asks for"
)]

mod ask;
mod fixtures;
mod problems;
mod prompts;
mod resources;
mod tasks;
mod tools;

use std::net::Ipv4Addr;
use std::sync::Arc;

use aon::rmcp::ProblemServer;
use aon_live::rmcp::SessionServer;
use aon_live::{Hub, Settings};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, Tool, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};

#[tokio::main]
async fn main() {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let config = StreamableHttpServerConfig::default().with_allowed_origins([
        format!("http://localhost:{port}"),
        format!("http://127.0.0.1:{port}"),
    ]);
    let sessions = Arc::new(LocalSessionManager::default());
    let server = SessionServer::new(ProblemServer::new(Everything), &hub());
    let server = tasks::SUPPORT
        .into_iter()
        .fold(server, |server, (tool, support)| {
            server.with_tasks(tool, support)
        });
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    println!("ready http://127.0.0.1:{port}");
    let app = axum::Router::new().route_service("/mcp", service);
    axum::serve(listener, app)
        .await
        .expect("it serves until it is ended");
}

/// The hub of the tasks. How many it holds may be said, so that a full one can be seen.
fn hub() -> Hub {
    let most = std::env::args().nth(1).and_then(|most| most.parse().ok());
    let settings = Settings::new();
    Hub::with(match most {
        Some(most) => settings.sessions(most),
        None => settings,
    })
}

/// The server. It keeps nothing between requests.
#[derive(Clone, Copy, Debug)]
struct Everything;

impl ServerHandler for Everything {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("aon-everything", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tools::call(request, context).await
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request)
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::all()))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            resources::templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let start = request.argument.value;
        let values = ["paris", "park", "party"]
            .into_iter()
            .filter(|value| value.starts_with(&start));
        let values = values.map(str::to_owned).collect();
        let completion = CompletionInfo::with_all_values(values)
            .map_err(|reason| ErrorData::internal_error(reason, None))?;
        Ok(CompleteResult::new(completion))
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }
}
