//! The HTTP middleware around rmcp's streamable HTTP service: what never reaches a tool, and what leaves it.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use ::rmcp::model::ErrorCode;
use aon_core::Namespace;
use bytes::Bytes;
use http_body::Body;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use tower_layer::Layer;
use tower_service::Service;

use super::message;
use super::own;
use super::slot::Slot;
use crate::adapter::ids;
use crate::jsonrpc::{self, Limits, Rejected};
use crate::surface::raw;

const JSON: &str = "application/json";

type Reply = Response<BoxBody<Bytes, Infallible>>;
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The layer for rmcp's `StreamableHttpService`.
///
/// Bodies that are no messages, missing headers and whatever else the service answers in plain text leave as JSON-RPC
/// errors with the envelope as their data. Results of a [`ProblemServer`](super::ProblemServer) are written without a
/// tree in between, their members in order.
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
#[derive(Clone, Copy, Debug, Default)]
pub struct HttpProblemLayer {
    limits: Limits,
    json_only: bool,
}

impl HttpProblemLayer {
    /// Takes as much as [`Limits`] says.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how much is taken.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Lets clients through that do not accept event streams; for a service that answers with JSON.
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
            settings: *self,
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
        let settings = self.settings;
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let request_id = ids::of(&parts.headers);
            let bytes = match Limited::new(body, settings.limits.bytes).collect().await {
                Ok(collected) => collected.to_bytes(),
                Err(error) => {
                    let problem = if error.is::<LengthLimitError>() {
                        jsonrpc::too_large(settings.limits.bytes)
                    } else {
                        jsonrpc::invalid_request("The request could not be read to its end.")
                    };
                    return Ok(refuse(&Rejected::new(None, problem), request_id));
                }
            };
            let post = parts.method == Method::POST;
            if post && let Err(rejected) = message::check(&bytes, settings.limits) {
                return Ok(refuse(&rejected, request_id));
            }
            if post && settings.json_only {
                let both = HeaderValue::from_static("application/json, text/event-stream");
                parts.headers.insert(header::ACCEPT, both);
            }
            if let Ok(id) = HeaderValue::from_str(&request_id) {
                parts.headers.insert("x-request-id", id);
            }
            // A session answers with events, whatever else is set.
            let json = settings.json_only && !parts.headers.contains_key("mcp-session-id");
            let slot = (post && json).then(Slot::default);
            if let Some(slot) = &slot {
                parts.extensions.insert(slot.clone());
            }
            let id = post.then(|| rpc_id(&bytes));
            let request = Request::from_parts(parts, Full::new(bytes));
            let response = service.call(request).await?;
            Ok(repaired(response, slot, id.as_deref(), request_id).await)
        })
    }
}

/// The id of a message, as JSON.
fn rpc_id(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let id = raw::member(text, "id").filter(|id| !id.starts_with(['{', '[']));
    id.unwrap_or("null").to_owned()
}

/// The response with its error as a problem: a JSON-RPC error to a message, a REST problem to anything else.
async fn repaired<R>(
    response: Response<R>,
    slot: Option<Slot>,
    id: Option<&str>,
    request_id: String,
) -> Reply
where
    R: Body<Data = Bytes, Error = Infallible> + Send + Sync + 'static,
{
    let status = response.status();
    let media = media(response.headers());
    let (mut parts, body) = response.into_parts();
    if status.is_client_error() || status.is_server_error() {
        let Ok(collected) = body.collect().await;
        let told = collected.to_bytes();
        if matches!(media, Media::Json) {
            let body = own::completed(&told, request_id).unwrap_or_else(|| told.to_vec());
            return answer(parts, JSON, body);
        }
        let said = String::from_utf8_lossy(&told);
        let problem = own::of_transport(status.as_u16(), &said);
        let own_status = problem.status().map(aon_core::Status::as_u16);
        parts.status = own_status
            .and_then(|status| StatusCode::from_u16(status).ok())
            .unwrap_or(status);
        let problem = problem.with_request_id(&Namespace::DEFAULT, request_id);
        return match id {
            Some(id) => {
                let body = message::error(id, number(status), &problem);
                answer(parts, JSON, body)
            }
            None => answer(parts, "application/problem+json", problem.to_vec()),
        };
    }
    let Some(slot) = slot else {
        return Response::from_parts(parts, body.boxed());
    };
    match media {
        Media::Json => match slot.take() {
            Some(body) => answer(parts, JSON, body),
            None => Response::from_parts(parts, body.boxed()),
        },
        Media::Other => Response::from_parts(parts, body.boxed()),
    }
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

fn refuse(rejected: &Rejected, request_id: String) -> Reply {
    let (problem, body) = message::refusal(rejected, request_id);
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

#[derive(Clone, Copy)]
enum Media {
    Json,
    Other,
}

fn media(headers: &HeaderMap) -> Media {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next());
    match essence.map(|essence| essence.trim().to_ascii_lowercase()) {
        Some(essence) if essence == "application/json" => Media::Json,
        Some(_) | None => Media::Other,
    }
}
