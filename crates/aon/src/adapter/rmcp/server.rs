//! The server around a handler: whatever happens to a tool, the client gets a problem.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use ::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, JsonObject, PaginatedRequestParams,
};
use ::rmcp::service::RequestContext;
use ::rmcp::{ErrorData, RoleServer, ServerHandler};
use aon_core::{Json, Namespace, ProblemDetails};
use serde_json::Value;

use super::ask::{Answer, Brought, Question, take_answer};
use super::own::{self, internal, timed_out, tool_failed, unknown_tool};
use super::parameters::{self, PREFIX};
use super::result::{CURRENT, Current, to_result};
use super::slot::Slot;
use crate::adapter::ids;
use crate::adapter::unwind::caught;
use crate::arguments;
use crate::surface::Call;
use crate::surface::correct::Correction;
use crate::surface::mcp::{self, Mode};

mod delegate;

/// How a call of a tool that does not exist is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownTool {
    /// As a tool result, which clients show to the model.
    #[default]
    Result,
    /// As the protocol error the specification describes, the problem in its data.
    ProtocolError,
}

/// An rmcp handler whose tools fail with problems.
///
/// It is a [`ServerHandler`] itself: serve it wherever the handler was served, over stdio or HTTP, in both protocol
/// eras.
#[derive(Clone, Debug)]
pub struct ProblemServer<H> {
    handler: H,
    mode: Mode,
    tools: BTreeMap<String, Mode>,
    time_out: Option<Duration>,
    unknown_tool: UnknownTool,
    ask: bool,
}

