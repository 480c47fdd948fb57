//! The tools: content of every kind, progress, logging, questions, and one that fails.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ElicitRequest,
    ErrorCode, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
    ProtocolVersion, ServerRequest, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value, json};

use crate::ask;
use crate::fixtures::{AUDIO, IMAGE, typed};
use crate::problems::{Failure, fail};
use crate::tasks;

/// Every tool, always in this order.
pub(crate) fn all() -> Vec<Tool> {
    let mut tools: Vec<Value> = PLAIN
        .iter()
        .map(|(name, description)| {
            let schema = json!({"type": "object", "properties": {}});
            json!({"name": name, "description": description, "inputSchema": schema})
        })
        .collect();
    for (name, description, argument) in ASKING {
        let properties = json!({argument: {"type": "string", "description": "What to ask"}});
        let schema = json!({"type": "object", "properties": properties, "required": [argument]});
        tools.push(json!({"name": name, "description": description, "inputSchema": schema}));
    }
    tools.push(json!({
        "name": "json_schema_2020_12_tool",
        "description": "A tool whose schema uses the newer words of JSON Schema",
        "inputSchema": rich_schema(),
    }));
    tools.push(json!({
        "name": "test_header_parameter",
        "description": "A tool one of whose arguments also travels as a header",
        "inputSchema": {
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
            "required": ["region"],
        },
    }));
    tools.extend(tasks::all());
    typed(json!(tools))
}

/// Tools without arguments.
const PLAIN: [(&str, &str); 22] = [
    ("test_simple_text", "Answers with text"),
    ("test_image_content", "Answers with an image"),
    ("test_audio_content", "Answers with a sound"),
    ("test_embedded_resource", "Answers with a resource"),
    (
        "test_multiple_content_types",
        "Answers with text, an image and a resource",
    ),
    ("test_error_handling", "Always fails, with a problem"),
    ("test_tool_with_logging", "Says what it does while it works"),
    (
        "test_logging_tool",
        "Says what it does, if the request asks for it",
    ),
    ("test_tool_with_progress", "Tells how far it is"),
    (
        "test_streaming_elicitation",
        "Tells how far it is, and asks nothing on the way",
    ),
    ("test_missing_capability", "Needs a client that can sample"),
    (
        "test_elicitation_sep1034_defaults",
        "Asks with a form that has defaults",
    ),
    (
        "test_elicitation_sep1330_enums",
        "Asks with a form that has every kind of choice",
    ),
    ("test_reconnection", "Answers a client that comes back"),
    ("test_input_required_result_elicitation", "Asks for a name"),
    ("test_input_required_result_sampling", "Asks for a sample"),
    (
        "test_input_required_result_list_roots",
        "Asks for the roots",
    ),
    (
        "test_input_required_result_request_state",
        "Asks, and remembers with the client",
    ),
    (
        "test_input_required_result_tampered_state",
        "Asks, and notices when its state was changed",
    ),
    (
        "test_input_required_result_multiple_inputs",
        "Asks three things at once",
    ),
    ("test_input_required_result_multi_round", "Asks twice"),
    (
        "test_input_required_result_capabilities",
        "Asks only what the client can answer",
    ),
];

/// Tools that ask the client with the words of their argument.
const ASKING: [(&str, &str, &str); 2] = [
    ("test_sampling", "Asks the client for a sample", "prompt"),
    (
        "test_elicitation",
        "Asks the client for a name and an address",
        "message",
    ),
];

