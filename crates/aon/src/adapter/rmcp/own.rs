//! The problems this adapter makes itself.

use std::time::Duration;

use ::http::header;
use ::http::response::Parts;
use ::rmcp::ErrorData;
use ::rmcp::model::{ErrorCode, ProtocolVersion, ServerConfig};
use aon_core::{ExtensionName, ProblemDetails, ToolName, suggest};
use serde_json::Value;

use crate::adapter::listed;
use crate::door::{Door, Occurrence, Scope, replaced};
use crate::surface::envelope::MCP;
use crate::surface::mcp;
use crate::{builtin, jsonrpc};

crate::builtin::entries! { "aon::rmcp":
    /// A call does not say which tool.
    MISSING_TOOL_NAME = 422, "missing_tool_name", "Missing tool name", "The name of the tool is missing.";
    /// A tool was stopped because it took too long.
    TOOL_TIMED_OUT = 504, "tool_timed_out", "The tool took too long", "The tool was stopped after {seconds} seconds.",
        retry_after: 5;
    /// A tool failed; the detail is in its own words.
    TOOL_FAILED = 500, "tool_failed", "The tool failed", "{words}";
    /// There is no such resource.
    RESOURCE_NOT_FOUND = 404, "resource_not_found", "No such resource", "{words}";
    /// The session is not known, or has ended.
    SESSION_NOT_FOUND = 404, "session_not_found", "No such session", "The session is unknown or has ended; start a new one with initialize.";
    /// A header contradicts the body, or is missing.
    HEADER_MISMATCH = 400, "header_mismatch", "Headers do not match", "{words}";
    /// The client lacks a capability the request needs.
    MISSING_CLIENT_CAPABILITY = 400, "missing_client_capability", "Missing capability", "{words}",
        extensions: ["requiredCapabilities"];
    /// The protocol version is not supported.
    UNSUPPORTED_PROTOCOL_VERSION = 400, "unsupported_protocol_version", "Protocol version not supported", "This protocol version is not supported.",
        extensions: ["supported", "requested"];
}

/// The code in the data of a protocol error, where the envelope is in it.
pub(super) fn code_of(error: &ErrorData) -> &str {
    let code = error.data.as_ref().and_then(|data| data.get("code"));
    code.and_then(Value::as_str).unwrap_or("protocol_error")
}

pub(super) fn timed_out(limit: Duration) -> Occurrence {
    let seconds = limit.as_secs_f64();
    let s = if limit == Duration::from_secs(1) {
        ""
    } else {
        "s"
    };
    let problem = builtin::problem(&TOOL_TIMED_OUT)
        .with_detail(format!("The tool was stopped after {seconds} second{s}."));
    Occurrence::built_in(problem)
}

pub(super) fn tool_failed(words: &str) -> Occurrence {
    Occurrence::built_in(builtin::problem(&TOOL_FAILED).with_detail(brief(words)))
}

pub(super) fn resource_not_found(words: &str) -> ProblemDetails {
    builtin::problem(&RESOURCE_NOT_FOUND).with_detail(brief(words))
}

pub(super) fn unknown_tool(tool: &str, names: &[String]) -> Occurrence {
    let known = || names.iter().map(String::as_str);
    let problem = jsonrpc::unknown_operation("tool", tool, known());
    let nearest = suggest::nearest(tool, known()).map(str::to_owned);
    let nearest = nearest.and_then(|nearest| ToolName::parse(nearest).ok());
    Occurrence::built_in(match nearest {
        Some(nearest) => problem.with_mcp_tool(nearest),
        None => problem,
    })
}

/// What the transport answered in plain text.
pub(super) fn of_transport(parts: &Parts, said: &str, door: &Door) -> Occurrence {
    let status = parts.status.as_u16();
    let problem = match status {
        400 if said.contains("Unsupported MCP-Protocol-Version") => {
            let known = ProtocolVersion::KNOWN_VERSIONS.iter();
            let known: Vec<String> = known.map(|version| version.as_str().to_owned()).collect();
            let problem = builtin::problem(&UNSUPPORTED_PROTOCOL_VERSION);
            return Occurrence::built_in(problem.with_valid_values("mcp-protocol-version", known));
        }
        404 => builtin::problem(&SESSION_NOT_FOUND),
        // rmcp's answer to JSON that is not a message; nothing is wrong with the media type.
        415 if said.starts_with("fail to deserialize") => {
            let why = "The message does not follow the protocol.";
            return Occurrence::built_in(jsonrpc::invalid_request(why));
        }
        405 => builtin::method_not_allowed(listed(&parts.headers, &header::ALLOW)),
        413 => builtin::too_large(Some(door.body_limit())),
        415 => builtin::unsupported_media_type(&["application/json"]),
        400..=499 | 503 => match builtin::of_status(status) {
            Some(entry) => builtin::problem(entry),
            None => jsonrpc::invalid_request(brief(said)),
        },
        _ => return Occurrence::broken("the transport failed", replaced(said.as_bytes())),
    };
    // Beside a problem of its own, what the transport said is the better detail.
    let phrase = problem.status().map_or("", aon_core::Status::phrase);
    let told = !matches!(status, 405 | 413 | 415) && !["", phrase].contains(&said.trim());
    Occurrence::built_in(if told {
        problem.with_detail(brief(said))
    } else {
        problem
    })
}

