//! What is said to the agent in words. Messages of the A2A test kit say by the beginning of their id what is to happen.

use std::time::Duration;

use aon::{Code, Failure, ProblemDetails, Status};
use aon_live::Session;
use aon_live::a2a::{AgentFault, Artifact, Made, Message, Part, Skill};
use aon_live::heal::Ask;
use serde_json::{Value, json};

use crate::demo::operation::OPERATIONS;

/// Takes messages that name no skill.
pub(super) fn conversation() -> Skill {
    Skill::message(
        "conversation",
        "Conversation",
        "Says in words what this agent can do, and plays the scenarios of the compatibility kit of A2A.",
        converse,
    )
    .tags(["help"])
    .examples(["What can you do?"])
    .input_modes(["text/plain", "application/json"])
    .output_modes(["text/plain", "application/json"])
}

async fn converse(session: Session, message: Message) -> Result<Value, Failure> {
    let id = message.message_id.clone();
    let is = |prefix: &str| id.starts_with(prefix);
    if is("tck-message-response") || is("tck-stream-002") {
        return Ok(json!("Direct message response"));
    }
    session.status("Reading the message.");
    let text = |text: &str| vec![Part::text(text)];
    let file = |part: Part| {
        vec![
            part.with_filename("output.txt")
                .with_media_type("text/plain"),
        ]
    };
    let made = |parts: Vec<Part>| session.emit(&Made::new(Artifact::new("output", parts)));
    if is("tck-artifact-text") {
        made(text("Generated text content"));
    } else if is("tck-artifact-file-url") {
        made(file(Part::url("https://example.com/output.txt")));
    } else if is("tck-artifact-file") || is("tck-stream-artifact-file") {
        made(file(Part::raw(b"Generated file content".to_vec())));
    } else if is("tck-artifact-data") {
        made(vec![Part::data(json!({"key": "value", "count": 42}))]);
    } else if is("tck-stream-artifact-chunked") {
        let chunk = |text: &str| Made::new(Artifact::new("output", vec![Part::text(text)]));
        session.emit(&chunk("chunk-1 ").open());
        session.emit(&chunk("chunk-2").append());
    } else if is("tck-stream-artifact-text") {
        made(text("Streamed text content"));
    } else if is("tck-stream-ordering") {
        made(text("Ordered output"));
    } else if is("tck-stream-001") {
        made(text("Stream hello from TCK"));
    } else if is("tck-stream-003") {
        made(text("Stream task lifecycle"));
    } else if is("tck-reject-task") {
        return Err(AgentFault::rejected("rejected").into());
    } else if is("test-resubscribe") {
        for _ in 0..20 {
            session.status("Still at it.");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    } else if keeps_asking(&id) {
        return asked(&session, &message).await;
    } else if is("tck-") {
        return Ok(json!("Hello from TCK"));
    } else {
        let skills: Vec<&str> = OPERATIONS.iter().map(|operation| operation.skill).collect();
        return Ok(json!(format!(
            "Send a data part that names a skill: {}. Its other members are the arguments.",
            skills.join(", ")
        )));
    }
    Ok(Value::Null)
}

/// Whether a message of the kit wants a task that goes on: to cancel it, to continue it, to follow it. The kit of 0.3 names its messages
/// `…-message-id-…`, and some `sdk-test-msg-…`.
fn keeps_asking(id: &str) -> bool {
    let of_03 = id.contains("-message-id-") && !id.starts_with("continuation-");
    let begins = ["tck-input-required", "test-", "sdk-test-msg-"];
    of_03 || begins.iter().any(|prefix| id.starts_with(prefix))
}

/// Asks until a message says that it is enough.
async fn asked(session: &Session, message: &Message) -> Result<Value, Failure> {
    let payload = json!({"message": {"messageId": message.message_id}});
    session
        .step("conversation", payload)
        .ask(
            Ask::about(["/message"])
                .rounds(100)
                .within(Duration::from_secs(300)),
        )
        .run(async |said: Value, _| {
            let id = said.pointer("/message/messageId").and_then(Value::as_str);
            if id.is_some_and(|id| !keeps_asking(id)) {
                return Ok(json!("Hello from TCK"));
            }
            let problem =
                ProblemDetails::new(Status::from_static(422), Code::from_static("more_needed"));
            Err(problem.with_detail("More is needed to go on."))
        })
        .await
}
