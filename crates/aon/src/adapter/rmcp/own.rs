//! The problems this adapter makes itself.

use std::time::Duration;

use ::rmcp::ErrorData;
use ::rmcp::model::{ErrorCode, ProtocolVersion, ServerConfig};
use aon_core::{Code, ExtensionName, Json, Namespace, ProblemDetails, Status, ToolName, suggest};
use serde_json::Value;

use super::message;
use crate::jsonrpc;
use crate::surface::envelope::{self, MCP};
use crate::surface::{Call, mcp, raw};

pub(super) fn internal() -> ProblemDetails {
    ProblemDetails::new(Status::from_static(500), Code::from_static("internal"))
        .with_title("Internal error")
        .with_detail("Something failed inside. The request id leads to it in the log.")
}

pub(super) fn timed_out(limit: Duration) -> ProblemDetails {
    ProblemDetails::new(
        Status::from_static(504),
        Code::from_static("tool_timed_out"),
    )
    .with_title("The tool took too long")
    .with_detail(format!(
        "The tool was stopped after {} seconds.",
        limit.as_secs_f64()
    ))
}

pub(super) fn tool_failed(words: &str) -> ProblemDetails {
    ProblemDetails::new(Status::from_static(500), Code::from_static("tool_failed"))
        .with_title("The tool failed")
        .with_detail(words.to_owned())
}

pub(super) fn unknown_tool(tool: &str, names: &[String]) -> ProblemDetails {
    let nearest = suggest::nearest(tool, names.iter().map(String::as_str));
    let problem = ProblemDetails::new(Status::from_static(404), Code::from_static("unknown_tool"))
        .with_title("No such tool")
        .with_detail(match nearest {
            Some(nearest) => format!("There is no tool of this name; did you mean \"{nearest}\"?"),
            None => "There is no tool of this name.".to_owned(),
        })
        .with_valid_values("tool", names);
    let Some(nearest) = nearest else {
        return problem;
    };
    let kept = problem.clone();
    let problem = problem
        .with_extension(ExtensionName::from_static("suggestion"), nearest)
        .unwrap_or(kept);
    match ToolName::parse(nearest.to_owned()) {
        Ok(nearest) => problem.with_mcp_tool(nearest),
        Err(_no_tool_name) => problem,
    }
}

/// What the transport answered in plain text.
pub(super) fn of_transport(status: u16, said: &str) -> ProblemDetails {
    let code = match status {
        400 if said.contains("Unsupported MCP-Protocol-Version") => {
            let known = ProtocolVersion::KNOWN_VERSIONS.iter();
            let known: Vec<String> = known.map(|version| version.as_str().to_owned()).collect();
            let code = Code::from_static("unsupported_protocol_version");
            return ProblemDetails::new(Status::from_static(400), code)
                .with_detail("The protocol version in the header is not known here.")
                .with_valid_values("mcp-protocol-version", known);
        }
        401 => Code::from_static("unauthorized"),
        403 => Code::from_static("forbidden"),
        404 => Code::from_static("session_not_found"),
        405 => Code::from_static("method_not_allowed"),
        406 => Code::from_static("not_acceptable"),
        413 => Code::from_static("request_too_large"),
        415 => Code::from_static("unsupported_media_type"),
        429 => Code::from_static("too_many_requests"),
        503 => Code::from_static("service_unavailable"),
        400..=499 => Code::from_static("invalid_request"),
        _ => {
            tracing::error!(status, "the transport failed: {said}");
            return internal();
        }
    };
    let status = Status::new(status).unwrap_or(Status::from_static(400));
    let problem = ProblemDetails::new(status, code);
    match said.trim() {
        "" => problem,
        said => problem.with_detail(said.chars().take(500).collect::<String>()),
    }
}

