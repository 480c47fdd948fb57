//! Southbound over HTTP: every request is signed, and nothing of it is read before that was checked. Answers are signed too.
//!
//! | route | what |
//! | --- | --- |
//! | `POST /southbound` | a message; `Accept: application/x-ndjson` shows the action as it runs |
//! | `GET /southbound/actions/{id}` | where an action is |
//! | `DELETE /southbound/actions/{id}` | cancel it |
//! | `/aon/sessions/…` | the sessions of actions: events, WebSocket, healing |

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use aon::axum::ProblemLayer;
use aon_live::{Caller, GlassBox, Identify, OnDisconnect, Session};
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Router};
use bytes::Bytes;
use http::header::{ACCEPT, ALLOW, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};

use super::act::{Acting, From, How, Who, answer_message, in_glass};
use super::answer::Answer;
use super::clock;
use super::fault::SouthFault;
use super::keep::UsedNonce;
use super::keys::Keys;
use super::nonce::{Nonces, REMEMBERED, Seen};
use super::sign::{Reply, Signed, Subject};
use super::wire::{Envelope, Request as Message};
use crate::fault::Unknown;

/// The routes, named to a caller of another one.
const ROUTES: [&str; 3] = [
    "/southbound",
    "/southbound/actions/{id}",
    "/aon/sessions/{id}",
];

/// How many nonces are remembered.
const NONCES: usize = 1 << 20;

/// The keys that are good now; they can be replaced while the program runs.
#[derive(Clone, Debug, Default)]
pub struct KeyRing(Arc<RwLock<Arc<Keys>>>);

impl KeyRing {
    /// These keys.
    pub fn new(keys: Keys) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(keys))))
    }

    /// From now on these.
    pub fn replace(&self, keys: Keys) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }

    fn get(&self) -> Arc<Keys> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Tells the hub who asks: the agent that signed.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct BySignature;

impl Identify for BySignature {
    fn identify(&self, request: &Parts) -> Option<Caller> {
        let From(who) = request.extensions.get()?;
        let caller = Caller::new(who.agent.clone()).healer();
        Some(if who.operator {
            caller.operator()
        } else {
            caller
        })
    }
}

#[derive(Clone)]
struct Gate(Arc<GateInner>);

struct GateInner {
    acting: Acting,
    keys: KeyRing,
    nonces: Mutex<Nonces>,
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").finish_non_exhaustive()
    }
}

/// The routes. The hub of `acting` has to know callers by [`BySignature`].
pub fn router(acting: &Acting, keys: &KeyRing) -> Router {
    let mut nonces = Nonces::new(NONCES);
    for used in acting.nonces() {
        nonces.take(
            &used.agent,
            &used.nonce,
            used.until.saturating_sub(REMEMBERED),
        );
    }
    let gate = Gate(Arc::new(GateInner {
        acting: acting.clone(),
        keys: keys.clone(),
        nonces: Mutex::new(nonces),
    }));
    let glass = GlassBox::new(acting.hub())
        .deadline(None)
        .on_disconnect(OnDisconnect::Continue)
        .lenient();
    let problems = ProblemLayer::new().with_door(acting.door().clone());
    let lost = acting.clone();
    Router::new()
        .route("/southbound", post(message).fallback(not_allowed::<false>))
        .layer(glass)
        .route(
            "/southbound/actions/{id}",
            get(state).delete(cancel).fallback(not_allowed::<true>),
        )
        .with_state(gate.clone())
        .merge(acting.hub().routes().layer(problems))
        .fallback(async move |uri: http::Uri| {
            let unknown = Unknown::new("route", uri.path(), &ROUTES);
            plain(&lost.failed(&SouthFault::UnknownOperation(unknown)))
        })
        .layer(from_fn_with_state(gate, verify))
}

/// Lets a request through that is signed by an agent that is let in, and signs the answer with the same key.
async fn verify(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    match gate.verified(request).await {
        // Whoever replays a request gets nothing signed for it: nobody can be told with it that nothing was done.
        Err(fault) => plain(&gate.0.acting.failed(&fault)),
        Ok((request, seal)) => {
            let response = match gate.admitted(request, &seal) {
                Ok(request) => next.run(request).await,
                Err(fault) => plain(&gate.0.acting.failed(&fault)),
            };
            seal.on(response).await
        }
    }
}

impl Gate {
    /// The request, when a key of its agent signed it and its nonce is new.
    async fn verified(&self, request: Request) -> Result<(Request, Seal), SouthFault> {
        let max_payload = self.0.acting.max_payload();
        let too_large = || SouthFault::PayloadTooLarge { max_payload };
        let declared = request.headers().get(CONTENT_LENGTH);
        let declared = declared.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if declared.is_some_and(|length| length > max_payload) {
            return Err(too_large());
        }
        let signed = Signed::read(request.headers())?;
        let (mut parts, body) = request.into_parts();
        let limit = usize::try_from(max_payload).unwrap_or(usize::MAX);
        let body = to_bytes(body, limit).await.map_err(|_unread| too_large())?;
        let subject = Subject {
            method: parts.method.as_str(),
            path: parts.uri.path(),
            query: parts.uri.query(),
            body: &body,
        };
        let now = clock::now() / 1000;
        let keys = self.0.keys.get();
        subject.verify(&signed, &keys, now)?;
        let Signed {
            agent, key, nonce, ..
        } = signed;
        let seen = self
            .0
            .nonces
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take(&agent, &nonce, now);
        match seen {
            Seen::New => {}
            Seen::Before => return Err(SouthFault::NonceReplayed),
            Seen::Full => return Err(SouthFault::TooManyNonces),
        }
        let secret = keys.secret(&agent, &key).unwrap_or_default().to_vec();
        let used = UsedNonce {
            agent,
            nonce,
            until: now + REMEMBERED,
        };
        if !self.0.acting.take(&used).await? {
            return Err(SouthFault::NonceReplayed);
        }
        let seal = Seal {
            used: used.clone(),
            key,
            secret,
        };
        parts.extensions.insert(used);
        parts.extensions.insert(Verified(body.clone()));
        Ok((Request::from_parts(parts, Body::from(body)), seal))
    }

