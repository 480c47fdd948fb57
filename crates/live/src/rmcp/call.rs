//! One call of a tool, from its first event to its end, whichever requests it is told to.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aon::rmcp::{ProblemServer, Told};
use aon::surface::Surface as _;
use aon::surface::mcp::Mcp;
use aon_core::{Code, ProblemDetails, Status};
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, JsonObject};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::access::Caller;
use crate::channel::feed::Feed;
use crate::event::{Body, ErrorBody, ResultBody};
use crate::fault::Fault;
use crate::heal::Question;
use crate::hub::live::{Live, Stop};
use crate::session::Session;
use crate::sync::{Mutex, locked};

/// How a call ended.
#[derive(Clone, Debug)]
pub(super) enum Ended {
    Response(CallToolResponse),
    Failed(ErrorData),
    /// It was stopped before it had an outcome.
    Stopped(Stop),
}

/// One call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) session: Session,
    pub(super) owner: Option<Caller>,
    tool: String,
    arguments: Option<JsonObject>,
    ended: watch::Sender<Option<Ended>>,
    /// What has not been told yet, while no request is there to be told.
    feed: Mutex<Option<Feed>>,
    /// How often each question was answered, and why the last answer was refused.
    answers: Mutex<BTreeMap<String, (u32, Option<String>)>>,
    /// Whether its client was given a task.
    is_task: OnceLock<()>,
    /// Ends work that nobody can reach through its session, because that was never opened.
    work: OnceLock<tokio::task::AbortHandle>,
}

impl Call {
    pub(super) fn new(
        session: Session,
        owner: Option<Caller>,
        request: &CallToolRequestParams,
    ) -> Self {
        Self {
            session,
            owner,
            tool: request.name.to_string(),
            arguments: request.arguments.clone(),
            ended: watch::Sender::new(None),
            feed: Mutex::default(),
            answers: Mutex::default(),
            is_task: OnceLock::new(),
            work: OnceLock::new(),
        }
    }

    /// Whether a request is the same call again.
    pub(super) fn is(&self, request: &CallToolRequestParams) -> bool {
        self.tool == request.name && self.arguments == request.arguments
    }

    pub(super) fn tool(&self) -> &str {
        &self.tool
    }

    pub(super) fn mark_task(&self) {
        self.is_task.get_or_init(|| ());
    }

    pub(super) fn is_task(&self) -> bool {
        self.is_task.get().is_some()
    }

    pub(super) fn ended(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }

    /// Waits for the end.
    pub(super) async fn end(&self) -> Ended {
        let mut ended = self.ended.subscribe();
        let found = ended.wait_for(Option::is_some).await;
        let found = found.ok().and_then(|found| found.clone());
        found.unwrap_or(Ended::Stopped(Stop::Shutdown))
    }

    fn settle(&self, ended: Ended) {
        self.ended.send_if_modified(|slot| {
            let first = slot.is_none();
            if first {
                *slot = Some(ended);
            }
            first
        });
    }

    /// Asks the work to end.
    pub(super) fn stop(&self, reason: Stop) {
        if let Some(live) = self.session.live() {
            live.stop(reason);
        } else {
            if let Some(work) = self.work.get() {
                work.abort();
            }
            self.settle(Ended::Stopped(reason));
        }
    }

    pub(super) fn worked_by(&self, work: tokio::task::AbortHandle) {
        self.work.get_or_init(|| work);
    }

    pub(super) fn take_feed(&self) -> Option<Feed> {
        locked(&self.feed).take()
    }

    pub(super) fn put_feed(&self, feed: Feed) {
        *locked(&self.feed) = Some(feed);
    }

    /// The questions that are open, under keys that are used once.
    pub(super) fn questions(&self) -> Vec<(String, Question)> {
        let Some(live) = self.session.live() else {
            return Vec::new();
        };
        let open = live.desk.open().into_iter();
        open.map(|question| (self.key(&question), question))
            .collect()
    }

    pub(super) fn key(&self, question: &Question) -> String {
        let answers = locked(&self.answers);
        let given = answers.get(question.id()).map_or(0, |(given, _)| *given);
        format!("{}-{given}", question.id())
    }

    /// Takes note of an answer, and of why it was refused.
    pub(super) fn answered(&self, question: &Question, refused: Option<String>) {
        let mut answers = locked(&self.answers);
        let (given, last) = answers.entry(question.id().to_owned()).or_default();
        *given = given.saturating_add(1);
        *last = refused;
    }

