//! The HTTP middleware around rmcp's streamable HTTP service: what never reaches a tool, and what leaves it.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use ::rmcp::model::{ErrorCode, JsonRpcError};
use bytes::Bytes;
use http_body::Body;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use serde_json::Value;
use tower_layer::Layer;
use tower_service::Service;

use super::edge::{self, Edge};
use super::result::{TICKET, ticket_in};
use super::{message, own};
use crate::adapter::media_type;
use crate::door::{Door, Facts, Occurrence, Scope};
use crate::jsonrpc::Limits;
use crate::surface::raw;

const JSON: &str = "application/json";

type Reply = Response<BoxBody<Bytes, Infallible>>;
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The layer for rmcp's `StreamableHttpService`.
///
/// Bodies that are not messages, missing headers and whatever else the service answers in plain text leave as JSON-RPC
/// errors with the envelope as their data. Of a service that answers with JSON, the failures of a
/// [`ProblemServer`](super::ProblemServer) are written here, their members in order; in event streams they leave in
/// rmcp's types, because a store may keep the events.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use aon::rmcp::{HttpProblemLayer, ProblemServer};
/// use rmcp::ServerHandler;
/// use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
/// use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
/// use tower::Layer;
///
/// fn router<H: ServerHandler + Clone>(handler: H) -> axum::Router {
///     let server = ProblemServer::new(handler);
///     let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
///     let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::new(NeverSessionManager::default()), config);
///     axum::Router::new().route_service("/mcp", HttpProblemLayer::new().layer(service))
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct HttpProblemLayer {
    door: Door,
    json_only: bool,
}

impl HttpProblemLayer {
    /// One with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the door refusals leave through, and how much is read. Give the server a clone of it.
    #[must_use]
    pub fn with_door(mut self, door: Door) -> Self {
        self.door = door;
        self
    }

    /// Says that the service answers with JSON: clients that do not accept event streams are let through, and failures
    /// are written here.
    #[must_use]
    pub fn with_json_only(mut self, json_only: bool) -> Self {
        self.json_only = json_only;
        self
    }
}

impl<S> Layer<S> for HttpProblemLayer {
    type Service = HttpProblemService<S>;

    fn layer(&self, service: S) -> HttpProblemService<S> {
        HttpProblemService {
            service,
            settings: self.clone(),
        }
    }
}

/// The service [`HttpProblemLayer`] makes.
#[derive(Clone, Debug)]
pub struct HttpProblemService<S> {
    service: S,
    settings: HttpProblemLayer,
}

impl<S, B, R> Service<Request<B>> for HttpProblemService<S>
where
    S: Service<Request<Full<Bytes>>, Response = Response<R>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
    R: Body<Data = Bytes, Error = Infallible> + Send + Sync + 'static,
{
    type Response = Reply;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Reply, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let next = self.service.clone();
        let mut service = std::mem::replace(&mut self.service, next);
        let settings = self.settings.clone();
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let door = &settings.door;
            let facts = Facts::of_http("mcp", &parts.method, &parts.uri, &parts.headers);
            let post = parts.method == Method::POST;
            // A session answers with events, whatever else is set.
            let json = settings.json_only && !parts.headers.contains_key("mcp-session-id");
            let edge = Edge::new(facts, post && json);
            let limits = Limits::of(door);
            let bytes = match Limited::new(body, limits.bytes).collect().await {
                Ok(collected) => collected.to_bytes(),
                Err(error) => {
                    let failure = Occurrence::unread(&*error, limits.bytes);
                    return Ok(refusal(edge.scope(door), failure, "null"));
                }
            };
            if post && let Err(rejected) = message::check(&bytes, limits) {
                let id = message::refused_id(&rejected);
                return Ok(refusal(edge.scope(door), rejected.failure(), id));
            }
            if post && settings.json_only {
                let both = HeaderValue::from_static("application/json, text/event-stream");
                parts.headers.insert(header::ACCEPT, both);
            }
            parts.extensions.insert(edge.clone());
            let id = post.then(|| rpc_id(&bytes));
            let bytes = match message::task_subscription(&bytes) {
                Some(named) => {
                    let name = HeaderValue::from_static(message::TASK_SUBSCRIPTION);
                    if let Some(method) = parts.headers.get_mut("mcp-method") {
                        *method = name;
                    }
                    Bytes::from(named)
                }
                None => bytes,
            };
            let request = Request::from_parts(parts, Full::new(bytes));
            let response = service.call(request).await?;
            Ok(repaired(response, &edge, door, id.as_deref()).await)
        })
    }
}