/// The problem of an error of the protocol, with what the protocol itself puts into its data.
fn of_error(
    number: i32,
    said: &str,
    data: Option<&str>,
    methods: &[&'static str],
) -> ProblemDetails {
    let new = |status, code| {
        ProblemDetails::new(Status::from_static(status), Code::from_static(code))
            .with_detail(said.to_owned())
    };
    let mut problem = match ErrorCode(number) {
        ErrorCode::PARSE_ERROR => jsonrpc::parse_error(),
        ErrorCode::METHOD_NOT_FOUND => jsonrpc::method_not_found(said, methods.iter().copied()),
        ErrorCode::INVALID_PARAMS => jsonrpc::invalid_params(said),
        ErrorCode::RESOURCE_NOT_FOUND => new(404, "resource_not_found"),
        ErrorCode::INTERNAL_ERROR => internal(),
        ErrorCode(-32_020) => new(400, "header_mismatch"),
        ErrorCode(-32_021) => new(400, "missing_client_capability"),
        ErrorCode(-32_022) => new(400, "unsupported_protocol_version"),
        _ => jsonrpc::invalid_request(said),
    };
    for (name, value) in data.and_then(raw::members).unwrap_or_default() {
        let member = ExtensionName::parse(name.into_owned()).ok();
        let value = Json::parse(value).ok();
        if let (Some(name), Some(value)) = (member, value) {
            let kept = problem.clone();
            problem = problem.with_extension(name, &value).unwrap_or(kept);
        }
    }
    problem
}

/// The body of an error response with the envelope beside what it told; `None` when it is there, or it is none.
pub(super) fn completed(body: &[u8], request_id: String) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(body).ok()?;
    let members = raw::members(text)?;
    let error = raw::find(&members, "error")?;
    let data = raw::member(error, "data");
    if data.is_some_and(|data| envelope::is_envelope(data, &MCP)) {
        return None;
    }
    let number: i32 = raw::member(error, "code")?.parse().ok()?;
    let said = raw::text(raw::member(error, "message")?)?;
    let problem = of_error(number, &said, data, &[]);
    let problem = problem.with_request_id(&Namespace::DEFAULT, request_id);
    let id = raw::find(&members, "id").unwrap_or("null");
    Some(message::error_saying(
        id,
        ErrorCode(number),
        &said,
        &problem,
    ))
}

/// The same for an error on its way through a handler.
pub(super) fn amended(error: ErrorData, server: &ServerConfig, request_id: String) -> ErrorData {
    let data = error.data.as_ref().map(Value::to_string);
    if data
        .as_deref()
        .is_some_and(|data| envelope::is_envelope(data, &MCP))
    {
        return error;
    }
    let methods = methods(server);
    let problem = of_error(error.code.0, &error.message, data.as_deref(), &methods);
    let problem = problem.with_request_id(&Namespace::DEFAULT, request_id);
    let said = error.message.into_owned();
    protocol_error(error.code, said, &problem)
}

/// An error of the protocol, the envelope as its data.
pub(super) fn protocol_error(code: ErrorCode, said: String, problem: &ProblemDetails) -> ErrorData {
    let mut envelope = Vec::with_capacity(512);
    mcp::write_envelope(problem, &Call::default(), &mut envelope);
    ErrorData::new(code, said, serde_json::from_slice(&envelope).ok())
}

/// A call that does not say which tool.
pub(super) fn missing_tool_name(names: &[String]) -> ProblemDetails {
    let why = "The name of the tool is missing.";
    ProblemDetails::new(
        Status::from_static(422),
        Code::from_static("missing_tool_name"),
    )
    .with_title("Missing tool name")
    .with_detail(why)
    .with_valid_values("name", names)
    .with_pointer("/name", Some(why))
}

/// The methods a server with these capabilities answers.
fn methods(server: &ServerConfig) -> Vec<&'static str> {
    let able = &server.capabilities;
    let mut methods = vec!["initialize", "ping", "server/discover"];
    if able.tools.is_some() {
        methods.extend(["tools/list", "tools/call"]);
    }
    if able.prompts.is_some() {
        methods.extend(["prompts/list", "prompts/get"]);
    }
    if able.resources.is_some() {
        methods.extend([
            "resources/list",
            "resources/read",
            "resources/templates/list",
        ]);
    }
    if able.completions.is_some() {
        methods.push("completion/complete");
    }
    methods
}
