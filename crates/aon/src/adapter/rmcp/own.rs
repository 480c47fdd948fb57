//! The problems this adapter makes itself.

use std::time::Duration;

use ::rmcp::ErrorData;
use ::rmcp::model::{ErrorCode, ProtocolVersion, ServerConfig};
use aon_core::{ExtensionName, Json, Namespace, ProblemDetails, ToolName, suggest};
use serde_json::Value;

use super::message;
use crate::surface::envelope::{self, MCP};
use crate::surface::{Call, mcp, raw};
use crate::{builtin, jsonrpc};

crate::builtin::entries! { "aon::rmcp":
    /// There is no tool of this name.
    UNKNOWN_TOOL = 404, "unknown_tool", "No such tool", "There is no tool of this name.",
        none(no_public_equivalent_exists) "Call one of the tools in valid_values; tools/list describes them.",
        extensions: ["suggestion"];
    /// A call does not say which tool.
    MISSING_TOOL_NAME = 422, "missing_tool_name", "Missing tool name", "The name of the tool is missing.",
        none(no_public_equivalent_exists) "Name one of the tools in valid_values.";
    /// A tool was stopped because it took too long.
    TOOL_TIMED_OUT = 504, "tool_timed_out", "The tool took too long", "The tool was stopped after {seconds} seconds.",
        wait_for_provisioning "Call it again later, or ask for less at once.";
    /// A tool failed, in words of its own.
    TOOL_FAILED = 500, "tool_failed", "The tool failed", "{words}",
        none(no_public_equivalent_exists) "Read what the tool says; report the request id if that does not help.";
    /// There is no such resource.
    RESOURCE_NOT_FOUND = 404, "resource_not_found", "No such resource", "{words}",
        none(no_public_equivalent_exists) "Read one of the resources that resources/list names.";
    /// The session is not known, or has ended.
    SESSION_NOT_FOUND = 404, "session_not_found", "No such session", "The session is not known here, or has ended.",
        none(no_public_equivalent_exists) "Start a new session with initialize.";
    /// A header contradicts the body, or is missing.
    HEADER_MISMATCH = 400, "header_mismatch", "Headers do not match", "{words}",
        none(no_public_equivalent_exists) "Send the headers of the protocol with the values of the body.";
    /// The client lacks a capability the request needs.
    MISSING_CLIENT_CAPABILITY = 400, "missing_client_capability", "Missing capability", "{words}",
        none(no_public_equivalent_exists) "Use a client that has the capabilities in requiredCapabilities.",
        extensions: ["requiredCapabilities"];
    /// The protocol version is not spoken here.
    UNSUPPORTED_PROTOCOL_VERSION = 400, "unsupported_protocol_version", "Protocol version not supported", "The protocol version is not known here.",
        none(no_public_equivalent_exists) "Name one of the versions in valid_values or supported.",
        extensions: ["supported", "requested"];
}

pub(super) fn internal() -> ProblemDetails {
    builtin::problem(&builtin::INTERNAL)
}

pub(super) fn timed_out(limit: Duration) -> ProblemDetails {
    let seconds = limit.as_secs_f64();
    builtin::problem(&TOOL_TIMED_OUT)
        .with_detail(format!("The tool was stopped after {seconds} seconds."))
}

pub(super) fn tool_failed(words: &str) -> ProblemDetails {
    builtin::problem(&TOOL_FAILED).with_detail(words.to_owned())
}

pub(super) fn resource_not_found(words: &str) -> ProblemDetails {
    builtin::problem(&RESOURCE_NOT_FOUND).with_detail(words.to_owned())
}

