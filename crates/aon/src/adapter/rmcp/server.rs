//! The server around a handler: whatever happens to a tool, the client gets a problem.

use std::collections::BTreeMap;
use std::time::Duration;

use ::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, JsonObject, PaginatedRequestParams, ProtocolVersion,
};
use ::rmcp::service::RequestContext;
use ::rmcp::{ErrorData, RoleServer, ServerHandler};
use aon_core::{Json, redact};
use serde_json::Value;

use super::parameters::{self, PREFIX};
use super::result::{placeholder, ticket, written};
use super::{Told, edge, message, own};
use crate::adapter::unwind::caught;
use crate::arguments::{self, Fault};
use crate::door::{Door, Occurrence, Scope};
use crate::surface::mcp::Mode;

mod delegate;

/// An rmcp handler whose tools fail with problems.
///
/// It is a [`ServerHandler`] itself: serve it wherever the handler was served, over stdio or HTTP, in both protocol
/// eras.
#[derive(Clone, Debug)]
pub struct ProblemServer<H> {
    handler: H,
    door: Door,
    mode: Mode,
    tools: BTreeMap<String, Mode>,
    time_out: Option<Duration>,
}

impl<H: ServerHandler> ProblemServer<H> {
    /// Wraps a handler: structured errors, no time-out.
    pub fn new(handler: H) -> Self {
        Self {
            handler,
            door: Door::new(),
            mode: Mode::default(),
            tools: BTreeMap::new(),
            time_out: None,
        }
    }

    /// Sets the door failures leave through: namespace, redaction, hook. Give the transport a clone of it.
    #[must_use]
    pub fn with_door(mut self, door: Door) -> Self {
        self.door = door;
        self
    }

    /// Sets what errors carry besides their text.
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets it for one tool.
    #[must_use]
    pub fn with_tool_mode(mut self, tool: impl Into<String>, mode: Mode) -> Self {
        self.tools.insert(tool.into(), mode);
        self
    }

    /// Stops a tool that takes longer.
    #[must_use]
    pub fn with_time_out(mut self, limit: Duration) -> Self {
        self.time_out = Some(limit);
        self
    }

    /// The answer of a tool that failed for a reason of a server around this one: it was cancelled, or there is no room. It is
    /// written out, because it may follow other messages.
    pub async fn failed(
        &self,
        tool: &str,
        failure: Occurrence,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let call = CallOf {
            transport_writes: false,
            ..self.open(context, "tools/call", tool)
        };
        call.answer(tool, failure).await
    }

    /// The same of a request that is not the call of a tool: an error of the protocol with the envelope as its data.
    pub fn refused(
        &self,
        method: &str,
        failure: &Occurrence,
        code: ErrorCode,
        context: &RequestContext<RoleServer>,
    ) -> ErrorData {
        let (scope, _) = edge::open(context, &self.door, method, "");
        own::protocol_error(&scope, failure.clone(), code)
    }

    fn mode_of(&self, tool: &str) -> Mode {
        self.tools.get(tool).copied().unwrap_or(self.mode)
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = self.open(&context, "tools/call", &request.name);
        let watched = call.scope.begin_call("tools/call", call.scope.path());
        let outcome = call.attempt(request.clone()).await;
        watched.end(match &outcome {
            Ok(outcome) => outcome.failed(),
            Err(error) => Some(own::code_of(error)),
        });
        let answer = match outcome? {
            Outcome::Passed(response) | Outcome::Foreign(response) => return Ok(response),
            Outcome::Unknown(failure) => call.answer(&request.name, failure).await,
            Outcome::Failed(failure) => {
                // For a correction, where one is clear.
                let given = Json::of(request.arguments.as_ref().unwrap_or(&JsonObject::new()));
                let failure = failure.with_arguments(given.ok());
                call.answer(&request.name, failure).await
            }
        };
        Ok(answer.into())
    }

