//! Answers of people: `POST` to the address of a question, or a message over WebSocket. Whichever way it comes, it goes through
//! the same door.

use std::sync::Arc;

use aon::Failure;
use aon_core::json::ObjectWriter;
use aon_core::{ProblemDetails, redact};
use axum::body::{Body, to_bytes};
use axum::extract::ws::Message;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use http::header::IF_MATCH;
use http::request::Parts;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::json_response;
use super::ws::may_come_from;
use crate::access::Caller;
use crate::fault::Fault;
use crate::frame::{Draft, Frame};
use crate::heal::{Answer, HealFault, PatchLimits, Question, Receipt, Rejection, Responder};
use crate::hub::Hub;
use crate::hub::inbox::{Letter, Said as Carried, Written};
use crate::hub::live::Live;
use crate::machine::patch::document;
use crate::outcome::media_type;

/// How much of an answer that is too large is read, so that its sender hears why it is refused.
const MOST: usize = 8 * 1024 * 1024;
/// How deep an answer may be around its patch.
const DEPTH: usize = 40;

pub(super) async fn answer(
    State(hub): State<Hub>,
    Path((id, request_id)): Path<(String, String)>,
    request: Request,
) -> Response {
    respond(take(&hub, &id, Some(&request_id), request).await)
}

/// The same at the address of the session, where one question is open.
pub(super) async fn answer_only(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    respond(take(&hub, &id, None, request).await)
}

/// The questions that are open.
pub(super) async fn list(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    match hub.visible(&id, &parts).await {
        Ok((live, _)) if runs_elsewhere(&live) => told_by(forward(&hub, &live, Letter::List).await),
        Ok((live, _)) => json_response(StatusCode::OK, listed(&live).to_string()),
        Err(fault) => fault.into_response(),
    }
}

/// One question as it is shown.
pub(super) async fn show(
    State(hub): State<Hub>,
    Path((id, request_id)): Path<(String, String)>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    let live = match hub.visible(&id, &parts).await {
        Ok((live, _)) => live,
        Err(fault) => return fault.into_response(),
    };
    if runs_elsewhere(&live) {
        return told_by(forward(&hub, &live, Letter::Show { request_id }).await);
    }
    match live.desk.find(&request_id) {
        Ok(question) => json_response(StatusCode::OK, shown(&question).to_string()),
        Err(fault) => fault.into_response(),
    }
}

fn shown(question: &Question) -> Value {
    let shown = serde_json::to_string(&question.request()).unwrap_or_default();
    serde_json::from_str(&redact::json_text(&shown)).unwrap_or_default()
}

fn listed(live: &Live) -> Value {
    let open: Vec<Value> = live.desk.open().iter().map(shown).collect();
    json!({ "requests": open })
}

/// Whether another node runs it, and its questions are there.
pub(crate) fn runs_elsewhere(live: &Live) -> bool {
    live.is_elsewhere() && !live.has_ended()
}

/// Asks the node that runs the session.
pub(crate) async fn forward(hub: &Hub, live: &Live, letter: Letter) -> Result<Value, Rejection> {
    let ours = |fault: &Fault| Rejection::ours(fault);
    let written = hub.write_to(live.origin.session, &letter).await;
    let written = written.map_err(|fault| ours(&fault))?;
    match (written.body, written.problem) {
        (Some(body), _) => Ok(body),
        (None, Some(problem)) => {
            let problem = ProblemDetails::from_slice(problem.as_bytes());
            Err(Rejection {
                problem: Box::new(problem.map_err(|_garbled| ours(&Fault::NodeSilent))?),
                op_index: written.op_index,
                reason: written.reason.unwrap_or_default(),
            })
        }
        // It has ended there a moment ago.
        (None, None) => Err(Rejection::fault(&HealFault::NotFound)),
    }
}

fn told_by(outcome: Result<Value, Rejection>) -> Response {
    respond(outcome.map_err(|rejection| Failure::built_in(*rejection.problem)))
}

/// What a letter of another node is answered with.
pub(crate) async fn answered(live: &Arc<Live>, letter: Letter) -> Written {
    let outcome = match letter {
        Letter::Cancel => return Written::default(),
        Letter::List => Ok(listed(live)),
        Letter::Show { request_id } => live
            .desk
            .find(&request_id)
            .map(|question| shown(&question))
            .map_err(|fault| Rejection::fault(&fault)),
        Letter::Answer(said) => heard(live, &said).await,
        Letter::Message(spoken) => match crate::a2a::heard(live, &spoken) {
            Ok(receipt) => kept(live, receipt).await,
            Err(rejection) => Err(rejection),
        },
        Letter::Push(errand) => crate::a2a::hooked(live, *errand)
            .await
            .map_err(|fault| Rejection::of_problem(aon_core::Problem::to_problem(&fault))),
    };
    match outcome {
        Ok(body) => Written {
            body: Some(body),
            ..Written::default()
        },
        Err(rejection) => Written {
            problem: Some(rejection.problem.to_string()),
            op_index: rejection.op_index,
            reason: Some(rejection.reason),
            body: None,
        },
    }
}

