//! Everything a handler does besides calling and listing tools, passed on.
#![expect(
    deprecated,
    reason = "a handler may still implement what older protocol versions need"
)]

use std::borrow::Cow;
use std::future::Future;

use ::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
    CompleteRequestParams, CompleteResult, CustomNotification, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
    GetTaskResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use ::rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use ::rmcp::{ErrorData, RoleServer, ServerHandler};

use super::ProblemServer;
use crate::adapter::rmcp::{edge, own, schema};
use crate::surface::mcp::Mode;

/// Requests whose errors get the envelope beside what they say, and which a server answers only if it declares so.
macro_rules! amend {
    ($($method:literal $name:ident($($argument:ident: $ty:ty),*) -> $output:ty $(, if $capability:ident)?;)+) => {
        $(
            async fn $name(&self, $($argument: $ty,)* context: RequestContext<RoleServer>) -> Result<$output, ErrorData> {
                let (scope, _) = edge::open(&context, &self.door, $method, "");
                let watched = scope.begin_call($method, "");
                $(
                    if self.handler.get_info().capabilities.$capability.is_none() {
                        let unknown = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, $method, None);
                        let unknown = self.amended(unknown, &scope);
                        watched.end(Some(own::code_of(&unknown)));
                        return Err(unknown);
                    }
                )?
                let result = scope.enter(self.handler.$name($($argument,)* context)).await;
                let result = result.map_err(|error| self.amended(error, &scope));
                watched.end(result.as_ref().err().map(own::code_of));
                result
            }
        )+
    };
}

macro_rules! pass_on {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $output:ty;)+) => {
        $(
            fn $name(&self, $($argument: $ty),*) -> impl Future<Output = $output> + Send + '_ {
                self.handler.$name($($argument),*)
            }
        )+
    };
}

impl<H: ServerHandler> ServerHandler for ProblemServer<H> {
    amend! {
        "completion/complete" complete(request: CompleteRequestParams) -> CompleteResult, if completions;
        "logging/setLevel" set_level(request: SetLevelRequestParams) -> ();
        "prompts/get" get_prompt(request: GetPromptRequestParams) -> GetPromptResponse, if prompts;
        "prompts/list" list_prompts(request: Option<PaginatedRequestParams>) -> ListPromptsResult, if prompts;
        "resources/list" list_resources(request: Option<PaginatedRequestParams>) -> ListResourcesResult, if resources;
        "resources/templates/list" list_resource_templates(request: Option<PaginatedRequestParams>) -> ListResourceTemplatesResult, if resources;
        "resources/read" read_resource(request: ReadResourceRequestParams) -> ReadResourceResponse, if resources;
        "resources/subscribe" subscribe(request: SubscribeRequestParams) -> ();
        "resources/unsubscribe" unsubscribe(request: UnsubscribeRequestParams) -> ();
        "tasks/get" get_task(request: GetTaskParams) -> GetTaskResult;
        "tasks/update" update_task(request: UpdateTaskParams) -> ();
        "tasks/cancel" cancel_task(request: CancelTaskParams) -> ();
    }

    pass_on! {
        ping(context: RequestContext<RoleServer>) -> Result<(), ErrorData>;
        initialize(request: InitializeRequestParams, context: RequestContext<RoleServer>) -> Result<InitializeResult, ErrorData>;
        discover(context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData>;
        listen(context: SubscriptionContext) -> Result<(), ErrorData>;
        on_cancelled(notification: CancelledNotificationParam, context: NotificationContext<RoleServer>) -> ();
        on_progress(notification: ProgressNotificationParam, context: NotificationContext<RoleServer>) -> ();
        on_initialized(context: NotificationContext<RoleServer>) -> ();
        on_roots_list_changed(context: NotificationContext<RoleServer>) -> ();
        on_custom_notification(notification: CustomNotification, context: NotificationContext<RoleServer>) -> ();
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        self.handler.negotiate_initialize(request)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.handler.supported_protocol_versions()
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.handler.accepted_subscription_filter(requested)
    }

    fn get_info(&self) -> ServerConfig {
        self.handler.get_info()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(request, context).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.custom(request, context).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.handler.list_tools(request, context).await?;
        listed.tools = listed
            .tools
            .into_iter()
            .map(|tool| self.declared(tool))
            .collect();
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.handler.get_tool(name).map(|tool| self.declared(tool))
    }
}

impl<H: ServerHandler> ProblemServer<H> {
    /// The tool as clients see it: where errors are structured content, its output schema allows for them.
    fn declared(&self, tool: Tool) -> Tool {
        match self.mode_of(&tool.name) {
            Mode::Structured => schema::composed(tool),
            Mode::TextOnly | Mode::Meta => tool,
        }
    }
}
