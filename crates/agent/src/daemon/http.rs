//! The routes of a daemon.

use std::sync::Arc;

use aon::axum::{Json, ProblemLayer};
use aon_live::id::SessionId;
use aon_live::{GlassBox, Hub, Refusal, Session};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest as _, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Request};
use serde_json::{Value, json};

use super::Daemon;
use super::actions::ActionKind;
use super::run::Run;
use super::wire::{Abort, EVENTS, Generate, NewSession};
use crate::fault::{Fault, words};

impl Daemon {
    /// The routes: the four of the specification, and those of the hub.
    pub fn routes(self, hub: &Hub) -> Router {
        self.routes_behind(hub, ProblemLayer::new())
    }

    /// The routes with a layer of your own for failures, such as one with a door that measures.
    pub fn routes_behind(self, hub: &Hub, problems: ProblemLayer) -> Router {
        let layer = GlassBox::new(hub)
            .server_sent_events(EVENTS)
            .on_disconnect(self.on_disconnect)
            .deadline(Some(self.limits.run));
        let daemon = Arc::new(self);
        let agent = Router::new()
            .route("/agent/generate", post(generate).layer(layer))
            .route("/agent/sessions", post(create))
            .route("/agent/abort", post(abort))
            .route("/agent/status", get(status))
            .with_state((daemon, hub.clone()));
        let whole = agent.merge(hub.routes());
        Router::new()
            .fallback_service(problems.wrap(whole))
            .layer(middleware::from_fn(in_both_shapes))
    }
}

type Shared = State<(Arc<Daemon>, Hub)>;

async fn create(
    State((daemon, _)): Shared,
    headers: HeaderMap,
    request: Request<Body>,
) -> Result<Json<Value>, Response> {
    let asked: NewSession = optional(&headers, request).await?;
    let id = fresh_id().map_err(refusal)?;
    let worker = daemon
        .worker_session(&asked.params)
        .await
        .map_err(refusal)?;
    let most = daemon.limits.sessions;
    let fallback = worker.is_none();
    let added = daemon
        .sessions()
        .add(most, id.clone(), asked.params, worker);
    if let Some(gone) = added.map_err(refusal)? {
        let provider = daemon.provider.clone();
        tokio::spawn(async move {
            let _: Result<(), Fault> = provider.close_session(&gone).await;
        });
    }
    tracing::info!(target: "aon::agent", event = "session", session_id = %id, fallback, "a session was created");
    Ok(Json(json!({ "ok": true, "session_id": id })))
}

/// A body that may be left out. One that is there says that it is JSON: a page of another origin cannot send that unasked.
async fn optional<T>(headers: &HeaderMap, request: Request<Body>) -> Result<T, Response>
where
    T: Default + serde::de::DeserializeOwned,
{
    let empty = headers
        .get(CONTENT_LENGTH)
        .is_none_or(|length| length == "0")
        && headers.get(CONTENT_TYPE).is_none()
        && headers.get("origin").is_none();
    if empty {
        return Ok(T::default());
    }
    let Json(value) = Json::from_request(request, &())
        .await
        .map_err(axum::response::IntoResponse::into_response)?;
    Ok(value)
}

async fn generate(
    State((daemon, _)): Shared,
    session: Session,
    Json(asked): Json<Generate>,
) -> Result<Json<Value>, Response> {
    let prompt = asked.prompt.or(asked.objective);
    let prompt = prompt.filter(|prompt| !prompt.is_empty()).ok_or_else(|| {
        refusal(Fault::MissingField {
            operation: "generate",
            field: "prompt",
            expected: "a text that is not empty; `objective` is accepted too",
        })
    })?;
    let own = asked.session_id.is_none();
    let id = if let Some(id) = asked.session_id {
        id
    } else {
        let id = fresh_id().map_err(refusal)?;
        let most = daemon.limits.sessions;
        let params = serde_json::Map::new();
        let added = daemon.sessions().add(most, id.clone(), params, None);
        added.map_err(refusal)?;
        id
    };
    let stop = daemon.sessions().begin(&id).map_err(refusal)?;
    let run = Run::new(daemon, session.clone(), id, stop, own);
    session.begin();
    let result = run.run(prompt).await;
    result
        .map(Json)
        .map_err(axum::response::IntoResponse::into_response)
}

