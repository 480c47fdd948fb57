//! The HTTP middleware: what never reaches a method.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::jsonrpsee::core::BoxError;
use ::jsonrpsee::server::{HttpBody, HttpRequest, HttpResponse};
use bytes::Bytes;
use http::{HeaderValue, Method, header};
use http_body_util::{BodyExt, Limited};
use tower_layer::Layer;
use tower_service::Service;

use super::own;
use crate::builtin;
use crate::door::{Door, Occurrence};
use crate::jsonrpc::{self, Endpoint, Exchange, Incoming};
use crate::surface::a2a::Profiles;
use crate::surface::raw;

/// The layer for `set_http_middleware`.
///
/// On a web socket the profile is picked once, by the request that opens it.
///
/// # Examples
///
/// ```
/// use aon::jsonrpsee::{HttpProblemLayer, ProblemLayer};
/// use jsonrpsee::core::middleware::RpcServiceBuilder;
/// use jsonrpsee::server::ServerBuilder;
///
/// let server = ServerBuilder::new()
///     .set_http_middleware(tower::ServiceBuilder::new().layer(HttpProblemLayer::new()))
///     .set_rpc_middleware(RpcServiceBuilder::new().layer(ProblemLayer::new()));
/// # let _ = server;
/// ```
#[derive(Clone, Debug, Default)]
pub struct HttpProblemLayer {
    endpoint: Endpoint,
}

impl HttpProblemLayer {
    /// Picks the profile of each request by its headers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the door failures leave through: namespace, limits, hook.
    #[must_use]
    pub fn with_door(mut self, door: Door) -> Self {
        self.endpoint = self.endpoint.with_door(door);
        self
    }

    /// Sets which profile a request gets.
    #[must_use]
    pub fn with_profiles(mut self, profiles: Profiles) -> Self {
        self.endpoint = self.endpoint.with_profiles(profiles);
        self
    }
}

impl<S> Layer<S> for HttpProblemLayer {
    type Service = HttpProblemService<S>;

    fn layer(&self, service: S) -> HttpProblemService<S> {
        HttpProblemService {
            service,
            endpoint: self.endpoint.clone(),
        }
    }
}

/// The service [`HttpProblemLayer`] makes.
#[derive(Clone, Debug)]
pub struct HttpProblemService<S> {
    service: S,
    endpoint: Endpoint,
}

impl<S, B> Service<HttpRequest<B>> for HttpProblemService<S>
where
    S: Service<HttpRequest, Response = HttpResponse, Error = BoxError> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = HttpResponse;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: HttpRequest<B>) -> Self::Future {
        let mut service = self.service.clone();
        let endpoint = self.endpoint.clone();
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let exchange = endpoint.open(&parts);
            if parts.method != Method::POST || parts.headers.contains_key(header::UPGRADE) {
                if let Some(failure) = exchange.refused() {
                    return Ok(exchange.refuse(failure, b"").map(HttpBody::from));
                }
                // A socket lives longer than this request: its messages have ids of their own.
                parts
                    .extensions
                    .insert(jsonrpc::profile_of(exchange.scope()));
                let body = HttpBody::new(body.map_err(Into::into));
                let answered = service.call(HttpRequest::from_parts(parts, body)).await?;
                return Ok(repaired(answered, &exchange));
            }
            let limits = endpoint.limits();
            let bytes = match Limited::new(body, limits.bytes).collect().await {
                Ok(collected) => collected.to_bytes(),
                Err(error) => return Ok(exchange.unread(&*error).map(HttpBody::from)),
            };
            if let Some(failure) = exchange.refused() {
                return Ok(exchange.refuse(failure, &bytes).map(HttpBody::from));
            }
            let batch = match jsonrpc::parse_within(&bytes, limits) {
                Ok(incoming) => matches!(incoming, Incoming::Batch(_)),
                Err(rejected) => return Ok(exchange.rejected(&rejected).map(HttpBody::from)),
            };
            // jsonrpsee takes no other spelling of JSON.
            let json = HeaderValue::from_static("application/json");
            parts.headers.insert(header::CONTENT_TYPE, json);
            parts.extensions.insert(exchange.scope().clone());
            let body = HttpBody::from(bytes.to_vec());
            let answered = service.call(HttpRequest::from_parts(parts, body)).await?;
            if batch {
                return whole(answered, &exchange).await;
            }
            Ok(repaired(answered, &exchange))
        })
    }
}

/// The answer to a batch: one error for all of it never went through the methods, and is not a problem yet.
async fn whole(answered: HttpResponse, exchange: &Exchange) -> Result<HttpResponse, BoxError> {
    let (parts, body) = answered.into_parts();
    let bytes = body.collect().await?.to_bytes();
    let error = std::str::from_utf8(&bytes)
        .ok()
        .and_then(|text| raw::member(text, "error"));
    let failure = error.and_then(|error| own::failure(error, "", &[], None));
    if let Some(failure) = failure {
        return Ok(exchange.refuse(&failure, b"").map(HttpBody::from));
    }
    let body = HttpBody::from(bytes.to_vec());
    Ok(repaired(HttpResponse::from_parts(parts, body), exchange))
}

/// A plain answer of the transport as a problem; anything else as it is.
fn repaired(mut answered: HttpResponse, exchange: &Exchange) -> HttpResponse {
    let status = answered.status().as_u16();
    let media = answered.headers().get(header::CONTENT_TYPE);
    let json = media.is_some_and(|media| media.as_bytes().starts_with(b"application/json"));
    if (400..600).contains(&status) && !json {
        return exchange.refuse(&bare(status), b"").map(HttpBody::from);
    }
    exchange.echo(answered.headers_mut());
    answered
}

/// The failure a status of the transport tells.
fn bare(status: u16) -> Occurrence {
    Occurrence::built_in(match builtin::of_status(status) {
        Some(entry) => builtin::problem(entry),
        // What a GET with the headers for it opens is a web socket, not an answer.
        None if status == 405 => builtin::method_not_allowed(vec![Method::POST.to_string()]),
        None if status == 413 => builtin::too_large(None),
        None if status < 500 => {
            jsonrpc::invalid_request("The transport does not accept the request.")
        }
        None => return Occurrence::broken("the transport failed", format!("status {status}")),
    })
}