/// The id of a message, as JSON.
fn rpc_id(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let id = raw::member(text, "id").filter(|id| !id.starts_with(['{', '[']));
    id.unwrap_or("null").to_owned()
}

/// The response with its failure as a problem: a JSON-RPC error to a message, a REST problem to anything else.
async fn repaired<R>(response: Response<R>, edge: &Edge, door: &Door, id: Option<&str>) -> Reply
where
    R: Body<Data = Bytes, Error = Infallible> + Send + Sync + 'static,
{
    let status = response.status();
    let json = media_type(response.headers()).as_deref() == Some(JSON);
    let (mut parts, body) = response.into_parts();
    let failed = status.is_client_error() || status.is_server_error();
    let placeholder = json && edge.writes();
    if !failed && !placeholder {
        return Response::from_parts(parts, body.boxed());
    }
    let Ok(collected) = body.collect().await;
    let told = collected.to_bytes();
    let scope = edge.scope(door);
    let rpc_id = id.unwrap_or("null");
    if json {
        // The failure of a tool, or an error of rmcp's own that is not a problem yet.
        let body = if failed {
            completed(&told, scope, rpc_id)
        } else {
            placed(&told, scope, rpc_id)
        };
        return match body {
            Some(body) => answer(parts, JSON, body),
            None => answer(parts, JSON, told.to_vec()),
        };
    }
    let failure = own::of_transport(&parts, &String::from_utf8_lossy(&told), door);
    parts.status = StatusCode::from_u16(failure.status()).unwrap_or(status);
    if id.is_some() {
        let (body, _) = message::error(scope, failure, rpc_id, Some(number(status)));
        return answer(parts, JSON, body);
    }
    let problem = scope.pass(failure, "rest").into_problem();
    answer(parts, "application/problem+json", problem.to_vec())
}

/// An error of the protocol with its problem; `None` when it has one.
fn completed(told: &[u8], scope: &Scope, id: &str) -> Option<Vec<u8>> {
    let JsonRpcError { error, .. } = serde_json::from_slice(told).ok()?;
    let failure = own::failure(&error, &[])?;
    Some(message::error(scope, failure, id, Some(error.code)).0)
}

/// The response of a tool that failed, where a placeholder stands for it.
fn placed(told: &[u8], scope: &Scope, id: &str) -> Option<Vec<u8>> {
    // A placeholder is short, and most answers are not placeholders.
    let short = std::str::from_utf8(told)
        .ok()
        .filter(|told| told.len() < 2048 && told.contains(TICKET))?;
    let result = raw::member(short, "result")?;
    let meta: Value = serde_json::from_str(raw::member(result, "_meta")?).ok()?;
    let (ticket, mode) = ticket_in(meta.get(TICKET)?)?;
    let failure = scope.redeem(ticket)?;
    let modern = raw::member(result, "resultType").is_some();
    Some(edge::response(
        scope,
        failure,
        id,
        (mode, modern),
        Some(&meta),
    ))
}

/// A response with another body.
fn answer(mut parts: ::http::response::Parts, media: &'static str, body: Vec<u8>) -> Reply {
    let media = HeaderValue::from_static(media);
    parts.headers.insert(header::CONTENT_TYPE, media);
    parts.headers.remove(header::CONTENT_LENGTH);
    // The layer for REST has nothing to do with it.
    #[cfg(feature = "axum")]
    parts.extensions.insert(crate::axum::Passthrough);
    Response::from_parts(parts, Full::new(Bytes::from(body)).boxed())
}

fn refusal(scope: &Scope, failure: Occurrence, id: &str) -> Reply {
    let (body, problem) = message::error(scope, failure, id, None);
    let status = problem.status().map(aon_core::Status::as_u16);
    // Parameters of the wrong form are bad requests to the transport.
    let status = status.filter(|status| *status != 422).unwrap_or(400);
    let (mut parts, ()) = Response::new(()).into_parts();
    parts.status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    answer(parts, JSON, body)
}

fn number(status: StatusCode) -> ErrorCode {
    if status.is_server_error() {
        ErrorCode::INTERNAL_ERROR
    } else {
        ErrorCode::INVALID_REQUEST
    }
}
