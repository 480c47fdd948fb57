//! `POST /play`: does what the script says, and answers in either mode. The tool `play` of MCP does the same.

use aon::json::Json;
use aon::{Failure, ProblemDetails};
use aon_live::{Fault, Session};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, header};
use tokio::sync::Notify;

use super::healing;
use super::script::{Script, Step};

/// Plays a script.
pub(super) async fn play(session: Session, body: String) -> Response {
    let script = match Script::read(&body) {
        Ok(script) => script,
        // Nothing was done yet, so this is a plain answer in both modes.
        Err(problem) => {
            let mut refused = aon::axum::respond(&problem);
            refused.extensions_mut().insert(aon_live::Refusal);
            return refused;
        }
    };
    session.begin();
    match perform(&session, script).await {
        Ok(data) => json(data.as_str()),
        Err(End::Problem(problem)) => aon::axum::respond(&*problem),
        Err(End::Failure(failure)) => failure.into_response(),
        Err(End::Abandoned) => Fault::Abandoned.into_response(),
    }
}

/// Plays a script for a caller of another protocol.
pub(crate) async fn called(session: &Session, body: &str) -> Result<Json, Failure> {
    let script = Script::read(body)?;
    perform(session, script).await.map_err(|end| match end {
        End::Problem(problem) => (*problem).into(),
        End::Failure(failure) => failure,
        End::Abandoned => Fault::Abandoned.into(),
    })
}

/// How a script ends that does not succeed.
enum End {
    Problem(Box<ProblemDetails>),
    Failure(Failure),
    Abandoned,
}

async fn perform(session: &Session, script: Script) -> Result<Json, End> {
    // A script can give its work up: then the future of the work is dropped before it has an outcome.
    let abandoned = Notify::new();
    tokio::select! {
        biased;
        () = abandoned.notified() => Err(End::Abandoned),
        end = run(session, script, &abandoned) => end,
    }
}

async fn run(session: &Session, script: Script, abandoned: &Notify) -> Result<Json, End> {
    let mut payload = script.payload;
    for step in script.steps {
        match step {
            Step::Status {
                message,
                delay,
                progress,
            } => {
                let mut status = session.status(message);
                if let Some(delay) = delay {
                    status = status.estimated_delay(delay);
                }
                if let Some(progress) = progress {
                    status = status.progress(progress);
                }
                drop(status);
            }
            Step::Intent {
                original,
                issue,
                decision,
            } => {
                let mut intent = session.intent(original);
                if let Some(issue) = issue {
                    intent = intent.issue(issue);
                }
                if let Some(decision) = decision {
                    intent = intent.decision(decision);
                }
                drop(intent);
            }
            Step::Healing {
                severity,
                action,
                description,
                metadata,
            } => {
                let mut healing = session.healing(severity, action);
                if let Some(description) = description {
                    healing = healing.description(description);
                }
                for (name, value) in &metadata {
                    healing = healing.metadata(name, value);
                }
                drop(healing);
            }
            Step::Event { name, data } => session.emit_named(&name, &data),
            Step::Sleep(time) => tokio::time::sleep(time).await,
            Step::Burst { count, message } => burst(session, count, &message).await,
            Step::Panic(message) => crash(&message),
            Step::Abandon => {
                abandoned.notify_one();
                return std::future::pending().await;
            }
            Step::Hang => std::future::pending().await,
            Step::Problem(problem) => return Err(End::Problem(problem)),
            Step::Healed(healing) => {
                let before = payload.to_value();
                match healing::run(session, *healing, before.clone()).await {
                    // What nobody changed stays as it was written, to the byte.
                    Ok(after) if after == before => {}
                    Ok(after) => payload = Json::from(&after),
                    Err(failure) => return Err(End::Failure(failure)),
                }
            }
            Step::Result(data) => return Ok(data),
        }
    }
    Ok(payload)
}

/// So many events, as fast as they go; others get their turn in between.
async fn burst(session: &Session, count: u64, message: &str) {
    for n in 1..=count {
        drop(session.status(message.replace("{n}", &n.to_string())));
        if n % 64 == 0 {
            tokio::task::yield_now().await;
        }
    }
}

fn json(text: &str) -> Response {
    let mut response = text.to_owned().into_response();
    let media = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, media);
    response
}

#[expect(
    clippy::panic,
    reason = "a script may ask for a panic, to see what becomes of it"
)]
fn crash(message: &str) -> ! {
    panic!("{message}")
}
