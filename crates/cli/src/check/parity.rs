//! The same bad call on every surface says the same thing (S9).

use aon::surface::a2a::EXTENSION_URI;
use http::Method;
use serde_json::{Value, json};

use crate::check::{Found, Probe, ToolCall, clip, envelope, holds};
use crate::http::Call;

/// Repeats the bad tool call that was found, on REST and on A2A.
pub(crate) async fn probe(probe: &mut Probe<'_>, found: &Found) {
    let Some(tool) = &found.tool else {
        let why = "no tool call was met that is refused with an envelope";
        probe.table.untested("S9", "REST and MCP say the same", why);
        return probe.table.untested("S9", "A2A and MCP say the same", why);
    };
    rest(probe, tool, found).await;
    a2a(probe, tool, found).await;
}

async fn rest(probe: &mut Probe<'_>, tool: &ToolCall, found: &Found) {
    let what = "REST and MCP say the same about the same bad call";
    let Some((method, template)) = &found.route else {
        let why = "the problem names no example_request; name the operation with --route";
        return probe.table.untested("S9", what, why);
    };
    let (path, body) = fill(template, &tool.arguments);
    let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::POST);
    let call = Call::new(method, &path).with_json(body.to_string());
    let outcome = match probe.client.send(&call).await {
        Ok(answer) => match answer.json() {
            Some(body) => same(&body, &tool.error),
            None => Err(clip(&String::from_utf8_lossy(&answer.body))),
        },
        Err(error) => Err(error.to_string()),
    };
    probe.table.claim("S9", what, outcome);
}

async fn a2a(probe: &mut Probe<'_>, tool: &ToolCall, found: &Found) {
    let what = "A2A and MCP say the same about the same bad call";
    let skill = tool.error.get("a2a_skill").and_then(Value::as_str);
    let (Some(endpoint), Some(skill)) = (&found.endpoint, skill) else {
        let why = "no A2A endpoint, or the problem names no a2a_skill";
        return probe.table.untested("S9", what, why);
    };
    if !found.skills.is_empty() {
        let listed = found.skills.iter().any(|id| id == skill);
        let outcome = holds(listed, || format!("{skill} is not in the agent card"));
        probe
            .table
            .claim("P1", "a2a_skill names a skill of the card", outcome);
    }
    let mut data = json!({"skill": skill});
    for (name, value) in tool.arguments.as_object().into_iter().flatten() {
        data[name] = value.clone();
    }
    let message = json!({"kind": "message", "messageId": "aon-check", "role": "user", "parts": [{"kind": "data", "data": data}]});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}});
    let call = Call::post(endpoint, &body).with("a2a-extensions", EXTENSION_URI);
    let outcome = match probe.client.send(&call).await {
        Ok(answer) => {
            let json = answer.json().unwrap_or(Value::Null);
            match json.pointer("/error/data") {
                Some(data) => both(&tool.error, data),
                None => Err(format!("no error data: {}", clip(&json.to_string()))),
            }
        }
        Err(error) => Err(error.to_string()),
    };
    probe.table.claim("S9", what, outcome);
}

fn same(rest: &Value, other: &Value) -> Result<(), String> {
    let differences = envelope::differences(rest, other);
    holds(differences.is_empty(), || differences.join("; "))
}

/// Two envelopes of the agent surfaces: the renames are the same on both.
fn both(mcp: &Value, a2a: &Value) -> Result<(), String> {
    let mut rest = mcp.clone();
    if let (Some(uri), Some(members)) = (mcp.get("documentation_uri"), rest.as_object_mut()) {
        members.insert("docs_url".to_owned(), uri.clone());
    }
    same(&rest, a2a)
}

/// The path with its `{names}` filled from the arguments, and the arguments that are left as the body.
pub(crate) fn fill(template: &str, arguments: &Value) -> (String, Value) {
    let mut path = template.to_owned();
    let mut body = arguments.clone();
    let Some(members) = body.as_object_mut() else {
        return (path, body);
    };
    let names: Vec<String> = members.keys().cloned().collect();
    for name in names {
        let slot = format!("{{{name}}}");
        if path.contains(&slot) {
            let value = match members.remove(&name) {
                Some(Value::String(text)) => text,
                Some(other) => other.to_string(),
                None => String::new(),
            };
            path = path.replace(&slot, &value);
        }
    }
    (path, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_parameters_leave_the_body() {
        let (path, body) = fill("/p/{id}/auth", &json!({"id": "x", "auth_ux": "y"}));
        assert_eq!(path, "/p/x/auth");
        assert_eq!(body, json!({"auth_ux": "y"}));
    }
}
