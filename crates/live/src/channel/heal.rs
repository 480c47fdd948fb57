//! Answers of people: `POST` to the address of a question, or a message over WebSocket. Whichever way it comes, it goes through
//! the same door.

use std::sync::Arc;

use aon::Failure;
use aon_core::json::ObjectWriter;
use aon_core::redact;
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
        Ok((live, _)) => {
            let open: Vec<Value> = live.desk.open().iter().map(shown).collect();
            json_response(StatusCode::OK, json!({ "requests": open }).to_string())
        }
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
    match live.desk.find(&request_id) {
        Ok(question) => json_response(StatusCode::OK, shown(&question).to_string()),
        Err(fault) => fault.into_response(),
    }
}

fn shown(question: &Question) -> Value {
    let shown = serde_json::to_string(&question.request()).unwrap_or_default();
    serde_json::from_str(&redact::json_text(&shown)).unwrap_or_default()
}

fn respond(outcome: Result<Receipt, Failure>) -> Response {
    match outcome {
        Ok(receipt) => json_response(StatusCode::OK, told(&receipt).to_string()),
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
) -> Result<Receipt, Failure> {
    let (parts, body) = request.into_parts();
    let (live, ticket) = hub.visible(id, &parts).await?;
    if !may_come_from(hub, &parts) {
        return Err(Fault::OriginNotAllowed.into());
    }
    let caller = hub.viewer(&parts, ticket);
    let by = responder(&live, caller.as_ref(), ticket.is_some(), "post")?;
    let question = match request_id {
        Some(request_id) => live.desk.find(request_id)?,
        None => live.desk.only()?,
    };
    let base = if_match(&parts);
    let kind = media_type(&parts.headers).map(str::to_ascii_lowercase);
    let is_patch = match kind.as_deref() {
        Some("application/json-patch+json") => true,
        Some("application/json") => false,
        _ => return Err(HealFault::MediaType.into()),
    };
    let bytes = whole(body).await?;
    let answer = if is_patch {
        question.read(&bytes, &by)
    } else {
        in_words(&question, &bytes, &by)
    };
    let answered = answer.and_then(|answer| question.offer(answer, &by, base.as_deref()));
    answered.map_err(|rejection| Failure::built_in(*rejection.problem))
}

/// The body, whole; what is too large is read a little further, so that its sender hears of it.
async fn whole(body: Body) -> Result<bytes::Bytes, Failure> {
    let max_bytes = PatchLimits::default().bytes;
    match to_bytes(body, MOST).await {
        Ok(bytes) if bytes.len() <= max_bytes => Ok(bytes),
        Ok(_) | Err(_) => Err(HealFault::TooLarge { max_bytes }.into()),
    }
}

/// An answer in words: `{"deny": true}`, `{"retry": true}`, or a patch inside of an object.
fn in_words(question: &Question, json: &[u8], by: &Responder) -> Result<Answer, Rejection> {
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
    pub(super) fn hear(&self, message: &Message) -> Option<Frame> {
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
        Some(match self.take(&said) {
            Ok(receipt) => self.accepted(&receipt),
            Err(rejection) => self.rejected(said.request_id.as_deref(), &rejection),
        })
    }

    fn take(&self, said: &Said<'_>) -> Result<Receipt, Rejection> {
        let by = self.by.as_ref().map_err(Rejection::fault)?;
        let question = match &said.request_id {
            Some(id) => self.live.desk.find(id),
            None => self.live.desk.only(),
        };
        let question = question.map_err(|fault| Rejection::fault(&fault))?;
        let answer = match (&*said.kind, said.patch) {
            ("healing_patch", Some(patch)) => question.read(patch.get().as_bytes(), by)?,
            ("healing_deny", None) => Answer::Deny,
            ("healing_retry", None) => Answer::Retry,
            _ => return Err(Rejection::fault(&HealFault::Invalid)),
        };
        question.offer(answer, by, said.base_hash.as_deref())
    }

    fn accepted(&self, receipt: &Receipt) -> Frame {
        let mut members = Vec::with_capacity(160);
        let mut object = ObjectWriter::resume(&mut members);
        object.string("request_id", &receipt.request_id);
        object.string("outcome", receipt.outcome);
        let paths = told(receipt)["paths"].to_string();
        object.raw("paths", &paths);
        object.string("base_hash", &receipt.base_hash);
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