    /// The request with who sent it, when that agent is let in.
    fn admitted(&self, mut request: Request, seal: &Seal) -> Result<Request, SouthFault> {
        let who = self.0.acting.admit(&seal.used.agent, None)?;
        request.extensions_mut().insert(From(who));
        Ok(request)
    }
}

/// What signs the answer to a request.
struct Seal {
    used: UsedNonce,
    key: String,
    secret: Vec<u8>,
}

impl Seal {
    /// Signs an answer that is one JSON document. A stream is not signed: its outcome is asked for with the same id.
    async fn on(self, response: Response) -> Response {
        let json = response.headers().get(CONTENT_TYPE).is_some_and(|kind| {
            let kind = kind.as_bytes();
            kind.starts_with(b"application/json") || kind.starts_with(b"application/problem+json")
        });
        if !json {
            return response;
        }
        let (mut parts, body) = response.into_parts();
        let Ok(body) = to_bytes(body, usize::MAX).await else {
            return Response::from_parts(parts, Body::empty());
        };
        let timestamp = clock::now() / 1000;
        let UsedNonce { agent, nonce, .. } = &self.used;
        let reply = Reply {
            status: parts.status.as_u16(),
            body: &body,
            timestamp,
            nonce,
            agent,
        };
        let signature = reply.sign(&self.secret);
        let timestamp = timestamp.to_string();
        for (name, value) in [
            ("x-key-id", self.key.as_str()),
            ("x-timestamp", &timestamp),
            ("x-nonce", nonce),
            ("x-signature", &signature),
        ] {
            // They came in a header, or are digits.
            if let Ok(value) = HeaderValue::from_str(value) {
                parts.headers.insert(name, value);
            }
        }
        Response::from_parts(parts, Body::from(body))
    }
}

/// The body that was signed.
#[derive(Clone)]
struct Verified(Bytes);

async fn message(State(gate): State<Gate>, session: Session, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let (Some(From(mut who)), Some(Verified(body))) =
        (parts.extensions.remove(), parts.extensions.remove())
    else {
        return plain(&gate.0.acting.failed(&SouthFault::SignatureMissing));
    };
    let key = parts
        .headers
        .get("idempotency-key")
        .map(|key| key.to_str().map(|key| key.trim_matches('"').to_owned()));
    let key = match key.transpose() {
        Ok(key) => key,
        Err(_invisible) => {
            let (member, expected) = (
                "Idempotency-Key".to_owned(),
                "must be visible ASCII".to_owned(),
            );
            return plain(
                &gate
                    .0
                    .acting
                    .failed(&SouthFault::MessageInvalid { member, expected }),
            );
        }
    };
    let how = How {
        nonce: parts.extensions.remove(),
        session: Some(session),
        ..How::default()
    };
    let answer = answer_message(&gate.0.acting, &mut who, &body, key.as_deref(), how).await;
    if wants_events(&parts.headers) {
        in_glass(&answer)
    } else {
        plain(&answer)
    }
}

fn wants_events(headers: &HeaderMap) -> bool {
    let mut accepts = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|accept| accept.to_str().ok());
    accepts.any(|accept| accept.contains("application/x-ndjson"))
}

async fn state(
    State(gate): State<Gate>,
    Path(action_id): Path<String>,
    Extension(From(who)): Extension<From>,
) -> Response {
    let envelope = Envelope::with_action(&action_id);
    about(&gate, who, Message::State { action_id }, &envelope).await
}

async fn cancel(
    State(gate): State<Gate>,
    Path(action_id): Path<String>,
    Extension(From(who)): Extension<From>,
) -> Response {
    let envelope = Envelope::with_action(&action_id);
    about(&gate, who, Message::Cancel { action_id }, &envelope).await
}

async fn not_allowed<const ACTION: bool>(State(gate): State<Gate>) -> Response {
    let allowed: &[&str] = if ACTION {
        &["GET", "DELETE"]
    } else {
        &["POST"]
    };
    let mut response = plain(&gate.0.acting.failed(&SouthFault::MethodNotAllowed {
        allowed: allowed.iter().map(|&method| method.to_owned()).collect(),
    }));
    if let Ok(allowed) = HeaderValue::from_str(&allowed.join(", ")) {
        response.headers_mut().insert(ALLOW, allowed);
    }
    response
}

async fn about(gate: &Gate, mut who: Who, message: Message, envelope: &Envelope) -> Response {
    let answer = gate
        .0
        .acting
        .answer(&mut who, message, How::default())
        .await;
    plain(&answer.to(envelope))
}

/// The answer in the shape of the specification.
fn plain(answer: &Answer) -> Response {
    let mut response = Response::new(Body::from(answer.text()));
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if answer.status == 401 {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("AON-HMAC"));
    }
    if let Some(seconds) = answer.retry_after() {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