    /// How often a question was answered in vain, and why the last time.
    pub(super) fn refused(&self, question: &Question) -> (u32, Option<String>) {
        locked(&self.answers)
            .get(question.id())
            .cloned()
            .unwrap_or_default()
    }
}

/// Waits until the work of a session is to end.
async fn stopped(session: &Session) -> Stop {
    if session.live().is_none() {
        session.begun().await;
    }
    match session.live() {
        Some(live) => live.stopped().await,
        None => std::future::pending().await,
    }
}

/// Runs a tool to its end, whatever that is, and says it once: to the session, and to whoever waits for it.
pub(super) async fn drive<H: ServerHandler>(
    server: Arc<ProblemServer<H>>,
    call: Arc<Call>,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
    told: Told,
) {
    let unfinished = Unfinished(Arc::clone(&call));
    let token = context.ct.clone();
    let mut work = Box::pin(server.call_tool(request, context));
    let ended = tokio::select! {
        biased;
        response = &mut work => Ok(response),
        stop = stopped(&call.session) => {
            token.cancel();
            let grace = call.session.live().filter(|live| live.is_watched()).map(|live| live.grace());
            let grace = grace.filter(|_| stop != Stop::Expired).unwrap_or(Duration::ZERO);
            let ended = if grace.is_zero() { None } else { timeout(grace, &mut work).await.ok() };
            ended.ok_or(stop)
        }
    };
    drop(work);
    let ended = match ended {
        Ok(Ok(response)) => Ended::Response(response),
        Ok(Err(error)) => Ended::Failed(error),
        Err(stop) => Ended::Stopped(stop),
    };
    if let Some(live) = call.session.live() {
        conclude(live, &ended, &told);
    }
    call.settle(ended);
    drop(unfinished);
}

/// Says how it ended when the work was dropped before it had an outcome.
struct Unfinished(Arc<Call>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(live) = self.0.session.live() {
            live.fail(&Fault::Abandoned);
        }
        self.0.settle(Ended::Stopped(Stop::Disconnected));
    }
}

/// The terminal event.
fn conclude(live: &Arc<Live>, ended: &Ended, told: &Told) {
    let body = match ended {
        Ended::Stopped(stop) => {
            live.fail(&stop.fault());
            return;
        }
        Ended::Response(CallToolResponse::Complete(result)) if result.is_error == Some(true) => {
            failed(told.problem().cloned().unwrap_or_else(|| of_result(result)))
        }
        Ended::Response(response) => {
            let data = match response {
                CallToolResponse::Complete(result) => serde_json::value::to_raw_value(result),
                CallToolResponse::InputRequired(input) => serde_json::value::to_raw_value(input),
                CallToolResponse::Task(task) => serde_json::value::to_raw_value(task),
                _ => Ok(RawValue::NULL.to_owned()),
            };
            let data = data.unwrap_or_else(|_unwritable| RawValue::NULL.to_owned());
            if data.get().len() > live.max_result() {
                live.fail(&Fault::ResultTooLarge);
                return;
            }
            Body::Result(ResultBody {
                status: 200,
                content_type: None,
                encoding: None,
                data,
            })
        }
        Ended::Failed(error) => {
            let wire = serde_json::json!({"error": error});
            let problem = Mcp::default().recover(wire.to_string().as_bytes());
            failed(problem.unwrap_or_else(|_bare| tool_failed(&error.message)))
        }
    };
    live.finish(&body);
}

/// The problem of a result that says that it failed.
fn of_result(result: &CallToolResult) -> ProblemDetails {
    let wire = serde_json::to_vec(result).unwrap_or_default();
    let text = result.content.iter().find_map(|block| block.as_text());
    let words = text.map_or("The tool failed.", |text| text.text.as_str());
    Mcp::default()
        .recover(&wire)
        .unwrap_or_else(|_bare| tool_failed(words))
}

fn tool_failed(words: &str) -> ProblemDetails {
    ProblemDetails::new(Status::from_static(500), Code::from_static("tool_failed"))
        .with_title("The tool failed")
        .with_detail(aon_core::redact::text(words).into_owned())
}

fn failed(problem: ProblemDetails) -> Body {
    let status = problem.status();
    let message = problem.detail().or_else(|| problem.title());
    Body::Error(ErrorBody {
        status: status.map_or(500, Status::as_u16),
        code: problem.code().map_or("internal", Code::as_str).to_owned(),
        message: message.unwrap_or("The tool failed.").to_owned(),
        problem,
    })
}