    /// What rmcp could not read as a request of the protocol: a call with odd arguments, or an unknown method.
    async fn custom(
        &self,
        mut request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != "tools/call" {
            if request.method == message::TASK_SUBSCRIPTION {
                // Nobody around serves tasks.
                message::LISTEN.clone_into(&mut request.method);
            }
            let method = request.method.clone();
            let (scope, _) = edge::open(&context, &self.door, &redact::echo(&method), "");
            let result = scope
                .enter(self.handler.on_custom_request(request, context))
                .await;
            return result.map_err(|error| {
                let info = self.handler.get_info();
                self.amended(own::misread(error, &method, &info), &scope)
            });
        }
        let params = request.params.as_ref().unwrap_or(&Value::Null);
        let name = params
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let call = self.open(&context, "tools/call", name);
        let names = call.tool_names().await;
        if !params.get("name").is_some_and(Value::is_string) {
            let failure = own::missing_tool_name(params.get("name").is_some(), &names);
            return Err(own::protocol_error(
                &call.scope,
                failure,
                ErrorCode::INVALID_PARAMS,
            ));
        }
        let given = params.get("arguments").unwrap_or(&Value::Null);
        let faults = arguments::check(given, &serde_json::json!({"type": "object"}));
        let failure = if names.iter().any(|known| known == name) {
            arguments::problem(&faults).map(Occurrence::built_in)
        } else {
            Some(own::unknown_tool(name, &names))
        };
        let Some(failure) = failure else {
            return self.handler.on_custom_request(request, context).await;
        };
        let result = call.answer(name, failure).await;
        let mut result = serde_json::to_value(result).unwrap_or_default();
        let modern = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        if let (Value::Object(members), false) = (&mut result, modern) {
            members.remove("resultType");
        }
        Ok(CustomResult::new(result))
    }

    /// The error of a handler with the envelope beside what it says.
    fn amended(&self, error: ErrorData, scope: &Scope) -> ErrorData {
        let methods = own::methods(&self.handler.get_info());
        match own::failure(&error, &methods) {
            Some(failure) => own::protocol_error(scope, failure, error.code),
            None => error,
        }
    }

    fn open<'a>(
        &'a self,
        context: &'a RequestContext<RoleServer>,
        method: &str,
        name: &str,
    ) -> CallOf<'a, H> {
        let (scope, transport_writes) =
            edge::open(context, &self.door, method, &redact::echo(name));
        let told = context.extensions.get::<Told>();
        CallOf {
            server: self,
            context,
            scope,
            transport_writes: transport_writes && !told.is_some_and(Told::is_in_full),
            told,
        }
    }
}

/// One call of a tool, in its scope.
struct CallOf<'a, H> {
    server: &'a ProblemServer<H>,
    context: &'a RequestContext<RoleServer>,
    scope: Scope,
    transport_writes: bool,
    told: Option<&'a Told>,
}