/// As much of a text as belongs into an error.
fn brief(said: &str) -> String {
    crate::adapter::brief(said, 300)
}

/// The failure an error of the protocol tells, with what the protocol itself puts into its data; `None` when it is a problem
/// already.
pub(super) fn failure(error: &ErrorData, methods: &[&'static str]) -> Option<Occurrence> {
    let data = error.data.as_ref();
    let schema = data.and_then(|data| data.get("schema"));
    if schema.and_then(Value::as_str) == Some(MCP.schema) {
        return None;
    }
    let said = brief(&error.message);
    let mut problem = match error.code {
        ErrorCode::PARSE_ERROR => jsonrpc::parse_error(),
        ErrorCode::METHOD_NOT_FOUND => {
            jsonrpc::method_not_found(&error.message, methods.iter().copied())
        }
        ErrorCode::INVALID_PARAMS => jsonrpc::invalid_params(said),
        ErrorCode::RESOURCE_NOT_FOUND => resource_not_found(&said),
        ErrorCode::INTERNAL_ERROR => {
            return Some(Occurrence::broken(
                "the server failed",
                error.message.to_string(),
            ));
        }
        ErrorCode(-32_020) => builtin::problem(&HEADER_MISMATCH).with_detail(said),
        ErrorCode(-32_021) => builtin::problem(&MISSING_CLIENT_CAPABILITY).with_detail(said),
        ErrorCode(-32_022) => builtin::problem(&UNSUPPORTED_PROTOCOL_VERSION).with_detail(said),
        _ => jsonrpc::invalid_request(said),
    };
    for (name, value) in data.and_then(Value::as_object).into_iter().flatten() {
        if let Ok(name) = ExtensionName::parse(name.clone()) {
            let kept = problem.clone();
            problem = problem.with_extension(name, value).unwrap_or(kept);
        }
    }
    Some(Occurrence::built_in(problem))
}

/// A method that is there is not found only because its parameters could not be read.
pub(super) fn misread(error: ErrorData, method: &str, server: &ServerConfig) -> ErrorData {
    // Whether there is a handshake or a ping is for the protocol version to say.
    let lasting = !LIFECYCLE.contains(&method) && methods(server).contains(&method);
    if error.code != ErrorCode::METHOD_NOT_FOUND || !lasting {
        return error;
    }
    let said = format!("The parameters of {method} do not follow the protocol.");
    ErrorData::invalid_params(said, None)
}

/// A failure as an error of the protocol, the envelope as its data.
pub(super) fn protocol_error(scope: &Scope, failure: Occurrence, code: ErrorCode) -> ErrorData {
    let passed = scope.pass(failure, "mcp");
    let problem = passed.problem();
    let said = problem.detail().or(problem.title()).unwrap_or_default();
    let (envelope, _) = mcp::tree_parts(problem, &passed.call(None));
    ErrorData::new(code, said.to_owned(), Some(envelope))
}

/// A call that does not say which tool.
pub(super) fn missing_tool_name(given: bool, names: &[String]) -> Occurrence {
    let why = if given {
        "The name of the tool must be a string."
    } else {
        MISSING_TOOL_NAME.detail
    };
    let problem = builtin::problem(&MISSING_TOOL_NAME)
        .with_detail(why)
        .with_valid_values("name", names)
        .with_pointer("/name", Some(why));
    Occurrence::built_in(problem)
}

/// The methods of the protocol itself.
const LIFECYCLE: [&str; 3] = ["initialize", "ping", "server/discover"];

/// The methods a server with these capabilities answers.
pub(super) fn methods(server: &ServerConfig) -> Vec<&'static str> {
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
    fn a_second_is_one_second() {
        let detail = |limit| timed_out(limit).problem().detail().map(str::to_owned);
        for (limit, told) in [
            (1000, "1 second."),
            (1500, "1.5 seconds."),
            (2000, "2 seconds."),
        ] {
            let told = format!("The tool was stopped after {told}");
            assert_eq!(detail(Duration::from_millis(limit)), Some(told));
        }
    }

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
