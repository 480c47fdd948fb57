//! Prompts: plain, with arguments, with things in them, and one that asks first.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequiredResult, Prompt,
};
use serde_json::{Value, json};

use crate::ask;
use crate::fixtures::{IMAGE, typed};

/// Every prompt.
pub(crate) fn all() -> Vec<Prompt> {
    let argument = |name: &str| json!({"name": name, "description": format!("The argument {name}"), "required": true});
    typed(json!([
        {"name": "test_simple_prompt", "description": "A prompt without arguments"},
        {"name": "test_prompt_with_arguments", "description": "A prompt with two arguments", "arguments": [argument("arg1"), argument("arg2")]},
        {"name": "test_prompt_with_embedded_resource", "description": "A prompt with a resource in it", "arguments": [argument("resourceUri")]},
        {"name": "test_prompt_with_image", "description": "A prompt with an image in it"},
        {"name": "test_input_required_result_prompt", "description": "A prompt that asks for its context first"},
    ]))
}

/// A prompt, or the question it has.
pub(crate) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let argument = |name: &str| -> Result<String, ErrorData> {
        let given = request.arguments.as_ref().and_then(|given| given.get(name));
        let given = given.map(|value| json!(value));
        match given.as_ref().and_then(Value::as_str) {
            Some(text) => Ok(text.to_owned()),
            None => Err(ErrorData::invalid_params(
                format!("{name} is required"),
                Some(json!({"argument": name})),
            )),
        }
    };
    let text = |text: String| json!({"role": "user", "content": {"type": "text", "text": text}});
    let messages = match request.name.as_str() {
        "test_simple_prompt" => json!([text("This is a simple prompt for testing.".to_owned())]),
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1")?, argument("arg2")?);
            json!([text(format!(
                "Prompt with arguments: arg1='{first}', arg2='{second}'"
            ))])
        }
        "test_prompt_with_embedded_resource" => {
            let resource = json!({
                "uri": argument("resourceUri")?,
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            });
            let content = json!({"type": "resource", "resource": resource});
            json!([{"role": "user", "content": content}, text("Please process the embedded resource above.".to_owned())])
        }
        "test_prompt_with_image" => {
            let content = json!({"type": "image", "data": IMAGE, "mimeType": "image/png"});
            json!([{"role": "user", "content": content}, text("Please analyze the image above.".to_owned())])
        }
        "test_input_required_result_prompt" => {
            let answers = request.input_responses.as_ref();
            match ask::accepted(answers, "user_context", "context") {
                Some(context) => json!([text(format!("Answer with this context: {context}"))]),
                None => {
                    let question = ask::form(
                        "user_context",
                        "What context should the prompt use?",
                        "context",
                        "string",
                    );
                    return Ok(GetPromptResponse::InputRequired(InputRequiredResult::new(
                        Some(question),
                        None,
                    )));
                }
            }
        }
        name => {
            let message = format!("there is no prompt {name} here");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    let result: GetPromptResult = typed(json!({"messages": messages, "resultType": "complete"}));
    Ok(GetPromptResponse::Complete(result))
}