impl<H: ServerHandler> CallOf<'_, H> {
    /// The answer to a call that failed: the value stays in the scope where the transport writes it.
    async fn answer(&self, tool: &str, failure: Occurrence) -> CallToolResult {
        let failure = self.honest(failure).await;
        if let Some(told) = self.told {
            told.tell(|| self.scope.preview(&failure));
        }
        let mode = self.server.mode_of(tool);
        if self.transport_writes {
            placeholder(self.scope.hold(failure), mode)
        } else {
            written(&self.scope, failure, mode)
        }
    }

    /// The failure without the tool it recommends, when this server does not have it.
    async fn honest(&self, failure: Occurrence) -> Occurrence {
        let Some(tool) = failure.problem().mcp_tool().map(ToString::to_string) else {
            return failure;
        };
        if self.server.handler.get_tool(&tool).is_some() {
            return failure;
        }
        let names = self.tool_names().await;
        if names.is_empty() || names.iter().any(|name| *name == *tool) {
            return failure;
        }
        failure.map(aon_core::ProblemDetails::without_mcp_tool)
    }

    async fn attempt(&self, request: CallToolRequestParams) -> Result<Outcome, ErrorData> {
        let server = self.server;
        let (name, given) = (request.name.clone(), request.arguments.clone());
        let resumed = request.request_state.is_some();
        let called = server.handler.call_tool(request, self.context.clone());
        let called = caught(self.scope.enter(called));
        let ended = match server.time_out {
            Some(limit) => tokio::time::timeout(limit, called).await,
            None => Ok(called.await),
        };
        let failure = match ended {
            Ok(Ok(Ok(CallToolResponse::Complete(result)))) => {
                if result.is_error != Some(true) {
                    return Ok(Outcome::Passed(result.into()));
                }
                match self.failure_in(&name, given.as_ref(), &result) {
                    Some(failure) => failure,
                    None => return Ok(Outcome::Foreign(self.foreign(&name, result).into())),
                }
            }
            Ok(Ok(Ok(response))) => return Ok(Outcome::Passed(response)),
            Ok(Ok(Err(error))) => {
                return self.refused(&name, given.as_ref(), error, resumed).await;
            }
            Ok(Err(words)) => Occurrence::broken("the tool panicked", words),
            Err(_elapsed) => own::timed_out(server.time_out.unwrap_or_default()),
        };
        Ok(Outcome::Failed(failure))
    }

    /// The failure a result stands for: one that was handed over, or arguments that rmcp's own extractor could not read,
    /// which it says in a text that starts with words of its own.
    fn failure_in(
        &self,
        tool: &str,
        given: Option<&JsonObject>,
        result: &CallToolResult,
    ) -> Option<Occurrence> {
        if let Some((ticket, _)) = ticket(result) {
            return self.scope.redeem(ticket);
        }
        self.bad_arguments(tool, given, first_text(result)?)
    }

    fn bad_arguments(
        &self,
        tool: &str,
        given: Option<&JsonObject>,
        words: &str,
    ) -> Option<Occurrence> {
        let message = words.strip_prefix(PREFIX)?.trim();
        let kept = parameters::ticket(words).and_then(|ticket| self.scope.redeem(ticket));
        Some(kept.unwrap_or_else(|| self.argument_problem(tool, given, message)))
    }

    fn argument_problem(
        &self,
        tool: &str,
        given: Option<&JsonObject>,
        message: &str,
    ) -> Occurrence {
        let schema = self.server.handler.get_tool(tool);
        let schema = schema.map_or(Value::Null, |tool| {
            Value::Object((*tool.input_schema).clone())
        });
        let given = Value::Object(given.cloned().unwrap_or_default());
        let said = vec![Fault::from_message(&given, message)];
        Occurrence::built_in(parameters::problem(&given, &schema, said))
    }

    /// A protocol error of the handler: an unknown tool, bad arguments, or a failure; the rest is the protocol's own.
    async fn refused(
        &self,
        tool: &str,
        given: Option<&JsonObject>,
        error: ErrorData,
        resumed: bool,
    ) -> Result<Outcome, ErrorData> {
        let failure = match error.code {
            ErrorCode::INVALID_PARAMS => {
                if let Some(failure) = self.bad_arguments(tool, given, &error.message) {
                    return Ok(Outcome::Failed(failure));
                }
                let names = self.tool_names().await;
                if !names.iter().any(|name| name == tool) {
                    return Ok(Outcome::Unknown(own::unknown_tool(tool, &names)));
                }
                if resumed {
                    // A handler that refuses the state of its own question speaks of the protocol.
                    return Err(self.server.amended(error, &self.scope));
                }
                self.argument_problem(tool, given, &error.message)
            }
            ErrorCode::INTERNAL_ERROR => {
                Occurrence::broken("the tool failed", error.message.into_owned())
            }
            ErrorCode::RESOURCE_NOT_FOUND => {
                Occurrence::built_in(own::resource_not_found(&error.message))
            }
            // Numbers of JSON-RPC and MCP have a meaning to the client; any other is the handler's own.
            ErrorCode(-32_768..=-32_000) => {
                return Err(self.server.amended(error, &self.scope));
            }
            ErrorCode(_) => own::tool_failed(&error.message),
        };
        Ok(Outcome::Failed(failure))
    }

    /// An error result without an envelope gets one beside its own words, of which secrets are hidden as in any other.
    fn foreign(&self, tool: &str, mut result: CallToolResult) -> CallToolResult {
        if result.structured_content.is_some() {
            return result;
        }
        let words = first_text(&result).unwrap_or("The tool failed.").to_owned();
        let failure = own::tool_failed(&words);
        if let Some(told) = self.told {
            told.tell(|| self.scope.preview(&failure));
        }
        let ours = written(&self.scope, failure, self.server.mode_of(tool));
        if result.content.is_empty() {
            result.content.clone_from(&ours.content);
        }
        for block in &mut result.content {
            if let Some(text) = block.as_text() {
                *block = ContentBlock::text(redact::text(&text.text).into_owned());
            }
        }
        result.structured_content = ours.structured_content;
        result.meta = result.meta.or(ours.meta);
        result
    }

    async fn tool_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut page: Option<PaginatedRequestParams> = None;
        for _ in 0..32 {
            let Ok(listed) = self
                .server
                .handler
                .list_tools(page, self.context.clone())
                .await
            else {
                break;
            };
            names.extend(listed.tools.into_iter().map(|tool| tool.name.into_owned()));
            let Some(cursor) = listed.next_cursor else {
                break;
            };
            page = Some(PaginatedRequestParams::default().with_cursor(Some(cursor)));
        }
        names
    }
}

enum Outcome {
    Passed(CallToolResponse),
    /// A failure in the handler's own words.
    Foreign(CallToolResponse),
    Failed(Occurrence),
    /// There is no such tool, so its arguments mean nothing.
    Unknown(Occurrence),
}

impl Outcome {
    /// The code it failed with.
    fn failed(&self) -> Option<&str> {
        match self {
            Self::Passed(_) => None,
            Self::Foreign(_) => Some(own::TOOL_FAILED.code),
            Self::Failed(failure) | Self::Unknown(failure) => Some(failure.code()),
        }
    }
}

fn first_text(result: &CallToolResult) -> Option<&str> {
    result
        .content
        .iter()
        .find_map(|block| block.as_text())
        .map(|text| text.text.as_str())
}