pub(super) fn unknown_tool(tool: &str, names: &[String]) -> ProblemDetails {
    let nearest = suggest::nearest(tool, names.iter().map(String::as_str));
    let mut problem = builtin::problem(&UNKNOWN_TOOL).with_valid_values("tool", names);
    if let Some(nearest) = nearest {
        let words = format!("There is no tool of this name; did you mean \"{nearest}\"?");
        problem = problem.with_detail(words);
    }
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
    let entry = match status {
        400 if said.contains("Unsupported MCP-Protocol-Version") => {
            let known = ProtocolVersion::KNOWN_VERSIONS.iter();
            let known: Vec<String> = known.map(|version| version.as_str().to_owned()).collect();
            return builtin::problem(&UNSUPPORTED_PROTOCOL_VERSION)
                .with_valid_values("mcp-protocol-version", known);
        }
        404 => &SESSION_NOT_FOUND,
        // rmcp's answer to JSON that is no message; nothing is wrong with the media type.
        415 if said.starts_with("fail to deserialize") => {
            return jsonrpc::invalid_request("The message does not have the form of the protocol.");
        }
        413 => return jsonrpc::request_too_large(),
        400..=499 => match builtin::ALL.iter().find(|entry| entry.status == status) {
            Some(entry) if status != 422 => *entry,
            _ => return jsonrpc::invalid_request(brief(said)),
        },
        503 => &builtin::SERVICE_UNAVAILABLE,
        _ => {
            tracing::error!(status, "the transport failed: {said}");
            return internal();
        }
    };
    let problem = builtin::problem(entry);
    match brief(said) {
        said if said.is_empty() => problem,
        said => problem.with_detail(said),
    }
}

/// As much of a text as belongs into an error.
fn brief(said: &str) -> String {
    said.trim().chars().take(500).collect()
}

/// The problem of an error of the protocol, with what the protocol itself puts into its data.
fn of_error(
    number: i32,
    said: &str,
    data: Option<&str>,
    methods: &[&'static str],
) -> ProblemDetails {
    let said = brief(said);
    let mut problem = match ErrorCode(number) {
        ErrorCode::PARSE_ERROR => jsonrpc::parse_error(),
        ErrorCode::METHOD_NOT_FOUND => jsonrpc::method_not_found(&said, methods.iter().copied()),
        ErrorCode::INVALID_PARAMS => jsonrpc::invalid_params(said),
        ErrorCode::RESOURCE_NOT_FOUND => resource_not_found(&said),
        ErrorCode::INTERNAL_ERROR => internal(),
        ErrorCode(-32_020) => builtin::problem(&HEADER_MISMATCH).with_detail(said),
        ErrorCode(-32_021) => builtin::problem(&MISSING_CLIENT_CAPABILITY).with_detail(said),
        ErrorCode(-32_022) => builtin::problem(&UNSUPPORTED_PROTOCOL_VERSION).with_detail(said),
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

/// A method that is there is not found only because its parameters could not be read.
pub(super) fn misread(error: ErrorData, method: &str, server: &ServerConfig) -> ErrorData {
    // Whether there is a handshake or a ping is for the protocol version to say.
    let lasting = !LIFECYCLE.contains(&method) && methods(server).contains(&method);
    if error.code != ErrorCode::METHOD_NOT_FOUND || !lasting {
        return error;
    }
    let said = format!("The parameters of {method} do not have the form of the protocol.");
    ErrorData::invalid_params(said, None)
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
pub(super) fn missing_tool_name(given: bool, names: &[String]) -> ProblemDetails {
    let why = if given {
        "The name of the tool must be a string."
    } else {
        MISSING_TOOL_NAME.detail
    };
    builtin::problem(&MISSING_TOOL_NAME)
        .with_detail(why)
        .with_valid_values("name", names)
        .with_pointer("/name", Some(why))
}

/// The methods of the protocol itself.
const LIFECYCLE: [&str; 3] = ["initialize", "ping", "server/discover"];

/// The methods a server with these capabilities answers.
fn methods(server: &ServerConfig) -> Vec<&'static str> {
    let able = &server.capabilities;
    let mut methods = LIFECYCLE.to_vec();
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

#[cfg(test)]
mod tests {
    use ::rmcp::model::ServerCapabilities;

    use super::*;

    #[test]
    fn a_known_method_is_not_called_unknown() {
        let able = ServerCapabilities::builder().enable_prompts().build();
        let server = ServerConfig::new(able);
        for (method, code) in [
            ("prompts/get", ErrorCode::INVALID_PARAMS),
            ("resources/read", ErrorCode::METHOD_NOT_FOUND),
            ("initialize", ErrorCode::METHOD_NOT_FOUND),
            ("ping", ErrorCode::METHOD_NOT_FOUND),
        ] {
            let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None);
            assert_eq!(misread(error, method, &server).code, code, "{method}");
        }
    }
}