/// An answer that another node took.
async fn heard(live: &Arc<Live>, said: &Carried) -> Result<Value, Rejection> {
    let fault = |fault: HealFault| Rejection::fault(&fault);
    let by = Responder::new(if said.socket { "websocket" } else { "post" });
    let by = match &said.who {
        Some(who) => by.known(who),
        None => by,
    };
    let question = match &said.request_id {
        Some(id) => live.desk.find(id),
        None => live.desk.only(),
    };
    let question = question.map_err(fault)?;
    let answer = match (&said.patch, &said.words) {
        (Some(patch), _) => question.read(patch.as_bytes(), &by)?,
        (None, Some(words)) => in_words(&question, words.as_bytes(), &by)?,
        (None, None) => return Err(fault(HealFault::Invalid)),
    };
    let receipt = question.offer(answer, &by, said.base.as_deref())?;
    kept(live, receipt).await
}

/// An answer counts once it is stored.
async fn kept(live: &Arc<Live>, receipt: Receipt) -> Result<Value, Rejection> {
    if live.stored().await {
        return Ok(told(&receipt));
    }
    Err(Rejection::ours(&Fault::NodeSilent))
}

fn respond(outcome: Result<Value, Failure>) -> Response {
    match outcome {
        Ok(told) => json_response(StatusCode::OK, told.to_string()),
        Err(failure) => failure.into_response(),
    }
}

fn told(receipt: &Receipt) -> Value {
    let paths: Vec<_> = receipt
        .paths
        .iter()
        .map(|path| redact::text(path))
        .collect();
    json!({
        "request_id": receipt.request_id,
        "outcome": receipt.outcome,
        "paths": paths,
        "base_hash": receipt.base_hash,
    })
}

/// Takes an answer that came as a request.
async fn take(
    hub: &Hub,
    id: &str,
    request_id: Option<&str>,
    request: Request,
) -> Result<Value, Failure> {
    let (parts, body) = request.into_parts();
    let (live, ticket) = hub.visible(id, &parts).await?;
    if !may_come_from(hub, &parts) {
        return Err(Fault::OriginNotAllowed.into());
    }
    let caller = hub.viewer(&parts, ticket);
    let by = responder(&live, caller.as_ref(), ticket.is_some(), "post")?;
    let question = match request_id {
        _ if runs_elsewhere(&live) => None,
        Some(request_id) => Some(live.desk.find(request_id)?),
        None => Some(live.desk.only()?),
    };
    let base = if_match(&parts);
    let kind = media_type(&parts.headers).map(str::to_ascii_lowercase);
    let is_patch = match kind.as_deref() {
        Some("application/json-patch+json") => true,
        Some("application/json") => false,
        _ => return Err(HealFault::MediaType.into()),
    };
    let bytes = whole(body).await?;
    let refused = |rejection: Rejection| Failure::built_in(*rejection.problem);
    let Some(question) = question else {
        let text = String::from_utf8(bytes.to_vec()).map_err(|_binary| HealFault::Invalid)?;
        let (patch, words) = if is_patch {
            (Some(text), None)
        } else {
            (None, Some(text))
        };
        let said = Carried {
            request_id: request_id.map(str::to_owned),
            patch,
            words,
            base,
            who: by.who,
            socket: false,
        };
        let letter = Letter::Answer(Box::new(said));
        return forward(hub, &live, letter).await.map_err(refused);
    };
    let answer = if is_patch {
        question.read(&bytes, &by)
    } else {
        in_words(&question, &bytes, &by)
    };
    let answered = answer.and_then(|answer| question.offer(answer, &by, base.as_deref()));
    kept(&live, answered.map_err(refused)?)
        .await
        .map_err(refused)
}

/// The body, whole; what is too large is read a little further, so that its sender hears of it.
async fn whole(body: Body) -> Result<bytes::Bytes, Failure> {
    let max_bytes = PatchLimits::default().bytes;
    match to_bytes(body, MOST).await {
        Ok(bytes) if bytes.len() <= max_bytes => Ok(bytes),
        Ok(_) => Err(HealFault::TooLarge { max_bytes }.into()),
        Err(error) => Err(match Failure::unread(&error, max_bytes) {
            // The limit has a code of its own here.
            failure if failure.status() == 413 => HealFault::TooLarge { max_bytes }.into(),
            failure => failure,
        }),
    }
}

/// An answer in words: `{"deny": true}`, `{"retry": true}`, or a patch inside of an object.
pub(crate) fn in_words(
    question: &Question,
    json: &[u8],
    by: &Responder,
) -> Result<Answer, Rejection> {
    let invalid = || Rejection::fault(&HealFault::Invalid);
    let members = match document(json, DEPTH) {
        Ok(Value::Object(members)) => members,
        // A patch has a media type of its own.
        Ok(Value::Array(_)) => return Err(Rejection::fault(&HealFault::MediaType)),
        Ok(_) | Err(_) => return Err(invalid()),
    };
    let is = |name: &str| members.get(name) == Some(&Value::Bool(true));
    match (is("deny"), is("retry"), members.get("patch")) {
        (true, false, None) => Ok(Answer::Deny),
        (false, true, None) => Ok(Answer::Retry),
        (false, false, Some(patch)) => question.read(patch.to_string().as_bytes(), by),
        _ => Err(invalid()),
    }
}

