//! Tools whose calls become tasks (2026-07-28), as the conformance suite names them.

use std::time::Duration;

use aon::{Code, Failure, ProblemDetails, Status};
use aon_live::Session;
use aon_live::heal::Ask;
use aon_live::rmcp::TaskSupport;
use rmcp::handler::server::tool::IntoCallToolResult as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::ask;

/// Which of them may or must be tasks.
pub(crate) const SUPPORT: [(&str, TaskSupport); 6] = [
    ("slow_compute", TaskSupport::Optional),
    ("failing_job", TaskSupport::Required),
    ("protocol_error_job", TaskSupport::Optional),
    ("confirm_delete", TaskSupport::Optional),
    ("multi_input", TaskSupport::Optional),
    ("test_tool_with_task", TaskSupport::Required),
];

/// Their descriptions.
pub(crate) fn all() -> Vec<Value> {
    let tool = |name: &str, description: &str, properties: Value| {
        let schema = json!({"type": "object", "properties": properties});
        json!({"name": name, "description": description, "inputSchema": schema})
    };
    let text = json!({"type": "string"});
    vec![
        tool("greet", "Greets at once", json!({"name": text})),
        tool(
            "slow_compute",
            "Takes as long as it is told",
            json!({"seconds": {"type": "number"}, "label": text}),
        ),
        tool("failing_job", "Fails after a second", json!({})),
        tool(
            "protocol_error_job",
            "Fails with an error of the protocol",
            json!({}),
        ),
        tool(
            "confirm_delete",
            "Asks before it deletes",
            json!({"filename": text}),
        ),
        tool("multi_input", "Asks two things at once", json!({})),
        tool(
            "test_tool_with_task",
            "Asks first, and works then",
            json!({}),
        ),
    ]
}

/// The answer of one of them, or nothing if it is another tool.
pub(crate) async fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let session = aon_live::rmcp::session(context);
    let none = serde_json::Map::new();
    let given = request.arguments.as_ref().unwrap_or(&none);
    let word = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(match &*request.name {
        "greet" => text(format!("Hello, {}!", word("name"))),
        "slow_compute" => {
            let seconds = given.get("seconds").and_then(Value::as_f64);
            session.status(format!("computing {}", word("label")));
            sleep(Duration::from_secs_f64(seconds.unwrap_or_default())).await;
            text(format!("computed {}", word("label")))
        }
        "failing_job" => {
            sleep(Duration::from_secs(1)).await;
            let problem =
                ProblemDetails::new(Status::from_static(503), Code::from_static("job_failed"));
            Failure::new(problem.with_detail("The job failed.")).into_call_tool_result()
        }
        "protocol_error_job" => {
            sleep(Duration::from_millis(100)).await;
            Err(ErrorData::invalid_request("The job cannot be run.", None))
        }
        "confirm_delete" => {
            let payload = json!({"filename": word("filename"), "confirm": false});
            match confirmed(&session, payload).await {
                Ok(()) => text(format!("deleted {}", word("filename"))),
                Err(failure) => failure.into_call_tool_result(),
            }
        }
        "multi_input" => {
            let (name, confirm) = tokio::join!(
                named(&session),
                confirmed(&session, json!({"confirm": false}))
            );
            match name.and_then(|name| confirm.map(|()| name)) {
                Ok(name) => text(format!("confirmed by {name}")),
                Err(failure) => failure.into_call_tool_result(),
            }
        }
        "test_tool_with_task" => {
            match ask::accepted(request.input_responses.as_ref(), "user_name", "name") {
                None => {
                    let form = ask::form("user_name", "What is your name?", "name", "string");
                    Ok(InputRequiredResult::from_input_requests(form).into())
                }
                Some(name) => {
                    sleep(Duration::from_millis(200)).await;
                    text(format!("Hello, {name}!"))
                }
            }
        }
        _ => return None,
    })
}

fn text(text: String) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
}

#[derive(serde::Deserialize)]
struct Confirm {
    confirm: bool,
}

#[derive(serde::Deserialize)]
struct Name {
    name: String,
}

async fn confirmed(session: &Session, payload: Value) -> Result<(), Failure> {
    asked(session, "delete", "/confirm", payload, |given: &Confirm| {
        given.confirm
    })
    .await
    .map(drop)
}

async fn named(session: &Session) -> Result<String, Failure> {
    let named = |given: &Name| !given.name.is_empty();
    let given = asked(session, "name", "/name", json!({"name": ""}), named).await?;
    Ok(given.name)
}

/// A step that a person has to fill in.
async fn asked<T: DeserializeOwned + Send>(
    session: &Session,
    step: &str,
    path: &str,
    payload: Value,
    good: impl Fn(&T) -> bool,
) -> Result<T, Failure> {
    let ask = Ask::about([path]).within(Duration::from_secs(60));
    let step = session.step(step, payload).ask(ask);
    step.run(|given: T, _attempt| {
        let problem =
            ProblemDetails::new(Status::from_static(422), Code::from_static("not_confirmed"))
                .with_detail("Somebody has to say so.")
                .with_pointer(path, None);
        std::future::ready(if good(&given) {
            Ok(given)
        } else {
            Err(problem)
        })
    })
    .await
}