/// Runs a tool.
pub(crate) async fn call(
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if let Some(answer) = tasks::call(&request, &context).await {
        return answer;
    }
    if let Some(answer) = ask::call(&request, context.client_capabilities().as_ref()) {
        return answer;
    }
    let arguments = request.arguments.clone().unwrap_or_default();
    Ok(match request.name.as_ref() {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => content(json!([image()])),
        "test_audio_content" => {
            content(json!([{"type": "audio", "data": AUDIO, "mimeType": "audio/wav"}]))
        }
        "test_embedded_resource" => content(json!([resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content."
        )])),
        "test_multiple_content_types" => {
            let data = json!({"test": "data", "value": 123}).to_string();
            let resource = resource("test://mixed-content-resource", "application/json", &data);
            content(
                json!([{"type": "text", "text": "Multiple content types test:"}, image(), resource]),
            )
        }
        "test_error_handling" => fail(&Failure::Intentional),
        "test_tool_with_logging" => {
            log(
                &context,
                &[
                    "Tool execution started",
                    "Tool processing data",
                    "Tool execution completed",
                ],
            )
            .await;
            text("It said three things.")
        }
        "test_logging_tool" => {
            if context
                .meta
                .get("io.modelcontextprotocol/logLevel")
                .is_some()
            {
                log(&context, &["The request asked for this"]).await;
            }
            text("It said something, if it was asked to.")
        }
        "test_tool_with_progress" | "test_streaming_elicitation" => {
            progress(&context).await;
            text("It is done.")
        }
        "test_missing_capability" => return needs_sampling(&context),
        "test_sampling" => return Ok(sample(&arguments, &context).await),
        "test_elicitation" => {
            let Some(message) = words(&arguments, "message") else {
                return Ok(fail(&Failure::MissingArgument {
                    argument: "message",
                }));
            };
            elicit(&context, message, address_form(), "User response").await
        }
        "test_elicitation_sep1034_defaults" => {
            elicit(
                &context,
                "Every field has a default",
                defaults_form(),
                "Elicitation completed",
            )
            .await
        }
        "test_elicitation_sep1330_enums" => {
            elicit(
                &context,
                "Choose of every kind",
                choices_form(),
                "Elicitation completed",
            )
            .await
        }
        "test_reconnection" => {
            tokio::time::sleep(Duration::from_millis(50)).await;
            text("It was still there.")
        }
        "test_header_parameter" => match words(&arguments, "region") {
            Some(region) => text(region),
            None => fail(&Failure::MissingArgument { argument: "region" }),
        },
        "json_schema_2020_12_tool" => text(&Value::Object(arguments).to_string()),
        // `ProblemServer` answers these before they come here.
        name => {
            return Err(ErrorData::invalid_params(
                format!("there is no tool {name}"),
                None,
            ));
        }
    })
}

fn text(text: &str) -> CallToolResponse {
    content(json!([{"type": "text", "text": text}]))
}

fn content(content: Value) -> CallToolResponse {
    let result: CallToolResult = typed(json!({"content": content, "resultType": "complete"}));
    CallToolResponse::Complete(result)
}

fn image() -> Value {
    json!({"type": "image", "data": IMAGE, "mimeType": "image/png"})
}

fn resource(uri: &str, media: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": media, "text": text}})
}

fn words<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// Log lines with a pause after each; a client that is gone does not hear them.
async fn log(context: &RequestContext<RoleServer>, lines: &[&str]) {
    for line in lines {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
        let _gone = context.peer.notify_logging_message(message).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn progress(context: &RequestContext<RoleServer>) {
    for at in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let message = ProgressNotificationParam::new(token, at).with_total(100.0);
            let _gone = context.peer.notify_progress(message).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn needs_sampling(context: &RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
    if context
        .client_capabilities()
        .is_some_and(|own| own.sampling.is_some())
    {
        return Ok(text("The client can sample."));
    }
    let data = json!({"requiredCapabilities": {"sampling": {}}});
    Err(ErrorData::new(
        ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
        "the client must be able to sample",
        Some(data),
    ))
}

async fn sample(
    arguments: &Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> CallToolResponse {
    let Some(prompt) = words(arguments, "prompt") else {
        return fail(&Failure::MissingArgument { argument: "prompt" });
    };
    let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
    let request = typed(json!({"messages": [message], "maxTokens": 100}));
    match context.peer.create_message(request).await {
        Ok(reply) => {
            let reply = json!(reply);
            let content = &reply["content"];
            let said = content["text"]
                .as_str()
                .or_else(|| content[0]["text"].as_str());
            text(&format!("LLM response: {}", said.unwrap_or_default()))
        }
        Err(_) => fail(&Failure::NoAnswer),
    }
}

async fn elicit(
    context: &RequestContext<RoleServer>,
    message: &str,
    schema: Value,
    told: &str,
) -> CallToolResponse {
    if context
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
    {
        return fail(&Failure::NoAnswer);
    }
    let request = typed(json!({"mode": "form", "message": message, "requestedSchema": schema}));
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(request));
    match context.peer.send_request(request).await {
        Ok(ClientResult::ElicitResult(reply)) => {
            let reply = json!(reply);
            let action = reply["action"].as_str().unwrap_or_default();
            text(&format!(
                "{told}: action={action}, content={}",
                reply["content"]
            ))
        }
        _ => fail(&Failure::NoAnswer),
    }
}

fn address_form() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        },
        "required": ["username", "email"],
    })
}

fn defaults_form() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true},
        },
        "required": [],
    })
}

fn choices_form() -> Value {
    let titled = |name: &str| {
        let choice = |at: usize, word: &str| json!({"const": format!("value{at}"), "title": format!("{word} {name}")});
        json!([choice(1, "First"), choice(2, "Second"), choice(3, "Third")])
    };
    let options = json!(["option1", "option2", "option3"]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
        },
        "required": [],
    })
}

fn rich_schema() -> Value {
    let text = json!({"type": "string"});
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": text, "city": text}}},
        "properties": {
            "name": text,
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": text,
            "email": text,
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}