/// What the answer says it is based on; `*` is anything.
fn if_match(parts: &Parts) -> Option<String> {
    let header = parts.headers.get(IF_MATCH)?;
    // A header that is not text matches nothing.
    let text = header.to_str().unwrap_or("?").trim();
    (text != "*").then(|| text.trim_matches('"').to_owned())
}

/// Whether the caller may answer, and as whom.
fn responder(
    live: &Live,
    caller: Option<&Caller>,
    ticket: bool,
    channel: &'static str,
) -> Result<Responder, Failure> {
    if ticket || !Caller::may_heal(caller, live.owner.as_ref()) {
        return Err(HealFault::NotAllowed.into());
    }
    let by = Responder::new(channel);
    Ok(match caller {
        Some(caller) => by.known(&caller.subject),
        None => by,
    })
}

/// What a reader over WebSocket may say about questions.
pub(super) struct Voice {
    hub: Hub,
    live: Arc<Live>,
    by: Result<Responder, HealFault>,
}

/// A message of a reader.
#[derive(serde::Deserialize)]
struct Said<'a> {
    #[serde(rename = "type")]
    kind: std::borrow::Cow<'a, str>,
    #[serde(default)]
    request_id: Option<String>,
    #[serde(default, borrow)]
    patch: Option<&'a RawValue>,
    #[serde(default)]
    base_hash: Option<String>,
}

impl Voice {
    pub(super) fn new(hub: &Hub, live: &Arc<Live>, caller: Option<&Caller>, ticket: bool) -> Self {
        let by = responder(live, caller, ticket, "websocket");
        Self {
            hub: hub.clone(),
            live: Arc::clone(live),
            by: by.map_err(|_refused| HealFault::NotAllowed),
        }
    }

    /// What to tell the sender of a message, if it was about a question.
    pub(super) async fn hear(&self, message: &Message) -> Option<Frame> {
        let Message::Text(text) = message else {
            return None;
        };
        let said: Said<'_> = match serde_json::from_str(text.as_str()) {
            Ok(said) => said,
            // A member that is there twice, or is of the wrong type: it was meant for us if it says so.
            Err(_malformed) if text.contains("healing_") => {
                let rejection = Rejection::fault(&HealFault::Invalid);
                return Some(self.rejected(None, &rejection));
            }
            Err(_malformed) => return None,
        };
        if !matches!(
            &*said.kind,
            "healing_patch" | "healing_deny" | "healing_retry"
        ) {
            return None;
        }
        Some(match self.take(&said).await {
            Ok(told) => self.accepted(&told),
            Err(rejection) => self.rejected(said.request_id.as_deref(), &rejection),
        })
    }

    async fn take(&self, said: &Said<'_>) -> Result<Value, Rejection> {
        let by = self.by.as_ref().map_err(Rejection::fault)?;
        let words = match (&*said.kind, said.patch) {
            ("healing_patch", Some(_)) => None,
            ("healing_deny", None) => Some(r#"{"deny":true}"#.to_owned()),
            ("healing_retry", None) => Some(r#"{"retry":true}"#.to_owned()),
            _ => return Err(Rejection::fault(&HealFault::Invalid)),
        };
        let carried = Carried {
            request_id: said.request_id.clone(),
            patch: said.patch.map(|patch| patch.get().to_owned()),
            words,
            base: said.base_hash.clone(),
            who: by.who.clone(),
            socket: true,
        };
        if runs_elsewhere(&self.live) {
            return forward(&self.hub, &self.live, Letter::Answer(Box::new(carried))).await;
        }
        heard(&self.live, &carried).await
    }

    fn accepted(&self, told: &Value) -> Frame {
        let mut members = Vec::with_capacity(160);
        let mut object = ObjectWriter::resume(&mut members);
        for name in ["request_id", "outcome", "paths", "base_hash"] {
            object.raw(name, &told[name].to_string());
        }
        self.frame("healing_accepted", members)
    }

    fn rejected(&self, request_id: Option<&str>, rejection: &Rejection) -> Frame {
        let mut members = Vec::with_capacity(400);
        let mut object = ObjectWriter::resume(&mut members);
        if let Some(id) = request_id {
            object.string("request_id", &redact::echo(id));
        }
        object.string("reason", &rejection.reason);
        object.number("status", u64::from(rejection.status()));
        if let Some(at) = rejection.op_index {
            object.number("op_index", at as u64);
        }
        let trace = self.live.origin.trace.to_string();
        let problem = (*rejection.problem).clone();
        let problem = problem.with_request_id(aon::program_namespace(), trace);
        object.raw("problem", &redact::json_text(&problem.to_string()));
        self.frame("healing_rejected", members)
    }

    fn frame(&self, kind: &str, members: Vec<u8>) -> Frame {
        let now = self.hub.0.clock.now().wall;
        Draft::raw(kind, members).unnumbered(&self.live.origin, now)
    }
}