async fn abort(
    State((daemon, _)): Shared,
    Json(asked): Json<Abort>,
) -> Result<Json<Value>, Response> {
    let id = asked.session_id.ok_or_else(|| {
        refusal(Fault::MissingField {
            operation: "abort",
            field: "session_id",
            expected: "a string",
        })
    })?;
    let worker = daemon.sessions().abort(&id).map_err(refusal)?;
    tracing::info!(target: "aon::agent", event = "abort", session_id = %id, "a session was aborted");
    if let Some(worker) = worker {
        // The run has ended already; the worker is told too, and not waited for.
        let provider = daemon.provider.clone();
        tokio::spawn(async move {
            let _: Result<(), Fault> = provider.abort(&worker).await;
        });
    }
    Ok(Json(json!({ "ok": true })))
}

async fn status(State((daemon, hub)): Shared) -> Json<Value> {
    let worker = daemon.provider.status().await;
    let available = worker.as_ref().is_ok_and(|status| status.running);
    let mut said = json!({
        "path": daemon.provider.path().display().to_string(),
        "available": available,
    });
    match worker {
        Ok(status) => said["status"] = Value::Object(status.members),
        Err(fault) => said["reason"] = fault.to_string().into(),
    }
    let fallback = daemon.fallback.as_ref().map(|backend| backend.name());
    let answers = match (available, fallback) {
        (true, _) => "worker",
        (false, Some(_)) => "fallback",
        (false, None) => "nobody",
    };
    let (sessions, running) = {
        let sessions = daemon.sessions();
        let running = sessions
            .known
            .values()
            .filter(|known| known.running.is_some());
        (sessions.known.len(), running.count())
    };
    let handled = |kind: &ActionKind| {
        let known = daemon.registry.get(*kind).is_some() || *kind == ActionKind::Plan;
        (
            kind.as_str().to_owned(),
            json!({ "handler": known, "effects": kind.has_effects() }),
        )
    };
    let actions: serde_json::Map<String, Value> = ActionKind::ALL.iter().map(handled).collect();
    let stats = hub.stats();
    Json(json!({
        "ok": true,
        "status": "running",
        "version": env!("CARGO_PKG_VERSION"),
        "worker": said,
        "fallback": { "backend": fallback, "active": answers == "fallback" },
        "answers": answers,
        "sessions": sessions,
        "running": running,
        "actions": actions,
        "iterations": daemon.limits.iterations,
        "hub": { "sessions": stats.sessions, "open": stats.open, "readers": stats.readers },
    }))
}

/// A failure before the work began: a plain response with its real status.
fn refusal(fault: Fault) -> Response {
    let mut response = fault.into_failure().into_response();
    response.extensions_mut().insert(Refusal);
    response
}

/// An id that nobody can guess.
pub(super) fn fresh_id() -> Result<String, Fault> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| Fault::BackendFailed {
        cause: format!("the system gave no random numbers: {error}"),
    })?;
    Ok(SessionId::from_bytes(random).to_string())
}

/// The largest failure that is looked into.
const LARGEST: usize = 256 * 1024;

/// Gives a problem the shape that the specification has for failures too: `ok`, `error` and `problem` beside its members.
async fn in_both_shapes(request: Request<Body>, next: Next) -> Response {
    let response = next.run(request).await;
    let is_problem = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/problem+json"));
    if !is_problem {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, LARGEST).await else {
        return Response::from_parts(parts, Body::empty());
    };
    let Ok(problem) = aon_core::ProblemDetails::from_slice(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    let mut out = Vec::with_capacity(bytes.len() * 2 + 64);
    problem.write(&mut out);
    if out.pop() != Some(b'}') {
        return Response::from_parts(parts, Body::from(bytes));
    }
    let mut object = aon_core::json::ObjectWriter::resume(&mut out);
    object.boolean("ok", false);
    object.string("error", &words(&problem));
    object.value("problem", &problem);
    object.end();
    parts
        .headers
        .insert(CONTENT_LENGTH, HeaderValue::from(out.len()));
    Response::from_parts(parts, Body::from(out))
}
