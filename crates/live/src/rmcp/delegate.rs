//! Everything a handler does besides calling tools, passed on; what this server declares, added.
#![expect(
    deprecated,
    reason = "a handler may still implement what older protocol versions need"
)]

use std::borrow::Cow;
use std::future::Future;

use aon::rmcp::TASK_SUBSCRIPTION;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
    CompleteRequestParams, CompleteResult, CustomNotification, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
    GetTaskResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::server::{SessionServer, is_modern};

macro_rules! pass_on {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $output:ty;)+) => {
        $(
            fn $name(&self, $($argument: $ty),*) -> impl Future<Output = $output> + Send + '_ {
                self.server.$name($($argument),*)
            }
        )+
    };
}

impl<H: ServerHandler> ServerHandler for SessionServer<H> {
    pass_on! {
        complete(request: CompleteRequestParams, context: RequestContext<RoleServer>) -> Result<CompleteResult, ErrorData>;
        get_prompt(request: GetPromptRequestParams, context: RequestContext<RoleServer>) -> Result<GetPromptResponse, ErrorData>;
        list_prompts(request: Option<PaginatedRequestParams>, context: RequestContext<RoleServer>) -> Result<ListPromptsResult, ErrorData>;
        list_resources(request: Option<PaginatedRequestParams>, context: RequestContext<RoleServer>) -> Result<ListResourcesResult, ErrorData>;
        list_resource_templates(request: Option<PaginatedRequestParams>, context: RequestContext<RoleServer>) -> Result<ListResourceTemplatesResult, ErrorData>;
        read_resource(request: ReadResourceRequestParams, context: RequestContext<RoleServer>) -> Result<ReadResourceResponse, ErrorData>;
        subscribe(request: SubscribeRequestParams, context: RequestContext<RoleServer>) -> Result<(), ErrorData>;
        unsubscribe(request: UnsubscribeRequestParams, context: RequestContext<RoleServer>) -> Result<(), ErrorData>;
        list_tools(request: Option<PaginatedRequestParams>, context: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData>;
        ping(context: RequestContext<RoleServer>) -> Result<(), ErrorData>;
        listen(context: SubscriptionContext) -> Result<(), ErrorData>;
        on_cancelled(notification: CancelledNotificationParam, context: NotificationContext<RoleServer>) -> ();
        on_progress(notification: ProgressNotificationParam, context: NotificationContext<RoleServer>) -> ();
        on_initialized(context: NotificationContext<RoleServer>) -> ();
        on_roots_list_changed(context: NotificationContext<RoleServer>) -> ();
        on_custom_notification(notification: CustomNotification, context: NotificationContext<RoleServer>) -> ();
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
        if request.method == TASK_SUBSCRIPTION && self.has_tasks() && is_modern(&context) {
            return self.watch(request.params.as_ref(), &context).await;
        }
        if self.is_misread(&request, &context) {
            return Err(self.misread(&request, &context));
        }
        self.server.on_custom_request(request, context).await
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut answer = self.server.initialize(request, context).await?;
        self.declare(&mut answer.capabilities);
        Ok(answer)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let mut answer = self.server.discover(context).await?;
        self.declare(&mut answer.capabilities);
        Ok(answer)
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        let mut answer = self.server.negotiate_initialize(request)?;
        self.declare(&mut answer.capabilities);
        Ok(answer)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.server.supported_protocol_versions()
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.server.accepted_subscription_filter(requested)
    }

    fn get_info(&self) -> ServerConfig {
        let mut info = self.server.get_info();
        self.declare(&mut info.capabilities);
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.server.get_tool(name)
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let legacy = !is_modern(&context);
        let level = request.level;
        let own = self.server.set_level(request, context).await;
        if self.logs && legacy {
            self.set_log_level(level);
            // The handler need not know of logs.
            return own.or_else(|error| match error.code {
                ErrorCode::METHOD_NOT_FOUND => Ok(()),
                _ => Err(error),
            });
        }
        own
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        if !self.has_tasks() {
            return self.server.get_task(request, context).await;
        }
        self.task(&request.task_id, &context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.has_tasks() {
            return self.server.update_task(request, context).await;
        }
        self.update(&request.task_id, &request.input_responses, &context)
            .await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.has_tasks() {
            return self.server.cancel_task(request, context).await;
        }
        self.cancel(&request.task_id, &context).await
    }
}

impl<H: ServerHandler> SessionServer<H> {
    /// Adds what this server answers beside its handler.
    fn declare(&self, able: &mut ServerCapabilities) {
        let own = ServerCapabilities::builder().enable_logging();
        let own = own.enable_tasks().build();
        if self.logs && able.logging.is_none() {
            able.logging = own.logging;
        }
        if self.has_tasks() {
            let extensions = able.extensions.get_or_insert_default();
            extensions.extend(own.extensions.unwrap_or_default());
        }
    }
}