impl<H: ServerHandler> ProblemServer<H> {
    /// Wraps a handler: structured errors, no time-out, nobody is asked.
    pub fn new(handler: H) -> Self {
        Self {
            handler,
            mode: Mode::default(),
            tools: BTreeMap::new(),
            time_out: None,
            unknown_tool: UnknownTool::default(),
            ask: false,
        }
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

    /// Sets how a call of a tool that does not exist is answered.
    #[must_use]
    pub fn with_unknown_tool(mut self, answer: UnknownTool) -> Self {
        self.unknown_tool = answer;
        self
    }

    /// Asks the person behind the client for a value that is missing or wrong, where the client can.
    #[must_use]
    pub fn with_asking(mut self, ask: bool) -> Self {
        self.ask = ask;
        self
    }

    /// The handler.
    pub fn handler(&self) -> &H {
        &self.handler
    }

    fn mode_of(&self, tool: &str) -> Mode {
        self.tools.get(tool).copied().unwrap_or(self.mode)
    }

    async fn call(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let brought = if self.ask {
            take_answer(&mut request)
        } else {
            Brought::Nothing
        };
        let first = self.attempt(request.clone(), &context).await?;
        let (request, problem) = match first {
            Outcome::Passed(response) => return Ok(response),
            Outcome::Unknown(problem) => {
                return Ok(self.answer(&request, &problem, false, &context));
            }
            Outcome::Failed(problem) => (request, problem),
        };
        let question = match brought {
            Brought::Nothing if self.ask => Question::of(&problem),
            Brought::Nothing | Brought::Choice | Brought::Refusal => None,
        };
        let next = match question {
            Some(question) => match question.ask(&request, &context).await {
                Answer::Chosen(request) => Some(*request),
                Answer::Later(response) => return Ok(response),
                Answer::Nothing => None,
            },
            None if brought == Brought::Choice => typed(&request, &problem),
            None => None,
        };
        let Some(next) = next else {
            return Ok(self.answer(&request, &problem, true, &context));
        };
        match self.attempt(next.clone(), &context).await? {
            Outcome::Passed(response) => Ok(response),
            Outcome::Failed(problem) | Outcome::Unknown(problem) => {
                Ok(self.answer(&next, &problem, true, &context))
            }
        }
    }

    fn answer(
        &self,
        request: &CallToolRequestParams,
        problem: &ProblemDetails,
        correct: bool,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let none = JsonObject::new();
        let given = Json::of(request.arguments.as_ref().unwrap_or(&none)).ok();
        let given = given.filter(|_| correct);
        let call = Call {
            arguments: given.as_ref(),
            ..Call::default()
        };
        self.result(&request.name, problem, &call, context).into()
    }

    fn result(
        &self,
        tool: &str,
        problem: &ProblemDetails,
        call: &Call<'_>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let mode = self.mode_of(tool);
        let Some(slot) = Slot::of(context) else {
            return to_result(problem, call, mode);
        };
        let mut envelope = Vec::with_capacity(1536);
        let text = mcp::write_parts(problem, call, &mut envelope);
        slot.put(context, mode, &text, &envelope);
        // The transport sends what was left in its place.
        CallToolResult::error(vec![ContentBlock::text(text)])
    }

    async fn attempt(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Outcome, ErrorData> {
        let current = Current {
            request_id: request_id(context),
            problem: Mutex::new(None),
        };
        let id = current.request_id.clone();
        let (name, given) = (request.name.clone(), request.arguments.clone());
        let resumed = request.request_state.is_some();
        let called = CURRENT.scope(current, async {
            let context = context.clone();
            let result = self.handler.call_tool(request, context).await;
            let left = CURRENT.try_with(Current::take).ok().flatten();
            (result, left)
        });
        let called = caught(called);
        let ended = match self.time_out {
            Some(limit) => tokio::time::timeout(limit, called).await,
            None => Ok(called.await),
        };
        let problem = match ended {
            Ok(Ok((Ok(CallToolResponse::Complete(result)), left))) => {
                if result.is_error != Some(true) {
                    return Ok(Outcome::Passed(result.into()));
                }
                match left.or_else(|| self.bad_arguments(&name, given.as_ref(), &result)) {
                    Some(problem) => problem,
                    None => return Ok(Outcome::Passed(self.foreign(&name, result, &id).into())),
                }
            }
            Ok(Ok((Ok(response), _))) => return Ok(Outcome::Passed(response)),
            Ok(Ok((Err(_), Some(problem)))) => problem,
            Ok(Ok((Err(error), None))) => {
                return self
                    .refused(&name, given.as_ref(), error, context, &id, resumed)
                    .await;
            }
            Ok(Err(words)) => {
                tracing::error!(tool = %name, request_id = %id, "tool panicked: {words}");
                internal()
            }
            Err(_elapsed) => {
                tracing::warn!(tool = %name, request_id = %id, "tool timed out");
                timed_out(self.time_out.unwrap_or_default())
            }
        };
        Ok(Outcome::Failed(with_id(problem, &id)))
    }

    /// Arguments rmcp's own extractor could not read: it says so in a text that starts with words of its own.
    fn bad_arguments(
        &self,
        tool: &str,
        given: Option<&JsonObject>,
        result: &CallToolResult,
    ) -> Option<ProblemDetails> {
        let text = first_text(result)?;
        let message = text.strip_prefix(PREFIX)?.trim();
        Some(self.argument_problem(tool, given, message))
    }

    fn argument_problem(
        &self,
        tool: &str,
        given: Option<&JsonObject>,
        message: &str,
    ) -> ProblemDetails {
        let schema = self.handler.get_tool(tool).map(|tool| tool.input_schema);
        let schema = schema.map_or(Value::Null, |schema| Value::Object((*schema).clone()));
        let given = Value::Object(given.cloned().unwrap_or_default());
        parameters::problem(&given, &schema, "", message)
    }

    /// A protocol error of the handler: an unknown tool, bad arguments, or a failure; the rest is the protocol's own.
    async fn refused(
        &self,
        tool: &str,
        given: Option<&JsonObject>,
        error: ErrorData,
        context: &RequestContext<RoleServer>,
        id: &str,
        resumed: bool,
    ) -> Result<Outcome, ErrorData> {
        let problem = match error.code {
            ErrorCode::INVALID_PARAMS => {
                let names = self.tool_names(context).await;
                if !names.iter().any(|name| name == tool) {
                    let problem = with_id(unknown_tool(tool, &names), id);
                    return match self.unknown_tool {
                        UnknownTool::Result => Ok(Outcome::Unknown(problem)),
                        UnknownTool::ProtocolError => {
                            let words = problem.detail().unwrap_or_default().to_owned();
                            Err(own::protocol_error(
                                ErrorCode::INVALID_PARAMS,
                                words,
                                &problem,
                            ))
                        }
                    };
                }
                if resumed {
                    // A handler that refuses the state of its own question speaks of the protocol.
                    return Err(error);
                }
                self.argument_problem(tool, given, &error.message)
            }
            ErrorCode::INTERNAL_ERROR => {
                tracing::error!(tool, request_id = id, "tool failed: {}", error.message);
                internal()
            }
            ErrorCode::RESOURCE_NOT_FOUND => own::resource_not_found(&error.message),
            // Numbers of JSON-RPC and MCP have a meaning to the client; any other is the handler's own.
            ErrorCode(-32_768..=-32_000) => return Err(error),
            ErrorCode(_) => tool_failed(&error.message),
        };
        Ok(Outcome::Failed(with_id(problem, id)))
    }

    /// An error result without an envelope gets one beside its own words.
    fn foreign(&self, tool: &str, mut result: CallToolResult, id: &str) -> CallToolResult {
        if result.structured_content.is_some() {
            return result;
        }
        let words = first_text(&result).unwrap_or("The tool failed.").to_owned();
        let problem = with_id(tool_failed(&words), id);
        let ours = to_result(&problem, &Call::default(), self.mode_of(tool));
        if result.content.is_empty() {
            result.content.clone_from(&ours.content);
        }
        result.structured_content = ours.structured_content;
        result.meta = result.meta.or(ours.meta);
        result
    }

    /// What rmcp could not read as a request of the protocol: a call with odd arguments, or an unknown method.
    async fn custom(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let id = request_id(&context);
        if request.method != "tools/call" {
            let method = request.method.clone();
            let result = self.handler.on_custom_request(request, context).await;
            let info = self.handler.get_info();
            return result
                .map_err(|error| own::amended(own::misread(error, &method, &info), &info, id));
        }
        let params = request.params.as_ref().unwrap_or(&Value::Null);
        let names = self.tool_names(&context).await;
        let Some(Value::String(name)) = params.get("name") else {
            let given = params.get("name").is_some();
            let problem = with_id(own::missing_tool_name(given, &names), &id);
            let words = problem.detail().unwrap_or_default().to_owned();
            return Err(own::protocol_error(
                ErrorCode::INVALID_PARAMS,
                words,
                &problem,
            ));
        };
        let given = params.get("arguments").unwrap_or(&Value::Null);
        let faults = arguments::check(given, &serde_json::json!({"type": "object"}));
        let problem = if names.contains(name) {
            arguments::problem(&faults)
        } else {
            Some(unknown_tool(name, &names))
        };
        let Some(problem) = problem else {
            return self.handler.on_custom_request(request, context).await;
        };
        let problem = with_id(problem, &id);
        let result = self.result(name, &problem, &Call::default(), &context);
        let mut result = serde_json::to_value(result).unwrap_or_default();
        let modern = context
            .protocol_version()
            .is_some_and(|version| version >= ::rmcp::model::ProtocolVersion::V_2026_07_28);
        if let (Value::Object(members), true) = (&mut result, modern) {
            members.insert("resultType".to_owned(), Value::from("complete"));
        }
        Ok(CustomResult::new(result))
    }

    async fn tool_names(&self, context: &RequestContext<RoleServer>) -> Vec<String> {
        let mut names = Vec::new();
        let mut page: Option<PaginatedRequestParams> = None;
        for _ in 0..32 {
            let Ok(listed) = self.handler.list_tools(page, context.clone()).await else {
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
    Failed(ProblemDetails),
    /// There is no such tool, so its arguments mean nothing.
    Unknown(ProblemDetails),
}

/// A person's choice arrives as text; where the tool wants the number or boolean it spells, it is that.
fn typed(
    request: &CallToolRequestParams,
    problem: &ProblemDetails,
) -> Option<CallToolRequestParams> {
    let given = Value::Object(request.arguments.clone().unwrap_or_default());
    let correction = Correction::of(problem, &arguments::json(&given)?)?;
    let Value::Object(corrected) = correction.arguments().to_value() else {
        return None;
    };
    let mut request = request.clone();
    request.arguments = Some(corrected);
    Some(request)
}

fn first_text(result: &CallToolResult) -> Option<&str> {
    result
        .content
        .iter()
        .find_map(|block| block.as_text())
        .map(|text| text.text.as_str())
}

fn with_id(problem: ProblemDetails, id: &str) -> ProblemDetails {
    if problem.request_id().is_some() {
        return problem;
    }
    problem.with_request_id(&Namespace::DEFAULT, id.to_owned())
}

/// The id the request brought (P3), or a new one.
fn request_id(context: &RequestContext<RoleServer>) -> String {
    brought(context).unwrap_or_else(ids::fresh)
}

/// The id the request brought.
fn brought(context: &RequestContext<RoleServer>) -> Option<String> {
    let parts = context.extensions.get::<http::request::Parts>();
    parts
        .and_then(|parts| ids::brought(&parts.headers))
        .or_else(|| context.meta.get_traceparent().and_then(ids::trace_id))
}
