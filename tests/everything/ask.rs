//! Tools that need an answer from the client before they can finish (2026-07-28).
//!
//! The state of the question travels with the client, so it is signed: one that was changed is refused.

use std::sync::LazyLock;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    InputRequests, InputRequiredResult, InputResponses, RequestStateCodec,
};
use serde_json::{Value, json};

use crate::fixtures::typed;

/// Signs and checks the state. The key lives as long as the process.
static STATE: LazyLock<RequestStateCodec> =
    LazyLock::new(|| RequestStateCodec::new(b"a key of the example server: 32+".to_vec()));

/// The answer to a tool that asks, or nothing if it is no such tool.
pub(crate) fn call(
    request: &CallToolRequestParams,
    capabilities: Option<&ClientCapabilities>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let answers = request.input_responses.as_ref();
    let round = match request.request_state.as_deref().map(open).transpose() {
        Ok(round) => round,
        Err(refused) => return Some(Err(refused)),
    };
    let round = round.as_deref();
    let kind = request.name.strip_prefix("test_input_required_result_")?;
    let answer = match kind {
        "elicitation" => match accepted(answers, "user_name", "name") {
            Some(name) => done(format!("Hello, {name}!")),
            None => question(name_form("user_name", "What is your name?"), None),
        },
        "sampling" => match answer(answers, "capital_question") {
            Some(reply) => done(format!("The client said: {reply}")),
            None => question(
                sampling("capital_question", "What is the capital of France?"),
                None,
            ),
        },
        "list_roots" => match answer(answers, "client_roots") {
            Some(roots) => done(format!("The roots of the client: {roots}")),
            None => question(roots("client_roots"), None),
        },
        "request_state" | "tampered_state" => match (answer(answers, "confirm"), round) {
            (Some(_), Some("asked")) => done("state-ok".to_owned()),
            _ => question(
                form("confirm", "Please confirm", "ok", "boolean"),
                Some("asked"),
            ),
        },
        "multiple_inputs" => {
            let all = ["user_name", "greeting", "client_roots"];
            if all.iter().all(|key| answer(answers, key).is_some()) && round == Some("asked") {
                done("All three questions were answered.".to_owned())
            } else {
                let mut questions = name_form("user_name", "What is your name?");
                questions.extend(sampling("greeting", "Generate a greeting"));
                questions.extend(roots("client_roots"));
                question(questions, Some("asked"))
            }
        }
        "multi_round" => match round {
            Some("second") if answer(answers, "step2").is_some() => {
                done("Both steps are done.".to_owned())
            }
            Some("first") if answer(answers, "step1").is_some() => question(
                form(
                    "step2",
                    "Step 2: What is your favorite color?",
                    "color",
                    "string",
                ),
                Some("second"),
            ),
            _ => question(
                name_form("step1", "Step 1: What is your name?"),
                Some("first"),
            ),
        },
        "capabilities" => {
            let mut questions = InputRequests::new();
            if capabilities.is_some_and(|own| own.elicitation.is_some()) {
                questions.extend(name_form("user_name", "What is your name?"));
            }
            if capabilities.is_some_and(|own| own.sampling.is_some()) {
                questions.extend(sampling("greeting", "Generate a greeting"));
            }
            if answers.is_some() || questions.is_empty() {
                done("There is nothing to ask.".to_owned())
            } else {
                question(questions, None)
            }
        }
        _ => return None,
    };
    Some(Ok(answer))
}

/// One field of a form.
pub(crate) fn form(key: &str, message: &str, field: &str, kind: &str) -> InputRequests {
    let schema =
        json!({"type": "object", "properties": {field: {"type": kind}}, "required": [field]});
    let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
    typed(json!({key: {"method": "elicitation/create", "params": params}}))
}

fn name_form(key: &str, message: &str) -> InputRequests {
    form(key, message, "name", "string")
}

fn sampling(key: &str, text: &str) -> InputRequests {
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    typed(
        json!({key: {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}}}),
    )
}

fn roots(key: &str) -> InputRequests {
    typed(json!({key: {"method": "roots/list", "params": {}}}))
}

fn answer<'a>(answers: Option<&'a InputResponses>, key: &str) -> Option<&'a Value> {
    answers?.get(key).filter(|answer| answer.is_object())
}

/// The text of a field in a form that the client filled in.
pub(crate) fn accepted(answers: Option<&InputResponses>, key: &str, field: &str) -> Option<String> {
    let answer = answer(answers, key)?;
    let filled = answer.get("action").is_none_or(|action| action == "accept");
    let text = answer.get("content")?.get(field)?.as_str()?;
    filled.then(|| text.to_owned())
}

fn question(questions: InputRequests, state: Option<&str>) -> CallToolResponse {
    let state = state.map(|state| STATE.seal(state.as_bytes()));
    CallToolResponse::InputRequired(InputRequiredResult::new(Some(questions), state))
}

fn done(text: String) -> CallToolResponse {
    CallToolResponse::Complete(CallToolResult::success(vec![ContentBlock::text(text)]))
}

/// The state that was sealed, or the refusal of one that was not sealed here.
fn open(state: &str) -> Result<String, ErrorData> {
    let opened = STATE
        .open(state)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    opened.ok_or_else(|| ErrorData::invalid_params("requestState was changed on the way", None))
}
