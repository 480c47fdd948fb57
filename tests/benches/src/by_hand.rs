//! The same content as people type it without us: structs for serde, and rmcp's own constructor.

use rmcp::model::CallToolResult;
use serde::Serialize;

use crate::example::AuthError;

/// The envelope as a careful person types it: constants borrowed, the text formatted.
#[derive(Serialize)]
pub struct Envelope<'a> {
    r#type: &'a str,
    title: &'a str,
    status: u16,
    detail: &'a str,
    instance: String,
    code: &'a str,
    request_id: &'a str,
    valid_values: Values<'a>,
    remediation: Remediation<'a>,
    documentation_uri: &'a str,
    mcp_tool: &'a str,
    a2a_skill: &'a str,
    schema: &'a str,
    surface: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_tools: Option<[&'a str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_skills: Option<[&'a str; 1]>,
    machine_hints: Hints<'a>,
}

#[derive(Serialize)]
pub struct Values<'a> {
    auth_ux: [&'a str; 2],
}

#[derive(Serialize)]
pub struct Remediation<'a> {
    r#type: &'a str,
    message: &'a str,
    next_action: Action<'a>,
    example_request: Example<'a>,
    auto_fix_available: bool,
}

#[derive(Serialize)]
pub struct Action<'a> {
    endpoint_url: &'a str,
    guide_xri: &'a str,
}

#[derive(Serialize)]
pub struct Example<'a> {
    method: &'a str,
    path: &'a str,
    body: Values1<'a>,
}

#[derive(Serialize)]
pub struct Values1<'a> {
    auth_ux: &'a str,
}

#[derive(Serialize)]
pub struct Hints<'a> {
    retryable: bool,
    severity: &'a str,
    category: &'a str,
    field_paths: [&'a str; 1],
    fingerprint: &'a str,
}

#[derive(Serialize)]
pub struct ToolResult<'a> {
    content: [Text<'a>; 1],
    #[serde(rename = "structuredContent")]
    structured_content: Structured<'a>,
    #[serde(rename = "isError")]
    is_error: bool,
}

#[derive(Serialize)]
pub struct Text<'a> {
    r#type: &'a str,
    text: String,
}

#[derive(Serialize)]
pub struct Structured<'a> {
    pub error: Envelope<'a>,
}

#[derive(Serialize)]
pub struct Response<'a> {
    jsonrpc: &'a str,
    id: u32,
    error: RpcError<'a>,
}

#[derive(Serialize)]
pub struct RpcError<'a> {
    code: i32,
    message: &'a str,
    data: Envelope<'a>,
}

const DOCS: &str = "https://possibility.space/docs/guides/branded-oidc-login#auth-ux";
const MESSAGE: &str = "Set auth_ux to \"hosted\" or \"custom\", then retry.";

pub fn envelope<'a>(detail: &'a str, request_id: &'a str, surface: &'a str) -> Envelope<'a> {
    let mcp = surface == "mcp";
    Envelope {
        r#type: "pspace://problem/invalid_auth_ux",
        title: "Invalid auth_ux",
        status: 422,
        detail,
        instance: format!("urn:pspace:request:{request_id}"),
        code: "invalid_auth_ux",
        request_id,
        valid_values: Values { auth_ux: ["hosted", "custom"] },
        remediation: Remediation {
            r#type: "request_scope_elevation",
            message: MESSAGE,
            next_action: Action { endpoint_url: "/possibilities/{id}/auth", guide_xri: "pspace://guide:branded-oidc-login" },
            example_request: Example { method: "PATCH", path: "/possibilities/{id}/auth", body: Values1 { auth_ux: "custom" } },
            auto_fix_available: false,
        },
        documentation_uri: DOCS,
        mcp_tool: "update_possibility_auth",
        a2a_skill: "possibility_auth_configuration",
        schema: if mcp { "pspace.mcp.error.v1" } else { "pspace.a2a.error.v1" },
        surface,
        suggested_tools: mcp.then_some(["update_possibility_auth"]),
        suggested_skills: (!mcp).then_some(["possibility_auth_configuration"]),
        machine_hints: Hints {
            retryable: false,
            severity: "low",
            category: "validation",
            field_paths: ["/auth_ux"],
            fingerprint: "f9a8dac8dc7c0f1f",
        },
    }
}

pub fn hand_written_mcp(error: &AuthError, request_id: &str) -> Vec<u8> {
    let detail = error.to_string();
    let text = format!(
        "Invalid auth_ux (422 invalid_auth_ux)\n{detail}\nValid values: auth_ux = \"hosted\", \"custom\"\nTry this: {MESSAGE} \
         endpoint_url: /possibilities/{{id}}/auth guide_xri: pspace://guide:branded-oidc-login\nTool: \
         update_possibility_auth\nDocs: {DOCS}"
    );
    serde_json::to_vec(&ToolResult {
        content: [Text { r#type: "text", text }],
        structured_content: Structured { error: envelope(&detail, request_id, "mcp") },
        is_error: true,
    })
    .unwrap()
}

pub fn hand_written_a2a(error: &AuthError, request_id: &str) -> Vec<u8> {
    let detail = error.to_string();
    serde_json::to_vec(&Response {
        jsonrpc: "2.0",
        id: 7,
        error: RpcError { code: -32602, message: &detail, data: envelope(&detail, request_id, "a2a") },
    })
    .unwrap()
}

/// rmcp's default: a value made of the struct, and the JSON of it as text.
pub fn rmcp_result(error: &AuthError, request_id: &str) -> CallToolResult {
    let detail = error.to_string();
    let value = serde_json::to_value(Structured { error: envelope(&detail, request_id, "mcp") }).unwrap();
    CallToolResult::structured_error(value)
}
